"""ToPMine: the whole method in one estimator. Texts go in, topics described by phrases come out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from html import escape
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from topminer import store
from topminer._documentless import leave_documents_out
from topminer._estimator import Estimator
from topminer._facts import reading, run_facts, times
from topminer.checkpoint import Checkpoint
from topminer.cluster.job import Job, run_until_done
from topminer.engines.contract import Engine
from topminer.errors import InputError
from topminer.phrases.explain import Explanation, explain
from topminer.phrases.miner import PhraseMiner
from topminer.phrases.own import OwnPhrases
from topminer.phrases.partition import Partition
from topminer.phrases.types import PhraseTypes, stored_partition
from topminer.progress import Progress, silent
from topminer.store import Reader, Stored, Writer
from topminer.store.facts import plain
from topminer.store.formats import MODEL, PARAMETERS
from topminer.text.corpus import Corpus
from topminer.text.documents import Document
from topminer.text.provenance import PATHS, without_paths
from topminer.text.rules import StopWordPolicy
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.results.documents import Span, spans
from topminer.topics.results.fold_in import Inferred
from topminer.topics.results.topic import Topic, topics_of
from topminer.topics.sampler.chain import TIMES, AfterSweep, Chain
from topminer.views.topic_tables import as_html

RUN = "run.json"
KEEP_EVERY = 30.0  # seconds between two stored states of a chain on a cluster
ENGINES = ("local", "ray")


class ToPMine(Estimator):
    """Topics described by phrases: mining, segmentation and PhraseLDA in a row.

    Parameters
    ----------
    n_topics : int, default 20
        Number of topics.
    phrases : bool, default True
        False models single words: LDA.
    min_support, significance, max_length, scorer, always, never
        What makes a phrase: see :class:`PhraseMiner`.
    alpha, beta, n_sweeps, optimize_interval, burn_in, n_shards
        How topics are sampled: see :class:`PhraseLDA`.
    language, stem, stop_words, stop_word_policy, numbers, token_pattern
        How texts are read: see :meth:`Corpus.from_texts`. A corpus has been read already.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
        The same seed gives the same model on any number of threads.
    n_threads : int or None
        None: all cores. The result does not depend on it.
    engine : {"local", "ray"}, default "local"
        "ray" has the workers of a Ray cluster mine, cut and sample; the result is the same. They exchange
        files by the folder for temporary ones (``TMPDIR``), which all machines of a cluster must see.
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
    >>> texts = ["Frequent pattern mining finds patterns.", "A neural network learns weights."] * 50
    >>> model = ToPMine(2, n_sweeps=50, random_state=0).fit(texts)
    >>> sorted(topic.phrases[0].phrase for topic in model.topics())
    ['Frequent pattern mining finds patterns', 'neural network learns weights']
    """

    corpus_: Corpus
    partition_: Partition
    miner_: PhraseMiner | None
    lda_: PhraseLDA

    def __init__(
        self,
        n_topics: int = 20,
        *,
        phrases: bool = True,
        min_support: int | float | str = "auto",
        significance: float = 4.0,
        max_length: int | None = None,
        scorer: str = "paper",
        always: OwnPhrases = None,
        never: OwnPhrases = None,
        alpha: float | ArrayLike | None = None,
        beta: float = 0.01,
        n_sweeps: int = 1000,
        optimize_interval: int = 50,
        burn_in: int = 100,
        n_shards: int | None = None,
        language: str | None = "english",
        stem: bool = True,
        stop_words: Iterable[str] | PathLike[str] | None = None,
        stop_word_policy: StopWordPolicy = "skip",
        numbers: bool = True,
        token_pattern: str | None = None,
        random_state: Any = None,
        n_threads: int | None = None,
        engine: str = "local",
        ray_address: str | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.phrases = phrases
        self.min_support = min_support
        self.significance = significance
        self.max_length = max_length
        self.scorer = scorer
        self.always = always
        self.never = never
        self.alpha = alpha
        self.beta = beta
        self.n_sweeps = n_sweeps
        self.optimize_interval = optimize_interval
        self.burn_in = burn_in
        self.n_shards = n_shards
        self.language = language
        self.stem = stem
        self.stop_words = stop_words
        self.stop_word_policy = stop_word_policy
        self.numbers = numbers
        self.token_pattern = token_pattern
        self.random_state = random_state
        self.n_threads = n_threads
        self.engine = engine
        self.ray_address = ray_address

    # ----------------------------------------------------------------- fitting

    def fit(
        self, texts: Iterable[Document] | Corpus, y: object = None, *, progress: Progress = silent
    ) -> Self:
        """Find the topics of documents: texts, or a corpus of them."""
        self._lda().checked()  # now, and not when everything is read and mined
        if self.engine not in ENGINES:
            raise InputError(f"engine must be one of {', '.join(ENGINES)}, not {self.engine!r}")
        corpus = texts if isinstance(texts, Corpus) else self.read(texts, progress=progress)
        if self.engine == "ray":
            return self._fit_on_ray(corpus, progress)
        return self.model(self.cut(corpus, progress=progress), progress=progress)

    def _fit_on_ray(self, corpus: Corpus, progress: Progress) -> Self:
        """Mine, cut and sample on a cluster, in a temporary model directory."""
        from topminer.engines.ray import connect

        seed = self._lda().seeded()  # once: what goes on after a worker was lost is the same chain
        with TemporaryDirectory(prefix="topminer-") as folder:
            directory = Path(folder) / MODEL.kind
            with (
                Checkpoint.begin(directory, {}, overwrite=False) as checkpoint,
                connect(self.ray_address, self.n_threads) as cluster,
            ):
                checkpoint.save("corpus", corpus.stored())

                def work(engine: Engine) -> Chain:
                    job = self.job(engine, checkpoint, seed)
                    job.open()
                    job.cut(progress)
                    chain = job.sample(progress, job.keep_every(KEEP_EVERY))
                    self.write(job, directory)
                    return chain

                chain = run_until_done(cluster, checkpoint, work, warnings.warn)
                checkpoint.finish()
            stored = store.read(directory, MODEL)
            found = self.restored(stored, {}, n_threads=self.n_threads)
        self.corpus_, self.miner_ = corpus, found.miner_
        if self.miner_ is not None:
            strength = _strength(found.partition_)
            self.miner_ = self._miner().restored(self.miner_.stored(), corpus, strength)
        self.partition_ = self._cut(corpus, silent)
        self.lda_ = self._lda().restored(found.lda_.stored(), chain.history().select(TIMES))
        return self

    def job(self, engine: Engine, checkpoint: Checkpoint, seed: int | None = None) -> Job:
        """Return the run that fits this model on a cluster; ``seed`` replaces the random state."""
        lda = self._lda() if seed is None else self._lda().set_params(random_state=seed)
        return Job(engine, checkpoint, self._miner() if self.phrases else None, lda)

    def write(self, job: Job, directory: Path, *, keep_texts: bool = True) -> None:
        """Have the workers of a cluster write the model, as :meth:`save` would."""
        self.miner_, self.lda_ = job.miner, self._lda()
        with store.Writer(directory, MODEL, overwrite=True) as writer:
            facts = job.write(writer, keep_texts)
            facts["corpus"] = without_paths(facts["corpus"])
            writer.finish({**facts, "parameters": self._settings()})

    def read(self, texts: Iterable[Document], *, progress: Progress = silent) -> Corpus:
        """Read texts into a corpus."""
        return Corpus.from_texts(
            texts,
            self.language,
            self.stem,
            self.stop_words,
            self.stop_word_policy,
            numbers=self.numbers,
            token_pattern=self.token_pattern,
            n_threads=self.n_threads,
            progress=progress,
        )

    def cut(self, corpus: Corpus, *, progress: Progress = silent) -> Partition:
        """Mine a corpus, and cut it into phrase instances."""
        self.__dict__.pop("lda_", None)  # topics of an earlier fit have other words
        self.corpus_ = corpus
        self.miner_ = None
        if self.phrases:
            self.miner_ = self._miner().fit(corpus, progress=progress)
        self.partition_ = self._cut(corpus, progress)
        return self.partition_

    def model(
        self,
        partition: Partition,
        *,
        progress: Progress = silent,
        after_sweep: AfterSweep | None = None,
        state: Stored | None = None,
    ) -> Self:
        """Find the topics of phrase instances; see :meth:`PhraseLDA.fit`."""
        self.lda_ = self._lda().fit(partition, progress=progress, after_sweep=after_sweep, state=state)
        return self

    def check(self, n_tokens: int) -> None:
        """Refuse parameters that do not fit a corpus of ``n_tokens``, as :meth:`model` would."""
        self._lda().checked(n_tokens)

    def _miner(self) -> PhraseMiner:
        return PhraseMiner(
            self.min_support,
            self.significance,
            self.max_length,
            scorer=self.scorer,
            always=self.always,
            never=self.never,
            n_threads=self.n_threads,
        )

    def _lda(self) -> PhraseLDA:
        return PhraseLDA(
            self.n_topics,
            alpha=self.alpha,
            beta=self.beta,
            n_sweeps=self.n_sweeps,
            optimize_interval=self.optimize_interval,
            burn_in=self.burn_in,
            n_shards=self.n_shards,
            random_state=self.random_state,
            n_threads=self.n_threads,
        )

    def _cut(self, corpus: Corpus, progress: Progress) -> Partition:
        if self.miner_ is None:
            return Partition.of_words(corpus)
        return self.miner_.transform(corpus, progress=progress)

    def _cut_new(self, texts: Iterable[Document] | Corpus, progress: Progress) -> Partition:
        """Cut new documents into phrase instances, by the phrases of the model."""
        own = self.corpus_
        if isinstance(texts, Corpus):
            return self._cut(texts.in_vocabulary_of(own), progress)
        return self._cut(own.encode(texts, n_threads=self.n_threads, progress=progress), progress)

    # ----------------------------------------------------------------- looking

    def topics(self, n_words: int = 10, n_phrases: int = 10) -> list[Topic]:
        """Return topics by weight, each with its most likely words and most frequent phrases."""
        lda: PhraseLDA = self._fitted("lda_")
        return topics_of(lda, self.partition_, n_words, n_phrases)

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
        lda: PhraseLDA = self._fitted("lda_")
        return self._numbered_names(lda.topic_weight_.size)

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

    def stored(self, *, keep_texts: bool = True) -> Stored:
        """Return the model as it is written to a directory; without paths and times."""
        self._fitted("lda_")
        corpus = self.corpus_ if keep_texts else replace(self.corpus_, texts=None)
        return self._merged({"corpus": corpus.stored(keep_paths=False)})

    def write_with(self, corpus: Reader, writer: Writer, *, keep_texts: bool = True) -> None:
        """Write the model. The files of its corpus, which is stored already, are linked."""
        writer.link_section("corpus", corpus, leave_out=() if keep_texts else ("texts",))
        rest = self._merged({})
        writer.write(rest.arrays, rest.tables)
        writer.finish({**rest.facts, "corpus": without_paths(corpus.facts)})

    def _merged(self, parts: dict[str, Stored]) -> Stored:
        """Merge these parts with everything that was found in the corpus."""
        parts["topics"] = self.lda_.stored()
        if self.miner_ is not None:
            parts["phrases"] = self.miner_.stored()
            parts["partition"] = stored_partition(self.partition_)
        return store.merged(parts, parameters=self._settings())

    def save(
        self, directory: str | PathLike[str], *, overwrite: bool = False, keep_texts: bool = True
    ) -> None:
        """Write the model to a directory: JSON, .npy and Parquet, atomically."""
        path = Path(directory)
        store.write(path, MODEL, self.stored(keep_texts=keep_texts), overwrite=overwrite)
        store.write_json(path / RUN, self.run_facts())

    def run_facts(self) -> dict[str, Any]:
        """Return the facts that differ from run to run, and are no part of the model: paths and times."""
        lda: PhraseLDA = self._fitted("lda_")
        return run_facts(self.corpus_, lda.history_)

    def _settings(self) -> dict[str, Any]:
        """Return the declared parameters as JSON values.

        Those of reading are the corpus's rules, the user's own phrases are stored as stems, the seed with the
        topics.
        """
        # The steps have those they were fitted with; the model's own may have been set anew.
        settings = {**self.get_params(), **self.lda_.get_params(), "phrases": self.miner_ is not None}
        if self.miner_ is not None:
            settings.update(self.miner_.get_params())
        return {name: plain(settings[name]) for name in PARAMETERS.fields}

    @classmethod
    def restored(
        cls,
        stored: Stored,
        run: Mapping[str, Any],
        *,
        documents: bool = True,
        n_threads: int | None = None,
    ) -> Self:
        """Return a stored model, with or without its documents; ``run`` is the content of run.json."""
        lda, corpus = store.part(stored, "topics"), Corpus.restored(store.part(stored, "corpus"))
        paths = {name: run[name] for name in PATHS if isinstance(run.get(name), str)}
        model = cls(
            **stored.facts["parameters"],
            **reading(corpus.rules),
            random_state=lda.facts["seed"],
            n_threads=n_threads,
        )
        model.corpus_ = replace(corpus, origin=replace(corpus.origin, **paths))
        model.miner_ = None
        if model.phrases:
            partition = store.part(stored, "partition")
            types = PhraseTypes.of_stored(partition, corpus.n_stems)
            strength = partition.arrays["strength"] if documents else None
            model.miner_ = model._miner().restored(store.part(stored, "phrases"), model.corpus_, strength)
        else:
            word_topic = lda.arrays["word_topic"].reshape(corpus.n_stems, -1)
            types = PhraseTypes.of_words(word_topic.sum(axis=1, dtype=np.int64))
        model.lda_ = model._lda().restored(lda, times(run.get("history")))
        if documents:
            model.partition_ = model._cut(model.corpus_, silent)
            types.check(model.partition_)
            model.partition_.show_as(types.surfaces)
            model.lda_.check_topics_of(model.partition_)
        else:
            model.lda_.check_frequency(types.instances)
            model.partition_ = leave_documents_out(model.corpus_, types, model.miner_, model.lda_)
        return model

    def _repr_html_(self) -> str:
        if "lda_" not in self.__dict__:
            return f"<code>{escape(repr(self))}</code>"
        return as_html(self.topics())


def _strength(partition: Partition) -> NDArray[np.float64]:
    assert partition.strength is not None
    return partition.strength
