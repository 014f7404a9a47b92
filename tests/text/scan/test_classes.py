"""The table of character classes against the table of docs/text.md."""

import sys
import unicodedata

import numpy as np
import polars as pl
import pytest
from make_classes import class_of_every_character, run_lengths
from oracles import tokens as oracle

from topminer.text.scan.classes import (
    ALONE,
    BLANK,
    DIGIT,
    DIGIT_LINK,
    ENDING,
    FILE,
    FORMAT,
    KIND,
    LETTER,
    LINE_END,
    LINK,
    MARK,
    MULTIBYTE,
    NEUTRAL,
    classes,
)

NUMBER_OF = {
    "letter": LETTER,
    "digit": DIGIT,
    "mark": MARK,
    "alone": ALONE,
    "format": FORMAT,
    "blank": BLANK,
    "neutral": NEUTRAL,
    "line end": LINE_END,
    "ending": ENDING,
}
# The table of the package is that of one Unicode version; Python may have another.
same_unicode = pytest.mark.skipif(
    FILE.read_text("ascii").split("\n", 1)[0] != f"Unicode {unicodedata.unidata_version}",
    reason=f"the table is not that of Unicode {unicodedata.unidata_version}, which this Python has",
)
CHARACTERS = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]

# Letters that Unicode does not count to one script, since Kana and Han share them; all stand alone here.
SHARED_BY_HAN_AND_KANA = set("〆〱〲〳〴〵〼ー\uff70\uff9e\uff9f")


def named(codes: list[str]) -> list[str]:
    return [f"U+{ord(char):04X} {unicodedata.name(char, '?')}" for char in codes]


@same_unicode
def test_the_table_is_the_one_that_the_command_makes() -> None:
    """After a change, run python tests/make_classes.py."""
    made = class_of_every_character()
    assert np.array_equal(made, classes().of_char)
    assert run_lengths(made) == FILE.read_text("ascii")


@same_unicode
def test_every_character_has_the_class_that_the_page_gives_it() -> None:
    kinds = classes().of_char & KIND
    wrong = [char for char in CHARACTERS if kinds[ord(char)] != NUMBER_OF[oracle.class_of(char)]]
    assert named(wrong) == []


@pytest.mark.parametrize(
    ("bit", "links"),
    [
        (
            LINK,
            "'’＇-\u2010\u2011\u058a\u05be.·\u0387\u05f3\u05f4_\u203f\u2040\u2054\ufe33\ufe34\ufe4d\ufe4e\ufe4f＿",
        ),
        (DIGIT_LINK, ",\u066b\u066c"),
    ],
)
def test_links_are_those_of_the_page(bit: int, links: str) -> None:
    flagged = [chr(code) for code in np.flatnonzero(classes().of_char & bit)]
    assert named(sorted(flagged)) == named(sorted(links))


@same_unicode
def test_letters_stand_alone_where_their_script_has_no_spaces() -> None:
    """Rust's regular expressions know the scripts, Python's unicodedata does not: a second opinion."""
    letters = pl.Series([char for char in CHARACTERS if unicodedata.category(char).startswith("L")])
    scripts = "".join(
        rf"\p{{{script}}}"
        for script in ("Han", "Hiragana", "Katakana", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar")
    )
    letters = letters.filter(letters.str.contains(r"^\p{L}$"))  # those that both know
    by_script = set(letters.filter(letters.str.contains(f"^[{scripts}]$")))
    alone = {chr(code) for code in np.flatnonzero(classes().of_char & KIND == ALONE)} & set(letters)
    assert named(sorted(alone ^ (by_script | SHARED_BY_HAN_AND_KANA))) == []


@pytest.mark.parametrize(
    ("kind", "examples"),
    [
        ("letter", "aÉßΩяא한ㄱﬁ𝒳ⴰ"),
        ("digit", "07½²Ⅳ①٣๓〇"),
        ("alone", "漢々ひカｶーㄅกเລខမ𠀀"),
        ("mark", "\u0301\u0e31\u3099\u20e3\ufe0f"),
        ("format", "\u00ad\u200b\u200d\u200e\u2060\ufeff"),
        ("line end", "\n\v\f\r\u0085\u2028\u2029"),
        ("blank", " \t\x00\x01\x1c\x1f\x7f\u00a0\u1680\u2003\u202f\u3000"),
        ("neutral", "&@#%‰/\\*+=^~°§·$€¢₿_‿\u0f0b\u0f0c\u1361\ue000\U000f0000\u0378\U0010fffe"),
        ("ending", ".,;:!?()[]{}<>|`\"'’«»“”—–-…。、・¿😀→±™"),
    ],
)
@pytest.mark.small
def test_examples(kind: str, examples: str) -> None:
    kinds = {char: int(classes().of_char[ord(char)] & KIND) for char in examples}
    assert kinds == dict.fromkeys(examples, NUMBER_OF[kind])


@pytest.mark.small
def test_a_byte_is_its_ascii_character_or_part_of_a_longer_one() -> None:
    of_byte, of_char = classes()
    assert of_byte[:128].tolist() == of_char[:128].tolist()
    assert set(of_byte[128:].tolist()) == {MULTIBYTE}
