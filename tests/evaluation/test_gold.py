"""Lists of good phrases, read with the rules of a corpus."""

import gzip
import json
import lzma
from pathlib import Path

import polars as pl
import pytest

from topminer import Corpus
from topminer.errors import InputError
from topminer.evaluation.gold import Gold, gold_of_keyphrases, read_gold
from topminer.text.reading.zstd import zstd

TEXTS = [
    "Neural networks and support vector machines; the state of the art.",
    "Input/output of a neural network, a matrix of support vectors.",
]
NEURAL, SUPPORT = {"neural network"}, {"support vector"}


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_texts(TEXTS)


def phrases(corpus: Corpus, found: frozenset[tuple[int, ...]]) -> set[str]:
    stems = corpus.vocabulary["stem"].to_list()
    return {" ".join(stems[i] for i in each) for each in found}


def listed(tmp_path: Path, content: str, name: str = "list.txt") -> Path:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return path


# ------------------------------------------------------------------------------------------- lists


@pytest.mark.small
def test_phrases_go_through_the_rules_of_the_corpus(corpus: Corpus, tmp_path: Path) -> None:
    path = listed(tmp_path, "NEURAL network\nneural networks\n\nstate of the art\r\ninput / output\n")
    gold = read_gold(path, corpus)
    assert phrases(corpus, gold.good) == {"neural network", "state art", "input output"}
    assert gold == Gold("list", gold.good, frozenset(), False, 0, 0)


@pytest.mark.small
def test_what_can_not_occur_and_what_is_no_phrase_is_left_out_and_counted(
    corpus: Corpus, tmp_path: Path
) -> None:
    gold = read_gold(listed(tmp_path, "the matrix\nof\n!\nzymurgic algebra\nvector machine\n"), corpus)
    assert phrases(corpus, gold.good) == {"vector machin"}
    assert (gold.n_unknown, gold.n_single) == (1, 3)
    assert gold.skipped() == [
        ("list: phrases with an unknown word", 1, "the corpus lacks it, so they can not occur"),
        ("list: single words", 3, "left out: fewer than two kept tokens"),
    ]


@pytest.mark.small
def test_undecodable_bytes_are_counted(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(b"neural network\nvector\xff machine\n")
    gold = read_gold(path, corpus)
    assert phrases(corpus, gold.good) == {"neural network", "vector machin"}
    assert gold.skipped()[-1] == (
        "list: undecodable bytes",
        1,
        f"read as \ufffd; the first: {path}, line 2, byte 7",
    )


@pytest.mark.small
@pytest.mark.parametrize(
    ("name", "content", "good", "bad"),
    [
        ("a.tsv", f"neural network\t{'9' * 5000}\nsupport vector\t{'0' * 5000}\n", NEURAL, SUPPORT),
        ("a.b.tsv", "neural network\t2\nsupport vector\t0\n\n", NEURAL, SUPPORT),
        ("a.tsv", "term\tannotation\nneural network\t2\nsupport vector\t0\n", NEURAL, SUPPORT),
        # One spelling that is a term is enough.
        ("a.csv", "neural network,0\nthe neural networks,1\nneural networks,0\n", NEURAL, set()),
        # Quotes stand for themselves between tabs and not between commas.
        ("a.tsv", '"neural network\t1\nsupport vector"\t0\n', NEURAL, SUPPORT),
        ("a.csv", '"neural, network",1\n"support\nvector",0\n', NEURAL, SUPPORT),
    ],
)
def test_judged_phrases(
    corpus: Corpus, tmp_path: Path, name: str, content: str, good: set[str], bad: set[str]
) -> None:
    gold = read_gold(listed(tmp_path, content, name), corpus)
    assert (gold.name, gold.judged) == ("a", True)
    assert (phrases(corpus, gold.good), phrases(corpus, gold.bad)) == (good, bad)


@pytest.mark.parametrize("ending", ["gz", "xz", "zst"])
def test_compressed_lists(corpus: Corpus, tmp_path: Path, ending: str) -> None:
    compress = {"gz": gzip.compress, "xz": lzma.compress, "zst": zstd.compress}[ending]
    path = tmp_path / f"list.tsv.{ending}"
    path.write_bytes(compress(b"neural network\t1\nsupport vector\t0\n"))
    gold = read_gold(path, corpus)
    assert (len(gold.good), len(gold.bad), gold.name) == (1, 1, "list")


# -------------------------------------------------------------------------------------- keyphrases

ROWS = [
    {"id": "b", "text": TEXTS[1], "keyphrases": ["neural networks", "matrix", "Support Vector"]},
    {"id": "none", "text": "Support of machines.", "keyphrases": None},
    {"id": "a", "text": TEXTS[0], "keyphrases": "state of the art; neural network;;zymurgic algebra"},
]


def written(tmp_path: Path, format: str, rows: list[dict[str, object]]) -> Path:
    path = tmp_path / f"papers.{format}"
    joined = [
        {**row, "keyphrases": ";".join(row["keyphrases"])} if isinstance(row.get("keyphrases"), list) else row
        for row in rows
    ]
    if format == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    elif format == "parquet":
        pl.DataFrame(joined).write_parquet(path)
    else:
        pl.DataFrame(joined).write_csv(path)
    return path


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet"])
def test_each_document_gets_its_own_keyphrases(tmp_path: Path, format: str) -> None:
    path = written(tmp_path, format, ROWS)
    corpus = Corpus.read(path, text="text")[[2, 1, 0]]
    gold, documents = gold_of_keyphrases(path, corpus)
    found = [phrases(corpus, each) for each in documents]
    assert found == [NEURAL | {"state art"}, set(), NEURAL | SUPPORT]
    assert phrases(corpus, gold.good) == {"state art", "neural network", "support vector"}
    assert (gold.name, gold.judged, gold.bad) == ("papers", False, frozenset())
    assert (gold.n_unknown, gold.n_single) == (1, 1)


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet"])
def test_without_names_rows_go_by_their_numbers_whatever_was_skipped(tmp_path: Path, format: str) -> None:
    blank = {"id": "", "text": " ", "keyphrases": "vector machine"}
    rows = [{name: row[name] for name in ("text", "keyphrases")} for row in (ROWS[0], blank, ROWS[2])]
    path = written(tmp_path, format, rows)
    corpus = Corpus.read(path, text="text")
    gold, documents = gold_of_keyphrases(path, corpus)
    assert [phrases(corpus, each) for each in documents] == [NEURAL | SUPPORT, NEURAL | {"state art"}]
    assert gold.n_strangers == 1


def test_a_column_of_lists_in_parquet(tmp_path: Path) -> None:
    path, tags = tmp_path / "papers.parquet", [["neural network"], ["matrix", "support vectors"]]
    pl.DataFrame({"text": TEXTS, "tags": tags}).write_parquet(path)
    corpus = Corpus.read(path, text="text")
    _, documents = gold_of_keyphrases(path, corpus, "tags")
    assert [phrases(corpus, each) for each in documents] == [NEURAL, SUPPORT]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("list.doc", "neural network", "unknown ending"),
        ("list.txt", " \n\n", "no phrases"),
        ("list.tsv", "term\tgood\n", "no phrases"),
        ("list.tsv", "a\t1\nneural network\n", "line 2: found 1 fields"),
        ("list.tsv", "a\t1\nneural network\tyes\n", "line 2: found the judgement 'yes'"),
        ("list.txt", None, "no such file"),
        ("papers.txt", "neural network", "unknown ending"),
        ("papers.jsonl", '{"id": "1", "tags": []}\n', "no column 'keyphrases'; its columns are 'id', 'tags'"),
        ("papers.jsonl", '{"keyphrases": [1]}\n', r"row 1: 'keyphrases' holds \[1\]"),
        ("papers.jsonl", '\n{"keyphrases"\n', "line 2: not valid JSON"),
        ("papers.jsonl", '{"keyphrases": ' + "[" * 100_000, "line 1: not valid JSON"),
        ("papers.jsonl", "[]\n", r"line 1: found \[\], expected a JSON object"),
        ("papers.jsonl", '{"id": "z", "keyphrases": []}\n', "no row has the name of a document"),
        ("papers.parquet", "PAR1", "not a Parquet file"),
    ],
)
def test_other_files_are_refused(
    corpus: Corpus, tmp_path: Path, name: str, content: str | None, message: str
) -> None:
    path = tmp_path / name if content is None else listed(tmp_path, content, name)
    with pytest.raises(InputError, match=message):
        (read_gold if name.startswith("list") else gold_of_keyphrases)(path, corpus)


@pytest.mark.corpus
def test_the_judged_terms_of_real_abstracts(shared_data: Path) -> None:
    corpus = Corpus.read(shared_data / "abstracts_acl_arc.jsonl.zst", text="text")[:500]
    gold = read_gold(shared_data / "gold_acl_terms.tsv.zst", corpus)
    assert gold.judged
    good = phrases(corpus, frozenset(stems for stems in gold.good if len(stems) == 2))
    assert {"machin translat", "languag model"} <= good
    assert not gold.good & gold.bad
    assert 83_000 > gold.n_single > gold.n_unknown // 2 > 1000
