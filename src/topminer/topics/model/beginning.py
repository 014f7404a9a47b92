"""How the chains of a model begin: with how many topics, and with which.

If the number of topics is "auto", it is found first (topics/number/search.py), and the first chain starts
from the topics that were found. Each further chain starts from topics of its own search, with the same
number.

If the number is given, the first chain starts from a factorisation (topics/number/starts.py), or at random if
that is asked for, or if there are few documents or many topics. All other chains start at random: chains that
start from the same topics would look more alike than they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from topminer._parameters import is_auto
from topminer.engines.local import n_threads_or_all
from topminer.errors import InputError
from topminer.phrases.partition import Partition
from topminer.phrases.pieces import Rule, pieces_of
from topminer.progress import Progress
from topminer.topics.number.selection import (
    FEWEST_DOCUMENTS,
    Choose,
    Selection,
    Settings,
    choose_for_start,
    choose_rows,
    select,
)
from topminer.topics.sampler.chain import Chain, Tried
from topminer.topics.sampler.start import Start

if TYPE_CHECKING:
    from topminer.topics.model.phraselda import PhraseLDA

Select = Callable[[Choose, int], Selection]  # documents for a search, given how to choose them and a seed

RANDOM, FACTORISED = "random", "factorised"
MOST_FACTORISED = 100  # topics: the time of a factorisation grows with the square of their number


class Beginning:
    """The parameters of a chain, ``lda``, whose number of topics is a number, and the topics to start with.

    ``tried`` are the numbers of topics that a search has tried.
    """

    def __init__(
        self,
        lda: PhraseLDA,
        starts: dict[int, Start] | None = None,
        select: Select | None = None,
        tried: list[Tried] | None = None,
    ) -> None:
        self.lda, self.tried = lda, tried or []
        self._starts, self._select = starts or {}, select  # the topics for the first chain, by its seed

    @classmethod
    def of_first(cls, lda: PhraseLDA, seed: int, select: Select, progress: Progress) -> Beginning:
        """Find the number of topics, unless it is given, and the topics of the first chain."""
        if is_auto(lda.n_topics):
            from topminer.topics.number.search import find_number  # it needs SciPy's sparse arrays

            found = find_number(select(choose_rows, seed), _settings(lda, seed), progress)
            return cls(with_topics(lda, found.n_topics), {seed: found.start}, select, found.tried)
        if lda.start == FACTORISED and 1 < int(lda.n_topics) <= MOST_FACTORISED:
            selection = select(choose_for_start, seed)
            if len(selection.sampled) >= FEWEST_DOCUMENTS:
                from topminer.topics.number.starts import factorised_start

                start = factorised_start(selection, int(lda.n_topics), _settings(lda, seed), progress)
                return cls(lda, {seed: start})
        return cls(lda)

    @classmethod
    def known(cls, lda: PhraseLDA, n_topics: int, select: Select, tried: list[Tried]) -> Beginning:
        """Go on from a stored state, which has this many topics."""
        return cls(with_topics(lda, n_topics), None, select, tried) if is_auto(lda.n_topics) else cls(lda)

    def prepare(self, chain: Chain) -> None:
        """Have a chain start from topics that were found, before its first sweep."""
        chain.tried = self.tried
        if self.tried or chain.sampler.seed in self._starts:
            chain.begin = lambda progress: self._begin(chain, progress)

    def _begin(self, chain: Chain, progress: Progress) -> None:
        seed, lda = chain.sampler.seed, self.lda
        start = self._starts.pop(seed, None)
        if start is None:
            from topminer.topics.number.search import find_start

            assert self._select is not None
            selection = self._select(choose_rows, seed)
            start = find_start(selection, int(lda.n_topics), _settings(lda, seed), progress)
        chain.sampler.start_from(start)


def with_topics(lda: PhraseLDA, n_topics: int) -> PhraseLDA:
    """Return the same parameters with this number of topics."""
    return type(lda)(**{**lda.get_params(), "n_topics": n_topics})


def check_start(start: object) -> None:
    """Refuse a value that the parameter ``start`` cannot have."""
    if start not in (RANDOM, FACTORISED):
        raise InputError(f'start must be "{FACTORISED}" or "{RANDOM}", not {start!r}')


def selection_from(partition: Partition, rule: Rule, choose: Choose, seed: int) -> Selection:
    """Select documents, or pieces of long ones, of a partition in this process."""
    pieces = pieces_of(partition, rule).partition
    return select(pieces, choose(len(pieces), pieces.corpus.n_tokens, seed))


def _settings(lda: PhraseLDA, seed: int) -> Settings:
    return Settings(lda.beta, seed, bool(lda.optimize_interval), n_threads_or_all(lda.n_threads))
