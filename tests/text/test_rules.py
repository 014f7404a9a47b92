"""What a user can choose, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from oracles import tokens as oracle

from topminer import InputError
from topminer.text.languages import language_of, stop_words_of
from topminer.text.rules import TextRules, fold

pytestmark = pytest.mark.small


def test_the_default_is_english_as_in_the_paper() -> None:
    rules = TextRules.choose()
    assert (rules.language, rules.stem, rules.stop_word_policy) == ("english", True, "skip")
    assert (rules.numbers, rules.token_pattern) == (True, None)
    assert set(rules.stop_words) == {fold(word) for word in stop_words_of(language_of("english"))}


def test_a_file_of_stop_words(tmp_path: Path) -> None:
    file = tmp_path / "stop.txt"
    file.write_bytes("\ufeff# my own\nThe\n\n  of  \r\n#and\nDon’t\nof\n".encode())
    assert TextRules.choose(stop_words=file).stop_words == ("don't", "of", "the")
    file.write_bytes(b"")
    assert TextRules.choose(stop_words=file).stop_words == ()


@pytest.mark.parametrize(
    ("given", "stop_words"),
    [
        ({"stop_words": []}, ()),
        ({"language": None}, ()),
        ({"language": None, "stop_words": ["x"]}, ("x",)),
        ({"stop_words": {"b", "a"}}, ("a", "b")),
        ({"stop_words": iter(["b", "a"])}, ("a", "b")),
        (
            {"stop_words": ["The", "the", "Don’t", "e.g.", "co\u00adop", "am"]},
            ("am", "coop", "don't", "e.g", "the"),
        ),
    ],
)
def test_stop_words(given: dict[str, Any], stop_words: tuple[str, ...]) -> None:
    assert TextRules.choose(**given).stop_words == stop_words


@pytest.mark.parametrize(
    ("given", "message"),
    [
        # A string would be taken for a list of letters; a file is named by a Path.
        ({"stop_words": "the"}, r"must be a list of words, or a pathlib\.Path"),
        ({"stop_words": ["the", None]}, "stop_words holds None; expected strings"),
        ({"stop_words": Path("nowhere.txt")}, r"^nowhere\.txt: No such file .*one stop word a line"),
        ({"stop_words": Path("folder")}, "Is a directory.*one stop word a line"),
        ({"stop_words": Path("latin.txt")}, r"latin\.txt: not UTF-8 \(byte 1\)"),
        ({"stop_words": Path("/dev/zero")}, "^/dev/zero: (a list longer than 64 MiB|No such file)"),
        ({"stop_word_policy": "Skip"}, "must be one of skip, keep, break, not 'Skip'"),
        ({"stop_word_policy": None}, "must be one of skip, keep, break, not None"),
        ({"language": "germn"}, r"unknown language 'germn' \(did you mean german\?\)"),
        ({"language": "xx"}, "unknown language 'xx'; known are .*, zulu$"),
    ],
)
def test_refused(
    given: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("latin.txt").write_bytes("für\n".encode("latin-1"))
    with pytest.raises(InputError, match=message):
        TextRules.choose(**given)


# --------------------------------------------------------------------------------- stored and folded


@pytest.mark.parametrize(
    "rules", [TextRules.choose(), TextRules.choose(None, False, ["x", "ы"], "break", False, r"\w+")]
)
def test_rules_survive_json(rules: TextRules) -> None:
    assert TextRules.from_json(json.loads(json.dumps(rules.to_json()))) == rules


@pytest.mark.parametrize(
    ("surface", "folded"),
    [
        ("House", "house"),
        ("E\u0301tat", "état"),
        ("État", "état"),
        ("don’t", "don't"),
        ("don＇t", "don't"),
        ("co\u00adoperate", "cooperate"),
        ("می\u200cخواهم", "میخواهم"),
        ("U.S.", "u.s"),
        ("e.g.", "e.g"),
        ("3.14", "3.14"),
        ("x..", "x."),
        ("ΟΔΟΣ", "οδος"),
        ("İ", "i\u0307"),
        ("ǅ", "ǆ"),
        ("Straße", "straße"),
        ("漢", "漢"),
        ("", ""),
    ],
)
def test_folding_by_hand(surface: str, folded: str) -> None:
    assert fold(surface) == folded == oracle.fold(surface)
