"""PhraseMiner: an estimator that mines the phrases of a corpus and segments documents into them."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Self

import polars as pl

from topminer import store
from topminer._estimator import Estimator
from topminer._parameters import whole_or_none
from topminer.containers.mapped import unload
from topminer.engines.local import n_threads_or_all
from topminer.errors import InputError
from topminer.phrases.evidence import counted_once, least_words
from topminer.phrases.fitted import Fitted, Judged
from topminer.phrases.mining import Mined, mine
from topminer.phrases.own import OwnPhrases, stems_of
from topminer.phrases.partition import Partition
from topminer.phrases.quality import N_STATISTICS, check_cut
from topminer.phrases.scores import check_threshold, least_support, resolve_support
from topminer.phrases.segmenter import Settings
from topminer.phrases.sequence import Floats, Sequence
from topminer.phrases.table import phrase_table, quality_table
from topminer.phrases.ties import Ties, check_ties, no_ties, ties_of
from topminer.phrases.types import stored_partition
from topminer.progress import Progress, silent
from topminer.store import Stored
from topminer.store.facts import plain
from topminer.store.formats import MINER, MINING
from topminer.text.corpus import Corpus

_STORED = ("prefix", "last", "evidence", "support", "length_start")


class PhraseMiner(Estimator):
    """Find the phrases of a corpus and segment documents into them: the paper's section 4.

    With ``quality``, ``evidence`` and ``ties`` None and a significance of 4 it does what the paper does.

    Parameters
    ----------
    min_support : int, float or "auto", default "auto"
        How often a phrase must occur: a number, a share of the kept tokens, or "auto": as often as is needed
        to reach the threshold, and at least once in five million tokens.
    significance : float, default 2.0
        The threshold: two phrases are merged only if their score by equation 1 is at least this.
    quality : float, "auto" or None, default "auto"
        The lowest quality of a finished phrase; what is lower is split. "auto" is 0, None judges nothing.
    evidence : int, "auto" or None, default "auto"
        Chunks of at least so many kept tokens that repeat word for word count once; "auto" is 8.
        None counts every chunk.
    ties : "auto" or None, default "auto"
        Whether words with hyphens are counted together with the same words apart: "real-time", "real time".
    max_length : int or None
        The most words of a phrase; None means 64.
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

    _table: pl.DataFrame | None

    def __init__(
        self,
        min_support: int | float | str = "auto",
        significance: float = 2.0,
        quality: float | str | None = "auto",
        evidence: int | str | None = "auto",
        ties: str | None = "auto",
        max_length: int | None = None,
        *,
        always: OwnPhrases = None,
        never: OwnPhrases = None,
        n_threads: int | None = None,
    ) -> None:
        self.min_support = min_support
        self.significance = significance
        self.quality = quality
        self.evidence = evidence
        self.ties = ties
        self.max_length = max_length
        self.always = always
        self.never = never
        self.n_threads = n_threads

    def fit(self, corpus: Corpus, y: object = None, *, progress: Progress = silent) -> Self:
        """Mine the frequent phrases of a corpus; judge those that its partition has."""
        _check_corpus(corpus)
        min_support = min_support_in(self, corpus.n_tokens)
        if corpus.n_tokens and corpus.stem_ids.min() < 0:
            raise InputError("the corpus holds words that are not in its vocabulary; mine the one it is from")
        settings, ties = settings_in(self, corpus)
        text = counted_once(Sequence.of(corpus), ties, least_words(self.evidence))
        n_threads = n_threads_or_all(self.n_threads)
        if text.ids is not corpus.stem_ids:
            unload(corpus.stem_ids, corpus.chunk_start)
        mined, longest = mine(text, corpus.n_stems, min_support, self.max_length, n_threads, progress)
        fitted = Fitted(mined, corpus, settings, tied=self.ties is not None, ties=ties)
        strength = fitted.cut_and_judge(text, longest, n_threads, progress)
        del text, longest  # the partition needs neither
        fitted.take_strength(corpus, strength)
        self._take(fitted)
        return self

    def transform(self, corpus: Corpus, *, progress: Progress = silent) -> Partition:
        """Segment documents, those of `fit` or new ones, into phrases.

        A word that the fitted corpus does not have is a phrase of its own. ``partition.at(threshold)``
        segments at another threshold without merging again.
        """
        fitted = self.fitted
        _check_corpus(corpus)
        is_fitted_corpus = corpus is fitted.corpus
        if is_fitted_corpus and fitted.partition is not None:
            len(fitted.partition)  # raises an error if the documents were not loaded
            return fitted.partition
        corpus = corpus.in_vocabulary_of(fitted.corpus)
        partition = fitted.segment(corpus, n_threads_or_all(self.n_threads), progress)
        if is_fitted_corpus:
            fitted.partition = partition  # phrases_ needs it, and so does a transform at another threshold
        return partition

    def fit_transform(self, corpus: Corpus, y: object = None, *, progress: Progress = silent) -> Partition:
        """Mine a corpus and segment it."""
        return self.fit(corpus, progress=progress).transform(corpus, progress=progress)

    @property
    def phrases_(self) -> pl.DataFrame:
        """Every frequent phrase of two or more words, the one with most instances first.

        Columns: phrase (as most often written), stems (joined by a blank), length, support (all places),
        evidence (places in counted chunks), instances in the partition of the fitted corpus (may be 0),
        significance (of its best split into two), quality (null: not judged).
        """
        fitted = self.fitted
        if self._table is None:
            self._table = phrase_table(fitted, self.transform(fitted.corpus))
        return self._table

    @property
    def quality_(self) -> pl.DataFrame:
        """Every phrase that was judged, with what each statistic adds to its quality."""
        return quality_table(self.fitted)

    @property
    def fitted(self) -> Fitted:
        """What was mined, and how documents are segmented: a parameter that was set later has no effect."""
        fitted: Fitted = self._fitted("_fit")
        return fitted

    @property
    def mined(self) -> Mined:
        """The mined phrases, as arrays."""
        return self.fitted.mined

    @property
    def settings(self) -> Settings:
        """How documents are segmented, as fitted."""
        return self.fitted.settings

    def save(self, directory: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write the miner, and the corpus it was fitted to, to a directory: JSON, .npy and Parquet."""
        corpus = self.fitted.corpus
        parts = {
            "corpus": corpus.stored(keep_paths=False),
            "phrases": stored_phrases(self),
            "partition": stored_partition(self.transform(corpus)),
        }
        parameters = {name: plain(getattr(self, name)) for name in MINING}
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

    def _take(self, fitted: Fitted) -> None:
        """Set all fitted attributes at once, after the last step that can fail."""
        self._fit, self._table = fitted, None
        self.min_support_ = fitted.mined.min_support
        self.reached_max_length_ = fitted.mined.reached_max_length


def settings_in(miner: PhraseMiner, corpus: Corpus) -> tuple[Settings, Ties]:
    """Check the parameters of a miner, and read the user's own phrases by the vocabulary of a corpus."""
    ties = ties_of(corpus) if check_ties(miner.ties) else no_ties(corpus.n_stems)
    always, never = (
        [ties.of_phrase(stems) for stems in stems_of(getattr(miner, name), corpus, name)]
        for name in ("always", "never")
    )
    return Settings(check_threshold(miner.significance), check_cut(miner.quality), always, never), ties


def min_support_in(miner: PhraseMiner, n_tokens: int) -> int:
    """Check the parameters of a miner, and return the support it requires in ``n_tokens`` kept tokens."""
    whole_or_none("max_length", miner.max_length, 1)
    check_cut(miner.quality)
    least_words(miner.evidence)
    check_ties(miner.ties)
    return resolve_support(miner.min_support, n_tokens, check_threshold(miner.significance))


def take_over(miner: PhraseMiner, fitted: Fitted) -> None:
    """Fit a miner with phrases that were mined elsewhere."""
    miner._take(fitted)


def stored_phrases(miner: PhraseMiner) -> Stored:
    """Return the mined phrases as they are written to a directory; without the corpus."""
    mined, settings, judged = miner.mined, miner.settings, miner.fitted.judged
    facts = {
        "n_tokens": mined.n_tokens,
        "min_support": mined.min_support,
        "reached_max_length": mined.reached_max_length,
        "threshold": settings.threshold,
        "cut": settings.cut,
        "tied": miner.fitted.tied,
        "always": [list(stems) for stems in settings.always],
        "never": [list(stems) for stems in settings.never],
    }
    arrays = {name: getattr(mined, name) for name in _STORED}
    arrays |= {"judged": judged.ids, "quality": judged.quality, "statistics": judged.statistics.reshape(-1)}
    return Stored(facts, arrays, {})


def restore_phrases(
    miner: PhraseMiner, stored: Stored, corpus: Corpus, strength: Floats | None = None
) -> None:
    """Fit a miner with stored phrases of ``corpus``; ``strength`` is that of the corpus's partition."""
    facts, arrays = stored.facts, stored.arrays
    mined = Mined(
        **{name: arrays[name] for name in _STORED},
        n_tokens=facts["n_tokens"],
        min_support=facts["min_support"],
        reached_max_length=facts["reached_max_length"],
    )
    always, never = ([tuple(stems) for stems in facts[name]] for name in ("always", "never"))
    settings = Settings(facts["threshold"], facts["cut"], always, never)
    judged = Judged(arrays["judged"], arrays["quality"], arrays["statistics"].reshape(-1, N_STATISTICS))
    miner._take(Fitted(mined, corpus, settings, tied=facts["tied"], judged=judged, strength=strength))


def lowered(miner: PhraseMiner, threshold: float, *, progress: Progress = silent) -> PhraseMiner:
    """Return the same miner, with phrases that are too rare for its threshold but not for a lower one.

    Its partitions can be segmented ``at`` any threshold from the lower one on. If the given miner requires
    more support than its threshold needs, the support stays.
    """
    fitted, mined = miner.fitted, miner.mined
    corpus, support = fitted.corpus, mined.min_support
    if support <= least_support(fitted.settings.threshold):
        support = min(support, resolve_support("auto", mined.n_tokens, check_threshold(threshold)))
    if support == mined.min_support:
        return miner
    if corpus.n_tokens == 0:
        raise InputError("rarer phrases cannot be mined: the documents of the model are not loaded")
    text = counted_once(Sequence.of(corpus), fitted.ties, least_words(miner.evidence))
    n_threads = n_threads_or_all(miner.n_threads)
    more = mine(text, corpus.n_stems, support, miner.max_length, n_threads, progress).mined
    lower = PhraseMiner(**{**miner.get_params(), "min_support": support})
    lower._take(fitted.with_phrases(more))
    return lower


def _check_corpus(corpus: object) -> None:
    if not isinstance(corpus, Corpus):
        raise InputError(f"expected a Corpus, not {type(corpus).__name__}; make one with Corpus.from_texts")
