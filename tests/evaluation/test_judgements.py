"""Sheets: what annotators see and what they do not, what may stand in them, and what is told of the rest."""

import csv
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from topminer.errors import InputError
from topminer.evaluation.intrusion import Question, questions
from topminer.evaluation.judgements import (
    read_answers,
    read_key,
    read_lists_key,
    read_ratings,
    write_lists,
    write_questions,
)
from topminer.evaluation.ratings import RatingList, rating_lists
from topminer.methods.contract import Phrase

STRANGE = [
    *("=1+1", "+1", "-1", "@x", "'=quoted", "'tis"),
    *('say "it"', "a,b;c", "naïve Bayes", "机器学习", "a\tb"),
]
TOPICS = [
    [Phrase(text, (k, i), 1.0) for i, text in enumerate(texts)]
    for k, texts in enumerate([STRANGE[:6], STRANGE[6:], ["query expansion", "search engine", "web page"]])
]
TOPICS_OF = {"topmine": TOPICS, "kert": TOPICS[::-1]}
SAME_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def cells(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def written(folder: Path, text: str, name: str = "ann.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


# --------------------------------------------------------------------- intrusion


def test_questions_and_their_key(tmp_path: Path) -> None:
    asked = questions(TOPICS_OF, n=8)
    sheet, key = write_questions(tmp_path, asked)
    assert (sheet, key) == (tmp_path / "intrusion.csv", tmp_path / "key.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["intrusion.csv", "key.csv"]
    assert read_key(key) == [question._replace(stems=((),) * 4) for question in asked]
    head, *rows = cells(sheet)
    assert head == ["id", "a", "b", "c", "d", "answer"]
    assert [row[0] for row in rows] == [question.id for question in asked]
    assert {row[-1] for row in rows} == {""}
    assert not re.search("topmine|kert|method|topic|intruder", sheet.read_text(encoding="utf-8"))
    assert cells(key)[0][:5] == ["id", "method", "topic", "other", "intruder"]


def test_spreadsheets_see_utf8_and_no_formula(tmp_path: Path) -> None:
    for path in (*write_questions(tmp_path, questions(TOPICS_OF)), *write_lists(tmp_path, LISTS)):
        assert path.read_bytes().startswith(b"\xef\xbb\xbfid,")
        found = [cell for row in cells(path) for cell in row]
        assert "'=1+1" in found and "''=quoted" in found and "'tis" in found
        assert not [cell for cell in found if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6) | st.sampled_from(STRANGE)


@SAME_FOLDER
@given(options=st.lists(TEXT, min_size=4, max_size=4), method=TEXT)
def test_any_text_comes_back(tmp_path: Path, options: list[str], method: str) -> None:
    asked = [Question("q", method, 1, 2, tuple(options), ((),) * 4, 3)]
    assert read_key(write_questions(tmp_path, asked)[1]) == asked


def test_no_link_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda _: "guessed")
    (tmp_path / "other").write_text("other")
    (tmp_path / ".unfinished-guessed").symlink_to("other")
    with pytest.raises(InputError, match=r"intrusion\.csv: cannot be written: File exists"):
        write_questions(tmp_path, [])
    assert (tmp_path / "other").read_text() == "other"


def test_a_sheet_filled_in_by_letters_texts_and_marks(tmp_path: Path) -> None:
    asked = questions({"m": TOPICS}, n=6)
    sheet, _ = write_questions(tmp_path, asked)
    head, *rows = cells(sheet)
    for row, answer in zip(rows, ["b", " C ", rows[2][4], f" {rows[3][1].upper()} ", "?", ""], strict=True):
        row[-1] = answer
    with (tmp_path / "Ann Lee.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    ids = [question.id for question in asked]
    given = dict(zip(ids, [1, 2, 3, 0, None], strict=False))
    assert read_answers(tmp_path / "Ann Lee.csv") == {"Ann Lee": given}


def test_answers_come_back(tmp_path: Path) -> None:
    """As the form writes them: several annotators may be in one file, and no name is run as a formula."""
    text = "annotator,id,answer\nAnn,q1,a\nAnn,q2,?\nAnn,q3,d\n'=Ben,q1,c\n"
    assert read_answers(written(tmp_path, text)) == {"Ann": {"q1": 0, "q2": None, "q3": 3}, "=Ben": {"q1": 2}}


@pytest.mark.parametrize(
    "text",
    [
        "id,answer\nq1,a\nq2,?\nq3,\n",
        "\ufeffid;answer\r\nq1;A\r\nq2;?\r\nq3;\r\n",
        "ID\tNotes\tAnswer\nq1\tsure?\ta\n\n\t\t\nq2\t\t?\nq3\n",
        '"answer","id","annotator"\n"a","q1",""\n"?"," q2 "," "\n"","q3",ann\n',
        "id,answer,,\nq1,a,,\nq2,?,,\nq3,,,",
    ],
)
def test_what_spreadsheets_make_of_it(tmp_path: Path, text: str) -> None:
    assert read_answers(written(tmp_path, text)) == {"ann": {"q1": 0, "q2": None}}


def test_several_annotators_in_one_file(tmp_path: Path) -> None:
    text = "annotator,id,answer\nann,q1,a\nben,q1,b\n,q1,c\n"
    found = read_answers(written(tmp_path, text, "all.csv"))
    assert found == {"ann": {"q1": 0}, "ben": {"q1": 1}, "all": {"q1": 2}}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "ann.csv: found nothing; expected a table"),
        ("id,reply\nq1,a\n", "line 1: found columns id, reply; expected one each of id, answer"),
        ("id,answer,answer\nq1,a,b\n", "line 1: found columns"),
        ("id,answer\nq1,a\nq2,e\n", "line 3: found answer 'e'; expected a letter from a to d, the text of"),
        ('id,a,answer\nq1,"two\nlines",x\n', "line 2: found answer 'x'"),
        ('id,a,answer\nq1,"two\nlines",a\nq2,,x\n', "line 4: found answer 'x'"),
        ("id,answer\n,a\n", "line 2: found id ''; expected the id of"),
        ("id,answer\nq1,a\nq1,b\n", r"line 3: found 'q1' of 'ann' again, after .*line 2; expected it once"),
        ("id,answer\nq1,a,b\n", "line 2: found 3 cells; expected 2, one for each column"),
        ('id,answer\nq1,"a\n', "line 2: cannot be read as CSV"),
    ],
)
def test_what_is_told_of_bad_answers(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=re.escape(str(tmp_path)) + ".*" + told):
        read_answers(written(tmp_path, text))


def test_what_is_told_of_bad_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.csv: cannot be read: No such file"):
        read_answers(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes("id,answer\nq1,é\n".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        read_answers(tmp_path / "latin.csv")
    with pytest.raises(InputError, match="cannot be written: No such file"):
        write_questions(tmp_path / "none", [])
    one, two = (written(tmp_path, "annotator,id,answer\nann,q1,a\n", name) for name in ("1.csv", "2.csv"))
    with pytest.raises(
        InputError, match=r"2\.csv, line 2: found 'q1' of 'ann' again, after .*1\.csv, line 2"
    ):
        read_answers(one, two)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("q1,m,0,1,e,w,x,y,z", "line 2: found intruder 'e'; expected a letter from a to d"),
        ("q1,m,0,1,,w,x,y,z", "line 2: found intruder ''"),
        ("q1,m,one,1,a,w,x,y,z", "line 2: found topic 'one'; expected a whole number"),
        ("q1,m,0,-1,a,w,x,y,z", "line 2: found other '-1'; expected a whole number"),
    ],
)
def test_what_is_told_of_a_bad_key(tmp_path: Path, row: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_key(written(tmp_path, f"id,method,topic,other,intruder,a,b,c,d\n{row}\n"))


# ----------------------------------------------------------------------- ratings

LISTS = rating_lists(TOPICS_OF)


def test_lists_and_their_key(tmp_path: Path) -> None:
    sheet, key = write_lists(tmp_path, LISTS)
    assert (sheet, key) == (tmp_path / "ratings.csv", tmp_path / "ratings_key.csv")
    assert read_lists_key(key) == LISTS
    head, *rows = cells(sheet)
    assert head == ["id", *(f"phrase {number}" for number in range(1, 7)), "coherence", "quality"]
    assert {tuple(row[-2:]) for row in rows} == {("", "")}
    assert not re.search("topmine|kert|method|topic", sheet.read_text(encoding="utf-8"))
    assert read_lists_key(write_lists(tmp_path, [])[1]) == []
    many = [RatingList("t", "m", 0, tuple(f"x{i}" for i in range(12)))]
    assert read_lists_key(write_lists(tmp_path, many)[1]) == many


def test_ratings_come_back(tmp_path: Path) -> None:
    one = written(tmp_path, "annotator,id,coherence,quality\nann,t1,1,\nann,t2,7.5,10\nann,t3,,3\n")
    two = written(tmp_path, "id;coherence;quality\nt1;7,5;\nt2;;10\n", "ben.csv")
    found = read_ratings(one, two)
    assert found.coherence == {"ann": {"t1": 1, "t2": 7.5}, "ben": {"t1": 7.5}}
    assert found.quality == {"ann": {"t2": 10, "t3": 3}, "ben": {"t2": 10}}


@pytest.mark.parametrize("rating", ["0", "11", "good", "nan", "1e1", "-3", "10.5", "1_0"])
def test_what_is_told_of_bad_ratings(tmp_path: Path, rating: str) -> None:
    for text, column in ((f"t1,{rating},3", "coherence"), (f"t1,3,{rating}", "quality")):
        path = written(tmp_path, f"id,coherence,quality\nt0,,\n{text}\n")
        told = f"{path}, line 3: found {column} {rating!r}; expected a number from 1 to 10, or nothing"
        with pytest.raises(InputError, match=re.escape(told)):
            read_ratings(path)
