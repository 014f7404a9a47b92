"""The rule "auto": which corpora have documents so long that they are sampled in pieces."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer import InputError
from topminer.containers.arrays import starts_of
from topminer.topics.model.splitting import LONG, USUAL_LENGTH, Lengths, check_split, rule_for


def lengths_of(*lengths: int) -> Lengths:
    return Lengths.of(starts_of(np.array(lengths, np.int64)))


@pytest.mark.parametrize(
    ("lengths", "rule"),
    [
        ([7] * 1000, "none"),  # titles
        ([60] * 1000 + [1000], "none"),  # abstracts, and one text that is none
        ([180] * 1000, "none"),  # articles
        ([], "none"),
        ([0, 0], "none"),
        ([LONG - 1] * 3, "none"),
        ([LONG, LONG - 1, 1], USUAL_LENGTH),
        ([LONG, LONG - 1, 2], "none"),
        ([10, 10, 10, 1000], USUAL_LENGTH),
        ([3200] * 233, USUAL_LENGTH),  # speeches
        ([5] * 200 + [1000] * 30, USUAL_LENGTH),  # speeches and calls from the floor
    ],
)
def test_corpora_of_long_documents_are_split(lengths: list[int], rule: Any) -> None:
    assert rule_for("auto", lengths_of(*lengths)) == rule


@given(st.lists(st.integers(0, 2 * LONG)), st.integers(0, 10))
def test_lengths_of_parts_of_a_corpus_are_added(lengths: list[int], first: int) -> None:
    parts = lengths_of(*lengths[:first]), lengths_of(*lengths[first:])
    assert Lengths(*np.add(*parts).tolist()) == lengths_of(*lengths)


@pytest.mark.parametrize("rule", ["none", "paragraph", 1, 150, np.int64(7)])
def test_what_was_asked_for_is_done(rule: Any) -> None:
    assert rule_for(rule, lengths_of(10**6)) == check_split(rule) == rule


@pytest.mark.parametrize("split", ["", "sentences", "150", 0, -1, 1.5, True, None, [150]])
def test_other_values_are_refused(split: Any) -> None:
    message = r'split must be ("auto", "none", "paragraph" or )?a whole number.*, not '
    with pytest.raises(InputError, match=message):
        check_split(split)
