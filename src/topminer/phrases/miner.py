"""PhraseMiner: an estimator that mines the phrases of a corpus and segments documents into them."""

from __future__ import annotations

from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer import store
from topminer._estimator import Estimator
from topminer._parameters import whole_or_none
from topminer.engines.local import n_threads_or_all
from topminer.errors import InputError
from topminer.phrases.mining import Mined, mine
from topminer.phrases.own import OwnPhrases, glue, stems_of
from topminer.phrases.partition import Partition
from topminer.phrases.scores import SCORERS, check_threshold, resolve_support
from topminer.phrases.segmentation import ScoredPhrases, SegmentationSettings, score_phrases, segment
from topminer.phrases.sequence import Sequence
from topminer.phrases.table import phrase_table
from topminer.phrases.types import stored_partition
from topminer.progress import Progress, silent
from topminer.store import Stored
from topminer.store.facts import plain
from topminer.store.formats import MINER, MINING
from topminer.text.corpus import Corpus

_STORED = ("prefix", "last", "support", "length_start")


class PhraseMiner(Estimator):
    """Find the phrases of a corpus and segment documents into them: the paper's section 4.

    Parameters
    ----------
    min_support : int, float or "auto", default "auto"
        How often a phrase must occur: a number, a share of the kept tokens, or "auto": as often as is needed
        to reach the threshold, and at least once in a million tokens.
    significance : float, default 4.0
        The threshold: two phrases are merged only if their score is at least this.
    max_length : int or None
        The most words of a phrase; None means 64.
    scorer : {"paper", "tail"}, default "paper"
        Equation 1, or -log10 of the exact (Poisson) probability of so many occurrences by chance.
    always, never : iterable of str, pathlib.Path or None
        Phrases, as people write them, that are always kept whole or never formed; or files with a phrase a
        line.
    n_threads : int or None
        None: all cores. The result does not depend on it.

    Attributes
    ----------
    min_support_ : int
        The minimum support that was used.
    phrases_ : polars.DataFrame
        Every frequent phrase of two or more words; made at first use.
    reached_max_length_ : bool
        Whether phrases of more than ``max_length`` words may be frequent.

    Examples
    --------
    >>> from topminer import Corpus, PhraseMiner
    >>> corpus = Corpus.from_texts(["Frequent pattern mining.", "A tree approach to data."] * 40)
    >>> miner = PhraseMiner().fit(corpus)
    >>> miner.transform(corpus).to_lists()[0]
    [('frequent', 'pattern', 'mine')]
    """

    _partition: Partition | None
    _table: pl.DataFrame | None

    def __init__(
        self,
        min_support: int | float | str = "auto",
        significance: float = 4.0,
        max_length: int | None = None,
        *,
        scorer: str = "paper",
        always: OwnPhrases = None,
        never: OwnPhrases = None,
        n_threads: int | None = None,
    ) -> None:
        self.min_support = min_support
        self.significance = significance
        self.max_length = max_length
        self.scorer = scorer
        self.always = always
        self.never = never
        self.n_threads = n_threads

    def fit(self, corpus: Corpus, y: object = None, *, progress: Progress = silent) -> Self:
        """Mine the frequent phrases of a corpus."""
        _check_corpus(corpus)
        min_support = min_support_in(self, corpus.n_tokens)
        if corpus.n_tokens and corpus.stem_ids.min() < 0:
            raise InputError("the corpus holds words that are not in its vocabulary; mine the one it is from")
        take_over(self, _mine(self, corpus, min_support, progress), corpus)
        return self

    def transform(self, corpus: Corpus, *, progress: Progress = silent) -> Partition:
        """Segment documents, those of `fit` or new ones, into phrases.

        A word that the fitted corpus does not have is a phrase of its own. ``partition.at(threshold)``
        segments at another threshold without merging again.
        """
        settings = self.settings
        _check_corpus(corpus)
        is_fitted_corpus = corpus is self._corpus
        if is_fitted_corpus and self._partition is not None:
            return self._partition.at(settings.threshold)
        corpus = corpus.in_vocabulary_of(self._corpus)
        sequence = glue(Sequence.of(corpus), settings.always, corpus.n_stems)
        strength = segment(sequence, self._scored, n_threads_or_all(self.n_threads), progress)
        partition = Partition.from_strength(corpus, strength, settings.threshold)
        if is_fitted_corpus:
            self._partition = partition  # phrases_ needs it, and so does a transform at another threshold
        return partition

    def fit_transform(self, corpus: Corpus, y: object = None, *, progress: Progress = silent) -> Partition:
        """Mine a corpus and segment it."""
        return self.fit(corpus, progress=progress).transform(corpus, progress=progress)

    @property
    def phrases_(self) -> pl.DataFrame:
        """Every frequent phrase of two or more words, the one with most instances first.

        Columns: phrase (as most often written), stems (joined by a blank), length, support, instances in
        the partition of the fitted corpus (may be 0), significance (of its best split into two).
        """
        settings = self.settings
        if self._table is None:
            partition = self.transform(self._corpus)
            index = self._scored.stem_index
            self._table = phrase_table(self._mined, index, settings.scorer, partition, settings.always)
        return self._table

    @property
    def mined(self) -> Mined:
        """The mined phrases, as arrays."""
        mined: Mined = self._fitted("_mined")
        return mined

    @property
    def settings(self) -> SegmentationSettings:
        """How documents are segmented, as fitted: a parameter that was set later has no effect."""
        settings: SegmentationSettings = self._fitted("_settings")
        return settings

    def save(self, directory: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write the miner, and the corpus it was fitted to, to a directory: JSON, .npy and Parquet."""
        settings = self.settings
        parts = {
            "corpus": self._corpus.stored(keep_paths=False),
            "phrases": stored_phrases(self),
            "partition": stored_partition(self.transform(self._corpus)),
        }
        parameters = {name: plain(getattr(self, name)) for name in MINING}
        parameters["scorer"] = settings.scorer.name  # as fitted: the parameter may have been set since
        store.write(Path(directory), MINER, store.merged(parts, parameters=parameters), overwrite=overwrite)

    @classmethod
    def load(cls, directory: str | PathLike[str], *, n_threads: int | None = None) -> Self:
        """Load what :meth:`save` wrote; refuse what is damaged, foreign or too new."""
        stored = store.read(Path(directory), MINER)
        try:
            corpus = Corpus.restored(store.part(stored, "corpus"))
            miner = cls(**stored.facts["parameters"], n_threads=n_threads)
            strength = stored.arrays["partition-strength"]
            restore_phrases(miner, store.part(stored, "phrases"), corpus, strength)
            return miner
        except InputError as error:
            raise InputError(f"{directory}: damaged: {error}") from None

    def _prepare(
        self,
        mined: Mined,
        corpus: Corpus,
        settings: SegmentationSettings,
        partition: Partition | None = None,
    ) -> None:
        """Set all fitted attributes at once, after the last step that can fail."""
        self._mined, self._settings = mined, settings
        self._corpus, self._partition = corpus, partition
        self._table = None
        self.__dict__.pop("_scored", None)  # of an earlier fit
        self.min_support_ = mined.min_support
        self.reached_max_length_ = mined.reached_max_length

    @cached_property
    def _scored(self) -> ScoredPhrases:
        """The mined phrases, indexed and with their scores. A stored model is opened without them."""
        return score_phrases(self.mined, self.settings.scorer, self.settings.never)


def min_support_in(miner: PhraseMiner, n_tokens: int) -> int:
    """Check the parameters of a miner, and return the support it requires in ``n_tokens`` kept tokens."""
    if miner.scorer not in list(SCORERS):
        raise InputError(f"scorer must be one of {', '.join(SCORERS)}, not {miner.scorer!r}")
    _max_length(miner)
    threshold = check_threshold(miner.significance)
    return resolve_support(miner.min_support, n_tokens, threshold, SCORERS[miner.scorer])


def take_over(
    miner: PhraseMiner, mined: Mined, corpus: Corpus, strength: NDArray[np.float64] | None = None
) -> None:
    """Fit a miner with phrases that were mined from ``corpus``, whose documents need not be present.

    ``strength`` is that of the corpus's partition, if it was segmented elsewhere.
    """
    always, never = stems_of(miner.always, corpus, "always"), stems_of(miner.never, corpus, "never")
    threshold = check_threshold(miner.significance)
    partition = None if strength is None else Partition.from_strength(corpus, strength, threshold)
    settings = SegmentationSettings(SCORERS[miner.scorer], never, always, threshold)
    miner._prepare(mined, corpus, settings, partition)


def stored_phrases(miner: PhraseMiner) -> Stored:
    """Return the mined phrases as they are written to a directory; without the corpus."""
    mined, settings = miner.mined, miner.settings
    facts = {
        "n_tokens": mined.n_tokens,
        "min_support": mined.min_support,
        "reached_max_length": mined.reached_max_length,
        "threshold": settings.threshold,
        "always": [list(stems) for stems in settings.always],
        "never": [list(stems) for stems in settings.never],
    }
    return Stored(facts, {name: getattr(mined, name) for name in _STORED}, {})


def restore_phrases(
    miner: PhraseMiner, stored: Stored, corpus: Corpus, strength: NDArray[np.float64] | None = None
) -> None:
    """Fit a miner with stored phrases that were mined from ``corpus``.

    ``strength`` is that of the corpus's partition.
    """
    facts, arrays = stored.facts, stored.arrays
    mined = Mined(
        **{name: arrays[name] for name in _STORED},
        n_tokens=facts["n_tokens"],
        min_support=facts["min_support"],
        reached_max_length=facts["reached_max_length"],
    )
    threshold = facts["threshold"]
    never, always = ([tuple(stems) for stems in facts[name]] for name in ("never", "always"))
    partition = None if strength is None else Partition.from_strength(corpus, strength, threshold)
    settings = SegmentationSettings(SCORERS[miner.scorer], never, always, threshold)
    miner._prepare(mined, corpus, settings, partition)


def lowered(miner: PhraseMiner, threshold: float, *, progress: Progress = silent) -> PhraseMiner:
    """Return the same miner, with phrases that are too rare for its threshold but not for a lower one.

    It segments documents as the given miner does, and its partitions can be segmented ``at`` any threshold
    from the lower one on. If the given miner requires more support than its threshold needs, the support
    stays.
    """
    mined, settings = miner.mined, miner.settings
    support = mined.min_support
    if support <= settings.scorer.least_support(settings.threshold):
        lowest = check_threshold(threshold)
        support = min(support, resolve_support("auto", mined.n_tokens, lowest, settings.scorer))
    if support == mined.min_support:
        return miner
    if miner._corpus.n_tokens != mined.n_tokens:
        raise InputError("rarer phrases cannot be mined: the documents of the model are not loaded")
    lower = PhraseMiner(support, settings.threshold, miner.max_length)
    lower.set_params(scorer=settings.scorer.name, n_threads=miner.n_threads)
    lower._prepare(_mine(lower, miner._corpus, support, progress), miner._corpus, settings)
    return lower


def _mine(miner: PhraseMiner, corpus: Corpus, min_support: int, progress: Progress) -> Mined:
    sequence, n_threads = Sequence.of(corpus), n_threads_or_all(miner.n_threads)
    return mine(sequence, corpus.n_stems, min_support, _max_length(miner), n_threads, progress)


def _max_length(miner: PhraseMiner) -> int | None:
    return whole_or_none("max_length", miner.max_length, 1)


def _check_corpus(corpus: object) -> None:
    if not isinstance(corpus, Corpus):
        raise InputError(f"expected a Corpus, not {type(corpus).__name__}; make one with Corpus.from_texts")
