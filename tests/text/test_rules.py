"""What a user can choose, and what is refused."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from oracles import tokens as oracle
from oracles.texts import texts

from topminer import InputError
from topminer.text.languages import language_of, stop_words_of
from topminer.text.rules import TextRules, fold

pytestmark = pytest.mark.small


def test_the_default_is_english_as_in_the_paper() -> None:
    rules = TextRules.choose()
    assert (rules.language, rules.stem, rules.stop_word_policy, rules.numbers) == (
        "english",
        True,
        "skip",
        True,
    )
    assert rules.token_pattern is None
    assert set(rules.stop_words) == {fold(word) for word in stop_words_of(language_of("english"))}


def test_stop_words_are_folded_sorted_and_each_there_once() -> None:
    rules = TextRules.choose(stop_words=["The", "the", "Don’t", "e.g.", "co\u00adop", "E\u0301tat", "am"])
    assert rules.stop_words == ("am", "coop", "don't", "e.g", "the", "état")


def test_an_empty_list_means_no_stop_words() -> None:
    assert TextRules.choose(stop_words=[]).stop_words == ()


def test_any_iterable_of_stop_words_will_do() -> None:
    for words in (("b", "a"), {"a", "b"}, iter(["a", "b"]), {"a": 1, "b": 2}):
        assert TextRules.choose(stop_words=words).stop_words == ("a", "b")


def test_without_a_language_there_are_no_stop_words() -> None:
    rules = TextRules.choose(language=None)
    assert (rules.language, rules.stop_words) == (None, ())


def test_own_stop_words_without_a_language() -> None:
    assert TextRules.choose(language=None, stop_words=["x"]).stop_words == ("x",)


def test_a_language_is_stored_under_its_name() -> None:
    assert TextRules.choose(language=" DE ").language == "german"


# ------------------------------------------------------------------------------ stop words in a file


def test_a_file_of_stop_words(tmp_path: Path) -> None:
    file = tmp_path / "stop.txt"
    file.write_bytes("\ufeff# my own\nThe\n\n  of  \r\n#and\nDon’t\nof\n".encode())
    assert TextRules.choose(stop_words=file).stop_words == ("don't", "of", "the")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="devices of Linux")
def test_an_endless_file_of_stop_words() -> None:
    with pytest.raises(InputError, match=r"^/dev/zero: a list longer than 64 MiB"):
        TextRules.choose("english", True, Path("/dev/zero"), "skip", True, None)


def test_an_empty_file_means_no_stop_words(tmp_path: Path) -> None:
    file = tmp_path / "stop.txt"
    file.touch()
    assert TextRules.choose(stop_words=file).stop_words == ()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.txt: No such file .*one stop word a line"):
        TextRules.choose(stop_words=tmp_path / "nowhere.txt")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Is a directory.*one stop word a line"):
        TextRules.choose(stop_words=tmp_path)


def test_a_file_that_is_not_utf_8(tmp_path: Path) -> None:
    file = tmp_path / "stop.txt"
    file.write_bytes("für\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"stop\.txt: not UTF-8 \(byte 1\)"):
        TextRules.choose(stop_words=file)


# ----------------------------------------------------------------------------------------- refused


def test_a_string_is_no_list_of_stop_words() -> None:
    """It would be taken for a list of letters; a file is named by a Path."""
    with pytest.raises(InputError, match=r"must be a list of words, or a pathlib\.Path"):
        TextRules.choose(stop_words="the")


@pytest.mark.parametrize("policy", ["drop", "Skip", "", None])
def test_an_unknown_policy(policy: str) -> None:
    with pytest.raises(InputError, match=f"must be one of skip, keep, break, not {policy!r}"):
        TextRules.choose(stop_word_policy=policy)  # type: ignore[arg-type]


def test_an_unknown_language() -> None:
    with pytest.raises(InputError, match=r"unknown language 'germn' \(did you mean german\?\)"):
        TextRules.choose(language="germn")


def test_a_stop_word_that_is_no_string() -> None:
    with pytest.raises(InputError, match="stop_words"):
        TextRules.choose(stop_words=["the", None])  # type: ignore[list-item]


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


@given(texts)
def test_folding_is_that_of_the_oracle(text: str) -> None:
    assert fold(text) == oracle.fold(text)
