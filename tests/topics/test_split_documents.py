"""Documents that are sampled in pieces: topics are those of the pieces, all results those of documents."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chains import assert_counts_follow, documents_and_words, partition_of, random_documents
from corpora import two_topics
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles.topics import Document

from topminer import Corpus, InputError, Partition, PhraseLDA, PhraseMiner, ToPMine, load
from topminer.phrases.pieces import pieces_of
from topminer.store import Stored
from topminer.topics.model.phraselda import topics_in
from topminer.topics.results.held_out import hold_out, perplexity
from topminer.topics.sampler.chain import Chain
from topminer.topics.sampler.estimate import estimate
from topminer.topics.sampler.sampler import Sampler

SPLIT = 9
QUICK: dict[str, Any] = {"n_sweeps": 30, "optimize_interval": 5, "burn_in": 5, "random_state": 1}


def long_documents(n: int = 60) -> Corpus:
    """Each document has a part on one topic, and then a part on the other."""
    texts = two_topics(2 * n, n_phrases=12).texts
    assert texts is not None
    joined = [f"{one} {other}" for one, other in zip(texts[::2], texts[1::2], strict=True)]
    return Corpus.from_texts([*joined, ""], stem=False)


@pytest.fixture(scope="module")
def partition() -> Partition:
    return PhraseMiner(min_support=5).fit_transform(long_documents())


@pytest.fixture(scope="module")
def model() -> ToPMine:
    return ToPMine(2, min_support=5, split=SPLIT, **QUICK).fit(long_documents())


# ------------------------------------------------------------------------------------------------ sampling


@pytest.mark.parametrize("n_topics", [4, 40, 250])
def test_pieces_are_sampled_as_documents(partition: Partition, n_topics: int) -> None:
    """One shard holds the same pieces either way: topics, priors and likelihoods are the same."""
    pieces = pieces_of(partition, SPLIT).partition
    split = PhraseLDA(n_topics, n_shards=1, split=SPLIT, **QUICK).fit(partition)
    alike = PhraseLDA(n_topics, n_shards=1, **QUICK).fit(pieces)
    assert len(pieces) > 2 * len(partition)
    assert split.clique_topic_.tobytes() == alike.clique_topic_.tobytes()
    assert split.alpha_.tobytes() == alike.alpha_.tobytes() and split.beta_ == alike.beta_
    likelihoods = ["log_likelihood", "perplexity"]
    assert split.history_.select(likelihoods).equals(alike.history_.select(likelihoods))
    np.testing.assert_array_equal(split.topic_word_, alike.topic_word_)


@given(documents_and_words(), st.integers(1, 6), st.sampled_from(["dense", "sparse"]), st.integers(1, 3))
@example(([[], [(0,), (1, 0)] * 4, []], 2), 2, "sparse", 2)
@settings(max_examples=50)
def test_counts_of_pieces_add_up_to_those_of_documents(
    given: tuple[list[Document], int], split: int, path: str, n_shards: int
) -> None:
    documents, n_words = given
    if not any(documents):
        return
    partition = partition_of(documents, n_words)
    sampler = Sampler.of(partition, 5, np.full(5, 0.3), 0.1, n_shards=n_shards, path=path, split=split)
    sampler.sweep()
    assert_counts_follow(sampler, documents, n_words)
    (n_pieces,) = sampler.workers.run("doc_pieces")
    assert n_pieces.tolist() == pieces_of(partition, split).n_pieces.tolist()
    assert sampler.n_documents == len(documents)


def test_shares_are_those_of_the_pieces_by_their_lengths(partition: Partition) -> None:
    lda = PhraseLDA(3, split=SPLIT, **QUICK).fit(partition)
    pieces = pieces_of(partition, SPLIT)
    lengths = np.diff(partition.clique_start)
    expected = np.zeros((len(partition), 3))
    for d in range(len(partition)):
        for p in range(pieces.first_piece[d], pieces.first_piece[d + 1]):
            here = slice(*pieces.partition.doc_start[p : p + 2])
            expected[d] += lda.alpha_ + np.bincount(lda.clique_topic_[here], lengths[here], 3)
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(lda.doc_topic_, expected, rtol=1e-12)
    np.testing.assert_allclose(lda.doc_topic_[-1], lda.alpha_ / lda.alpha_.sum())  # no kept token
    assert lda.shares(3, 9).tobytes() == lda.doc_topic_[3:9].tobytes()


def test_corpora_of_short_documents_are_as_they_were() -> None:
    """Whole documents are one piece each: "auto" and pieces longer than all documents change no byte."""
    corpus = two_topics(200)
    whole, *others = (
        ToPMine(2, split=split, **QUICK).fit(corpus).lda_ for split in ("none", "auto", "paragraph", 1000)
    )
    assert [lda.split_ for lda in others] == ["none", "paragraph", 1000]
    for lda in others:
        for name in ("clique_topic_", "alpha_", "topic_word_", "doc_topic_"):
            assert getattr(lda, name).tobytes() == getattr(whole, name).tobytes(), name
        assert (topics_in(lda).doc_pieces == 1).all()


def test_pieces_find_topics_that_whole_documents_hide() -> None:
    """All documents are half about one topic and half about the other."""
    corpus = long_documents(100)
    words = [corpus.vocabulary["stem"].to_list().index(word) for word in ("classifier", "loss", "label")]

    def contrast(split: int | str) -> float:
        """How many times as likely the words of one topic are in one topic that was found as in the other."""
        lda = ToPMine(2, split=split, start="random", n_sweeps=100, random_state=0).fit(corpus).lda_
        shares = lda.topic_word_[:, words].sum(axis=1)
        return float(shares.max() / shares.min())

    assert contrast(20) > 100
    assert contrast("none") < 3


# ------------------------------------------------------------------------------------- storing, going on


@pytest.mark.parametrize("n_topics", [4, 250])
def test_a_chain_goes_on(partition: Partition, n_topics: int) -> None:
    lda = PhraseLDA(n_topics, n_shards=2, split=SPLIT, **QUICK)
    kept: list[Stored] = []

    def keep(chain: Chain) -> None:
        if chain.sampler.n_sweeps == 17:
            kept.append(chain.state())

    whole = lda.fit(partition, after_sweep=keep).doc_topic_
    assert kept[0].facts["split"] == SPLIT
    assert PhraseLDA(**lda.get_params()).fit(partition, state=kept[0]).doc_topic_.tobytes() == whole.tobytes()
    other = PhraseLDA(**{**lda.get_params(), "split": "none"})
    with pytest.raises(InputError, match="the state is of documents split by 9, not none"):
        other.fit(partition, state=kept[0])


def test_a_stored_model_has_the_same_shares(model: ToPMine, tmp_path: Path) -> None:
    texts = long_documents(5).texts
    model.save(tmp_path / "model")
    model.save(tmp_path / "bare", keep_texts=False)
    for again in (load(tmp_path / "model"), load(tmp_path / "bare")):
        assert again.split == again.lda_.split_ == SPLIT
        assert again.lda_.doc_topic_.tobytes() == model.lda_.doc_topic_.tobytes()
        np.testing.assert_array_equal(again.transform(texts), model.transform(texts))
    new = load(tmp_path / "model", documents=False)
    np.testing.assert_array_equal(new.transform(texts), model.transform(texts))
    with pytest.raises(InputError, match="loaded without its documents"):
        new.lda_.shares(0, 1)
    model.lda_.save(tmp_path / "topics")
    assert PhraseLDA.load(tmp_path / "topics").doc_topic_.tobytes() == model.lda_.doc_topic_.tobytes()


def test_a_model_of_paragraphs_needs_no_texts_later(tmp_path: Path) -> None:
    texts = ["\n\n".join(f"apple pear plum {i}. " * 15 for i in range(4)) for _ in range(12)]
    model = ToPMine(2, split="paragraph", language=None, **QUICK).fit(texts)
    assert (topics_in(model.lda_).doc_pieces == 4).all()
    model.save(tmp_path / "model", keep_texts=False)
    again = load(tmp_path / "model")
    assert again.lda_.doc_topic_.tobytes() == model.lda_.doc_topic_.tobytes()
    np.testing.assert_array_equal(again.transform(texts[:2]), model.transform(texts[:2]))
    bare = Corpus.from_texts(texts, keep_texts=False)
    for refused in (lambda: ToPMine(2, split="paragraph").fit(bare), lambda: again.transform(bare)):
        with pytest.raises(InputError, match="paragraphs need the texts of the documents"):
            refused()


def test_topics_with_more_pieces_than_phrases_are_damaged(model: ToPMine) -> None:
    topics = topics_in(model.lda_)
    topics.check(model.partition_)
    more = topics.doc_pieces + np.diff(model.partition_.doc_start).astype(np.int32)
    with pytest.raises(InputError, match="a document has more pieces than phrases"):
        topics._replace(doc_pieces=more).check(model.partition_)


def test_the_paper_never_splits() -> None:
    assert ToPMine().split == "auto" and PhraseLDA().split == "none"
    assert ToPMine.as_in_paper().split == "none"


# ------------------------------------------------------------------------------------------- new documents


def test_a_document_inferred_again_has_about_the_same_shares(model: ToPMine) -> None:
    corpus = long_documents()
    again = model.transform(corpus)
    assert np.abs(again - model.lda_.doc_topic_).max() < 0.15
    np.testing.assert_allclose(again.sum(axis=1), 1)


def test_new_documents_do_not_depend_on_each_other(model: ToPMine) -> None:
    texts = [*long_documents(6).texts, "", "unknown words"]
    partition, together = model.infer(texts)
    for d, text in enumerate(texts):
        _, alone = model.infer([text])
        assert alone.doc_topic[0].tobytes() == together.doc_topic[d].tobytes()
        cliques = together.clique_topic[partition.doc_start[d] : partition.doc_start[d + 1]]
        assert alone.clique_topic.tolist() == cliques.tolist()


def test_a_new_document_is_the_sum_of_its_pieces(model: ToPMine) -> None:
    """Each piece is inferred like a document, and weighs as many tokens as it has, and those of the prior."""
    corpus = long_documents(3)
    assert model.miner_ is not None
    partition = model.miner_.transform(corpus.in_vocabulary_of(model.corpus_))
    pieces = pieces_of(partition, SPLIT)
    lda = PhraseLDA(**{**model.lda_.get_params(), "split": "none"})
    lda._keep(topics_in(model.lda_)._replace(split="none"))
    of_pieces = lda.transform(pieces.partition)
    weights = np.diff(pieces.partition.corpus.doc_start) + lda.alpha_.sum()
    for d, row in enumerate(model.lda_.transform(partition)):
        here = slice(*pieces.first_piece[d : d + 2])
        np.testing.assert_allclose(row, np.average(of_pieces[here], axis=0, weights=weights[here]), rtol=1e-6)


def test_held_out_documents_are_scored_as_documents(model: ToPMine) -> None:
    """The first half is divided by the rule; what is scored is what a model of whole documents scores."""
    assert model.miner_ is not None
    partition = model.miner_.transform(long_documents(20).in_vocabulary_of(model.corpus_))
    held_out, topics = hold_out(partition), topics_in(model.lda_)
    words, documents = held_out.scored()
    theta = _of_first_halves(model, partition, held_out.cut)
    phi = (topics.word_topic + model.lda_.beta_) / (topics.n_k + len(topics.word_topic) * model.lda_.beta_)
    expected = np.exp(-np.log((theta[documents] * phi[words]).sum(axis=1)).mean())
    found = perplexity(held_out, **model.lda_._fixed_topics(partition))
    assert found == pytest.approx(expected, rel=1e-4)
    assert model.lda_.score(partition) == pytest.approx(-np.log(found))


def _of_first_halves(model: ToPMine, partition: Partition, cut: np.ndarray) -> np.ndarray:
    """The topics of the first halves, read as documents of their own."""
    rows = []
    assert partition.corpus.texts is not None
    for d, text in enumerate(partition.corpus.texts):
        first, last = partition.clique_start[partition.doc_start[d]], partition.clique_start[cut[d]]
        end = partition.corpus.starts[last] if last < partition.corpus.doc_start[d + 1] else len(text)
        rows.append(model.transform([text[:end] if last > first else ""])[0])
    return np.array(rows)


# ---------------------------------------------------------------------------------------------- estimates


def test_an_estimate_is_that_of_the_pieces() -> None:
    partition = partition_of(random_documents(0, 50, 20, 40), 20)
    pieces = pieces_of(partition, 10).partition
    for n_topics in (40, 300):
        expected = estimate(pieces, n_topics, 100)
        assert estimate(partition, n_topics, 100, split=10) == expected
        assert expected.n_bytes > estimate(partition, n_topics, 100).n_bytes
