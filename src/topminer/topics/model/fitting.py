"""The steps of fitting a PhraseLDA: check the parameters, make a sampler, run its chain or chains."""

from __future__ import annotations

from collections.abc import Callable, Sized
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from topminer._parameters import (
    ALPHA_RANGE,
    BETA_RANGE,
    MOST_CHAINS,
    MOST_SEED,
    MOST_SHARDS,
    MOST_TOPICS,
    is_auto,
    number,
    whole,
    whole_or_none,
)
from topminer.engines.local import n_threads_or_all
from topminer.errors import InputError
from topminer.phrases.partition import Partition
from topminer.phrases.pieces import Rule
from topminer.progress import Progress
from topminer.store import Stored
from topminer.text.corpus import Corpus
from topminer.topics.model.beginning import Beginning, check_start, with_topics
from topminer.topics.model.chains import Chains, Checkpoint
from topminer.topics.model.splitting import Lengths, check_split, rule_for
from topminer.topics.results.held_out import HeldOut
from topminer.topics.sampler.chain import MOST_SWEEPS, AfterSweep, Chain, Schedule
from topminer.topics.sampler.sampler import Sampler

if TYPE_CHECKING:
    from topminer.topics.model.phraselda import PhraseLDA

LEAST_ALPHA, MOST_ALPHA = 0.001, 0.5
FIXED_SUM, FIRST_SUM = 50, 1  # of alpha over all topics, if none is given: while it is kept, or at the start


def check_parameters(
    lda: PhraseLDA, n_tokens: int | None = None
) -> tuple[Schedule, NDArray[np.float64], float]:
    """Check the parameters, also for a corpus of ``n_tokens``. Return the schedule and the initial priors."""
    n_topics = 1  # until it is found
    if not is_auto(lda.n_topics):
        n_topics = whole("n_topics", lda.n_topics, 1, MOST_TOPICS, also=', or "auto"')
    elif not (lda.alpha is None or np.isscalar(lda.alpha)):
        raise InputError('alpha must be a number if n_topics is "auto", not an array')
    if n_tokens is not None and n_topics > n_tokens:
        raise InputError(f"{n_topics:,} topics are more than the {n_tokens:,} kept tokens there are")
    whole_or_none("n_shards", lda.n_shards, 1, MOST_SHARDS)
    check_split(lda.split)
    check_start(lda.start)
    whole("n_chains", lda.n_chains, 1, MOST_CHAINS)
    stops = is_auto(lda.n_sweeps)
    schedule = Schedule(
        MOST_SWEEPS if stops else whole("n_sweeps", lda.n_sweeps, 1, also=', or "auto"'),
        whole("optimize_interval", lda.optimize_interval, 0),
        whole("burn_in", lda.burn_in, 0),
        stops,
    )
    total = FIRST_SUM if schedule.optimize_interval else FIXED_SUM
    return schedule, _alpha_of(lda.alpha, n_topics, total), number("beta", lda.beta, *BETA_RANGE)


def most_sweeps(lda: PhraseLDA) -> int:
    """Return the number of sweeps of a fit, or the most, if it stops by itself."""
    return check_parameters(lda)[0].n_sweeps


def sampler_of(lda: PhraseLDA, partition: Partition, seed: int) -> Sampler:
    """Return a sampler in this process, with the initial priors."""
    _, alpha, beta = check_parameters(lda)
    n_threads = n_threads_or_all(lda.n_threads)
    return Sampler.of(
        partition,
        alpha.size,
        alpha,
        beta,
        n_shards=lda.n_shards,
        seed=seed,
        n_threads=n_threads,
        split=rule_of(lda, partition.corpus),
    )


def rule_of(lda: PhraseLDA, corpus: Corpus) -> Rule:
    """Return the rule by which the documents of a corpus are divided before they are sampled."""
    return rule_for(lda.split, Lengths.of(corpus.doc_start))


def start_chain(
    lda: PhraseLDA,
    sampler: Sampler,
    state: Stored | None = None,
    held_out: HeldOut | None = None,
    beginning: Beginning | None = None,
) -> Chain:
    """Return the chain of a new sampler, at its start or in a state that was stored."""
    chain = Chain(sampler, check_parameters(lda)[0], held_out)
    if beginning is not None:
        beginning.prepare(chain)
    if state is not None:
        chain.restore(state)
    return chain


def run_chains(
    lda: PhraseLDA,
    seed: int,
    start: Callable[[int, PhraseLDA], Chain],
    checkpoint: Checkpoint,
    progress: Progress,
    after_sweep: AfterSweep,
) -> Chain:
    """Run the chain, or the chains, of a model. Return the one that is the model, after its last sweep.

    ``start`` makes a chain with a seed and parameters.
    """
    if lda.n_chains > 1:

        def start_with(seed: int, n_topics: int | None) -> Chain:
            return start(seed, lda if n_topics is None else with_topics(lda, n_topics))

        return Chains(seed, lda.n_chains, checkpoint, start_with).run(progress, after_sweep)
    chain = start(seed, lda)
    try:
        chain.run(progress, after_sweep)
    finally:
        chain.sampler.close()
    return chain


def without_one_chain(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as they are stored: the number of chains is left out if it is 1."""
    return {name: value for name, value in parameters.items() if (name, value) != ("n_chains", 1)}


def _alpha_of(alpha: object, n_topics: int, total: float) -> NDArray[np.float64]:
    if alpha is None:
        alpha = min(max(total / n_topics, LEAST_ALPHA), MOST_ALPHA)
    if isinstance(alpha, Real) or not isinstance(alpha, Sized) or isinstance(alpha, str | bytes):
        return np.full(n_topics, number("alpha", alpha, *ALPHA_RANGE))
    values = _floats(alpha)
    if values.shape != (n_topics,):
        raise InputError(f"alpha must be a number or {n_topics} of them, not an array {values.shape}")
    least, most = ALPHA_RANGE
    if not np.all((values >= least) & (values <= most)):
        raise InputError(f"alpha must be from {least:g} to {most:g} for every topic")
    return values


def _floats(values: object) -> NDArray[np.float64]:
    try:
        return np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"alpha must be a number or numbers, not {type(values).__name__}") from None


def seed_of(random_state: Any) -> int:
    """Return a seed, given a random state."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint32)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**32, dtype=np.uint64))
    return whole("random_state", random_state, 0, MOST_SEED)
