"""Topic models that are trained step by step and judged by the same function: ours and three rivals.

Each is used as its library comes, with its own priors: tomotopy fits α, scikit-learn and gensim keep 1 / K.
Topics are judged by what perplexity() takes: tokens of each word in each topic, α and β. The variational
models have fractions of tokens; they are multiplied by 1,000, like their β, before they are rounded.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer import Corpus, Partition, PhraseLDA
from topminer.topics.model.fitting import sampler_of, start_chain
from topminer.topics.sampler.chain import Chain

SCALE = 1000  # of fractions of tokens


class Found(NamedTuple):
    """Topics, as perplexity() takes them."""

    word_topic: NDArray[np.int32]
    tokens: NDArray[np.int64]
    alpha: NDArray[np.float64]
    beta: float


class Contestant(NamedTuple):
    """A model: ``train`` runs so many more sweeps or passes, ``found`` returns its topics."""

    train: Callable[[int], None]
    found: Callable[[], Found]


class _Pause(Exception):
    """The chain has come to the sweep that was asked for."""


def ours(partition: Partition, n_topics: int, n_sweeps: int, n_threads: int) -> Contestant:
    """PhraseLDA with the defaults; on words it is LDA."""
    lda = PhraseLDA(n_topics, n_sweeps=n_sweeps, random_state=0, n_threads=n_threads)
    chain, last = start_chain(lda, sampler_of(lda, partition, 0)), [0]

    def pause(chain: Chain) -> None:
        if chain.sampler.n_sweeps == last[0]:
            raise _Pause

    def train(n: int) -> None:
        last[0] += n
        with suppress(_Pause):
            chain.run(after_sweep=pause)

    sampler = chain.sampler
    return Contestant(
        train, lambda: Found(sampler.word_topic(), sampler.n_k, sampler.alpha, float(sampler.beta))
    )


def tomotopy(corpus: Corpus, n_topics: int, n_sweeps: int, n_threads: int) -> Contestant:
    """LDAModel of tomotopy: collapsed Gibbs sampling, α fitted every 10 sweeps."""
    import tomotopy as rival

    model: Any = rival.LDAModel(k=n_topics, seed=1)
    words = list(map(str, corpus.stem_ids.tolist()))
    for start, stop in pairwise(corpus.doc_start.tolist()):
        if stop > start:
            model.add_doc(words[start:stop])
    model.train(0)
    stems = np.array([int(word) for word in model.used_vocabs])

    def train(n: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that two workers are not deterministic
            model.train(n, workers=n_threads)

    def found() -> Found:
        table = np.zeros((corpus.n_stems, n_topics), np.int32)
        for document in model.docs:
            np.add.at(table, (stems[np.asarray(document.words)], np.asarray(document.topics)), 1)
        alpha = np.asarray(model.alpha, np.float64)
        return Found(table, table.sum(axis=0, dtype=np.int64), alpha, float(model.eta))

    return Contestant(train, found)


def scikit_learn(corpus: Corpus, n_topics: int, n_sweeps: int, n_threads: int) -> Contestant:
    """LatentDirichletAllocation of scikit-learn: online variational Bayes."""
    from scipy.sparse import csr_array
    from sklearn.decomposition import LatentDirichletAllocation

    entries = np.ones(corpus.n_tokens), corpus.stem_ids.copy(), corpus.doc_start.copy()
    matrix = csr_array(entries, (len(corpus), corpus.n_stems))
    matrix.sum_duplicates()
    model = LatentDirichletAllocation(
        n_topics, learning_method="online", total_samples=len(corpus), random_state=0, n_jobs=n_threads
    )

    def train(n: int) -> None:
        for _ in range(n):
            model.partial_fit(matrix)

    return Contestant(
        train, lambda: _scaled(model.components_, 1 / n_topics, np.full(n_topics, 1 / n_topics))
    )


def gensim(corpus: Corpus, n_topics: int, n_sweeps: int, n_threads: int) -> Contestant:
    """LdaMulticore of gensim, or LdaModel if there is one thread: online variational Bayes."""
    from gensim.models import LdaModel, LdaMulticore

    texts = []
    for start, stop in pairwise(corpus.doc_start.tolist()):
        words, counts = np.unique(corpus.stem_ids[start:stop], return_counts=True)
        texts.append(list(zip(words.tolist(), counts.tolist(), strict=True)))
    names = {word: str(word) for word in range(corpus.n_stems)}
    given: dict[str, Any] = {"id2word": names, "num_topics": n_topics, "eval_every": None, "random_state": 0}
    model: Any = LdaMulticore(workers=n_threads, **given) if n_threads > 1 else LdaModel(**given)

    def train(n: int) -> None:
        model.passes = n
        model.update(texts)

    def found() -> Found:
        return _scaled(model.state.get_lambda(), float(model.eta[0]), np.asarray(model.alpha, np.float64))

    return Contestant(train, found)


def _scaled(pseudocounts: NDArray[Any], eta: float, alpha: NDArray[np.float64]) -> Found:
    """Counts with their prior, (topics, words), as whole numbers without it."""
    table = np.rint(SCALE * np.maximum(pseudocounts.T.astype(np.float64) - eta, 0)).astype(np.int32)
    return Found(np.ascontiguousarray(table), table.sum(axis=0, dtype=np.int64), alpha, SCALE * eta)


RIVALS = {"tomotopy": tomotopy, "scikit-learn": scikit_learn, "gensim": gensim}
