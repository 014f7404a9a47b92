"""PhraseVectorizer: a sparse matrix of the phrase counts of texts, for every library that takes one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from numbers import Integral, Real
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from topminer._estimator import Estimator
from topminer._parameters import whole_or_none
from topminer.errors import InputError
from topminer.phrases.miner import PhraseMiner
from topminer.phrases.own import OwnPhrases
from topminer.phrases.partition import Partition
from topminer.phrases.phrase_index import ids_of, index_phrases
from topminer.text.corpus import Corpus
from topminer.text.documents import Document
from topminer.text.kinds import KindsParameter
from topminer.text.rules import StopWordPolicy

_OF_TEXT = (
    "language",
    "stem",
    "stop_words",
    "stop_word_policy",
    "numbers",
    "token_pattern",
    "kinds",
    "add_stop_words",
)
_OF_PHRASES = ("min_support", "significance", "quality", "evidence", "ties", "max_length", "always", "never")


class PhraseVectorizer(Estimator):
    """Count the phrases of texts: scikit-learn's ``CountVectorizer``, with phrases instead of n-grams.

    Each text is segmented into phrases as by :class:`PhraseMiner`, and each phrase instance is counted once:
    a word inside "support vector machine" is not counted again on its own. Columns are sorted by name (by
    code points).

    Parameters
    ----------
    language, stem, stop_words, stop_word_policy, numbers, token_pattern, kinds, add_stop_words
        How text becomes words: as in :meth:`Corpus.from_texts`.
    min_support, significance, quality, evidence, ties, max_length, always, never
        Which words become phrases: as in :class:`PhraseMiner`.
    words : bool, default True
        Whether single words are features too; False: only phrases of several words.
    min_df, max_df : int or float, default 1 and 1.0
        The least and the greatest number of documents that a feature may occur in: an int, or a share as a
        float.
    max_features : int or None
        Keep only this number of features: the most frequent ones, of equally frequent ones the first by name.
    binary : bool, default False
        Write 1 instead of the count.
    dtype : type, default numpy.int64
        Of the counts.
    n_threads : int or None
        None: all cores. The result does not depend on it.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        The column of each feature, by its name. A feature is named as it is most often written; if two would
        have the same name, " (2)" is added to that of the less frequent one.

    Examples
    --------
    >>> from topminer import PhraseVectorizer
    >>> texts = ["Frequent pattern mining.", "We cluster data."] * 30
    >>> vectorizer = PhraseVectorizer()
    >>> counts = vectorizer.fit_transform(texts)
    >>> counts.shape
    (60, 2)
    >>> vectorizer.get_feature_names_out()
    array(['Frequent pattern mining', 'cluster data'], dtype=object)
    >>> vectorizer.tokens(["Clustering the data of frequent pattern mining."])
    [['cluster data', 'Frequent pattern mining']]
    """

    vocabulary_: dict[str, int]

    def __init__(
        self,
        *,
        language: str | None = "english",
        stem: bool = True,
        stop_words: Iterable[str] | PathLike[str] | None = None,
        stop_word_policy: StopWordPolicy = "skip",
        numbers: bool = True,
        token_pattern: str | None = None,
        kinds: KindsParameter = "auto",
        add_stop_words: Iterable[str] | PathLike[str] | None = None,
        min_support: int | float | str = "auto",
        significance: float = 2.0,
        quality: float | str | None = "auto",
        evidence: int | str | None = "auto",
        ties: str | None = "auto",
        max_length: int | None = None,
        always: OwnPhrases = None,
        never: OwnPhrases = None,
        words: bool = True,
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        max_features: int | None = None,
        binary: bool = False,
        dtype: Any = np.int64,
        n_threads: int | None = None,
    ) -> None:
        self.language = language
        self.stem = stem
        self.stop_words = stop_words
        self.stop_word_policy = stop_word_policy
        self.numbers = numbers
        self.token_pattern = token_pattern
        self.kinds = kinds
        self.add_stop_words = add_stop_words
        self.min_support = min_support
        self.significance = significance
        self.max_length = max_length
        self.quality = quality
        self.evidence = evidence
        self.ties = ties
        self.always = always
        self.never = never
        self.words = words
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.binary = binary
        self.dtype = dtype
        self.n_threads = n_threads

    def fit(self, raw_documents: Iterable[Document], y: object = None) -> Self:
        """Mine the phrases of texts, and choose the features."""
        self._learn(raw_documents)
        return self

    def fit_transform(self, raw_documents: Iterable[Document], y: object = None) -> Any:
        """Fit, and count the same texts."""
        _sparse()  # fail before any work is done
        return self._count(self._learn(raw_documents))

    def transform(self, raw_documents: Iterable[Document]) -> Any:
        """Count the phrases of texts, those of `fit` or new ones.

        Returns
        -------
        scipy.sparse.csr_matrix (documents, features)
            Words and phrases that are not features are left out.
        """
        return self._count(self._segment(raw_documents))

    def tokens(self, raw_documents: Iterable[Document]) -> list[list[str]]:
        """Return documents as lists of features, in the order of the text: those that `transform` counts."""
        partition = self._segment(raw_documents)
        names, columns = list(self.vocabulary_), self._columns(partition).tolist()
        return [
            [names[column] for column in columns[start:stop] if column >= 0]
            for start, stop in pairwise(partition.doc_start.tolist())
        ]

    def build_analyzer(self) -> Callable[[Document], list[str]]:
        """Return a function from one text to its list of features."""
        self._fitted("vocabulary_")
        return lambda document: self.tokens([document])[0]

    def build_tokenizer(self) -> Callable[[Document], list[str]]:
        """Return the same as :meth:`build_analyzer`: here a token is a phrase."""
        return self.build_analyzer()

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the features, in the order of columns."""
        return np.array(list(self._fitted("vocabulary_")), dtype=object)

    def inverse_transform(self, X: Any) -> list[NDArray[np.object_]]:
        """Return the names of the features in each row of a matrix."""
        names = self.get_feature_names_out()
        rows = _sparse().csr_matrix(X)
        return [names[rows[i].nonzero()[1]] for i in range(rows.shape[0])]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "vocabulary_")

    def _learn(self, raw_documents: Iterable[Document]) -> Partition:
        """Fit, and return the partition of the same texts."""
        how = {name: getattr(self, name) for name in _OF_TEXT}
        corpus = Corpus.from_texts(raw_documents, **how, keep_texts=False, n_threads=self.n_threads)
        how = {name: getattr(self, name) for name in _OF_PHRASES}
        miner = PhraseMiner(**how, n_threads=self.n_threads).fit(corpus)
        partition = miner.transform(corpus)
        name_of = self._choose_features(partition)
        self.vocabulary_ = {name: column for column, name in enumerate(sorted(name_of.values()))}
        stems, start = partition.type_stems.tolist(), partition.type_start.tolist()
        features = [tuple(stems[start[type] : start[type + 1]]) for type in name_of]
        self._index, ids = index_phrases(features, partition.corpus.n_stems)
        self._column_of = np.full(self._index.goes_on.size, -1)
        self._column_of[ids] = [self.vocabulary_[name] for name in name_of.values()]
        # New texts need the rules and the vocabulary of the fitted texts, not their tokens.
        miner.fitted.forget_documents()
        self._miner = miner
        return partition

    def _choose_features(self, partition: Partition) -> dict[int, str]:
        """Return the types that are features, and their names."""
        least = _n_documents("min_df", self.min_df, len(partition))
        most = _n_documents("max_df", self.max_df, len(partition))
        limit = whole_or_none("max_features", self.max_features, 1)
        if most < least:
            raise InputError(f"max_df={self.max_df} allows fewer documents than min_df={self.min_df} demands")
        n_instances, n_documents = partition.instances(), _document_frequency(partition)
        chosen = (n_instances > 0) & (n_documents >= least) & (n_documents <= most)
        if not self.words:
            chosen[: partition.corpus.n_stems] = False
        surfaces = partition.type_surfaces()
        types = sorted(np.flatnonzero(chosen).tolist(), key=lambda type: (-n_instances[type], surfaces[type]))
        if not types:
            what = "word or phrase" if self.words else "phrase of several words"
            raise InputError(
                f"no {what} is left: try a lower min_df, min_support or significance, or a higher max_df"
            )
        return _unique({type: surfaces[type] for type in types[:limit]})

    def _segment(self, raw_documents: Iterable[Document]) -> Partition:
        miner: PhraseMiner = self._fitted("_miner")
        miner.n_threads = self.n_threads
        return miner.transform(miner.fitted.corpus.encode(raw_documents, n_threads=self.n_threads))

    def _columns(self, partition: Partition) -> NDArray[np.int64]:
        """Return the column of each phrase instance; -1: not a feature."""
        ids = ids_of(self._index, partition.type_stems, partition.type_start)
        columns = np.append(np.where(ids >= 0, self._column_of[ids], -1), -1)  # an unknown word has type -1
        return columns[partition.type_ids]

    def _count(self, partition: Partition) -> Any:
        columns = self._columns(partition)
        is_feature = columns >= 0
        row_start = np.concatenate(([0], np.cumsum(is_feature)))[partition.doc_start]
        ones = np.ones(row_start[-1], self.dtype)
        shape = len(partition), len(self.vocabulary_)
        counts = _sparse().csr_matrix((ones, columns[is_feature], row_start), shape=shape)
        counts.sum_duplicates()
        if self.binary:
            counts.data.fill(1)
        return counts


def _sparse() -> Any:
    """Import SciPy's sparse matrices, or say how to install SciPy."""
    try:
        import scipy.sparse
    except ImportError:
        raise ImportError(
            "PhraseVectorizer makes sparse matrices of SciPy, which is not installed: pip install scipy "
            "(it also comes with scikit-learn, gensim and BERTopic)"
        ) from None
    return scipy.sparse


def _document_frequency(partition: Partition) -> NDArray[np.int64]:
    """Return the number of documents in which each type occurs."""
    document = np.repeat(np.arange(len(partition)), np.diff(partition.doc_start))
    once = np.unique(document * partition.n_types + partition.type_ids)
    return np.bincount(once % partition.n_types, minlength=partition.n_types)


def _n_documents(name: str, given: int | float, n_documents: int) -> float:
    """Return ``min_df`` or ``max_df`` as a number of documents."""
    if isinstance(given, Integral) and not isinstance(given, bool) and int(given) >= 1:
        return min(int(given), n_documents + 1)
    if isinstance(given, Real) and not isinstance(given, Integral) and 0.0 <= given <= 1.0:
        return float(given) * n_documents
    raise InputError(
        f"{name} must be a number of documents from 1 on, or a share from 0.0 to 1.0, not {given!r}"
    )


def _unique(name_of: dict[int, str]) -> dict[int, str]:
    """Add a number to every name that an earlier type already has."""
    taken: set[str] = set()
    unique = {}
    for type, name in name_of.items():
        free, n = name, 1
        while free in taken:
            n += 1
            free = f"{name} ({n})"
        taken.add(free)
        unique[type] = free
    return unique
