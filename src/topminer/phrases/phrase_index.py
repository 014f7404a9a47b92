"""An index of stem sequences: mined phrases, the user's own phrases, or a list of good phrases.

Every sequence has an id, and so has each of its beginnings. The id of a single word is its stem; the id of a
longer sequence is found by a hash table under the key (id without the last word, last word). With three stems
and the phrases ``0 1`` and ``0 1 2``::

    id         0   1   2    3      4
    sequence   0   1   2   0 1   0 1 2
    key                    0,1    3,2

To find every place of every phrase in a text, :func:`find_longest` starts at each token and adds one word
after another while the words are an indexed sequence. The rest follows from the tree (phrase_tree.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.containers.arrays import read_only, starts_of
from topminer.containers.hashing import mix
from topminer.engines.local import map_in_order
from topminer.jit import bare_kernel, inlined
from topminer.phrases.phrase_tree import PhraseTree, count_beginnings, count_broken
from topminer.phrases.sequence import Bools, Int32s, Int64s, Sequence
from topminer.text.corpus import Corpus

Stems = tuple[int, ...]

_FREE = -1  # in place of a key
_NO_KEY = -2
_RANGE = 1 << 15  # tokens that a thread takes at a time
_PIECE = 1 << 10


class PhraseIndex(NamedTuple):
    """Stem sequences by id."""

    table: Int64s  # open addressing: a key, its id, the next key, its id, ...
    goes_on: Bools  # by id: whether a longer sequence starts with it
    n_stems: int
    tree: PhraseTree


class Places(NamedTuple):
    """All places of some phrases in a text, phrase by phrase and in ascending order."""

    start: Int64s  # phrase i has the places first[start[i]:start[i + 1]]
    first: Int32s | Int64s  # the first token of each place


def build_index(prefix: Int32s, last: Int32s, length_start: Int64s) -> PhraseIndex:
    """Index sequences: each id has the sequence of its ``prefix`` and the word ``last``.

    Ids are ordered by length; those of each length start at ``length_start``.
    """
    n_stems = int(length_start[2])
    keys = prefix[n_stems:].astype(np.int64) * n_stems + last[n_stems:]
    table = np.full(2 << (4 * keys.size).bit_length(), _FREE, np.int64)
    _fill(keys, n_stems, table)
    goes_on = np.zeros(last.size, np.bool_)
    goes_on[prefix[n_stems:]] = True
    return PhraseIndex(table, goes_on, n_stems, PhraseTree(prefix, length_start))


def index_phrases(phrases: Iterable[Stems], n_stems: int) -> tuple[PhraseIndex, Int64s]:
    """Index phrases given as stems; also return the id of each phrase.

    The id is -1 for a phrase that no text can contain: an empty one, or one with a stem outside the
    vocabulary.
    """
    possible = [stems if all(0 <= stem < n_stems for stem in stems) else () for stems in phrases]
    stems, start = _flat(possible)
    length = np.diff(start)
    ids = np.full(length.size, -1)
    ids[length > 0] = stems[start[:-1][length > 0]]
    prefixes, lasts, length_start = [np.full(n_stems, -1)], [np.arange(n_stems)], [0, 0, n_stems]
    for n_words in range(1, int(length.max(initial=0))):
        longer = np.flatnonzero(length > n_words)
        keys, which = np.unique(ids[longer] * n_stems + stems[start[longer] + n_words], return_inverse=True)
        ids[longer] = length_start[-1] + which
        prefixes.append(keys // n_stems)
        lasts.append(keys % n_stems)
        length_start.append(length_start[-1] + keys.size)
    prefix, last = (np.concatenate(each).astype(np.int32) for each in (prefixes, lasts))
    return build_index(prefix, last, np.array(length_start)), ids


def _flat(phrases: list[Stems]) -> tuple[Int64s, Int64s]:
    """Return the stems of all phrases one after the other, and where each phrase starts."""
    start = np.cumsum([0, *map(len, phrases)])
    return np.fromiter(chain.from_iterable(phrases), np.int64, start[-1]), start


def sequence_ids(index: PhraseIndex, phrases: Iterable[Stems]) -> Int64s:
    """Return the id of each of some phrases, none of them empty; -1: not indexed."""
    return ids_of(index, *_flat(list(phrases)))


def ids_of(index: PhraseIndex, stems: NDArray[np.integer], start: Int64s) -> Int64s:
    """Return the id of each phrase ``stems[start[i]:start[i + 1]]``, none of them empty; -1: not indexed."""
    length = np.diff(start)
    ids = stems[start[:-1]].astype(np.int64)
    for n_words in range(1, int(length.max(initial=0))):
        longer = np.flatnonzero(length > n_words)
        ids[longer] = extend(index, ids[longer], stems[start[longer] + n_words])
    return ids


def extend(index: PhraseIndex, ids: Int64s, stems: NDArray[np.integer]) -> Int64s:
    """Return the id of each sequence with one more word; -1: not indexed, or no sequence to begin with."""
    longer = np.empty(ids.size, np.int64)
    _extend(index, ids, stems.astype(np.int32, copy=False), longer)
    return longer


def find_longest(sequence: Sequence, index: PhraseIndex, n_threads: int = 1) -> Int32s:
    """Return the longest indexed sequence that starts at each atom; -1 for an unknown word."""
    longest = np.empty(sequence.ids.size, np.int32)

    def find(part: Sequence) -> None:
        start, stop = part.chunk_start[[0, -1]] - sequence.chunk_start[0]
        piece = np.empty((3, _PIECE), np.int64)
        _find_longest(read_only(part.ids), read_only(part.chunk_start), index, piece, longest[start:stop])

    for _ in map_in_order(find, sequence.in_ranges(_RANGE), n_threads):
        pass
    return longest


def find_places(sequence: Sequence, index: PhraseIndex, number: NDArray[np.integer], n: int) -> Places:
    """Find every place of ``n`` phrases in a text, inside longer phrases too, never across a chunk's end.

    ``number`` says which of the phrases an id is, -1 for none.
    """
    longest = find_longest(sequence, index)
    is_asked = number >= 0
    count = np.zeros(n, np.int64)
    count[number[is_asked]] = count_beginnings(longest, index.tree)[is_asked]
    start = starts_of(count)
    dtype: type[np.integer] = np.int32 if sequence.ids.size < 2**31 else np.int64
    first = np.empty(start[-1], dtype)
    _write_places(longest, index.tree.prefix, number.astype(np.int32), start[:-1].copy(), first)
    return Places(start, first)


def places_of(corpus: Corpus, phrases: Iterable[Stems]) -> Places:
    """Find every place of each of some distinct phrases, given as stems.

    >>> from topminer import Corpus
    >>> corpus = Corpus.from_texts(["frequent pattern trees, frequent patterns"])
    >>> stems = corpus.vocabulary["stem"].to_list()
    >>> frequent, pattern, tree = map(stems.index, ("frequent", "pattern", "tree"))
    >>> places = places_of(corpus, [(frequent, pattern), (tree,), (tree, frequent)])
    >>> places.start.tolist(), places.first.tolist()
    ([0, 2, 3, 3], [0, 3, 2])
    """
    asked = list(phrases)
    if all(len(phrase) == 1 for phrase in asked):  # which needs no index of longer phrases
        return _places_of_words(corpus, np.array([word for (word,) in asked], np.int64))
    return find_places(Sequence.of(corpus), *_numbered(asked, corpus.n_stems))


def _places_of_words(corpus: Corpus, words: Int64s) -> Places:
    """Find every place of each of some distinct words."""
    number = np.full(corpus.n_stems + 1, -1, np.int32)  # the last: words outside the vocabulary
    known = np.flatnonzero((words >= 0) & (words < corpus.n_stems))
    number[words[known]] = known
    which = number[corpus.stem_ids]
    places = np.flatnonzero(which >= 0)
    which = which[places]
    start = starts_of(np.bincount(which, minlength=words.size))
    dtype: type[np.integer] = np.int32 if corpus.n_tokens < 2**31 else np.int64
    return Places(start, places[np.argsort(which, kind="stable")].astype(dtype))


def supports_of(corpus: Corpus, phrases: Iterable[Stems]) -> Int64s:
    """Count the places of each of some distinct phrases, given as stems."""
    return supports_in(Sequence.of(corpus), phrases, corpus.n_stems)


def supports_in(sequence: Sequence, phrases: Iterable[Stems], n_stems: int) -> Int64s:
    """Count the places of each of some distinct phrases, given as atoms; none inside a token (ties.py)."""
    index, number, n = _numbered(phrases, n_stems)
    longest = find_longest(sequence, index)
    whole = count_beginnings(longest, index.tree) - count_broken(longest, sequence.inside, index.tree)
    count = np.zeros(n, np.int64)
    count[number[number >= 0]] = whole[number >= 0]
    return count


def _numbered(phrases: Iterable[Stems], n_stems: int) -> tuple[PhraseIndex, Int32s, int]:
    """Index distinct phrases; also return which of them each id is, -1 for none, and their number."""
    index, ids = index_phrases(phrases, n_stems)
    number = np.full(index.goes_on.size, -1, np.int32)
    number[ids[ids >= 0]] = np.flatnonzero(ids >= 0)
    return index, number, ids.size


# --------------------------------------------------------------------------- the hash table, for kernels


@inlined
def key_of(id: np.int64, stem: np.int32, n_stems: int) -> np.int64:
    """Return a sequence and one more word as a key; either may be unknown (negative)."""
    return id * n_stems + stem if id >= 0 and stem >= 0 else np.int64(_NO_KEY)


@inlined
def home_of(key: np.int64, table: Int64s) -> np.int64:
    """Return where the search for ``key`` starts."""
    return 2 * np.int64(mix(np.uint64(key)) & np.uint64(table.size // 2 - 1))


@inlined
def search(key: np.int64, at: np.int64, table: Int64s) -> np.int64:
    """Return where ``key`` is, searching from ``at`` on, or the free place where the search ends."""
    while (table[at] != key) & (table[at] != _FREE):
        at = (at + 2) & (table.size - 1)
    return at


@inlined
def longer_by(id: np.int64, stem: np.int32, n_stems: int, table: Int64s) -> np.int64:
    """Return the id of a sequence and one more word; -1: not indexed."""
    key = key_of(id, stem, n_stems)
    return np.int64(table[search(key, home_of(key, table), table) + 1])


@bare_kernel
def _fill(keys: Int64s, first_id: int, table: Int64s) -> None:
    for i in range(keys.size):
        at = search(keys[i], home_of(keys[i], table), table)
        table[at], table[at + 1] = keys[i], first_id + i


@bare_kernel
def _extend(index: PhraseIndex, ids: Int64s, stems: Int32s, longer: Int64s) -> None:
    table, _, n_stems, _ = index
    for i in range(ids.size):
        longer[i] = longer_by(ids[i], stems[i], n_stems, table)


@bare_kernel
def _find_longest(
    stems: Int32s, chunk_start: Int64s, index: PhraseIndex, piece: Int64s, longest: Int32s
) -> None:
    """Write the longest sequence that starts at each atom.

    Pairs come first, piece by piece in short loops: without writes between them, many reads from the table
    run at the same time. ``piece`` are arrays that the kernel overwrites.
    """
    table, goes_on, n_stems, _ = index
    key, home, unsure = piece[0], piece[1], piece[2]
    for start in range(0, stems.size - 1, key.size):
        size, n_unsure = stems.size - 1 - start, 0
        size = key.size if size > key.size else size
        for k in range(size):
            key[k] = key_of(np.int64(stems[start + k]), stems[start + k + 1], n_stems)
            home[k] = home_of(key[k], table)
        for k in range(size):
            longest[start + k], unsure[n_unsure] = table[home[k] + 1], k
            n_unsure += (table[home[k]] != key[k]) & (table[home[k]] != _FREE)
        for i in range(n_unsure):
            k = unsure[i]
            longest[start + k] = table[search(key[k], home[k], table) + 1]
    for c in range(chunk_start.size - 1):
        start, stop = chunk_start[c] - chunk_start[0], chunk_start[c + 1] - chunk_start[0]
        longest[stop - 1] = stems[stop - 1]
        for i in range(start, stop - 1):
            id, after = np.int64(longest[i]), i + 2
            if id < 0:
                longest[i] = stems[i]
            while id >= 0:
                longest[i] = id
                if after == stop or not goes_on[id]:
                    break
                id = longer_by(id, stems[after], n_stems, table)
                after += 1


@bare_kernel
def _write_places(
    longest: Int32s, prefix: Int32s, number: Int32s, next_place: Int64s, first: Int32s | Int64s
) -> None:
    """Write each place of each phrase to ``first``, from its ``next_place`` on."""
    for i in range(longest.size):
        id = longest[i]
        while id >= 0:
            which = number[id]
            if which >= 0:
                first[next_place[which]] = i
                next_place[which] += 1
            id = prefix[id]
