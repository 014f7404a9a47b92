"""PhraseLDA: topics of a partition, behind fit, transform and score."""

from __future__ import annotations

import math
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from topminer import store
from topminer._estimator import Estimator
from topminer.engines.local import n_threads_or_all
from topminer.errors import InputError
from topminer.phrases.partition import Partition
from topminer.phrases.pieces import PARAGRAPH, require_texts
from topminer.progress import Progress, silent
from topminer.store import MemoryCheckpoint, Stored
from topminer.store.facts import plain
from topminer.store.formats import SAMPLING, STORED_TOPICS
from topminer.topics.model.beginning import Beginning, selection_from
from topminer.topics.model.fitting import (
    check_parameters,
    rule_of,
    run_chains,
    sampler_of,
    seed_of,
    start_chain,
    without_one_chain,
)
from topminer.topics.model.topics import Topics
from topminer.topics.number.selection import Choose, Selection
from topminer.topics.results.certainty import Certainty
from topminer.topics.results.fold_in import Inferred, fold_in
from topminer.topics.results.held_out import HeldOut, hold_out, perplexity
from topminer.topics.sampler.chain import AfterSweep, Chain, nothing


class PhraseLDA(Estimator):
    """A topic model in which all words of a phrase have one topic (the paper's section 5).

    It is fitted by collapsed Gibbs sampling. On ``Partition.of_words`` it is LDA.

    Parameters
    ----------
    n_topics : int or "auto", default 20
        Number of topics, from 1 to 65,535. "auto": the number that predicts held-out documents best is found
        first, and sampling starts from the topics found (see docs/topic_number.md).
    alpha : float, array (topics,) or None
        Prior of topics in documents, from 1e-6 to 1000. None: 1 / n_topics to start with, or, if priors are
        not fitted, 50 / n_topics; at least 0.001 and at most 0.5.
    beta : float, default 0.01
        Prior of words in topics, from 1e-4 to 1000. Once it is fitted, it is 0.01 or more.
    n_sweeps : int or "auto", default 1000
        How often every phrase instance is sampled; "auto": until the likelihood is flat, at most 2,000 times
        (see docs/topics.md). ``n_sweeps_`` says how often it was.
    optimize_interval : int, default 10
        Fit both priors (Minka's fixed point) every so many sweeps; 0 keeps them as given.
    burn_in : int, default 20
        Sweeps before priors are first fitted.
    n_shards : int or None
        From 1 to 256; None: chosen by the size of the corpus. 1 is the serial, exact sampler. Several shards
        are sampled at the same time, and each sees the changes of the others one phase late.
    split : int or {"none", "auto", "paragraph"}, default "none"
        Divide long documents into pieces that are sampled as documents: into pieces of about so many kept
        tokens, into paragraphs (the corpus must keep its texts), or "auto": into pieces of about 100 kept
        tokens if the documents of the corpus are long (see docs/long_documents.md). Results are those of
        whole documents, and new documents are divided likewise.
    start : {"random", "factorised"}, default "random"
        Topics that a chain starts with: random ones, or those of a non-negative factorisation of the counts
        of words in documents, which makes the topics of different seeds more alike (see docs/certainty.md).
        Below 20 documents and above 100 topics they are random.
    n_chains : int, default 1
        From 1 to 20. Several chains with different seeds, the first with ``random_state``, run one after the
        other. The one with the highest log likelihood is the model; ``certainty_`` compares the others to it
        (see docs/certainty.md).
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
        The same seed gives the same topics on any number of threads; None takes a seed from the system.
    n_threads : int or None
        None: all cores. The result does not depend on it.

    Attributes
    ----------
    topic_word_ : float64 array (topics, words)
        Probability of each word in each topic. Computed on each access, like `doc_topic_`.
    doc_topic_ : float64 array (documents, topics)
        Probability of each topic in each document.
    topic_weight_ : float64 array (topics,)
        Share of the kept tokens. Topics are numbered by it, the heaviest first.
    clique_topic_ : int32 array (cliques,)
        Topics after the last sweep, in the partition's order; -1 for a word that is not in the vocabulary.
    frequency_ : TopicalFrequency
        Instances of each phrase type in each topic, averaged over samples, with their spread.
    alpha_, beta_ : float64 array (topics,), float
        The priors at the end.
    history_ : polars.DataFrame
        Log likelihood and perplexity along the way.
    n_sweeps_, n_shards_ : int
        How many sweeps and shards there were.
    split_ : int or {"none", "paragraph"}
        How documents were divided: what "auto" chose.
    tried_ : polars.DataFrame or None
        With ``n_topics="auto"``: the numbers of topics that were tried, and their held-out perplexities.
    certainty_ : Certainty or None
        With several chains: how stable topics are, and intervals for their weights and for topical
        frequencies.

    Examples
    --------
    >>> from topminer import Corpus, Partition, PhraseLDA
    >>> corpus = Corpus.from_texts(["Apples and pears and plums.", "Iron, zinc and copper."] * 50)
    >>> lda = PhraseLDA(2, n_sweeps=50, random_state=0).fit(Partition.of_words(corpus))
    >>> lda.doc_topic_.argmax(axis=1)[:4].tolist() in ([0, 1, 0, 1], [1, 0, 1, 0])
    True
    """

    def __init__(
        self,
        n_topics: int | str = 20,
        *,
        alpha: float | ArrayLike | None = None,
        beta: float = 0.01,
        n_sweeps: int | str = 1000,
        optimize_interval: int = 10,
        burn_in: int = 20,
        n_shards: int | None = None,
        split: int | str = "none",
        start: str = "random",
        n_chains: int = 1,
        random_state: Any = None,
        n_threads: int | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.alpha = alpha
        self.beta = beta
        self.n_sweeps = n_sweeps
        self.optimize_interval = optimize_interval
        self.burn_in = burn_in
        self.n_shards = n_shards
        self.split = split
        self.start = start
        self.n_chains = n_chains
        self.random_state = random_state
        self.n_threads = n_threads

    def fit(
        self,
        partition: Partition,
        y: object = None,
        *,
        held_out: Partition | HeldOut | None = None,
        progress: Progress = silent,
        after_sweep: AfterSweep | None = None,
        state: Stored | None = None,
    ) -> Self:
        """Find the topics of a partition.

        With ``held_out`` documents, ``history_`` has the perplexity of their second halves, given their first
        halves. ``after_sweep`` is called with the chain after each sweep, and may keep its ``state()``. Given
        such a ``state``, and the same partition and parameters, fitting goes on from there and finds the same
        topics. It is the state of one chain, so it cannot be given together with ``n_chains``.
        """
        self._check_vocabulary(partition, None)
        check_parameters(self, partition.corpus.n_tokens)
        if self.split == PARAGRAPH:
            require_texts(partition.corpus)
        if isinstance(held_out, Partition):
            self._check_vocabulary(held_out, partition.corpus.n_stems)
            held_out = hold_out(held_out)
        if state is not None and self.n_chains > 1:
            raise InputError(f"a state is of one chain: n_chains must be 1, not {self.n_chains}")
        seed = seed_of(self.random_state) if state is None else state.facts["seed"]

        rule = rule_of(self, partition.corpus)

        def selected(choose: Choose, seed: int) -> Selection:
            return selection_from(partition, rule, choose, seed)

        if state is not None:
            beginning = Beginning.known(self, state.arrays["alpha"].size, selected, [])
        else:
            beginning = Beginning.of_first(self, seed, selected, progress)

        def start(seed: int, lda: PhraseLDA) -> Chain:
            return start_chain(lda, sampler_of(lda, partition, seed), state, held_out, beginning)

        chain = run_chains(beginning.lda, seed, start, MemoryCheckpoint(), progress, after_sweep or nothing)
        take_over(self, Topics.of_chain(chain))
        return self

    def _keep(self, topics: Topics) -> None:
        self._topics = topics
        self.clique_topic_, self.frequency_ = topics.clique_topic, topics.frequency
        self.alpha_, self.beta_ = topics.alpha, topics.beta
        self.topic_weight_: NDArray[np.float64] = topics.n_k / max(int(topics.n_k.sum()), 1)
        self.history_, self.n_shards_, self.split_ = topics.history, topics.n_shards, topics.split
        self.n_sweeps_: int = topics.history["sweep"].to_list()[-1] if topics.history.height else 0
        self.certainty_: Certainty | None = topics.certainty
        self.tried_: pl.DataFrame | None = topics.tried

    def save(self, directory: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write the topics, without the partition, to a directory: JSON, .npy and Parquet."""
        topics = topics_in(self)
        parameters = {name: plain(getattr(self, name)) for name in SAMPLING}
        parameters["n_topics"] = topics.n_k.size  # that of fit: the parameter may have been set since
        stored = store.merged(topics.sections(), parameters=without_one_chain(parameters))
        store.write(Path(directory), STORED_TOPICS, stored, overwrite=overwrite)

    @classmethod
    def load(cls, directory: str | PathLike[str], *, n_threads: int | None = None) -> Self:
        """Load what :meth:`save` wrote. Refuse what is damaged, of another kind or too new."""
        stored = store.read(Path(directory), STORED_TOPICS)
        topics = Topics.of_sections(stored)
        lda = cls(**stored.facts["parameters"], random_state=topics.seed, n_threads=n_threads)
        take_over(lda, topics)
        return lda

    @property
    def topic_word_(self) -> NDArray[np.float64]:
        """Probability of each word in each topic."""
        table = self.components_
        table /= (self._topics.n_k + table.shape[1] * self.beta_)[:, None]
        return table

    @property
    def components_(self) -> NDArray[np.float64]:
        """Counts of words in topics plus beta, (topics, words): `topic_word_` before each row is normalised.

        This is what scikit-learn's ``LatentDirichletAllocation`` calls by this name.
        """
        counts = np.ascontiguousarray(topics_in(self).word_topic.T)
        smoothed: NDArray[np.float64] = np.add(counts, self.beta_)
        return smoothed

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return names of the columns of :meth:`transform`: "phraselda0", "phraselda1" and so on."""
        return self._numbered_names(topics_in(self).n_k.size)

    def document_topics(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Return documents, topics and tokens where there are tokens, by document and topic."""
        return topics_in(self).doc_topic

    @property
    def doc_topic_(self) -> NDArray[np.float64]:
        """Probability of each topic in each document."""
        return self.shares(0, topics_in(self).n_documents)

    def shares(self, first: int, last: int) -> NDArray[np.float64]:
        """Return rows ``first`` to ``last`` of `doc_topic_`, bit by bit the same.

        A document's shares are those of its P pieces, weighted by their lengths: topic k has the weight
        N_dk + P α_k.
        """
        documents, topics, tokens = self.document_topics()
        here = slice(*np.searchsorted(documents, [first, last]).tolist())
        table = np.outer(topics_in(self).doc_pieces[first:last], self.alpha_)
        table[documents[here] - first, topics[here]] += tokens[here]
        shares: NDArray[np.float64] = table / table.sum(axis=1, keepdims=True)
        return shares

    def infer(self, partition: Partition, *, progress: Progress = silent) -> Inferred:
        """Infer the topics of new documents and of their phrase instances, with fixed topics."""
        return fold_in(partition, **self._fixed_topics(partition), progress=progress)

    def transform(self, partition: Partition, *, progress: Progress = silent) -> NDArray[np.float64]:
        """Return the probability of each topic in each new document, (documents, topics)."""
        return self.infer(partition, progress=progress).doc_topic

    def score(self, partition: Partition, y: object = None) -> float:
        """Return the mean log probability of words in second halves of documents, given the first halves."""
        fixed = self._fixed_topics(partition)
        return -math.log(perplexity(hold_out(partition), **fixed))

    def _fixed_topics(self, partition: Partition) -> dict[str, Any]:
        """Check the vocabulary of new documents. Return the arguments of `fold_in` and `perplexity`."""
        topics = topics_in(self)
        self._check_vocabulary(partition, topics.word_topic.shape[0])
        return {
            "word_topic": topics.word_topic,
            "tokens": topics.n_k,
            "alpha": self.alpha_,
            "beta": self.beta_,
            "seed": topics.seed,
            "n_threads": n_threads_or_all(self.n_threads),
            "split": topics.split,
        }

    @staticmethod
    def _check_vocabulary(partition: object, n_words: int | None) -> None:
        if not isinstance(partition, Partition):
            raise InputError(
                f"expected a Partition, not {type(partition).__name__}; make one with PhraseMiner.transform"
            )
        found = partition.corpus.n_stems
        if n_words is not None and found != n_words:
            raise InputError(
                f"the partition's vocabulary has {found:,} words, the model's {n_words:,}: cut new documents "
                "with the PhraseMiner that was fitted to the model's corpus"
            )


# ------------------------------------------------------------------------- what a run does with a model


def take_over(lda: PhraseLDA, topics: Topics) -> None:
    """Fit a model with topics that were found elsewhere."""
    lda._keep(topics)


def topics_in(lda: PhraseLDA) -> Topics:
    """Return all that a fitted model holds."""
    topics: Topics = lda._fitted("_topics")
    return topics
