"""In which range of alpha and beta the samplers' float32 probabilities are those of equation 7 in float64.

    python benchmarks/prior_range.py [--sweeps N]

Chains are run with kernels as plain Python, which compute bit by bit what the compiled ones do. At every draw
the probability that the kernel gives to each topic is taken from its own sums, rounding and all, and compared
with equation 7 in float64. The error of a draw is the share of random numbers for which float32 gives another
topic: half the sum of the differences. The table shows the largest error of any draw for each alpha and beta,
over all paths, phrase lengths (1 to 4 words, and longer ones) and sizes of counts (as they are, and a million
times as large). The random numbers have 23 bits, so errors below 1e-7 are none.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"

import numpy as np
from numpy.typing import NDArray

from topminer import Corpus, Partition
from topminer.topics.kernels import dense, registers, sparse
from topminer.topics.kernels.draw import uniform
from topminer.topics.sampler.sampler import Sampler
from topminer.topics.sampler.shard import Shard

POWERS = (-7, -6, -5, -4, -3, -2, 0, 2, 3, 4, 6)
PATHS = (("registers", 10), ("dense", 24), ("sparse", 80))
SIZES = (1, 10**6)  # by what counts of words and topics are multiplied
Floats = NDArray[np.float64]


class Watched:
    """The largest error so far."""

    def __init__(self) -> None:
        self.worst = 0.0

    def compare(self, found: Floats, exact: Floats) -> None:
        """Compare one draw's weights with the exact ones; both up to one factor."""
        with np.errstate(all="ignore"):
            found, exact = found / found.sum(), exact / exact.sum()
        error = np.abs(found - exact).sum() / 2
        self.worst = max(self.worst, min(float(error), 1.0) if np.isfinite(error) else 1.0)


def partition() -> Partition:
    """Documents in which every chunk is one phrase: words frequent and rare, phrases of up to six words."""
    random = np.random.default_rng(0)
    phrases = [" ".join(f"p{random.integers(9)}" for _ in range(n)) for n in (2, 2, 2, 3, 3, 4, 4, 6)]
    texts = []
    for document in range(12):
        words = [f"w{int(word)}" for word in np.minimum(random.zipf(1.3, 12), 60)]
        chosen = [phrases[i] for i in random.integers(len(phrases), size=4)]
        # A word that occurs once; a phrase as rare as mined ones get, of words that occur nowhere else.
        texts.append(". ".join([*words, *chosen, f"once{document}", f"r{document % 4} s{document % 4}"]))
    corpus = Corpus.from_texts(texts, language=None)
    return Partition(corpus, corpus.chunk_start, np.searchsorted(corpus.chunk_start, corpus.doc_start))


def exact_weights(block: Any, scratch: Any, n_wk: Any, n_words: int, n_dk: Floats, priors: Any) -> Floats:
    """Equation 7 in float64, for a clique that is counted out."""
    alpha, beta = priors
    k = np.arange(block.n_topics)
    total = block.row_of.size * beta + block.n_k[k] + block.n_k_change[k].astype(np.int64)
    weights = np.ones(k.size)
    for j in range(n_words):
        in_word = beta + n_wk[scratch.row_at[j] + k].astype(np.float64) + float(scratch.c_j[j])
        weights *= (alpha + n_dk + j) * in_word / (total + j)
        weights /= weights.max()
    return weights


def of_lanes(sums: Any, below: Any, size: int) -> Floats:
    """The share of each of ``size`` weights, as `draw_by_lanes` sees them."""
    lanes = np.diff(below.astype(np.float64), prepend=0)
    within = np.asarray(sums[: -(-size // 8) * 8], np.float64).reshape(-1, 8)
    parts = np.diff(within, axis=0, prepend=0)
    with np.errstate(all="ignore"):
        shares = np.where(within[-1] > 0, parts / within[-1], 0) * lanes
    return shares.ravel()


def watch(priors: tuple[float, float], watched: Watched) -> None:
    """Look at all draws from here on."""
    alpha, beta = priors
    drawn_number, draw_of_two = DRAWN_NUMBER, DRAW_OF_TWO

    def of_two(weight_0: Any, weight_1: Any, u: Any) -> Any:
        here = sys._getframe(1).f_locals
        block, i, state, n_words = (here[name] for name in ("block", "i", "state", "n_words"))
        k = block.n_topics
        n_dk = block.n_dk[int(block.d_of[i]) * 16 + np.arange(k)].astype(np.float64)
        n_dk[block.z[i]] -= n_words
        change = np.append(state.change_0, state.change_1)[:k]
        total = block.row_of.size * beta + block.n_k[:k] + change.astype(np.int64)
        rows = ((state.first_0, state.first_1), (state.second_0, state.second_1))[:n_words]
        exact = np.ones(k)
        for j, row in enumerate(rows):
            exact *= (alpha + n_dk + j) * (beta + np.append(*row)[:k].astype(np.float64)) / (total + j)
        below = np.cumsum(np.append(weight_0, weight_1).astype(np.float64))
        watched.compare(np.diff(below, prepend=0)[:k], exact)
        return draw_of_two(weight_0, weight_1, u)

    def of_all(below: Any, drawn: Any, vectors: Any, vector_of: Any, size: int) -> Any:
        here = sys._getframe(1).f_locals
        block, scratch, n_wk, n_words = (here[name] for name in ("block", "scratch", "n_wk", "n_words"))
        k, following = block.n_topics, here["i"] + 1
        counted = block, scratch, n_wk, following, int(block.z[following % block.z.size])
        back = following < here["stop"]  # the next clique is taken out already
        if back:
            dense._count(*counted, 1, n_words, here["n"])
        n_dk = block.n_dk[here["row"] + np.arange(k)].astype(np.float64)
        exact = exact_weights(block, scratch, n_wk, n_words, n_dk, priors)
        if back:
            dense._count(*counted, -1, n_words, here["n"])
        watched.compare(of_lanes(here["sums"], below, here["n"])[:k], exact)
        return drawn_number(below, drawn, vectors, vector_of, size)

    def of_list(key: Any, i: int) -> Any:
        here = sys._getframe(1).f_locals
        block, scratch, size, first_tile = (here[name] for name in ("block", "scratch", "size", "first_tile"))
        n_words, k = here["n_words"], block.n_topics
        entries = np.arange(-(-size // 8) * 8)
        at = here["list_start"] + entries + entries // 8 * 8
        topics, n_dk = block.n_dk[at], np.zeros(k)
        np.add.at(n_dk, topics, block.n_dk[at + 8].astype(np.float64))
        n_dk[here["old"]] -= n_words
        exact = exact_weights(block, scratch, here["n_wk"], n_words, n_dk, priors)
        weights = of_lanes(here["sums"], here["below"], first_tile + scratch.tile_sums.size)
        found = in_tiles(scratch, weights[first_tile:])[:k]
        np.add.at(found, topics, weights[:first_tile])
        watched.compare(found, exact)
        return uniform(key, i)

    registers.draw_of_two, dense.drawn_number, sparse.uniform = of_two, of_all, of_list


DRAW_OF_TWO, DRAWN_NUMBER = registers.draw_of_two, dense.drawn_number


def in_tiles(scratch: Any, of_tile: Floats) -> Floats:
    """The weight of each topic, given that of its tile, in a draw of sparse.py from tiles."""
    weights = (scratch.a0_k * scratch.b_k).astype(np.float64).reshape(-1, 64)
    with np.errstate(all="ignore"):
        shares = np.nan_to_num(weights / weights.sum(axis=1, keepdims=True))
    return (shares * of_tile[: len(shares), None]).ravel()


def enlarge(sampler: Sampler, size: int) -> None:
    """Multiply the words' counts and the topics' tokens."""
    more = (size - 1) * sampler.n_k
    sampler.here.words.n_wk_shared[:] *= size
    for group in sampler.here.words.groups:
        group.n_wk_own[:] *= size

    prepare = Shard.prepare

    def larger(shard: Shard, *given: Any) -> Any:
        prepared = prepare(shard, *given)
        block = prepared.block
        block.n_k[: more.size] += more
        block.v_beta_n_k[:] = block.v_beta + block.n_k
        return prepared

    for shard in sampler.here.shards:
        shard.prepare = larger.__get__(shard)  # type: ignore[method-assign]


def worst(documents: Partition, alpha: float, beta: float, n_sweeps: int) -> Iterator[float]:
    """The largest error with each path and size of counts."""
    for path, n_topics in PATHS:
        for size in SIZES:
            watched = Watched()
            sampler = Sampler.of(documents, n_topics, np.full(n_topics, alpha), beta, n_shards=1, path=path)
            enlarge(sampler, size)
            watch((alpha, beta), watched)
            with np.errstate(all="ignore"):
                for _ in range(n_sweeps):
                    sampler.sweep()
            yield watched.worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sweeps", type=int, default=2)
    parser.add_argument("--powers", type=int, nargs="+", default=POWERS, help="of ten: alpha and beta")
    options = parser.parse_args()
    documents = partition()
    print("largest error of a draw; rows: alpha, columns: beta")
    print("        " + "".join(f"{10.0**power:>9.0e}" for power in options.powers))
    for row in options.powers:
        errors = (max(worst(documents, 10.0**row, 10.0**column, options.sweeps)) for column in options.powers)
        print(f"{10.0**row:>7.0e} " + "".join(f"{error:>9.1e}" for error in errors), flush=True)


if __name__ == "__main__":
    main()
