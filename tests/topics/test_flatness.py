"""When a likelihood is flat, and what a schedule makes of it."""

from dataclasses import replace
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer.errors import InputError
from topminer.topics.sampler.chain import HISTORY_INTERVAL, N_SAMPLES, SAMPLING_SWEEPS, Schedule
from topminer.topics.sampler.flatness import LEAST_GAIN, flat_at

pytestmark = pytest.mark.small
AUTO = Schedule(2000, 10, 20, stops=True)
# Rises by 0.1, 0.05, 0.025, …: the means of two entries differ by less than 0.01 from the seventh on.
RISING = list(accumulate((0.1 / 2**i for i in range(12)), initial=-8.0))


def sweeps_of(likelihoods: list[float]) -> list[int]:
    return [HISTORY_INTERVAL * number for number in range(1, len(likelihoods) + 1)]


def test_by_hand() -> None:
    assert flat_at([-9.0, -8.5, -8.2, -8.1, -8.1, -8.1]) is None  # gains 0.6, 0.25 and 0.05
    assert flat_at([-9.0, -8.5, -8.2, -8.1, -8.1, -8.1, -8.1]) == 6
    assert flat_at([-8.0, -8.0, -8.0]) is None  # too few
    assert flat_at([-8.0, -7.9, -8.0, -7.9]) == 3
    assert flat_at([-7.0, -7.0, -9.0, -9.0]) == 3  # falls


@given(st.lists(st.floats(-20, 0), max_size=30))
def test_the_first_entry_after_which_two_gain_little_over_the_two_before(likelihoods: list[float]) -> None:
    gains = [
        (likelihoods[i] + likelihoods[i - 1]) / 2 - (likelihoods[i - 2] + likelihoods[i - 3]) / 2
        for i in range(3, len(likelihoods))
    ]
    flat = [i for i, gain in enumerate(gains, 3) if gain < LEAST_GAIN]
    assert flat_at(likelihoods) == (flat[0] if flat else None)


@given(st.lists(st.floats(-20, 0), max_size=40), st.integers(0, 40))
def test_the_end_does_not_depend_on_when_the_history_is_read(likelihoods: list[float], seen: int) -> None:
    """A chain reads it after each row; a chain that is resumed reads all rows at once."""
    sweeps, schedule = sweeps_of(likelihoods), AUTO
    for n in range(len(likelihoods) + 1):
        schedule = schedule.after(sweeps[:n], likelihoods[:n])
    assert AUTO.after(sweeps, likelihoods) == schedule
    assert AUTO.after(sweeps[:seen], likelihoods[:seen]).after(sweeps, likelihoods) == schedule


def test_samples_follow_the_sweep_after_which_it_is_flat() -> None:
    flat = flat_at(RISING)
    assert flat is not None
    schedule = AUTO.after(sweeps_of(RISING), RISING)
    assert schedule == Schedule(HISTORY_INTERVAL * (flat + 1) + SAMPLING_SWEEPS, 10, 20)
    sampled = [sweep for sweep in range(1, schedule.n_sweeps + 1) if schedule.samples(sweep)]
    assert len(sampled) == N_SAMPLES and sampled[0] > schedule.n_sweeps - SAMPLING_SWEEPS
    assert sampled[-1] == schedule.n_sweeps
    assert schedule.after([50, 100, 150, 200], [-9.0, -8.0, -7.0, -6.0]) == schedule


def test_one_that_is_never_flat_has_the_most_sweeps() -> None:
    rising = [-9 + 0.1 * number for number in range(40)]
    assert AUTO.after(sweeps_of(rising), rising) == AUTO
    late = [*rising[:-1], rising[-8]]  # flat after the last sweep
    assert AUTO.after(sweeps_of(late), late) == replace(AUTO, stops=False)
    assert replace(AUTO, stops=False).after(sweeps_of(RISING), RISING).n_sweeps == 2000


def test_what_was_recorded_before_priors_are_fitted_does_not_count() -> None:
    """Until then the likelihood may be flat and rise again."""
    likelihoods = [-8.0] * 4 + [-7.5, -7.4, -7.4, -7.4, -7.4]
    sweeps = sweeps_of(likelihoods)
    assert AUTO.after(sweeps, likelihoods).n_sweeps == 200 + SAMPLING_SWEEPS
    assert Schedule(2000, 10, 225, stops=True).after(sweeps, likelihoods).n_sweeps == 450 + SAMPLING_SWEEPS
    assert Schedule(2000, 0, 225, stops=True).after(sweeps, likelihoods).n_sweeps == 200 + SAMPLING_SWEEPS


def test_a_state_must_be_one_of_the_schedule() -> None:
    schedule = AUTO.after(sweeps_of(RISING), RISING)
    end = schedule.n_sweeps
    recorded = list(range(HISTORY_INTERVAL, end + 1, HISTORY_INTERVAL))
    schedule.check(end, N_SAMPLES, recorded)
    AUTO.check(900, 0, list(range(50, 901, 50)))
    with pytest.raises(InputError, match=f"the state is of sweep {end + 1}; the run has {end}"):
        schedule.check(end + 1, N_SAMPLES, recorded)
    for damaged in ((end, N_SAMPLES - 1, recorded), (end, N_SAMPLES, recorded[:-1]), (end, 0, recorded)):
        with pytest.raises(InputError, match=f"is not that of this run after sweep {end}"):
            schedule.check(*damaged)
