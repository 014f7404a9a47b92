"""Documents that may have a kind, against regular expressions; none may be missed."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer.text.scan.signs import NOTHING, SIGN, SIGNS, find_signs

pytestmark = pytest.mark.small

HEADER = re.compile(r"\A\s*[A-Za-z0-9.-]+:")
NUMBERS = re.compile(r"[0-9][.,:/%]*[ \t|]+[-+]?[0-9]")
DOCUMENTS = st.lists(
    st.one_of(
        st.text(st.sampled_from("ab1 2.,-+|\té:\u3000/")),
        st.builds("{} {}".format, st.text("ab ", max_size=150), st.text("a1 |%/@\n", max_size=8)),
    ),
    max_size=8,
)


def found_in(texts: list[str]) -> list[int]:
    encoded = [text.encode() for text in texts]
    text_start = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    found = np.empty(len(texts), np.uint8)
    find_signs(np.frombuffer(b"".join(encoded), np.uint8), text_start, found)
    return found.tolist()


@given(DOCUMENTS)
def test_signs_are_found_exactly_and_nothing_is_missed(texts: list[str]) -> None:
    for text, found in zip(texts, found_in(texts), strict=True):
        assert (found == SIGN) == any(byte in SIGNS for byte in text.encode())
        if HEADER.search(text) or NUMBERS.search(text):
            assert found != NOTHING


def test_words_have_nothing() -> None:
    plain = 'Nothing to see in (plain) text; not even 3.14, or a well-known "word". ' * 9
    assert found_in([plain, "", plain[:64], plain + "1 2"]) == [0, 0, 0, 1]
