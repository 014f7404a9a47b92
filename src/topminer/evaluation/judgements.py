"""Sheets that people fill in: questions and lists as CSV with their keys apart, answers and ratings back.

``intrusion.csv`` and ``ratings.csv`` are what annotators see. ``key.csv`` and ``ratings_key.csv`` tell the
method and the intruder, and stay with the person who scores. A sheet's ``answer`` is a letter, or the text of
an option, or ``?`` for unable; empty is not answered. Ratings go from 1 to 10; empty is not rated.

    id,a,b,c,d,answer
    q01-2106,query expansion,support vector machine,search engine,relevance feedback,b

Several annotators are several files, or one with a column ``annotator``; where that is empty or missing, the
file's name is the annotator's. Spreadsheets run what starts like a formula, so such texts get an
apostrophe before them, which is taken away when they are read.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from topminer._spreadsheets import with_formula, without_formula
from topminer.errors import InputError
from topminer.evaluation.intrusion import LETTERS, Question, agreement_of, scores
from topminer.evaluation.ratings import HIGHEST, LOWEST, Rated, RatingList, method_scores
from topminer.store.files import write_atomically

SHEET, KEY = "intrusion.csv", "key.csv"
RATINGS, RATINGS_KEY = "ratings.csv", "ratings_key.csv"
UNABLE = "?"

_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)?")  # spreadsheets of half the world write 7,5


class _Row(NamedTuple):
    place: str  # file and line, for messages
    cells: dict[str, str]  # by column

    def wrong(self, column: str, expected: str) -> InputError:
        return InputError(f"{self.place}: found {column} {self.cells.get(column, '')!r}; expected {expected}")


# ----------------------------------------------------------------------- intrusion


def write_questions(folder: Path, questions: Sequence[Question]) -> tuple[Path, Path]:
    """Write the sheet and its key into a folder; give their paths."""
    sheet = [[each.id, *each.options, ""] for each in questions]
    key = [
        [each.id, each.method, each.topic, each.other, LETTERS[each.intruder], *each.options]
        for each in questions
    ]
    return (
        _write(folder / SHEET, ["id", *LETTERS, "answer"], sheet),
        _write(folder / KEY, ["id", "method", "topic", "other", "intruder", *LETTERS], key),
    )


def read_key(path: Path) -> list[Question]:
    """Read questions back from their key; the stems of their options are not in it, and left empty."""
    questions = []
    for row in _rows(path, ["id", "method", "topic", "other", "intruder", *LETTERS], {}):
        cells = row.cells
        intruder = cells["intruder"].strip().lower()
        if len(intruder) != 1 or intruder not in LETTERS:
            raise row.wrong("intruder", _letters())
        options = tuple(cells[letter] for letter in LETTERS)
        topic, other = _whole(row, "topic"), _whole(row, "other")
        stems = ((),) * len(options)
        questions.append(
            Question(cells["id"], cells["method"], topic, other, options, stems, LETTERS.index(intruder))
        )
    return questions


def read_answers(*paths: Path) -> dict[str, dict[str, int | None]]:
    """Read what annotators answered: annotator → question's id → option; None: unable to choose.

    Each file is a sheet that was filled in, or was made by the form. A question that was not answered is not
    there, but its annotator is.
    """
    answers: dict[str, dict[str, int | None]] = {}
    seen: dict[tuple[str, str], str] = {}
    for path in paths:
        for row in _rows(path, ["id", "answer"], seen):
            own = answers.setdefault(row.cells["annotator"], {})
            answer = " ".join(row.cells["answer"].split()).casefold()
            if answer:
                own[row.cells["id"]] = None if answer == UNABLE else _option(row, answer)
    return answers


def _option(row: _Row, answer: str) -> int:
    """The option that an answer names: by its letter or, if it is none, by its text."""
    if len(answer) == 1 and answer in LETTERS:
        return LETTERS.index(answer)
    texts = [" ".join(row.cells.get(letter, "").split()).casefold() for letter in LETTERS]
    if answer not in texts:
        expected = f"{_letters()}, the text of an option, {UNABLE} for unable, or nothing"
        raise row.wrong("answer", expected)
    return texts.index(answer)


def _letters() -> str:
    return f"a letter from {LETTERS[0]} to {LETTERS[-1]}"


# ------------------------------------------------------------------------- ratings


def write_lists(folder: Path, lists: Sequence[RatingList]) -> tuple[Path, Path]:
    """Write the sheet of lists to be rated and its key into a folder; give their paths."""
    width = max((len(each.phrases) for each in lists), default=0)
    names = [f"phrase {number}" for number in range(1, width + 1)]
    padded = {each.id: [*each.phrases] + [""] * (width - len(each.phrases)) for each in lists}
    sheet = [[each.id, *padded[each.id], "", ""] for each in lists]
    key = [[each.id, each.method, each.topic, *padded[each.id]] for each in lists]
    return (
        _write(folder / RATINGS, ["id", *names, "coherence", "quality"], sheet),
        _write(folder / RATINGS_KEY, ["id", "method", "topic", *names], key),
    )


def read_lists_key(path: Path) -> list[RatingList]:
    """Read lists back from their key."""
    lists = []
    for row in _rows(path, ["id", "method", "topic"], {}):
        phrases = [cell for column, cell in row.cells.items() if column.startswith("phrase ") and cell]
        lists.append(RatingList(row.cells["id"], row.cells["method"], _whole(row, "topic"), tuple(phrases)))
    return lists


def read_ratings(*paths: Path) -> Rated:
    """Read what experts rated; each file is a sheet that was filled in, or was made by the form."""
    rated = Rated({}, {})
    seen: dict[tuple[str, str], str] = {}
    for path in paths:
        for row in _rows(path, ["id", "coherence", "quality"], seen):
            for column, ratings in zip(("coherence", "quality"), rated, strict=True):
                own = ratings.setdefault(row.cells["annotator"], {})
                cell = row.cells[column].strip()
                if cell:
                    own[row.cells["id"]] = _rating(row, column, cell)
    return rated


def _rating(row: _Row, column: str, cell: str) -> float:
    rating = float(cell.replace(",", ".")) if _NUMBER.fullmatch(cell) else 0.0
    if not LOWEST <= rating <= HIGHEST:
        raise row.wrong(column, f"a number from {LOWEST} to {HIGHEST}, or nothing")
    return rating


# -------------------------------------------------------------------------- scores


def scored(folder: Path, answers: Sequence[Path], ratings: Sequence[Path]) -> dict[str, Any]:
    """Score people's answers and ratings by method, as plain numbers; the keys are in the folder."""
    people: dict[str, Any] = {"annotators": [], "alpha": None, "intrusion": None, "ratings": None}
    if answers:
        asked, given = read_key(folder / KEY), read_answers(*answers)
        people |= {
            "annotators": list(given),
            "alpha": agreement_of(asked, given),
            "intrusion": {method: asdict(score) for method, score in scores(asked, given).items()},
        }
    if ratings:
        lists, rated = read_lists_key(folder / RATINGS_KEY), read_ratings(*ratings)
        coherence, quality = (method_scores(lists, each) for each in rated)
        people["ratings"] = {
            "experts": len(rated.coherence),
            "alpha_coherence": coherence.agreement,
            "alpha_quality": quality.agreement,
            "coherence": coherence.methods,
            "quality": quality.methods,
        }
    return people


# --------------------------------------------------------------------------- files


def _write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    """Write a table, whole or not at all."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows(
        [without_formula(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
    )
    try:
        # Without its mark at the start, some spreadsheets take UTF-8 for something else.
        write_atomically(path, text.getvalue().encode("utf-8-sig", "replace"))
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    return path


def _rows(path: Path, columns: Sequence[str], seen: dict[tuple[str, str], str]) -> list[_Row]:
    """The rows of a table that has these columns; each annotator and id comes once.

    ``seen`` is where they came, and is added to. Rows without any text are left out.
    """
    found, *lines = _table(path)
    names = [name.strip().lower() for name in found[1]]
    missing = [name for name in columns if names.count(name) != 1]
    if missing:
        raise InputError(
            f"{found[0]}: found columns {', '.join(names)}; expected one each of {', '.join(columns)}"
        )
    rows = []
    for place, cells in lines:
        if any(cells[len(names) :]):
            raise InputError(f"{place}: found {len(cells)} cells; expected {len(names)}, one for each column")
        texts = [with_formula(cell) for cell in cells[: len(names)]]
        row = _Row(place, dict(zip(names, [*texts, *[""] * (len(names) - len(texts))], strict=True)))
        who = row.cells["annotator"] = row.cells.get("annotator", "").strip() or path.stem
        id = row.cells["id"] = row.cells["id"].strip()
        if not id:
            raise row.wrong("id", "the id of a question or list")
        if (who, id) in seen:
            first = seen[who, id]
            raise InputError(f"{place}: found {id!r} of {who!r} again, after {first}; expected it once")
        seen[who, id] = place
        rows.append(row)
    return rows


def _table(path: Path) -> list[tuple[str, list[str]]]:
    """The lines of a CSV file that have any text, with their places; the first is the header."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8; save the sheet as CSV in UTF-8") from None
    header = text.lstrip().split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=header.count), strict=True)
    lines = []
    start = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                lines.append((f"{path}, line {start}", cells))
            start = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{path}, line {start}: cannot be read as CSV: {error}") from None
    if not lines:
        raise InputError(f"{path}: found nothing; expected a table with a line of column names")
    return lines


def _whole(row: _Row, column: str) -> int:
    cell = row.cells[column].strip()
    if not re.fullmatch("[0-9]{1,9}", cell):
        raise row.wrong(column, "a whole number")
    return int(cell)
