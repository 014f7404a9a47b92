"""Algorithm 2 on several workers: each cuts its own documents into phrase instances.

Strengths and cliques stay where they are made. Only phrase types are everybody's: those of several words are
numbered over all workers by first occurrence, as a :class:`Partition` numbers them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.containers.strings import Strings, strings_of
from topminer.engines.contract import Engine, Placed, run_alike
from topminer.memory import available_bytes
from topminer.phrases.fitted import Fitted
from topminer.phrases.partition import all_types, several_words
from topminer.phrases.pieces import NONE, Rule, even_bounds, piece_starts
from topminer.phrases.segmentation import phrase_bounds
from topminer.phrases.sequence import Int32s, Int64s
from topminer.progress import Progress, silent
from topminer.run.judging import JudgingWorker, segment_and_judge
from topminer.run.mining import document_runs
from topminer.run.reduce import number, total
from topminer.store import AnyReader
from topminer.text.leading import Leading, bound_words, leads_of
from topminer.text.surface import Forms, Writing, forms_of, has_lead, shown_forms
from topminer.topics.model.splitting import Lengths, rule_for
from topminer.topics.number.selection import (
    Choose,
    Cliques,
    Selection,
    cliques_in,
    joined_cliques,
    selection_of,
)
from topminer.topics.sampler.estimate import Plan, peak_bytes
from topminer.topics.sampler.exchange import own
from topminer.topics.sampler.latin_square import Documents, TypeTable

_TYPES, _FORMS, _LEADS = "types", "forms", "leads"


class Cut(NamedTuple):
    """What the driver knows of a partition whose cliques are on the workers."""

    type_start: Int64s  # as a Partition has them, single words first
    type_stems: Int32s
    instances: Int64s  # of each type
    n_stems: int
    n_documents: int
    n_cliques: int
    n_long: int  # cliques of several words
    n_empty: int  # documents without a clique

    @property
    def types(self) -> TypeTable:
        """The phrase types, to be laid out."""
        return TypeTable(self.type_stems, self.type_start, self.instances, self.n_stems)


class Divided(NamedTuple):
    """How the documents on the workers are divided into pieces."""

    rule: Rule
    n_pieces: int
    longest: int  # piece, in tokens


class _Long(NamedTuple):
    """A worker's cliques of several words."""

    cliques: Int64s  # their numbers among the worker's cliques
    types: Int32s  # numbered by the worker, then by all
    first: Int64s  # first token
    length: Int64s


class DocumentsWorker(JudgingWorker):
    """Documents that can be mined, and then cut into phrases. Until then, every word is a clique."""

    def __init__(self, reader: AnyReader, first: int, last: int, n_stems: int, n_threads: int) -> None:
        super().__init__(reader, first, last, n_stems, n_threads)
        self._strength = np.empty(0)
        self._type_ids, self._clique_start = self.stem_ids, self.doc_start  # the latter by document
        self._starts: Int64s | None = None  # first token of each clique; None: every token is a clique
        self._first_piece = self._piece_start = np.zeros(0, np.int64)  # of documents, and in cliques
        self._cliques_before = 0  # cliques of the workers before this one
        self._long: _Long | None = None

    # ----------------------------------------------------------------- cutting

    def cut_at(self, threshold: float) -> None:
        """Find the cliques, and offer the types of several words to be numbered."""
        starts = self._starts = phrase_bounds(self._strength, threshold)
        self._clique_start = np.searchsorted(starts, self.doc_start)
        self._type_ids = self.stem_ids[starts[:-1]]
        several = several_words(self.stem_ids, starts)
        first = starts[several.cliques]
        self._long = _Long(several.cliques, several.numbers, first, starts[several.cliques + 1] - first)
        counts = np.bincount(several.numbers, minlength=several.types.bounds.size - 1)
        self.offered[_TYPES] = several.types, counts

    def take_types(self) -> None:
        """Take over the numbers that the types have on all workers."""
        assert self._long is not None
        types = self.numbers.pop(_TYPES)[self._long.types]
        self._type_ids[self._long.cliques] = self.n_stems + types
        self._long = self._long._replace(types=types)

    def offer_leads(self, reader: AnyReader, leading: Leading) -> None:
        """Offer the stop words that stand before words here."""
        gap_ids = self._tokens(reader, "gap_ids")
        self.offered[_LEADS] = leads_of(own(leading), self.stem_ids, gap_ids, self.chunk_start)

    def offer_forms(self, reader: AnyReader, leading: Leading, bound: dict[int, str]) -> None:
        """Offer the ways in which the phrases of several words were written here."""
        assert self._long is not None
        (_, types, first, length), self._long = self._long, None
        gap_ids, surface_ids = self._tokens(reader, "gap_ids"), self._tokens(reader, "surface_ids")
        is_led = has_lead(bound, leading, self.stem_ids, gap_ids, self.chunk_start, first)
        self.offered[_FORMS] = forms_of(gap_ids, surface_ids, first, length, types.astype(np.int64), is_led)

    def _tokens(self, reader: AnyReader, name: str) -> Int32s:
        """Return a column of the corpus for the tokens here."""
        return reader.array(name, self._first_token, self._first_token + self.stem_ids.size)

    def extent(self) -> tuple[int, int, int]:
        """Return how many documents, cliques and empty documents are here."""
        lengths = np.diff(self.doc_start)
        return lengths.size, self._type_ids.size, int((lengths == 0).sum())

    def lengths_of_documents(self) -> Lengths:
        """Sum up the lengths of the documents here."""
        return Lengths.of(self.doc_start)

    def divide(self, rule: Rule) -> tuple[int, int]:
        """Divide the documents here into pieces. Return their number, and the tokens of the longest one.

        All that is not needed for sampling is dropped.
        """
        bounds = np.zeros(0, np.int64)
        starts = np.arange(self.doc_start[-1] + 1) if self._starts is None else self._starts
        if rule != NONE:
            bounds = even_bounds(starts, self.doc_start, self.chunk_start, int(rule))
        tokens, self._first_piece = piece_starts(self.doc_start, bounds)
        self._piece_start = np.searchsorted(starts, tokens)
        self._forget_tokens()
        return tokens.size - 1, int(np.diff(tokens).max(initial=0))

    def word_instances(self) -> Int64s:
        """Return how many cliques here are each single word."""
        return np.bincount(self._type_ids[self._type_ids < self.n_stems], minlength=self.n_stems)

    def needs(self, whole: Plan, n_here: int, n_pieces: int, n_samples: int) -> tuple[int, int | None]:
        """Bytes that sampling ``n_here`` shards will take on this worker, and those that are free.

        Their pieces of documents, ``n_pieces`` of all, are taken to be like those here now.
        """
        plan = own(whole)._replace(n_here=n_here)
        sizes = np.resize(np.diff(self._piece_start), round(plan.fraction * n_pieces))
        plan = plan._replace(sizes=sizes, n_cliques=round(plan.fraction * plan.n_cliques))
        types = plan.layout.types
        copied = types.words.nbytes + types.word_start.nbytes  # in one process they are the partition's
        return copied + peak_bytes(plan, n_samples, min(self.n_threads, n_here)), available_bytes()

    # ----------------------------------------------------------------- cliques

    def _forget_tokens(self) -> None:
        """Drop everything but the cliques."""
        self.held.clear()
        self.numbers.clear()
        self._starts = None
        self._strength = np.empty(0)
        self.stem_ids, self.chunk_start = self.stem_ids[:0].copy(), self.chunk_start[:1].copy()

    def documents(self) -> tuple[int, int]:
        """Return the first document here, and the one after the last."""
        return self.first, self.last

    def begin_at(self, n_before: int) -> None:
        """Take over the number of cliques of the workers before this one."""
        self._cliques_before = n_before

    def cliques(self, first: int, last: int) -> Documents:
        """Return some documents here, for a shard. They are counted over the whole corpus."""
        if not self.first <= first <= last <= self.last:
            raise ValueError(f"documents {first} to {last} are not all here")
        first_piece = self._first_piece[first - self.first : last - self.first + 1]
        start = self._piece_start[first_piece[0] : first_piece[-1] + 1]
        type_ids = self._type_ids[start[0] : start[-1]]
        return Documents(type_ids, start - start[0], first_piece - first_piece[0])

    def n_pieces(self) -> int:
        """Return the number of pieces of the documents here."""
        return self._piece_start.size - 1

    def chosen_cliques(self, rows: Int64s) -> Cliques:
        """Return some pieces here, counted from the first one."""
        return cliques_in(self._type_ids, self._piece_start, rows)

    def n_before(self, cliques: NDArray[np.float64]) -> Int64s:
        """Return how many documents here start before each of some cliques of the whole corpus."""
        return np.searchsorted(self._clique_start[:-1] + self._cliques_before, cliques)


def place_documents(engine: Engine, reader: AnyReader, n_stems: int) -> Placed:
    """Give every worker a run of documents of a stored corpus, about as many tokens for each thread."""
    runs, shared = document_runs(reader, engine.threads), engine.share(reader)
    pairs = zip(runs, engine.threads, strict=True)
    return engine.place(DocumentsWorker, [(shared, *run, n_stems, n_threads) for run, n_threads in pairs])


def cut(placed: Placed, fitted: Fitted, reader: AnyReader, progress: Progress = silent) -> Cut:
    """Cut the workers' documents into the phrases mined from them, as :class:`.Fitted` does.

    The phrases are judged, and the judgement is ``fitted``'s. The workers hold ``strength`` afterwards.
    """
    segment_and_judge(placed, fitted, reader, progress)
    run_alike(placed, "cut_at", fitted.settings.threshold)
    types, instances = number(placed, _TYPES)
    placed.run("take_types")
    return _gathered(placed, types, instances)


def surfaces(placed: Placed, reader: AnyReader, n_types: int) -> list[str]:
    """Return how each of ``n_types`` types of several words is shown, after :func:`cut`."""
    gaps, shared = reader.table("gaps")["gap"], placed.engine.share(reader)
    leading = placed.engine.share(Leading.of(gaps))
    run_alike(placed, "offer_leads", shared, leading)
    bound = bound_words(*number(placed, _LEADS))
    run_alike(placed, "offer_forms", shared, leading, bound)
    forms = Forms(*number(placed, _FORMS))
    return shown_forms(forms, Writing(reader.table("surfaces"), gaps, bound), n_types)


def words(placed: Placed) -> Cut:
    """Leave every token a clique of its own: PhraseLDA on it is LDA."""
    return _gathered(placed, strings_of([]), np.zeros(0, np.int64))


def _gathered(placed: Placed, types: Strings, instances: Int64s) -> Cut:
    """Collect what the driver needs, and number the cliques of all workers."""
    of_words = total(placed, "word_instances")
    n_documents, n_cliques, n_empty = np.array(placed.run("extent")).T
    before = np.cumsum(n_cliques) - n_cliques
    placed.run("begin_at", [(each,) for each in before.tolist()])
    return Cut(
        *all_types(types, of_words.size),
        np.concatenate((of_words, instances)),
        of_words.size,
        int(n_documents.sum()),
        int(n_cliques.sum()),
        int(instances.sum()),
        int(n_empty.sum()),
    )


def divide(placed: Placed, wanted: Any) -> Divided:
    """Divide the workers' documents into pieces; ``wanted`` is the parameter of :class:`.PhraseLDA`."""
    lengths = placed.run("lengths_of_documents")
    rule = rule_for(wanted, Lengths(*(sum(each) for each in zip(*lengths, strict=True))))
    n_pieces, longest = np.array(run_alike(placed, "divide", rule)).T
    return Divided(rule, int(n_pieces.sum()), int(longest.max()))


def select(placed: Placed, cut: Cut, divided: Divided, n_tokens: int, choose: Choose, seed: int) -> Selection:
    """Select pieces of documents, as :func:`.selection_from` does of a partition."""
    rows = choose(divided.n_pieces, n_tokens, seed)
    last = np.cumsum(placed.run("n_pieces"))
    chosen = []
    for each in rows:
        cuts = np.searchsorted(each, last)
        own = np.split(each, cuts[:-1])
        first = [0, *last[:-1].tolist()]
        parts = placed.run("chosen_cliques", [(own[i] - first[i],) for i in range(len(own))])
        chosen.append(joined_cliques(parts))
    return selection_of(cut.types, *chosen)


def shard_bounds(placed: Placed, n_cliques: int, n_documents: int, n_shards: int) -> Int64s:
    """First document of each shard, and one past the last, as in topics/sampler/latin_square.py."""
    wanted = n_cliques * np.arange(1, n_shards) / n_shards
    inner = np.sum(run_alike(placed, "n_before", wanted), axis=0)
    return np.concatenate(([0], np.minimum(inner, n_documents), [n_documents]))
