"""The documents that the number of topics is found on."""

import numpy as np
import pytest
from chains import documents_and_words, partition_of
from hypothesis import given
from hypothesis import strategies as st
from oracles.topics import Document

from topminer.errors import InputError
from topminer.topics.number.selection import FEWEST_DOCUMENTS, MOST_TOKENS, Rows, choose_rows, select

pytestmark = pytest.mark.small


@st.composite
def corpora_and_rows(draw: st.DrawFn) -> tuple[list[Document], int, list[int], list[int]]:
    """Documents with words that were never seen, their words, and two disjoint lists of some of them."""
    documents, n_words = draw(documents_and_words())
    documents = [
        [clique for each in document for clique in (each, *draw(st.sampled_from([(), ((-1,),)])))]
        for document in documents
    ]
    part = draw(st.lists(st.sampled_from("-sh"), min_size=len(documents), max_size=len(documents)))
    sampled, held_out = ([i for i, each in enumerate(part) if each == name] for name in "sh")
    return documents, n_words, sampled, held_out


@given(corpora_and_rows())
def test_cliques_of_the_selected_documents_keep_their_words(
    given: tuple[list[Document], int, list[int], list[int]],
) -> None:
    documents, n_words, *rows = given
    whole = partition_of(documents, n_words)
    selection = select(whole, Rows(*(np.array(each, np.int64) for each in rows)))
    for part, chosen in zip((selection.sampled, selection.held_out), rows, strict=True):
        assert len(part) == len(chosen)
        for d, row in enumerate(chosen):
            expected = [clique for clique in documents[row] if clique != (-1,)]
            first, last = part.doc_start[d : d + 2].tolist()
            found = [
                tuple(part.corpus.stem_ids[part.clique_start[i] : part.clique_start[i + 1]].tolist())
                for i in range(first, last)
            ]
            assert [tuple(selection.type_of[list(clique)].tolist()) for clique in found] == expected
            own = part.type_start
            by_type = [
                tuple(part.type_stems[own[t] : own[t + 1]].tolist()) for t in part.type_ids[first:last]
            ]
            assert by_type == found


@given(corpora_and_rows())
def test_types_are_those_of_the_corpus_that_occur(
    given: tuple[list[Document], int, list[int], list[int]],
) -> None:
    documents, n_words, *rows = given
    whole = partition_of(documents, n_words)
    selection = select(whole, Rows(*(np.array(each, np.int64) for each in rows)))
    chosen = [clique for each in rows for row in each for clique in documents[row] if clique != (-1,)]
    several = {clique for clique in chosen if len(clique) > 1}
    words = {word for clique in chosen for word in clique}
    start = whole.type_start
    found = [tuple(whole.type_stems[start[t] : start[t + 1]].tolist()) for t in selection.type_of]
    assert found[: len(words)] == [(word,) for word in sorted(words)]
    assert set(found[len(words) :]) == several and len(found) == len(words) + len(several)
    assert (np.diff(selection.type_of) > 0).all()
    for part in (selection.sampled, selection.held_out):
        assert part.corpus.n_stems == len(words)
        mapped = [
            tuple(selection.type_of[part.type_stems[a:b]].tolist())
            for a, b in zip(part.type_start[:-1], part.type_start[1:], strict=True)
        ]
        assert mapped == found


@given(st.integers(FEWEST_DOCUMENTS, 5000), st.integers(0, 50 * MOST_TOKENS), st.integers(0, 2**64 - 1))
def test_rows_are_disjoint_and_as_many_as_the_rule_says(n: int, n_tokens: int, seed: int) -> None:
    rows = choose_rows(n, n_tokens, seed)
    for each in rows:
        assert (np.diff(each) > 0).all() and each.min() >= 0 and each.max() < n
    assert not np.intersect1d(*rows).size
    n_chosen = sum(each.size for each in rows)
    if n_tokens <= MOST_TOKENS:
        assert n_chosen == n
    assert n_chosen == max(20, round(n * min(1, MOST_TOKENS / max(n_tokens, 1))))
    assert rows.held_out.size == min(max(round(0.1 * n_chosen), 20), n_chosen // 2)
    again = choose_rows(n, n_tokens, seed)
    assert all(np.array_equal(*each) for each in zip(rows, again, strict=True))


def test_other_seeds_choose_other_documents() -> None:
    first, second = (choose_rows(500, 10_000, seed).held_out.tolist() for seed in (0, 1))
    assert first != second


@pytest.mark.parametrize("n", [0, 1, FEWEST_DOCUMENTS - 1])
def test_too_few_documents_are_refused(n: int) -> None:
    with pytest.raises(InputError, match=f"from 20 documents on, here are {n}: give a number"):
        choose_rows(n, 1000, 0)


def test_the_example_of_the_module() -> None:
    """Words 0 to 3; the phrases (1 3) and (0 2) are types 4 and 5."""
    documents: list[Document] = [[(1, 3), (0,), (0, 2)], [(2,), (1, 3)], [(2,)]]
    whole = partition_of(documents, 4)
    start = whole.type_start
    assert [tuple(whole.type_stems[start[t] : start[t + 1]].tolist()) for t in (4, 5)] == [(1, 3), (0, 2)]
    selection = select(whole, Rows(np.array([1]), np.array([2])))
    assert selection.type_of.tolist() == [1, 2, 3, 4]
    assert selection.sampled.type_ids.tolist() == [1, 3]
    assert selection.sampled.type_stems[selection.sampled.type_start[3] :].tolist() == [0, 2]
    assert selection.held_out.type_ids.tolist() == [1]
