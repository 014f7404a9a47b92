"""The oracles of PhraseLDA agree with each other, and with hand and pencil."""

import math
from collections import Counter

import pytest
from assigned import Assigned, assigned
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import topics as oracle

pytestmark = pytest.mark.small


def test_joint_by_hand() -> None:
    """Two tokens of one word in one document: draw by draw from the two Pólya urns."""
    together = oracle.joint([[(0, 0)]], [[1]], [0.5, 1.5], 0.1, 3)
    assert together == pytest.approx(math.log(1.5 / 2 * 0.1 / 0.3 * 2.5 / 3 * 1.1 / 1.3))
    apart = oracle.joint([[(0,), (0,)]], [[0, 1]], [0.5, 1.5], 0.1, 3)
    assert apart == pytest.approx(math.log(0.5 / 2 * 0.1 / 0.3 * 1.5 / 3 * 0.1 / 0.3))


@given(assigned(), st.data())
def test_equation_7_is_the_conditional_of_the_joint(corpus: Assigned, data: st.DataObject) -> None:
    documents, topics, *model = corpus
    places = [(d, g) for d, document in enumerate(documents) for g in range(len(document))]
    assume(places)
    d, g = data.draw(st.sampled_from(places))
    expected = oracle.conditional(documents, topics, d, g, *model)
    assert math.fsum(expected) == pytest.approx(1)
    assert oracle.equation_7(documents, topics, d, g, *model) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    if max(Counter(documents[d][g]).values()) == 1:
        as_printed = oracle.equation_7(documents, topics, d, g, *model, corrected=False)
        assert as_printed == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_equation_7_as_printed_is_not_when_a_word_stands_twice() -> None:
    documents, topics = [[(0, 0), (1,)], [(0,), (1, 1)]], [[0, 1], [0, 1]]
    model = ([0.5, 0.8], 0.1, 2)
    expected = oracle.conditional(documents, topics, 0, 0, *model)
    assert oracle.equation_7(documents, topics, 0, 0, *model) == pytest.approx(expected, rel=1e-12)
    as_printed = oracle.equation_7(documents, topics, 0, 0, *model, corrected=False)
    assert as_printed[0] > expected[0] + 0.005


def test_posterior_has_the_conditionals() -> None:
    """Every topic of every clique, against the sum over all states in which the others are as they are."""
    documents = [[(0, 1), (0,)], [], [(2, 2, 0), (1,)]]
    model = ([0.3, 0.7, 1.1], 0.2, 3)
    found = oracle.posterior(documents, 3, *model)
    assert len(found) == 3**4
    assert math.fsum(found.values()) == pytest.approx(1, rel=1e-12)
    for state in found:
        topics = oracle.shaped(state, documents)
        for i, (d, g) in enumerate([(0, 0), (0, 1), (2, 0), (2, 1)]):
            row = [found[(*state[:i], k, *state[i + 1 :])] for k in range(3)]
            expected = [p / math.fsum(row) for p in row]
            assert oracle.equation_7(documents, topics, d, g, *model) == pytest.approx(expected, rel=1e-9)


def test_completion_perplexity_by_hand() -> None:
    phi = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]
    assert oracle.completion_perplexity([[0.5, 0.5]], phi, [[1]]) == pytest.approx(2)
    assert oracle.completion_perplexity([[1, 0], [0.5, 0.5]], phi, [[0, 1], [0, 2]]) == pytest.approx(8**0.5)
    uniform = [[0.2] * 5] * 3
    assert oracle.completion_perplexity([[0.2, 0.3, 0.5]], uniform, [[0, 3, 3]]) == pytest.approx(5)
