"""Blocks of the Latin square: what they read, and which kernels sample them.

Blocks of one phase share no document and no phrase type. So two of them may be sampled in one loop, step by
step, by one thread. The result is that of one block after the other, and it takes less time: while a draw of
one block waits for the draw before it, the processor goes on with the other block.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from topminer.jit.lanes import aligned
from topminer.topics.kernels.block import (
    DENSE,
    MAX_WORDS,
    PLAIN,
    REGISTERS,
    SPARSE,
    Block,
    Copies,
    Scratch,
    make_scratch,
    row_length,
)
from topminer.topics.kernels.dense import interleave_dense_phrases, interleave_dense_words, sample_dense
from topminer.topics.kernels.plain import sample_plain
from topminer.topics.kernels.registers import (
    interleave_phrases,
    interleave_words,
    sample_registers,
)
from topminer.topics.kernels.sparse import sample_sparse, sample_sparse_rare
from topminer.topics.sampler.latin_square import LONG, N_KINDS, PHRASE, RARE, TWO_WORDS, WORD, Layout

Kernel: TypeAlias = Callable[..., None]


class Shared(NamedTuple):
    """What all blocks of a phase read. Arrays by topic are as long as a row."""

    row_of: NDArray[np.int32]
    n_wk: NDArray[np.int32]  # rows of words that occur in phrases, flat
    n_k: NDArray[np.int64]
    v_beta_n_k: NDArray[np.float32]
    alpha: NDArray[np.float32]
    beta: float
    v_beta: float
    scale: float
    in_place: bool  # there is one shard: its block may change the shared rows


class Workspace(NamedTuple):
    """Memory for one block while it is sampled."""

    copies: Copies
    scratch: Scratch
    n_k_change: NDArray[np.int32]


class Prepared(NamedTuple):
    """A block that is ready to be sampled."""

    block: Block
    scratch: Scratch
    bounds: list[int]  # first phrase type of each kind, and one past the last


class Step(NamedTuple):
    """Some kinds of phrase types, and the kernels that sample them in one block and in two."""

    first: int
    last: int  # one past the last kind
    sample: Kernel
    interleave: Kernel | None = None


_LONG = Step(LONG, WORD, sample_plain)
STEPS: Mapping[str, Sequence[Step]] = {
    REGISTERS: (
        Step(TWO_WORDS, PHRASE, sample_registers, interleave_phrases),
        Step(PHRASE, LONG, sample_registers),
        _LONG,
        Step(WORD, N_KINDS, sample_registers, interleave_words),
    ),
    DENSE: (
        Step(TWO_WORDS, PHRASE, sample_dense, interleave_dense_phrases),
        Step(PHRASE, LONG, sample_dense),
        _LONG,
        Step(WORD, N_KINDS, sample_dense, interleave_dense_words),
    ),
    SPARSE: (
        Step(TWO_WORDS, LONG, sample_sparse),
        _LONG,
        Step(WORD, RARE, sample_sparse),
        Step(RARE, N_KINDS, sample_sparse_rare),
    ),
    PLAIN: (Step(TWO_WORDS, N_KINDS, sample_plain),),
}


def sample_blocks(blocks: Sequence[Prepared], path: str) -> None:
    """Sample one block, or two blocks of the same phase side by side."""
    for step in STEPS[path]:
        rest = [_Rest(each, step) for each in blocks]
        if step.interleave is not None and len(rest) == 2 and all(each.is_left() for each in rest):
            step.interleave(*rest[0].arguments(), *rest[1].arguments())
        for each in rest:
            if each.is_left():  # a kernel that has nothing to do need not be compiled
                step.sample(*each.arguments())


class _Rest:
    """The part of a block that is not sampled yet in a step. Kernels move its position."""

    def __init__(self, prepared: Prepared, step: Step) -> None:
        self.block, self.scratch = prepared.block, prepared.scratch
        first, self.end = prepared.bounds[step.first], prepared.bounds[step.last]
        self.position = np.array([first, self.block.clique_start[first]])  # a phrase type and a clique

    def is_left(self) -> bool:
        return bool(self.position[0] < self.end)

    def arguments(self) -> tuple[Any, ...]:
        return self.block, self.scratch, self.position, self.end


def tasks(n_blocks: int, n_threads: int, path: str) -> list[range]:
    """Divide the blocks of a phase into tasks of one or two blocks, but no fewer tasks than threads."""
    can_pair = any(step.interleave is not None for step in STEPS[path])
    n_pairs = max(0, min(n_blocks - n_threads, n_blocks // 2)) if can_pair else 0
    pairs = [range(2 * i, 2 * i + 2) for i in range(n_pairs)]
    return [*pairs, *(range(i, i + 1) for i in range(2 * n_pairs, n_blocks))]


def make_workspace(layout: Layout, n_copies: int) -> Workspace:
    """Allocate memory for a block; that for copies of rows is resident only where rows are copied."""
    n = row_length(layout.n_topics)
    copies = Copies(
        aligned(n_copies * n, np.int32),
        np.full(n_copies, -1, np.int32),
        np.zeros(n_copies, np.int32),
        np.zeros(1, np.int64),
    )
    return Workspace(copies, make_scratch(n, max(MAX_WORDS, layout.types.max_words)), aligned(n, np.int32))


def shared_of(
    layout: Layout,
    row_of: NDArray[np.int32],
    n_wk: NDArray[np.int32],
    n_k: NDArray[np.int64],
    alpha: NDArray[np.float64],
    beta: float,
) -> Shared:
    """Return what all blocks of a phase read."""
    n, v_beta = row_length(layout.n_topics), row_of.size * beta
    padded_n_k, v_beta_n_k, padded_alpha = (
        np.zeros(n, np.int64),
        aligned(n, np.float32),
        aligned(n, np.float32),
    )
    padded_n_k[: layout.n_topics] = n_k
    v_beta_n_k[:] = v_beta + padded_n_k
    padded_alpha[: layout.n_topics] = alpha
    scale = _scale(layout.n_topics, layout.longest, float(alpha.max()))
    return Shared(
        row_of, n_wk, padded_n_k, v_beta_n_k, padded_alpha, beta, v_beta, scale, layout.n_shards == 1
    )


def _scale(n_topics: int, longest: int, largest_alpha: float) -> float:
    """Return the least power of two that keeps all sums of weights within float32 (see `Block.scale`)."""
    most = (1e37 / n_topics) ** (1 / MAX_WORDS) / (longest + largest_alpha + MAX_WORDS)
    return 2.0 ** -math.floor(math.log2(most))
