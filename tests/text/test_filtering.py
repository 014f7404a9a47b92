"""Words left out by document frequency, and near-duplicate documents: against reading without them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer import Corpus
from topminer.errors import InputError
from topminer.text.describe import describe
from topminer.text.duplicates import LEAST_TOKENS, duplicates_of

WORDS = ["red", "Red", "reds", "sky", "skies,", "of", "the", "data.", "mining", "mines", "(tree)", "北", "京"]
texts_of = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), min_size=1, max_size=8)


def contents(corpus: Corpus) -> dict[str, object]:
    """Everything about the tokens of a corpus, with texts instead of the ids of gaps."""
    return {
        "stems": corpus.to_lists(),
        "stem_ids": corpus.stem_ids.tolist(),
        "surface_ids": corpus.surface_ids.tolist(),
        "gaps": corpus.gaps.gather(corpus.gap_ids).to_list(),
        "starts": corpus.starts.tolist(),
        "doc_start": corpus.doc_start.tolist(),
        "chunk_start": corpus.chunk_start.tolist(),
        "vocabulary": corpus.vocabulary.rows(),
        "surfaces": corpus.surfaces.rows(),
    }


def df_of(corpus: Corpus) -> dict[str, int]:
    """How many documents have each stem."""
    documents = [set(stems) for stems in corpus.to_lists()]
    return {stem: sum(stem in each for each in documents) for stem in corpus.vocabulary["stem"]}


@given(texts=texts_of, most=st.integers(1, 4), policy=st.sampled_from(["skip", "break"]))
def test_common_words_are_left_out_as_listed_stop_words_are(texts: list[str], most: int, policy: str) -> None:
    try:
        corpus = Corpus.from_texts(["a red tree", *texts], stop_word_policy=policy)
        found = corpus.filtered(max_df=most)
    except InputError:
        return
    df = df_of(corpus)
    common = [word for word, stem, _ in corpus.surfaces.rows() if df[corpus.vocabulary["stem"][stem]] > most]
    listed = Corpus.from_texts(["a red tree", *texts], stop_word_policy=policy, add_stop_words=common)
    assert contents(found) == contents(listed)
    assert found.rules == listed.rules
    assert found.origin.n_stop_words == listed.origin.n_stop_words


@given(texts=texts_of, least=st.integers(1, 4))
def test_rare_words_end_a_chunk_as_unknown_words_do(texts: list[str], least: int) -> None:
    try:
        corpus = Corpus.from_texts(texts)
        found = corpus.filtered(min_df=least)
    except InputError:
        return
    df = df_of(corpus)
    expected = [[stem for stem in stems if df[stem] >= least] for stems in corpus.to_lists()]
    assert found.to_lists() == expected
    assert found.n_tokens + found.origin.n_rare_words == corpus.n_tokens
    encoded = found.encode(texts)
    is_known = encoded.stem_ids >= 0
    assert encoded.stem_ids[is_known].tolist() == found.stem_ids.tolist()
    runs = np.flatnonzero(is_known)  # a chunk ends at an unknown word, and where it ended before
    breaks = np.isin(runs, encoded.chunk_start) | (np.diff(runs, prepend=-2) > 1)
    assert np.flatnonzero(breaks).tolist() == found.chunk_start[:-1].tolist()


def jaccard(a: list[str], b: list[str]) -> float:
    sets = [{tuple(each[i : i + 3]) for i in range(len(each) - 2)} for each in (a, b)]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


@given(data=st.data())
def test_near_duplicates_are_those_of_brute_comparison(data: st.DataObject) -> None:
    word = st.integers(0, 40)
    originals = data.draw(st.lists(st.lists(word, min_size=4, max_size=60), min_size=1, max_size=6))
    documents = []
    for _ in range(data.draw(st.integers(2, 10))):
        text = list(data.draw(st.sampled_from(originals)))
        for _ in range(data.draw(st.integers(0, 2))):
            text[data.draw(st.integers(0, len(text) - 1))] = data.draw(word)
        documents.append(text)
    expected = []
    for d, text in enumerate(documents):
        kept = [e for e in range(d) if expected[e] < 0 and len(documents[e]) >= LEAST_TOKENS]
        similar = [e for e in kept if len(text) >= LEAST_TOKENS and jaccard(documents[e], text) >= 0.9]
        expected.append(similar[0] if similar else -1)
    doc_start = np.cumsum([0, *map(len, documents)])
    found = duplicates_of(np.concatenate(documents).astype(np.int32), doc_start)
    assert (found >= 0).tolist() == [e >= 0 for e in expected]
    for d in np.flatnonzero(found >= 0):
        assert jaccard(documents[found[d]], documents[d]) >= 0.9


def test_blocks_of_documents_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    documents = [rng.integers(0, 500, 20) for _ in range(30)]
    documents += [documents[3], documents[17], documents[3]]
    stems, doc_start = np.concatenate(documents).astype(np.int32), np.arange(0, 661, 20)
    found = duplicates_of(stems, doc_start)
    assert found[-3:].tolist() == [3, 17, 3]
    assert (found[:-3] == -1).all()
    monkeypatch.setattr("topminer.text.duplicates.BLOCK", 50)
    assert duplicates_of(stems, doc_start).tolist() == found.tolist()


LONG = "Frequent pattern mining finds sets of items that occur together in many transactions of a database"
OTHERS = ["Neural networks learn weights by gradient descent on labelled images", "A short one"]


def test_dedupe_reads_as_if_the_copies_were_not_there() -> None:
    texts = [OTHERS[0], LONG, LONG.upper(), OTHERS[1], f"{LONG}.", OTHERS[1]]
    ids = [f"d{i}" for i in range(6)]
    found = Corpus.from_texts(texts, ids=ids).filtered(dedupe=True)
    rest = [0, 1, 3, 5]  # short documents that are the same stay
    assert found.ids.to_list() == [ids[i] for i in rest]
    assert contents(found) == contents(Corpus.from_texts([texts[i] for i in rest]))
    assert found.origin.n_duplicates == 2
    again = found.filtered(dedupe=True)
    assert contents(again) == contents(found)
    assert again.origin == found.origin


def test_copies_are_counted_though_they_stay() -> None:
    corpus = Corpus.from_texts([LONG, LONG, *OTHERS])
    assert len(corpus) == 4
    where = {what: (n, where) for what, n, where in describe(corpus).skipped}
    assert where["near-duplicate documents"] == (1, "kept; --dedupe leaves them out")
    dropped = describe(corpus.filtered(dedupe=True))
    assert dropped.n_filtered == len(Corpus.from_texts([LONG]).to_lists()[0])
    assert ("near-duplicate documents", 1, "left out as asked") in dropped.skipped


def test_ten_thousand_templates_take_no_quadratic_time() -> None:
    """Documents that share most, but not nine of ten, of their shingles are compared with a few others."""
    rng = np.random.default_rng(0)
    template = rng.integers(0, 1000, 60)
    documents = np.tile(template, (10_000, 1))
    for row, places in enumerate(rng.integers(0, 60, (10_000, 5))):
        documents[row, places] = rng.integers(1000, 1100, 5)
    stems = documents.astype(np.int32).reshape(-1)
    found = duplicates_of(stems, np.arange(0, stems.size + 1, 60))
    for d in np.flatnonzero(found >= 0)[:50]:
        assert jaccard(documents[found[d]].tolist(), documents[d].tolist()) >= 0.9


def test_shares_and_numbers_of_documents() -> None:
    texts = ["alpha beta", "alpha beta", "alpha gamma", "alpha delta"]
    corpus = Corpus.from_texts(texts)
    assert corpus.filtered(max_df=0.5).to_lists() == [["beta"], ["beta"], ["gamma"], ["delta"]]
    assert corpus.filtered(max_df=3).to_lists() == corpus.filtered(max_df=0.75).to_lists()
    assert corpus.filtered(min_df=0.5).to_lists() == [["alpha", "beta"]] * 2 + [["alpha"]] * 2
    assert corpus.filtered(min_df=2).to_lists() == corpus.filtered(min_df=0.5).to_lists()
    assert contents(corpus.filtered(max_df=1.0, min_df=1)) == contents(corpus)


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"min_df": 0}, "min_df must be a whole number from 1 on, not 0"),
        ({"max_df": 1.5}, "max_df must be a number from 0 to 1, not 1.5"),
        ({"min_df": 5}, "4 are of words in too few documents"),
        ({"max_df": 1}, "no kept tokens in 2 documents: of 4 tokens 4 are stop words"),
    ],
)
def test_errors_say_what_is_wrong(filters: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Corpus.from_texts(["alpha beta", "alpha beta"]).filtered(**filters)


def test_kept_stop_words_and_max_df_exclude_each_other() -> None:
    corpus = Corpus.from_texts(["alpha beta"], stop_word_policy="keep")
    assert corpus.filtered(min_df=1).n_tokens == 2
    with pytest.raises(InputError, match="max_df makes stop words"):
        corpus.filtered(max_df=0.5)


def test_encoded_documents_are_refused() -> None:
    corpus = Corpus.from_texts(["alpha beta"])
    with pytest.raises(InputError, match="encoded by another corpus"):
        corpus.encode(["alpha omega"]).filtered(min_df=2)


def test_a_filtered_corpus_is_stored_whole(tmp_path: object) -> None:
    corpus = Corpus.from_texts([LONG, LONG, *OTHERS]).filtered(max_df=0.4, dedupe=True)
    corpus.save(f"{tmp_path}/corpus")
    loaded = Corpus.load(f"{tmp_path}/corpus")
    assert contents(loaded) == contents(corpus)
    assert (loaded.origin, loaded.rules) == (corpus.origin, corpus.rules)


def test_pairs_of_a_chain_keep_the_first() -> None:
    """B is like A and C is like B, but not A: only B goes, since C is compared with what is kept."""
    rng = np.random.default_rng(1)
    a = rng.permutation(100)
    b, c = a.copy(), a.copy()
    b[0], c[0], c[50] = 200, 200, 201
    texts = [a.tolist(), b.tolist(), c.tolist()]
    similar = [pair for pair in combinations(range(3), 2) if jaccard(texts[pair[0]], texts[pair[1]]) >= 0.9]
    found = duplicates_of(np.concatenate(texts).astype(np.int32), np.arange(0, 301, 100))
    assert (0, 1) in similar
    assert found.tolist() == [-1, 0, 0 if (0, 2) in similar else -1]
