"""PhraseMiner: mining, significance and segmentation behind one fit and one transform."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer import store
from topminer._estimator import Estimator
from topminer._parameters import whole_or_none
from topminer.engines.local import n_threads_or_all
from topminer.errors import InputError
from topminer.phrases.mining import Phrases, mine
from topminer.phrases.own import OwnPhrases, glue, stems_of
from topminer.phrases.partition import Partition
from topminer.phrases.segmentation import Joins, Merges, joins, merges, segment
from topminer.phrases.support import SCORER_NAMES, SCORERS, check_threshold, resolve_support, support_for
from topminer.phrases.table import phrase_ids, phrase_table
from topminer.progress import Progress, silent
from topminer.store import Stored
from topminer.store.facts import plain
from topminer.store.formats import MINER, MINING
from topminer.text.corpus import Corpus

_MINED = ("prefix", "last", "support", "length_start")


class Cutting(NamedTuple):
    """How documents are cut, given what was mined."""

    scorer: int
    never: NDArray[np.int32]  # phrases, by id
    always: list[tuple[int, ...]]  # phrases, by stems
    threshold: float


class PhraseMiner(Estimator):
    """Find the phrases of a corpus and cut documents into them: the paper's section 4.

    Parameters
    ----------
    min_support : int, float or "auto", default "auto"
        How often a phrase must occur: a number, a share of the kept tokens, or by rule: as often as it
        must to reach the threshold, and at least once in a million tokens.
    significance : float, default 4.0
        The threshold: two phrases are merged only with at least this score.
    max_length : int or None
        The most words of a phrase; None means 64.
    scorer : {"paper", "tail"}, default "paper"
        Equation 1, or -log10 of the exact (Poisson) probability of seeing so many by chance.
    always, never : iterable of str, pathlib.Path or None
        Phrases, as people write them, to keep always whole and never to form; or files of them, one a line.
    n_threads : int or None
        None: all cores. The result does not depend on it.

    Attributes
    ----------
    min_support_ : int
        The support that was asked of phrases.
    phrases_ : polars.DataFrame
        Every frequent phrase of two or more words; made when asked for.
    reached_max_length_ : bool
        Whether longer phrases than ``max_length`` words may be frequent.

    Examples
    --------
    >>> from topminer import Corpus, PhraseMiner
    >>> corpus = Corpus.from_texts(["Frequent pattern mining.", "A tree approach to data."] * 40)
    >>> miner = PhraseMiner().fit(corpus)
    >>> miner.transform(corpus).to_lists()[0]
    [('frequent', 'pattern', 'mine')]
    """

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
        min_support = self.support_in(corpus.n_tokens)
        if corpus.n_tokens and corpus.stem_ids.min() < 0:
            raise InputError("the corpus holds words that are not in its vocabulary; mine the one it is from")
        phrases = mine(
            corpus.stem_ids,
            corpus.chunk_start,
            corpus.n_stems,
            min_support,
            self._longest(),
            n_threads_or_all(self.n_threads),
            progress,
        )
        return self.take_over(phrases, corpus)

    def support_in(self, n_tokens: int) -> int:
        """The support that is asked of phrases in a corpus of so many tokens; parameters are checked."""
        if self.scorer not in list(SCORERS):
            raise InputError(f"scorer must be one of {', '.join(SCORERS)}, not {self.scorer!r}")
        self._longest()
        threshold = check_threshold(self.significance)
        return resolve_support(self.min_support, n_tokens, threshold, SCORERS[self.scorer])

    def _longest(self) -> int | None:
        return whole_or_none("max_length", self.max_length, 1)

    def take_over(self, phrases: Phrases, corpus: Corpus) -> Self:
        """Be fitted with phrases mined from ``corpus``, whose documents need not be here: its words must."""
        always, never = stems_of(self.always, corpus, "always"), stems_of(self.never, corpus, "never")
        self._prepare(phrases, corpus, check_threshold(self.significance), always, never)
        return self

    def lowered(self, threshold: float, *, progress: Progress = silent) -> PhraseMiner:
        """The same miner, with what is too rare for its own threshold but not for a lower one.

        It cuts documents as this one does, and its partitions can be cut ``at`` any threshold from the lower
        one on. Where more support was asked for than the own threshold needs, that stays.
        """
        phrases: Phrases = self._fitted("_phrases")
        scorer, support = self._joins.scorer, self.min_support_
        if support <= support_for(self._threshold, scorer):
            lowest = check_threshold(threshold)
            support = min(support, resolve_support("auto", phrases.n_tokens, lowest, scorer))
        if support == self.min_support_:
            return self
        if self._corpus.n_tokens != phrases.n_tokens:
            raise InputError("rarer phrases cannot be mined: the documents of the model are not loaded")
        lower = PhraseMiner(
            support, self._threshold, self.max_length, scorer=SCORER_NAMES[scorer], n_threads=self.n_threads
        ).fit(self._corpus, progress=progress)
        lower._prepare(lower._phrases, self._corpus, self._threshold, self._always, self._never)
        return lower

    def stored(self) -> Stored:
        """What was mined, to be written to a directory; not the corpus."""
        phrases: Phrases = self._fitted("_phrases")
        facts = {
            "n_tokens": phrases.n_tokens,
            "min_support": phrases.min_support,
            "reached_max_length": phrases.reached_max_length,
            "threshold": self._threshold,
            "always": [list(stems) for stems in self._always],
            "never": [list(stems) for stems in self._never],
        }
        return Stored(facts, {name: getattr(phrases, name) for name in _MINED}, {})

    def save(self, directory: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write the miner, and the corpus it was fitted to, to a directory: JSON, .npy and Parquet."""
        self._fitted("_phrases")
        strength = self.transform(self._corpus).strength
        assert strength is not None
        parts = {
            "corpus": self._corpus.stored(keep_paths=False),
            "phrases": self.stored(),
            "partition": Stored({}, {"strength": strength}, {}),
        }
        parameters = {name: plain(getattr(self, name)) for name in MINING}
        parameters["scorer"] = SCORER_NAMES[self._joins.scorer]  # that of fit: the parameter may be set anew
        store.write(Path(directory), MINER, store.merged(parts, parameters=parameters), overwrite=overwrite)

    @classmethod
    def load(cls, directory: str | PathLike[str], *, n_threads: int | None = None) -> Self:
        """Load what :meth:`save` wrote; whatever is damaged, foreign or too new is refused."""
        stored = store.read(Path(directory), MINER)
        try:
            corpus = Corpus.restored(store.part(stored, "corpus"))
            miner = cls(**stored.facts["parameters"], n_threads=n_threads)
            strength = stored.arrays["partition-strength"]
            return miner.restored(store.part(stored, "phrases"), corpus, strength)
        except InputError as error:
            raise InputError(f"{directory}: damaged: {error}") from None

    def restored(self, stored: Stored, corpus: Corpus, strength: NDArray[np.float64] | None = None) -> Self:
        """Take over what was mined from ``corpus`` and stored; ``strength`` is that of its partition."""
        facts, arrays = stored.facts, stored.arrays
        phrases = Phrases(
            **{name: arrays[name] for name in _MINED},
            n_tokens=facts["n_tokens"],
            min_support=facts["min_support"],
            reached_max_length=facts["reached_max_length"],
        )
        threshold = facts["threshold"]
        always, never = ([tuple(stems) for stems in facts[name]] for name in ("always", "never"))
        cut = None if strength is None else Partition.from_strength(corpus, strength, threshold)
        self._prepare(phrases, corpus, threshold, always, never, cut)
        return self

    def _prepare(
        self,
        phrases: Phrases,
        corpus: Corpus,
        threshold: float,
        always: list[tuple[int, ...]],
        never: list[tuple[int, ...]],
        partition: Partition | None = None,
    ) -> None:
        """Set all fitted attributes at once, after the last step that can fail."""
        forbidden = _frequent_ones(phrases, never)
        known: Joins = joins(phrases, SCORERS[self.scorer], forbidden)
        self._phrases, self._joins, self._corpus, self._partition = phrases, known, corpus, partition
        self._threshold, self._always, self._never, self._forbidden = threshold, always, never, forbidden
        self._table: pl.DataFrame | None = None
        self.min_support_ = phrases.min_support
        self.reached_max_length_ = phrases.reached_max_length

    def transform(self, corpus: Corpus, *, progress: Progress = silent) -> Partition:
        """Cut documents, those of `fit` or new ones, into phrases.

        Words that the fitted corpus does not have are phrases of their own. ``partition.at(threshold)``
        cuts at another threshold without merging again.
        """
        self._fitted("_phrases")
        threshold = self._threshold
        _check_corpus(corpus)
        if corpus is self._corpus and self._partition is not None:
            return self._partition.at(threshold)
        is_fitted_one = corpus is self._corpus
        corpus = corpus.in_vocabulary_of(self._corpus)
        strength = segment(
            corpus.stem_ids,
            corpus.chunk_start,
            self._joins,
            glue(corpus.stem_ids, corpus.chunk_start, self._always, corpus.n_stems),
            n_threads_or_all(self.n_threads),
            progress,
        )
        partition = Partition.from_strength(corpus, strength, threshold)
        if is_fitted_one:
            self._partition = partition  # phrases_ will want it, and so may a caller, at another threshold
        return partition

    def fit_transform(self, corpus: Corpus, y: object = None, *, progress: Progress = silent) -> Partition:
        """Mine a corpus and cut it."""
        return self.fit(corpus, progress=progress).transform(corpus, progress=progress)

    @property
    def phrases_(self) -> pl.DataFrame:
        """Every frequent phrase of two or more words, the one with most instances first.

        Columns: phrase (as most often written), stems (joined by a blank), length, support, instances in
        the partition of the fitted corpus (may be 0), significance (of its best cut into two).
        """
        phrases: Phrases = self._fitted("_phrases")
        if self._table is None:
            partition = self.transform(self._corpus)
            self._table = phrase_table(phrases, self._joins, partition, self._always)
        return self._table

    @property
    def mined(self) -> Phrases:
        """What was mined, as arrays."""
        mined: Phrases = self._fitted("_phrases")
        return mined

    @property
    def cutting(self) -> Cutting:
        """How documents are cut."""
        self._fitted("_phrases")
        return Cutting(self._joins.scorer, self._forbidden, self._always, self._threshold)

    def merges(self, text: str) -> tuple[Corpus, Merges]:
        """One text as kept tokens, and every merge of Algorithm 2 in it, in order: what `explain` shows."""
        self._fitted("_phrases")
        corpus = self._corpus.encode([text])
        glued = glue(corpus.stem_ids, corpus.chunk_start, self._always, corpus.n_stems)
        return corpus, merges(corpus.stem_ids, corpus.chunk_start, self._joins, glued)


def _frequent_ones(phrases: Phrases, sequences: list[tuple[int, ...]]) -> NDArray[np.int32]:
    """Ids of those sequences of stems that are frequent phrases."""
    found = [np.empty(0, np.int64)]
    for length in {len(stems) for stems in sequences}:
        alike = [stems for stems in sequences if len(stems) == length]
        found.append(phrase_ids(phrases, np.array(alike, np.int32)))
    ids = np.concatenate(found)
    return ids[ids >= 0].astype(np.int32)


def _check_corpus(corpus: object) -> None:
    if not isinstance(corpus, Corpus):
        raise InputError(f"expected a Corpus, not {type(corpus).__name__}; make one with Corpus.from_texts")
