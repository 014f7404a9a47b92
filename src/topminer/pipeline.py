"""ToPMine: the whole method in one estimator. Texts go in, topics described by phrases come out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import replace
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from topminer import store
from topminer._estimator import Estimator
from topminer._facts import lda_of, miner_of, run_facts, stored_parameters
from topminer.errors import InputError
from topminer.phrases.explain import Explanation, explain
from topminer.phrases.miner import PhraseMiner, stored_phrases
from topminer.phrases.own import OwnPhrases
from topminer.phrases.partition import Partition
from topminer.phrases.pieces import NONE, PARAGRAPH, require_texts
from topminer.phrases.types import stored_partition
from topminer.progress import Progress, silent
from topminer.run.backend import Backend, PartitionSummary
from topminer.run.cluster import NO_PARAGRAPHS, ClusterBackend
from topminer.run.job import Job, Loss, keep_every
from topminer.run.memory import MemoryBackend
from topminer.store import MemoryCheckpoint, Stored
from topminer.store.formats import MODEL
from topminer.text.corpus import Corpus
from topminer.text.documents import Document
from topminer.text.kinds import KindsParameter
from topminer.text.rules import StopWordPolicy
from topminer.topics.model.beginning import RANDOM
from topminer.topics.model.fitting import check_parameters
from topminer.topics.model.phraselda import PhraseLDA, take_over, topics_in
from topminer.topics.model.topics import Topics
from topminer.topics.results.documents import Span, spans
from topminer.topics.results.entries import RELEVANCE, Order
from topminer.topics.results.fold_in import Inferred
from topminer.topics.results.listing import Listing
from topminer.topics.results.summary import Summary
from topminer.topics.results.topic import Topic
from topminer.topics.results.verdict import large_topic
from topminer.topics.sampler.chain import Chain, nothing

RUN = "run.json"
KEEP_EVERY = 30.0  # seconds between two stored states of a chain on a cluster


class ToPMine(Estimator):
    """Topics described by phrases: mining, segmentation and PhraseLDA in a row.

    Parameters
    ----------
    n_topics : int or "auto", default 20
        Number of topics; "auto": it is found (see :class:`PhraseLDA`).
    phrases : bool, default True
        False models single words: LDA.
    min_support, significance, quality, evidence, ties, max_length, always, never
        What makes a phrase: see :class:`PhraseMiner`.
    alpha, beta, n_sweeps, optimize_interval, burn_in, n_shards, n_chains
        How topics are sampled: see :class:`PhraseLDA`.
    split : int or {"auto", "none", "paragraph"}, default "auto"
        Whether long documents are sampled in pieces: see :class:`PhraseLDA`.
    start : {"factorised", "random"}, default "factorised"
        Topics that the chain starts with: see :class:`PhraseLDA`.
    language, stem, stop_words, stop_word_policy, numbers, token_pattern, kinds, add_stop_words
        How texts are read: see :meth:`Corpus.from_texts`. A corpus has been read already.
    min_df, max_df
        Words in fewer or more documents are left out: see :meth:`Corpus.filtered`.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
        The same seed gives the same model on any number of threads.
    n_threads : int or None
        None: all cores. The result does not depend on it.
    engine : {"local", "ray"}, default "local"
        "ray" has the workers of a Ray cluster mine, cut and sample; the result is the same. The corpus is
        sent to them.
    ray_address : str or None
        Where the cluster is, "auto" or "host:port"; None starts Ray on this machine.

    Attributes
    ----------
    corpus_, partition_ : Corpus, Partition
        The documents, as kept tokens and as phrase instances.
    miner_, lda_ : PhraseMiner or None, PhraseLDA
        The fitted steps; with ``phrases=False`` nothing was mined.

    Examples
    --------
    >>> from topminer import ToPMine
    >>> texts = ["Frequent pattern mining.", "Neural networks."] * 50
    >>> model = ToPMine(2, n_sweeps=50, random_state=0).fit(texts)
    >>> sorted(topic.phrases[0].phrase for topic in model.topics())
    ['Frequent pattern mining', 'Neural networks']
    """

    corpus_: Corpus
    partition_: Partition
    miner_: PhraseMiner | None
    lda_: PhraseLDA

    def __init__(
        self,
        n_topics: int | str = 20,
        *,
        phrases: bool = True,
        min_support: int | float | str = "auto",
        significance: float = 2.0,
        quality: float | str | None = "auto",
        evidence: int | str | None = "auto",
        ties: str | None = "auto",
        max_length: int | None = None,
        always: OwnPhrases = None,
        never: OwnPhrases = None,
        alpha: float | ArrayLike | None = None,
        beta: float = 0.01,
        n_sweeps: int | str = 1000,
        optimize_interval: int = 10,
        burn_in: int = 20,
        n_shards: int | None = None,
        split: int | str = "auto",
        start: str = "factorised",
        n_chains: int = 1,
        language: str | None = "english",
        stem: bool = True,
        stop_words: Iterable[str] | PathLike[str] | None = None,
        stop_word_policy: StopWordPolicy = "skip",
        numbers: bool = True,
        token_pattern: str | None = None,
        kinds: KindsParameter = "auto",
        add_stop_words: Iterable[str] | PathLike[str] | None = None,
        min_df: float = 1,
        max_df: float = 1.0,
        random_state: Any = None,
        n_threads: int | None = None,
        engine: str = "local",
        ray_address: str | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.phrases = phrases
        self.min_support = min_support
        self.significance = significance
        self.quality = quality
        self.evidence = evidence
        self.ties = ties
        self.max_length = max_length
        self.always = always
        self.never = never
        self.alpha = alpha
        self.beta = beta
        self.n_sweeps = n_sweeps
        self.optimize_interval = optimize_interval
        self.burn_in = burn_in
        self.n_shards = n_shards
        self.split = split
        self.start = start
        self.n_chains = n_chains
        self.language = language
        self.stem = stem
        self.stop_words = stop_words
        self.stop_word_policy = stop_word_policy
        self.numbers = numbers
        self.token_pattern = token_pattern
        self.kinds = kinds
        self.add_stop_words = add_stop_words
        self.min_df = min_df
        self.max_df = max_df
        self.random_state = random_state
        self.n_threads = n_threads
        self.engine = engine
        self.ray_address = ray_address

    @classmethod
    def as_in_paper(cls, n_topics: int | str = 20, *, significance: float = 4.0, **parameters: Any) -> Self:
        """Make an estimator that does what the paper does, to the letter.

        Equation 1 alone decides what a phrase is: no phrase is judged by its quality, every repetition
        counts, nothing is tied, no kind of text is left out, documents are sampled as a whole, and chains
        start at random. Other parameters are as in the constructor.
        """
        as_paper: dict[str, Any] = {
            "quality": None,
            "evidence": None,
            "ties": None,
            "kinds": None,
            "split": NONE,
            "start": RANDOM,
        }
        return cls(n_topics, significance=significance, **as_paper | parameters)

    # ----------------------------------------------------------------- fitting

    def fit(
        self, texts: Iterable[Document] | Corpus, y: object = None, *, progress: Progress = silent
    ) -> Self:
        """Find the topics of documents: texts, or a corpus of them.

        Warns if topics will have hardly any phrase, and if one topic holds more than a third of the tokens.
        """
        check_parameters(lda_of(self))  # now, and not when everything is read and mined
        if self.engine not in ("local", "ray"):
            raise InputError(f"engine must be one of local, ray, not {self.engine!r}")
        if self.engine == "ray" and self.split == PARAGRAPH:
            raise InputError(NO_PARAGRAPHS)
        corpus = texts if isinstance(texts, Corpus) else self._read(texts, progress)
        if self.split == PARAGRAPH:
            require_texts(corpus)
        checkpoint = MemoryCheckpoint()
        if self.engine == "local":
            self._run(MemoryBackend(self.n_threads, corpus), checkpoint, progress)
            return self
        from topminer.engines.ray import connect

        with (
            connect(self.ray_address, self.n_threads) as cluster,
            ClusterBackend(cluster.engine, checkpoint, corpus) as backend,
        ):
            self._run(backend, checkpoint, progress)
        return self

    def _run(self, backend: Backend, checkpoint: MemoryCheckpoint, progress: Progress) -> None:
        """Mine, cut and sample, and take over what was found."""
        can_lose_workers = not isinstance(backend, MemoryBackend)
        job = Job(
            backend,
            checkpoint,
            miner_of(self),
            lda_of(self),
            sampling=lambda job: nullcontext(
                keep_every(KEEP_EVERY, job.keep) if can_lose_workers else nothing
            ),
            finish=lambda job: take_over(job.lda, Topics.of_chain(job.chain)),
        )
        for step in job.run(progress):
            if isinstance(step, Loss):
                warnings.warn(step.message, stacklevel=3)
            elif isinstance(step, PartitionSummary) and step.advice is not None:
                warnings.warn(step.advice.text(), stacklevel=3)
            elif isinstance(step, Chain) and (advice := large_topic(step.sampler.n_k)) is not None:
                warnings.warn(advice.text(), stacklevel=3)
        take_over_run(self, job)

    def _read(self, texts: Iterable[Document], progress: Progress) -> Corpus:
        return Corpus.from_texts(
            texts,
            self.language,
            self.stem,
            self.stop_words,
            self.stop_word_policy,
            numbers=self.numbers,
            token_pattern=self.token_pattern,
            kinds=self.kinds,
            add_stop_words=self.add_stop_words,
            n_threads=self.n_threads,
            progress=progress,
        ).filtered(min_df=self.min_df, max_df=self.max_df)

    def _cut_new(self, texts: Iterable[Document] | Corpus, progress: Progress) -> Partition:
        """Cut new documents into phrase instances, by the phrases of the model."""
        if isinstance(texts, Corpus):
            corpus = texts.in_vocabulary_of(self.corpus_)
        else:
            corpus = self.corpus_.encode(texts, n_threads=self.n_threads, progress=progress)
        if self.miner_ is None:
            return Partition.of_words(corpus)
        return self.miner_.transform(corpus, progress=progress)

    # ----------------------------------------------------------------- looking

    def topics(
        self,
        n_words: int = 10,
        n_phrases: int = 10,
        *,
        order: Order | None = None,
        lam: float = RELEVANCE,
        tie: bool | None = None,
        background: bool | None = None,
        all: bool = False,
    ) -> list[Topic]:
        """Return topics by weight, each with its best words and phrases; background topics are the last.

        Parameters are those of :class:`topminer.Listing`; what is None is left to it. By default variants are
        tied, and background, phrases of more than six words and phrases that are not typical of the topic are
        left out; with ``all`` every phrase is shown by itself. A model as in the paper (:meth:`as_in_paper`)
        shows every phrase by itself, by topical frequency.
        """
        self._fitted("lda_")
        given = {"n_words": n_words, "n_phrases": n_phrases, "order": order, "lam": lam}
        listing = Listing.usual(self, all=all, tie=tie, background=background, **given)
        return Summary(self).topics(listing)

    def diagnostics(self) -> pl.DataFrame:
        """Return a row for each topic: how large, exclusive, coherent and stable it is.

        Columns: topic, weight (share of the kept tokens), weight_low and weight_high (its interval),
        exclusivity, coherence, documents (that the topic leads), stability, stable, nearest (topic) and
        similarity (to it). Intervals and stability need ``n_chains=2`` or more, else they are null.
        """
        from topminer.evaluation.diagnostics import diagnostics

        lda: PhraseLDA = self._fitted("lda_")
        return diagnostics(lda, self.partition_)

    def infer(
        self, texts: Iterable[Document] | Corpus, *, progress: Progress = silent
    ) -> tuple[Partition, Inferred]:
        """Return new documents as phrase instances, and the topics of documents and instances."""
        lda: PhraseLDA = self._fitted("lda_")
        partition = self._cut_new(texts, progress)
        return partition, lda.infer(partition, progress=progress)

    def transform(
        self, texts: Iterable[Document] | Corpus, *, progress: Progress = silent
    ) -> NDArray[np.float64]:
        """Return the probability of each topic in each new document, (documents, topics)."""
        return self.infer(texts, progress=progress)[1].doc_topic

    def fit_transform(
        self, texts: Iterable[Document] | Corpus, y: object = None, *, progress: Progress = silent
    ) -> NDArray[np.float64]:
        """Find the topics of documents. Return the probability of each topic in each document."""
        return self.fit(texts, progress=progress).lda_.doc_topic_

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return names of the columns of :meth:`transform`: "topmine0", "topmine1" and so on."""
        return self._numbered_names(self._fitted("lda_").topic_weight_.size)

    @property
    def components_(self) -> NDArray[np.float64]:
        """Smoothed counts of words in topics, (topics, words): see :attr:`PhraseLDA.components_`."""
        lda: PhraseLDA = self._fitted("lda_")
        return lda.components_

    def segment(self, texts: Iterable[Document] | Corpus, *, progress: Progress = silent) -> list[list[Span]]:
        """Return the phrase instances of new documents, single words included, each with its topic."""
        partition, inferred = self.infer(texts, progress=progress)
        return spans(partition, inferred.clique_topic)

    def explain(self, text: str) -> Explanation:
        """Explain why a text is cut into its phrases: return its merge tree, with every score."""
        self._fitted("lda_")
        if self.miner_ is None:
            raise InputError("this model has single words only (phrases=False): nothing was merged")
        return explain(self.miner_, text)

    def score(self, texts: Iterable[Document] | Corpus, y: object = None) -> float:
        """Return the log probability per word of the second halves of documents, given the first halves."""
        lda: PhraseLDA = self._fitted("lda_")
        return lda.score(self._cut_new(texts, silent))

    # ----------------------------------------------------------------- storing

    def save(
        self, directory: str | PathLike[str], *, overwrite: bool = False, keep_texts: bool = True
    ) -> None:
        """Write the model to a directory: JSON, .npy and Parquet, atomically."""
        lda: PhraseLDA = self._fitted("lda_")
        path = Path(directory)
        store.write(path, MODEL, stored_model(self, keep_texts=keep_texts), overwrite=overwrite)
        store.write_json(path / RUN, run_facts(self.corpus_, lda.history_))

    def _repr_html_(self) -> str:
        if "lda_" not in self.__dict__:
            return f"<code>{escape(repr(self))}</code>"
        from topminer.views.topic_tables import as_html  # the only view that a model knows: a notebook's

        return as_html(self.topics())


def take_over_run(model: ToPMine, job: Job) -> None:
    """Fit a model with what a run has found; the corpus is in memory."""
    model.corpus_, model.partition_ = job.backend.corpus, job.backend.partition(job.miner)
    model.miner_, model.lda_ = job.miner, job.lda


def stored_model(model: ToPMine, *, keep_texts: bool = True) -> Stored:
    """Return a fitted model as it is written to a directory; without paths and times."""
    corpus = model.corpus_ if keep_texts else replace(model.corpus_, texts=None)
    parts = {"corpus": corpus.stored(keep_paths=False), **topics_in(model.lda_).sections()}
    if model.miner_ is not None:
        parts["phrases"] = stored_phrases(model.miner_)
        parts["partition"] = stored_partition(model.partition_)
    parameters = stored_parameters(model, model.miner_, model.lda_)
    parameters["n_topics"] = topics_in(model.lda_).n_k.size  # that of fit, also if it was found
    return store.merged(parts, parameters=parameters)
