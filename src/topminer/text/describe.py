"""A description of a corpus, in numbers and by a few of its documents, for ``topminer inspect``."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache

import numpy as np

from topminer.text.corpus import Corpus
from topminer.text.duplicates import duplicates_of
from topminer.text.provenance import Origin

N_TOP_WORDS = 40
N_SAMPLES = 3
SAMPLE_CHARACTERS = 300
LONGEST_COUNTED = 12  # chunks of this length or more are counted together
_SCRIPT_OF = {"CJK": "Han", "IDEOGRAPHIC": "Han"}
_NOT_A_SCRIPT = {"FULLWIDTH", "HALFWIDTH", "MATHEMATICAL", "MODIFIER"}  # before it in a letter's name


@dataclass(frozen=True)
class SampleDocument:
    """The beginning of a document in pieces: kept tokens, the text between them, and the ends of chunks.

    A piece is ("kept" | "between" | "end", its text); together they are the document's first characters.
    """

    id: str
    pieces: list[tuple[str, str]]


@dataclass(frozen=True)
class CorpusFacts:
    """The facts about a corpus that are shown together."""

    name: str
    columns: dict[str, str]
    n_documents: int
    n_documents_without_tokens: int
    n_tokens: int
    n_kept: int
    n_stop_words: int
    n_numbers_dropped: int
    n_filtered: int  # tokens of rare words, and of near duplicates that were left out
    kinds: list[tuple[str, int, str]]  # kind, how many were found, its policy
    n_surfaces: int
    n_stems: int
    n_chunks: int
    chunk_lengths: list[int]  # number of chunks by length; the last counts that length and more
    longest_chunk: int
    mean_document: float
    median_document: float
    longest_document: int
    scripts: list[tuple[str, int]]
    skipped: list[tuple[str, int, str]]  # what, how many, what became of it
    top_words: list[tuple[str, int]]
    times: tuple[str, str] | None
    samples: list[SampleDocument]


def describe(corpus: Corpus) -> CorpusFacts:
    """Return the facts about a corpus."""
    lengths = np.diff(corpus.doc_start)
    chunk_lengths = np.diff(corpus.chunk_start)
    origin = corpus.origin
    top = corpus.vocabulary.head(N_TOP_WORDS)
    return CorpusFacts(
        name=origin.name,
        columns=origin.columns,
        n_documents=len(corpus),
        n_documents_without_tokens=int((lengths == 0).sum()),
        n_tokens=origin.n_found,
        n_kept=corpus.n_tokens,
        n_stop_words=origin.n_stop_words,
        n_numbers_dropped=origin.n_numbers_dropped,
        n_filtered=origin.n_rare_words + origin.n_duplicate_tokens,
        kinds=[(name, n, _policy(corpus, name)) for name, n in origin.kinds.items()],
        n_surfaces=corpus.surfaces.height,
        n_stems=corpus.n_stems,
        n_chunks=corpus.n_chunks,
        chunk_lengths=np.bincount(
            np.minimum(chunk_lengths, LONGEST_COUNTED), minlength=LONGEST_COUNTED + 1
        ).tolist(),
        longest_chunk=int(chunk_lengths.max()),
        mean_document=float(lengths.mean()),
        median_document=float(np.median(lengths)),
        longest_document=int(lengths.max()),
        scripts=_scripts(corpus),
        skipped=skipped(corpus),
        top_words=list(zip(top["surface"].to_list(), top["count"].to_list(), strict=True)),
        times=_times(corpus),
        samples=[_sample(corpus, d) for d in _typical(lengths)] if corpus.texts is not None else [],
    )


def _policy(corpus: Corpus, kind: str) -> str:
    return "drop" if corpus.rules.kinds is None else corpus.rules.kinds[kind]


def _scripts(corpus: Corpus) -> list[tuple[str, int]]:
    """Count tokens by the script of their first letter, the most frequent script first."""
    scripts: Counter[str] = Counter()
    for surface, count in corpus.surfaces.select("surface", "count").iter_rows():
        letter = next(filter(str.isalpha, surface), None)
        scripts["digits" if letter is None else _script(letter)] += count
    return scripts.most_common()


@cache
def _script(letter: str) -> str:
    """Return the script of a letter: the first word of its Unicode name that can be a script."""
    words = unicodedata.name(letter, "unknown").replace("-", " ").split()
    word = next((word for word in words if word not in _NOT_A_SCRIPT), "unknown")
    return _SCRIPT_OF.get(word, word.capitalize())


def skipped(corpus: Corpus) -> list[tuple[str, int, str]]:
    """List what was left out or replaced: what it is, how often it occurred, and what became of it.

    Near duplicates are counted too where they were kept.
    """
    rows = skipped_in(corpus.origin, int((np.diff(corpus.doc_start) == 0).sum()))
    n_duplicates = int((duplicates_of(corpus.stem_ids, corpus.doc_start) >= 0).sum())
    if n_duplicates:
        rows.append(("near-duplicate documents", n_duplicates, "kept; --dedupe leaves them out"))
    return rows


def skipped_in(origin: Origin, n_without_tokens: int) -> list[tuple[str, int, str]]:
    """List the same where the documents themselves are not loaded."""
    undecodable = f"shown as \ufffd; the first: {origin.first_undecodable}"
    rows = [
        ("blank documents", origin.n_blank_documents, "left out; ids are those of the original rows"),
        ("undecodable bytes", origin.n_undecodable, undecodable),
        ("NUL characters", origin.n_nul_characters, "read as blanks"),
        ("documents without kept tokens", n_without_tokens, "stay in the corpus, empty"),
        ("numbers", origin.n_numbers_dropped, "left out as asked"),
        ("rare words", origin.n_rare_words, "left out as asked; a chunk ends there"),
        ("near-duplicate documents", origin.n_duplicates, "left out as asked"),
    ]
    return [row for row in rows if row[1]]


def _times(corpus: Corpus) -> tuple[str, str] | None:
    if corpus.times is None or corpus.times.drop_nulls().is_empty():
        return None
    first, last = corpus.times.min(), corpus.times.max()
    return str(first).removesuffix(" 00:00:00"), str(last).removesuffix(" 00:00:00")


def _typical(lengths: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[int]:
    """Return the first documents that are neither very short nor very long, in order."""
    middle = np.abs(lengths - np.median(lengths)) <= np.median(lengths) / 2
    chosen = np.flatnonzero(middle & (lengths > 0))[:N_SAMPLES]
    return [int(d) for d in chosen] or [int(lengths.argmax())]


def _sample(corpus: Corpus, d: int) -> SampleDocument:
    assert corpus.texts is not None
    text: str = corpus.texts[d]
    pieces: list[tuple[str, str]] = []
    at = 0
    document = corpus[d]
    chunk_starts = set(document.chunk_start[1:].tolist())
    for i, (start, stop) in enumerate(zip(document.starts.tolist(), document.stops.tolist(), strict=True)):
        if stop > SAMPLE_CHARACTERS and pieces:
            break
        at_chunk = i in chunk_starts
        if at_chunk or start > at:
            pieces.append(("end" if at_chunk else "between", text[at:start]))
        pieces.append(("kept", text[start:stop]))
        at = stop
    else:
        if text[at:]:
            pieces.append(("between", text[at : at + SAMPLE_CHARACTERS]))
    return SampleDocument(corpus.ids[d], pieces)
