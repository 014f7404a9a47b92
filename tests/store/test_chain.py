"""States of chains that somebody damaged on purpose: no kernel ever follows them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from directories import forge, rewrite
from small_models import (
    N_SWEEPS,
    STOPPED,
    TOPICS,
    Checkpointed,
    other_lengths,
    other_types,
    other_values,
    small_model,
)

from topminer import InputError, store
from topminer._facts import lda_of
from topminer.jit.lanes import WIDTH
from topminer.store import Reader
from topminer.store.formats import CHAIN
from topminer.topics.sampler.chain import Chain

ARRAYS = CHAIN.arrays({})
SPARSE = 300  # topics


class Reached(Exception):
    """A chain was restored, and went on."""


class Victim:
    """A stored state that is damaged again and again."""

    def __init__(self, kept: Checkpointed, directory: Path) -> None:
        self.kept, self.directory = kept, directory
        store.write(directory, CHAIN, kept.state, overwrite=False)
        self.whole = (directory / "chain.json").read_bytes()
        self.sizes = Reader(directory, CHAIN)._contents.sizes
        self.arrays, self.facts = kept.state.arrays, kept.state.facts

    def go_on(self) -> None:
        """Go on from what is stored, for one sweep."""

        def stop(chain: Chain) -> None:
            raise Reached

        lda = lda_of(small_model(self.sizes["topics"]))
        lda.fit(self.kept.partition, after_sweep=stop, state=store.read(self.directory, CHAIN))

    def refused(self, facts: dict[str, Any] | None = None, **changed: Any) -> str:
        """What is said of the state with other arrays or facts."""
        forge(self.directory, "chain", **changed)
        rewrite(self.directory, lambda content: content["facts"].update(facts or {}), "chain")
        with pytest.raises(InputError) as raised:
            self.go_on()
        for name in changed:
            forge(self.directory, "chain", **{name: self.arrays[name]})
        (self.directory / "chain.json").write_bytes(self.whole)
        assert "\n" not in str(raised.value)
        return str(raised.value)


@pytest.fixture(scope="module", params=TOPICS)
def victim(
    request: pytest.FixtureRequest,
    checkpoints: dict[int, Checkpointed],
    tmp_path_factory: pytest.TempPathFactory,
) -> Victim:
    return Victim(checkpoints[request.param], tmp_path_factory.mktemp("chain"))


def changed_at(array: np.ndarray, place: int, value: int) -> np.ndarray:
    changed = array.copy()
    changed[place] = value
    return changed


def test_what_is_whole_goes_on(victim: Victim) -> None:
    with pytest.raises(Reached):
        victim.go_on()
    assert victim.facts["sweep"] == STOPPED
    assert (victim.facts["n_samples"], len(victim.facts["rows"])) == (1, 5)
    assert victim.arrays["z_rare"].size > 0
    assert bool(victim.arrays["n_dk"].size) == (victim.sizes["topics"] == SPARSE)


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_another_type_or_shape(victim: Victim, name: str) -> None:
    """Lists of topics are kept in 16 bits, or in 32 where a document may have more tokens than that."""
    for what, values in other_types(victim.arrays[name]):
        if values.dtype.str not in ARRAYS[name].dtype.split("|") or values.ndim != 1:
            assert f"{name}.0000.npy: damaged: " in victim.refused(**{name: values}), what


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_another_length(victim: Victim, name: str) -> None:
    array = victim.arrays[name]
    for what, values in other_lengths(array if array.size else np.zeros(1, array.dtype)):
        if values.size != array.size:
            said = victim.refused(**{name: values})
            assert "damaged" in said or "of another corpus" in said or "of a chain with" in said, what


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_with_values_that_are_not_allowed(victim: Victim, name: str) -> None:
    if not victim.arrays[name].size:
        return
    for what, values in other_values(victim.arrays[name], ARRAYS[name], victim.sizes):
        assert f"{name}.0000.npy: damaged: " in victim.refused(**{name: values}), what


# ------------------------------------------------------- every value is allowed, and they do not fit together


def test_topics_that_are_not_those_of_rare_words_and_lists(victim: Victim) -> None:
    topics, n_topics = victim.arrays["z"], victim.sizes["topics"]
    for changed in (topics[::-1].copy(), np.zeros_like(topics), ((topics + 1) % n_topics).astype(np.uint16)):
        assert "do not match the topics of phrases" in victim.refused(z=changed)


def test_rare_words_with_other_topics(victim: Victim) -> None:
    rare, n_topics = victim.arrays["z_rare"], victim.sizes["topics"]
    for place in (0, rare.size // 2, rare.size - 1):
        other = changed_at(rare, place, (rare[place] + 1) % n_topics)
        assert "the topics of rare words do not match" in victim.refused(z_rare=other)
    assert "the topics of rare words do not match" in victim.refused(z_rare=np.zeros_like(rare))


@pytest.fixture(scope="module")
def sparse(checkpoints: dict[int, Checkpointed], tmp_path_factory: pytest.TempPathFactory) -> Victim:
    """A chain in which every document has a list of its topics."""
    return Victim(checkpoints[SPARSE], tmp_path_factory.mktemp("sparse"))


def lists_of(victim: Victim) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Lists and their sizes, and the first slots of the topics and of the tokens of a document."""
    return victim.arrays["n_dk"], victim.arrays["list_size"], 0, WIDTH


def test_lists_with_other_topics_or_tokens(sparse: Victim) -> None:
    lists, sizes, topic, tokens = lists_of(sparse)
    assert sizes[0] >= 2
    n_topics = sparse.sizes["topics"]
    damaged: dict[str, np.ndarray] = {
        "another topic": changed_at(lists, topic, (lists[topic] + 1) % n_topics),
        "a topic twice": changed_at(lists, topic, lists[topic + 1]),
        "a topic that does not exist": changed_at(lists, topic, n_topics),
        "the largest topic": changed_at(lists, topic, 2**16 - 1),
        "more tokens": changed_at(lists, tokens, lists[tokens] + 1),
        "no tokens": changed_at(lists, tokens, 0),
        "the most tokens": changed_at(lists, tokens, 2**16 - 1),
        "a slot that should be free": changed_at(lists, int(sizes[0]), 7),
        "room behind the last list": changed_at(lists, lists.size - 1, 1),
        "nothing": np.zeros_like(lists),
    }
    exchanged = lists.copy()
    exchanged[[topic, topic + 1]] = lists[[topic + 1, topic]]
    if lists[tokens] != lists[tokens + 1]:
        damaged["two topics exchanged"] = exchanged
    for what, values in damaged.items():
        assert "lists of topics in documents do not match" in sparse.refused(n_dk=values), what


def test_lists_in_another_order_are_those_of_another_chain(sparse: Victim) -> None:
    """The order of a list is part of the state, and any order is safe: topics and tokens move together."""
    lists, sizes, topic, tokens = lists_of(sparse)
    assert sizes[0] >= 2
    moved = lists.copy()
    for first in (topic, tokens):
        moved[[first, first + 1]] = lists[[first + 1, first]]
    forge(sparse.directory, "chain", n_dk=moved)
    with pytest.raises(Reached):
        sparse.go_on()
    forge(sparse.directory, "chain", n_dk=lists)
    (sparse.directory / "chain.json").write_bytes(sparse.whole)


def test_lists_in_more_bits(sparse: Victim) -> None:
    lists, _, topic, _ = lists_of(sparse)
    wide = lists.astype(np.int32)
    for value in (2**16 + int(lists[topic]), 2**31 - 1):  # in 16 bits the first would be the topic itself
        assert "do not match" in sparse.refused(n_dk=changed_at(wide, topic, value))


def test_lists_of_another_size(sparse: Victim) -> None:
    _, sizes, _, _ = lists_of(sparse)
    for place in (0, sizes.size // 2, sizes.size - 1):
        for size in (0, sizes[place] + 1, sizes[place] - 1, 2**31 - 1):
            if 0 <= size != sizes[place]:
                said = sparse.refused(list_size=changed_at(sizes, place, size))
                assert "lists of topics in documents do not match" in said


def test_topical_frequencies_that_do_not_add_up(victim: Victim) -> None:
    keys, sums, squares = (victim.arrays[name] for name in ("keys", "sums", "squares"))
    n_types = victim.kept.partition.n_types
    n_keys = n_types * victim.sizes["topics"]
    last = keys.size - 1
    types = keys // victim.sizes["topics"]
    several = int(np.flatnonzero(types[1:] == types[:-1])[0])  # a type that has two topics
    moved = sums.copy()
    moved[several : several + 2] += (1, -1) if sums[several + 1] > 1 else (-1, 1)
    for changed in (
        {"keys": changed_at(keys, last, n_keys)},
        {"keys": changed_at(keys, last, 2**63 - 1)},
        {"sums": changed_at(sums, 0, sums[0] + 1)},
        {"sums": changed_at(sums, last, 2**63 - 1)},
        {"sums": moved},  # the squares tell
        {"squares": changed_at(squares, last, squares[last] - 1)}
        if squares[last] > 1
        else {"sums": sums * 2},
        {"squares": np.ones_like(squares), "sums": sums * 2},
        {name: victim.arrays[name][:0] for name in ("keys", "sums", "squares")},
        {
            name: np.append(victim.arrays[name], victim.arrays[name][-1] + 1)
            for name in ("keys", "sums", "squares")
        },
    ):
        assert "damaged: " in victim.refused(**changed)


def test_topical_frequencies_that_add_up_beyond_64_bits(sparse: Victim) -> None:
    keys, sums = sparse.arrays["keys"], sparse.arrays["sums"]
    types = keys // sparse.sizes["topics"]
    three = int(np.flatnonzero(types[2:] == types[:-2])[0])  # a type that has three topics
    wrapped = sums.copy()
    wrapped[three : three + 3] = 2**63 - 1, 2**63 - 1, sums[types == types[three]].sum() + 2
    squares = np.full_like(sums, 2**62)
    assert "do not add up to the instances of phrases" in sparse.refused(sums=wrapped, squares=squares)


FACTS: dict[str, tuple[dict[str, Any], str]] = {
    "a sweep too many": ({"sweep": N_SWEEPS + 1}, "the state is of sweep 31; the run has 30"),
    "an endless sweep": (
        {"sweep": 2**63 - 1},
        "the state is of sweep 9,223,372,036,854,775,807; the run has",
    ),
    "another sweep": ({"sweep": STOPPED - 1}, "not that of this run after sweep 24"),
    "the first sweep": ({"sweep": 0}, "not that of this run after sweep 0"),
    "no samples": ({"n_samples": 0}, "not that of this run after sweep 25"),
    "more samples": ({"n_samples": 2}, "not that of this run after sweep 25"),
    "no history": ({"rows": []}, "not that of this run after sweep 25"),
    "other shards": ({"n_shards": 3}, "a chain with 3 shards, this one has 2"),
    "a bad prior": ({"beta": 0.0}, "beta: found 0.0; expected a number from "),
    "no prior": ({"beta": float("nan")}, "beta: found nan; expected a number"),
    "an infinite prior": ({"beta": float("inf")}, "beta: found inf; expected a number"),
    "a bad seed": ({"seed": -1}, "seed: found -1; expected a whole number"),
    "a great seed": ({"seed": 2**64}, "seed: found 18446744073709551616; expected a whole number"),
    "a sweep that is none": ({"sweep": True}, "sweep: found True; expected a whole number"),
    "time that goes back": ({"seconds": -1}, "seconds: found -1; expected a number from 0"),
    "a fact too many": ({"more": 1}, "found an unknown field 'more'"),
    "rows that are none": ({"rows": [[5]]}, "rows: found"),
}


@pytest.mark.parametrize(("facts", "message"), FACTS.values(), ids=FACTS)
def test_facts_of_another_chain(victim: Victim, facts: dict[str, Any], message: str) -> None:
    assert message in victim.refused(facts)


def test_rows_of_another_schedule(victim: Victim) -> None:
    rows = [list(row) for row in victim.facts["rows"]]
    for changed in (
        rows[:-1],
        rows[1:],
        [*rows, rows[-1]],
        rows[::-1],
        [[row[0] + 1, *row[1:]] for row in rows],
    ):
        assert "not that of this run after sweep 25" in victim.refused({"rows": changed})


def test_priors_of_another_number_of_topics(victim: Victim) -> None:
    alpha, n_topics = victim.arrays["alpha"], victim.sizes["topics"]
    said = victim.refused(alpha=np.append(alpha, alpha[0]))
    assert f"a chain with {n_topics + 1} topics, this one has {n_topics}" in said
