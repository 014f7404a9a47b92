"""Folding all at once against folding one by one; roles are tested with the vocabulary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import tokens as oracle

from topminer.text.folding import DROP, KEEP, SKIP, Roles, folded
from topminer.text.interning import strings_of
from topminer.text.rules import TextRules, fold

# Capital sigma looks at its neighbours; combining marks, soft hyphens and apostrophes are folded away.
surfaces = st.lists(
    st.one_of(
        st.text("aAΣσΟİIéE\u0301\u0308.’＇'\u00ad\u200d-漢", max_size=8),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
    ),
    max_size=20,
)


@pytest.mark.small
@given(surfaces)
def test_all_at_once_is_one_by_one(surfaces: list[str]) -> None:
    words = folded(strings_of([surface.encode() for surface in surfaces]))
    assert [word.decode() for word in words] == [fold(surface) for surface in surfaces]


@pytest.mark.small
@given(surfaces)
def test_folding_is_that_of_the_oracle(surfaces: list[str]) -> None:
    words = folded(strings_of([surface.encode() for surface in surfaces]))
    assert [word.decode() for word in words] == [oracle.fold(surface) for surface in surfaces]


@pytest.mark.small
def test_by_hand() -> None:
    written = ["THE", "U.S.", "a..", "ΟΔΟΣ", "ΣΑΣ", "co\u00adop", "It’s", "e\u0301.", ""]
    words = ["the", "u.s", "a.", "οδος", "σας", "coop", "it's", "é", ""]
    assert [word.decode() for word in folded(strings_of([text.encode() for text in written]))] == words


@pytest.mark.small
def test_a_stop_word_that_is_no_text_is_none() -> None:
    """Half a surrogate pair, or nothing at all, in a list of stop words matches no word."""
    roles = Roles(TextRules.choose("english", True, ["\ud800", "", ".", "the", "的"]))
    assert roles.of([b"the", "的".encode(), b"cat"]).tolist() == [SKIP, DROP, KEEP]
