"""PhraseLDA: topics of a partition, behind fit, transform and score."""

from __future__ import annotations

import math
from collections.abc import Sized
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from topminer import store
from topminer._estimator import Estimator
from topminer._parameters import (
    ALPHA_RANGE,
    BETA_RANGE,
    MOST_SEED,
    MOST_SHARDS,
    MOST_TOPICS,
    number,
    whole,
    whole_or_none,
)
from topminer.engines.local import n_threads_or_all
from topminer.errors import InputError
from topminer.phrases.partition import Partition
from topminer.progress import Progress, silent
from topminer.store import Stored
from topminer.store.facts import plain
from topminer.store.formats import SAMPLING, STORED_TOPICS
from topminer.topics.results.fold_in import Inferred, fold_in
from topminer.topics.results.frequency import TopicalFrequency
from topminer.topics.results.held_out import HeldOut, hold_out, perplexity
from topminer.topics.sampler.chain import TIMES, AfterSweep, Chain, Schedule, nothing
from topminer.topics.sampler.sampler import Sampler

LEAST_ALPHA, MOST_ALPHA = 0.001, 0.5


class PhraseLDA(Estimator):
    """Topics in which all words of a phrase share one: the paper's section 5, by collapsed Gibbs sampling.

    On ``Partition.of_words`` this is LDA.

    Parameters
    ----------
    n_topics : int, default 20
        Number of topics, from 1 to 65,535.
    alpha : float, array (topics,) or None
        Prior of topics in documents, from 1e-6 to 1000; None: 50 / n_topics, at least 0.001 and at most 0.5.
    beta : float, default 0.01
        Prior of words in topics, from 1e-4 to 1000.
    n_sweeps : int, default 1000
        How often every phrase instance is sampled.
    optimize_interval : int, default 50
        Fit both priors (Minka's fixed point) every so many sweeps; 0 keeps them as given.
    burn_in : int, default 100
        Sweeps before priors are first fitted.
    n_shards : int or None
        From 1 to 256; None: as many as the corpus's size demands. 1 is the serial, exact sampler; with more
        the topics are sampled side by side, and what the shards share is up to a phase old.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
        The same seed gives the same topics on any number of threads; None takes one from the system.
    n_threads : int or None
        None: all cores. The result does not depend on it.

    Attributes
    ----------
    topic_word_ : float64 array (topics, words)
        Probability of each word in each topic. Made when asked for, as is the next.
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
    n_shards_ : int
        How many shards there were.

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
        n_topics: int = 20,
        *,
        alpha: float | ArrayLike | None = None,
        beta: float = 0.01,
        n_sweeps: int = 1000,
        optimize_interval: int = 50,
        burn_in: int = 100,
        n_shards: int | None = None,
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

        With ``held_out`` documents, the perplexity of their second halves given their first is written into
        ``history_``. ``after_sweep`` is called with the chain after each sweep, and may keep its ``state()``:
        with that, and the same partition and parameters, fitting goes on from there, to the same topics.
        """
        self._check_vocabulary(partition, None)
        schedule, alpha, beta = self.checked(partition.corpus.n_tokens)
        if isinstance(held_out, Partition):
            self._check_vocabulary(held_out, partition.corpus.n_stems)
            held_out = hold_out(held_out)
        self._seed: int = self.seeded(state)
        sampler = Sampler.of(
            partition,
            alpha.size,
            alpha,
            beta,
            n_shards=self.n_shards,
            seed=self._seed,
            n_threads=n_threads_or_all(self.n_threads),
        )
        chain = Chain(sampler, schedule, held_out)
        try:
            if state is not None:
                chain.restore(state)
            chain.run(progress, after_sweep or nothing)
        finally:
            sampler.close()
        self._keep(chain, len(partition))
        return self

    def seeded(self, state: Stored | None = None) -> int:
        """The seed of the chain that was stored, or a new one."""
        seed: int = _seed_of(self.random_state) if state is None else state.facts["seed"]
        return seed

    def _keep(self, chain: Chain, n_documents: int) -> None:
        """Take over what the chain found, the heaviest topic first."""
        sampler = chain.sampler
        order = sampler.order()
        number = np.empty(order.size, np.int32)
        number[order] = np.arange(order.size)
        self._tokens = sampler.tokens[order]
        self._word_topic = np.ascontiguousarray(sampler.word_topic()[:, order])
        documents, topics, tokens = sampler.doc_topic()
        self._doc_topic = (n_documents, documents, number[topics], tokens)
        old = sampler.clique_topics()
        self.clique_topic_ = np.where(old < 0, -1, number[old]).astype(np.int32)
        self.frequency_: TopicalFrequency = sampler.frequency().relabelled(order)
        self.alpha_: NDArray[np.float64] = sampler.alpha[order]
        self.beta_ = float(sampler.beta)
        self.topic_weight_: NDArray[np.float64] = self._tokens / max(int(self._tokens.sum()), 1)
        self.history_: pl.DataFrame = chain.history()
        self.n_shards_ = sampler.n_shards

    def stored(self) -> Stored:
        """The fitted topics, to be written to a directory; not how long they took."""
        n_documents, documents, topics, tokens = self._fitted("_doc_topic")
        frequency = self.frequency_
        arrays = {
            "word_topic": self._word_topic.ravel(),
            "tokens": self._tokens,
            "doc_topic_doc": documents,
            "doc_topic_topic": topics,
            "doc_topic_tokens": tokens,
            "clique_topic": self.clique_topic_,
            "frequency_type": frequency.types,
            "frequency_topic": frequency.topics,
            "frequency_mean": frequency.mean,
            "frequency_spread": frequency.spread,
            "alpha": self.alpha_,
        }
        facts = {
            "seed": self._seed,
            "beta": self.beta_,
            "n_documents": n_documents,
            "n_samples": frequency.n_samples,
            "n_shards": self.n_shards_,
        }
        return Stored(facts, arrays, {"history": self.history_.drop(*TIMES)})

    def save(self, directory: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write the topics, but not the partition they are of, to a directory: JSON, .npy and Parquet."""
        self._fitted("_doc_topic")
        parameters = {name: plain(getattr(self, name)) for name in SAMPLING}
        parameters["n_topics"] = self._tokens.size  # that of fit: the parameter may be set anew
        stored = store.merged({"topics": self.stored()}, parameters=parameters)
        store.write(Path(directory), STORED_TOPICS, stored, overwrite=overwrite)

    @classmethod
    def load(cls, directory: str | PathLike[str], *, n_threads: int | None = None) -> Self:
        """Load what :meth:`save` wrote; whatever is damaged, foreign or too new is refused."""
        stored = store.read(Path(directory), STORED_TOPICS)
        topics = store.part(stored, "topics")
        lda = cls(**stored.facts["parameters"], random_state=topics.facts["seed"], n_threads=n_threads)
        return lda.restored(topics)

    def restored(self, stored: Stored, times: pl.DataFrame | None = None) -> Self:
        """Take over fitted topics that were stored; ``times`` are the columns of history that were not."""
        facts, arrays = stored.facts, stored.arrays
        self._seed, self._tokens = facts["seed"], arrays["tokens"]
        self._word_topic = arrays["word_topic"].reshape(-1, self._tokens.size)
        document_topics = (arrays[f"doc_topic_{name}"] for name in ("doc", "topic", "tokens"))
        self._doc_topic = (facts["n_documents"], *document_topics)
        self.clique_topic_ = arrays["clique_topic"]
        self.frequency_ = TopicalFrequency(
            arrays["frequency_type"],
            arrays["frequency_topic"],
            arrays["frequency_mean"],
            arrays["frequency_spread"],
            facts["n_samples"],
        )
        self.alpha_, self.beta_ = arrays["alpha"], facts["beta"]
        self.topic_weight_ = self._tokens / max(int(self._tokens.sum()), 1)
        history = stored.tables["history"]
        if times is None or times.height != history.height:
            times = pl.DataFrame(
                {name: [None] * history.height for name in TIMES}, dict.fromkeys(TIMES, pl.Float64)
            )
        self.history_ = pl.concat([history, times], how="horizontal")
        self.n_shards_ = facts["n_shards"]
        return self

    def check_topics_of(self, partition: Partition) -> None:
        """Refuse restored topics that are not those of ``partition``."""
        frequency, (n_documents, documents, _, tokens) = self.frequency_, self._doc_topic
        known = partition.type_ids >= 0
        if self.clique_topic_.size != known.size or frequency.types.max(initial=-1) >= partition.n_types:
            raise InputError("the topics are of another partition")
        if not np.array_equal(self.clique_topic_ >= 0, known):
            raise InputError("a word outside the vocabulary has a topic, or another word has none")
        lengths = np.diff(partition.clique_start) * known
        of_topics = np.bincount(self.clique_topic_[known], lengths[known], self.n_topics)
        starts = partition.doc_start[:-1]
        of_documents = np.add.reduceat(np.append(lengths, 0), starts) * (np.diff(partition.doc_start) > 0)
        if not (
            np.array_equal(of_topics, self._tokens)
            and np.array_equal(of_documents, np.bincount(documents, tokens, n_documents))
        ):
            raise InputError("the topics of phrases do not add up to those of words and documents")
        if not np.array_equal(frequency.totals(partition.n_types), partition.instances()):
            raise InputError("topical frequencies do not add up to the instances of phrases")

    @property
    def topic_word_(self) -> NDArray[np.float64]:
        """Probability of each word in each topic."""
        table = self.components_
        table /= (self._tokens + table.shape[1] * self.beta_)[:, None]
        return table

    @property
    def components_(self) -> NDArray[np.float64]:
        """Counts of words in topics plus beta, (topics, words): `topic_word_` before each row is normalised.

        This is what scikit-learn's ``LatentDirichletAllocation`` calls by this name.
        """
        counts = self._fitted("_word_topic")
        return np.ascontiguousarray(counts.T) + self.beta_

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Names of the columns that :meth:`transform` gives: "phraselda0", "phraselda1" and so on."""
        self._fitted("_tokens")
        return self._numbered_names(self._tokens.size)

    def document_topics(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Documents, topics and the tokens there, where there are any, by document and topic."""
        _, documents, topics, tokens = self._fitted("_doc_topic")
        return documents, topics, tokens

    @property
    def doc_topic_(self) -> NDArray[np.float64]:
        """Probability of each topic in each document."""
        return self.shares(0, self._fitted("_doc_topic")[0])

    def shares(self, first: int, last: int) -> NDArray[np.float64]:
        """Rows ``first`` to ``last`` of `doc_topic_`, to the last bit, without the others."""
        documents, topics, tokens = self.document_topics()
        here = slice(*np.searchsorted(documents, [first, last]).tolist())
        table = np.tile(self.alpha_, (last - first, 1))
        table[documents[here] - first, topics[here]] += tokens[here]
        shares: NDArray[np.float64] = table / table.sum(axis=1, keepdims=True)
        return shares

    def infer(self, partition: Partition, *, progress: Progress = silent) -> Inferred:
        """Topics of new documents and of their phrase instances, with the topics' words as they are."""
        word_topic = self._fitted("_word_topic")
        self._check_vocabulary(partition, word_topic.shape[0])
        return fold_in(
            partition,
            word_topic,
            self._tokens,
            self.alpha_,
            self.beta_,
            seed=self._seed,
            n_threads=n_threads_or_all(self.n_threads),
            progress=progress,
        )

    def transform(self, partition: Partition, *, progress: Progress = silent) -> NDArray[np.float64]:
        """Probability of each topic in each of new documents, (documents, topics)."""
        return self.infer(partition, progress=progress).doc_topic

    def score(self, partition: Partition, y: object = None) -> float:
        """Log probability per word of the second half of documents, given the first; higher is better."""
        word_topic = self._fitted("_word_topic")
        self._check_vocabulary(partition, word_topic.shape[0])
        return -math.log(
            perplexity(
                hold_out(partition),
                word_topic,
                self._tokens,
                self.alpha_,
                self.beta_,
                seed=self._seed,
                n_threads=n_threads_or_all(self.n_threads),
            )
        )

    def checked(self, n_tokens: int | None = None) -> tuple[Schedule, NDArray[np.float64], float]:
        """What the parameters say, if they make sense: the schedule, and the priors to begin with.

        With ``n_tokens``, they must make sense for a corpus of so many.
        """
        n_topics = whole("n_topics", self.n_topics, 1, MOST_TOPICS)
        if n_tokens is not None and n_topics > n_tokens:
            raise InputError(f"{n_topics:,} topics are more than the {n_tokens:,} kept tokens there are")
        whole_or_none("n_shards", self.n_shards, 1, MOST_SHARDS)
        schedule = Schedule(
            whole("n_sweeps", self.n_sweeps, 1),
            whole("optimize_interval", self.optimize_interval, 0),
            whole("burn_in", self.burn_in, 0),
        )
        return schedule, _alpha_of(self.alpha, n_topics), number("beta", self.beta, *BETA_RANGE)

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


def _alpha_of(alpha: object, n_topics: int) -> NDArray[np.float64]:
    if alpha is None:
        alpha = min(max(50 / n_topics, LEAST_ALPHA), MOST_ALPHA)
    if isinstance(alpha, Real) or not isinstance(alpha, Sized) or isinstance(alpha, str | bytes):
        return np.full(n_topics, number("alpha", alpha, *ALPHA_RANGE))
    values = _floats(alpha)
    if values.shape != (n_topics,):
        raise InputError(f"alpha must be a number or {n_topics} of them, not an array {values.shape}")
    least, most = ALPHA_RANGE
    if not np.all((values >= least) & (values <= most)):
        raise InputError(f"alpha must be from {least:g} to {most:g} for every topic")
    return values


def _floats(values: object) -> NDArray[np.float64]:
    try:
        return np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"alpha must be a number or numbers, not {type(values).__name__}") from None


def _seed_of(random_state: Any) -> int:
    """A number that stands for the random state."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint32)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**32, dtype=np.uint64))
    return whole("random_state", random_state, 0, MOST_SEED)
