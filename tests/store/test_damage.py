"""Models, corpora, chains and plans that somebody damaged on purpose, checksums and all.

Every one is refused before a kernel runs. What the declarations forbid is tried for all parts; what must hold
between parts has tests of its own.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
import pytest
from damage import changed_at
from directories import manifest
from numpy.typing import NDArray
from victims import N_SWEEPS, STOPPED, TOPICS, Victim, damages, facts_of, others_than

from topminer import Partition, ToPMine, load
from topminer.errors import InputError
from topminer.jit.lanes import WIDTH
from topminer.phrases.miner import lowered
from topminer.phrases.quality import WEIGHTS
from topminer.store.facts import Sizes
from topminer.store.formats import CHAIN, CHECKPOINT, MODEL, PLAN, STORED_CORPUS

Chains = Callable[[int], Victim]
SPARSE = TOPICS[-1]
ALL_SECTIONS: dict[str, Any] = {section: {} for section in MODEL.sections}
REFUSED = ("damaged: ", "of another corpus", "of a chain with")


@pytest.fixture(params=TOPICS)
def chain(request: pytest.FixtureRequest, chains: Chains) -> Victim:
    return chains(request.param)


@pytest.fixture
def sparse(chains: Chains) -> Victim:
    """A chain in which every document has a list of its topics."""
    return chains(SPARSE)


@pytest.fixture
def bare(model: Victim) -> Victim:
    """A model that is loaded without its documents."""
    without = partial(load, documents=False)
    victim = Victim(model.directory, MODEL, without)
    of_documents = {
        name for name in (*victim.reader.arrays, *victim.reader.tables) if model.reader.is_of_documents(name)
    }
    for parts in (victim.reader._contents.arrays, victim.reader._contents.tables):
        for name in of_documents & parts.keys():
            del parts[name]
    return victim


# --------------------------------------------------------------------------------- what declarations forbid


def test_all_that_is_declared_is_there(model: Victim, chain: Victim) -> None:
    assert set(model.reader.arrays) == set(MODEL.arrays(ALL_SECTIONS))
    assert set(model.reader.tables) == set(MODEL.tables(ALL_SECTIONS))
    assert load(model.directory).lda_.history_.height == 7
    facts, arrays = chain.reader.facts, chain.reader.lengths()
    assert (facts["sweep"], facts["n_samples"], len(facts["rows"])) == (STOPPED, 1, 5)
    assert arrays.keys() == CHAIN.arrays({}).keys() and arrays["z_rare"] > 0
    assert bool(arrays["n_dk"]) == (chain.sizes["topics"] == SPARSE)


@pytest.mark.parametrize("victim", ["model", "bare", "stored_corpus", "chain", "finished_chain"])
def test_parts_that_are_not_as_declared(victim: str, request: pytest.FixtureRequest) -> None:
    if victim == "chain":
        victims = [request.getfixturevalue("chains")(n_topics) for n_topics in TOPICS]
    else:
        victims = [request.getfixturevalue(victim)]
    for each in victims:
        for damage in damages(each.reader):
            if victim == "bare" and damage.what.startswith("type "):
                continue  # all parts are opened, whichever are read
            message = each.refused({damage.name: damage.value})
            assert damage.said in message, damage
            assert any(said in message for said in REFUSED), damage
        each.use(each.directory)  # it is whole again


FORMS = {
    "model": MODEL,
    "chain": CHAIN,
    "plan": PLAN,
    "stored_corpus": STORED_CORPUS,
    "finished_chain": CHECKPOINT["finished1"],
}


@pytest.mark.parametrize("victim", FORMS)
def test_facts_that_are_not_as_declared(victim: str, request: pytest.FixtureRequest, chains: Chains) -> None:
    """A reader checks facts in this way when it opens; the next test opens."""
    whole = chains(3) if victim == "chain" else request.getfixturevalue(victim)
    form = FORMS[victim]
    form.check_facts(whole.reader.facts, Sizes(whole.sizes))
    for path, fact in facts_of(form).items():
        for value in others_than(fact):
            facts = deepcopy(whole.reader.facts)
            inner = facts
            for name in path[:-1]:
                inner = inner.setdefault(name, {})
            inner[path[-1]] = value
            with pytest.raises(ValueError, match=rf"\b{path[-1]}\b"):
                form.check_facts(facts, Sizes(whole.sizes))


@pytest.mark.parametrize(
    ("victim", "section", "name", "value"),
    [
        ("model", "parameters", "engine", "ray"),
        ("model", "parameters", "ray_address", "192.0.2.1:6379"),
        ("model", "parameters", "n_threads", 1000),
        ("model", "parameters", "always", ["x y"]),
        ("model", "topics", "n_threads", 5),
        ("model", "corpus", "texts", "elsewhere"),
        ("bare", "parameters", "engine", "ray"),
        ("plan", "run", "ray_address", "192.0.2.1:6379"),
    ],
)
def test_nothing_decides_what_is_not_declared(
    victim: str, section: str, name: str, value: Any, request: pytest.FixtureRequest
) -> None:
    """Guards against a forged model that has a later fit go to another machine."""
    message = request.getfixturevalue(victim).refused(
        change=lambda content: content["facts"][section].update({name: value})
    )
    assert f".json: damaged: {section}: found an unknown field '{name}'" in message


@pytest.mark.parametrize("section", ["phrases", "partition", "topics", "corpus", "parameters"])
def test_a_section_that_is_missing(model: Victim, section: str) -> None:
    """Facts alone, or with all its arrays and tables."""
    files = manifest(model.directory, "model")["files"]
    others = {file: known for file, known in files.items() if not file.startswith(section)}
    for left in (files, others):

        def without(content: dict[str, Any], left: dict[str, str] = left) -> None:
            del content["facts"][section]
            content["files"] = left

        assert "damaged" in model.refused(change=without)


# ------------------------------------------------------------------- models whose parts do not fit together


def model_misfits(model: Victim) -> Iterator[tuple[str, Any]]:
    """An array whose values are all allowed, and that does not fit the others."""
    array = model.reader.array
    yield "certainty-weight_low", np.ones(model.sizes["topics"])
    yield "certainty-frequency_low", array("certainty-frequency_high") + 1
    yield "certainty-frequency_high", np.zeros(model.sizes["type_topics"])
    tokens, clique_topic = array("topics-tokens"), array("topics-clique_topic")
    yield "topics-tokens", changed_at(tokens, slice(2), tokens[:2] + np.array((1, -1)))
    yield "topics-word_topic", array("topics-word_topic")[::-1].copy()
    yield "topics-clique_topic", (clique_topic + 1) % tokens.size
    yield "topics-clique_topic", changed_at(clique_topic, 5, -1)
    per_document, documents = array("topics-doc_topic_tokens"), array("topics-doc_topic_doc")
    yield "topics-doc_topic_tokens", changed_at(per_document, 0, per_document[0] + 1)
    yield "topics-doc_topic_doc", np.append(documents[1:], documents[-1:])
    yield "topics-frequency_mean", array("topics-frequency_mean") + 1
    yield "topics-frequency_type", array("topics-frequency_type") + 1
    yield "topics-frequency_topic", array("topics-frequency_topic")[::-1].copy()
    prefix, last, support = (array(f"phrases-{name}") for name in ("prefix", "last", "support"))
    starts, n_stems, n = array("phrases-length_start"), model.sizes["stems"], prefix.size
    yield "phrases-prefix", changed_at(prefix, -1, n - 1)  # itself
    yield "phrases-prefix", changed_at(prefix, -1, 0)  # two words less
    yield "phrases-prefix", changed_at(prefix, -1, -1)
    yield "phrases-prefix", changed_at(prefix, 0, 0)
    yield "phrases-last", changed_at(last, 0, 1)
    yield "phrases-length_start", np.where(starts == n_stems, n_stems + 1, starts)
    yield "phrases-length_start", np.where(starts == n_stems, n_stems - 1, starts)
    yield "phrases-length_start", np.array([0, n])
    yield "phrases-length_start", np.append(starts, n)
    yield "phrases-support", changed_at(support, -1, 0)
    yield "phrases-support", changed_at(support, slice(n_stems), 0)


def test_parts_of_a_model_that_do_not_fit_together(model: Victim) -> None:
    for name, values in model_misfits(model):
        same_type = values.astype(model.reader.array(name).dtype)
        assert "damaged: " in model.refused({name: same_type}), (name, values)


def test_phrases_that_reach_too_far(model: Victim) -> None:
    array = model.reader.array
    strength, chunk_start = array("partition-strength"), array("corpus-chunk_start")
    inside = np.setdiff1d(np.arange(chunk_start[-1]), chunk_start)[0]
    joined = np.flatnonzero(np.isfinite(strength))[0]
    for name, values, said in (
        ("partition-strength", changed_at(strength, chunk_start[1], 99.0), "no phrase reaches over the"),
        ("corpus-doc_start", np.sort(changed_at(array("corpus-doc_start"), 1, inside)), "starts a chunk"),
        ("corpus-stem_ids", changed_at(array("corpus-stem_ids"), joined, -1), "every word is in the vocab"),
    ):
        assert said in model.refused({name: values})


def use(model: ToPMine) -> None:
    """Everything that counts and judgements decide."""
    assert model.miner_ is not None
    new = ["support vector machine learning", "heavy-metal data mining of the tree"]
    assert model.miner_.phrases_.height >= 0
    assert model.miner_.quality_.height == model.miner_.fitted.judged.ids.size
    assert len(model.segment(new)) == len(model.transform(new)) == 2
    assert model.explain(new[0]).text == new[0]
    lower = lowered(model.miner_, 0.0)
    assert lower.transform(model.corpus_).clique_start[-1] == model.corpus_.n_tokens


def extremes(model: Victim) -> Iterator[dict[str, NDArray[Any]]]:
    array = model.reader.array
    judged, statistics, quality = (array(f"phrases-{name}") for name in ("judged", "statistics", "quality"))
    evidence, n = array("phrases-evidence"), array("phrases-prefix").size
    n_each = len(WEIGHTS)
    assert judged.size > 1
    for value in (0, 2**63 - 1):
        full = np.full_like(evidence, value)
        yield {"phrases-evidence": full, "phrases-support": full}
        last = changed_at(np.zeros_like(evidence), -1, value)
        yield {"phrases-evidence": last, "phrases-support": evidence}
    for value in (-1e6, 1e6, 1e300, np.inf, np.nan):
        yield {"phrases-quality": np.full_like(quality, value)}
        yield {"phrases-statistics": np.full_like(statistics, value)}
        yield {"phrases-statistics": np.where(np.arange(statistics.size) % 2, value, -value)}
    some = np.arange(n), np.arange(0), np.arange(n - 1, n), np.arange(1)
    for ids in (*some, judged[::-1], judged + n, judged - n):
        for value in (-100.0, 100.0):
            yield {
                "phrases-judged": ids.astype(np.int32),
                "phrases-quality": np.full(ids.size, value),
                "phrases-statistics": np.full(ids.size * n_each, value),
            }
    yield {"phrases-statistics": statistics[:-1]}
    yield {"phrases-statistics": statistics[:-n_each]}
    yield {"phrases-judged": judged[:-1]}


def test_extreme_counts_and_judgements_are_refused_or_harmless(model: Victim) -> None:
    """No kernel indexes out of bounds, and no number overflows."""
    n_used = n_refused = 0
    for changed in extremes(model):
        with model.damaged(changed):
            try:
                loaded = load(model.directory)
            except InputError as error:
                assert "damaged" in str(error)
                n_refused += 1
            else:
                use(loaded)
                n_used += 1
    assert n_used > 8
    assert n_refused > 8


# ------------------------------------------------------------------- chains whose parts do not fit together


def test_topics_that_are_not_those_of_rare_words_and_lists(chain: Victim) -> None:
    z, rare, n_topics = chain.reader.array("z"), chain.reader.array("z_rare"), chain.sizes["topics"]
    for changed in (z[::-1].copy(), np.zeros_like(z), ((z + 1) % n_topics).astype(np.uint16)):
        assert "do not match the topics of phrases" in chain.refused({"z": changed})
    others = [changed_at(rare, place, (rare[place] + 1) % n_topics) for place in (0, rare.size // 2, -1)]
    for changed in (*others, np.zeros_like(rare)):
        assert "the topics of rare words do not match" in chain.refused({"z_rare": changed})


def test_lists_of_topics_that_do_not_match(sparse: Victim) -> None:
    lists, sizes, n_topics = sparse.reader.array("n_dk"), sparse.reader.array("list_size"), SPARSE
    topic, tokens = 0, WIDTH  # the first slots of the topics and of the tokens of a document
    assert sizes[0] >= 2
    wide = lists.astype(np.int32)
    damaged: dict[str, np.ndarray] = {
        "another topic": changed_at(lists, topic, (lists[topic] + 1) % n_topics),
        "a topic twice": changed_at(lists, topic, lists[topic + 1]),
        "a topic that does not exist": changed_at(lists, topic, n_topics),
        "the largest topic": changed_at(lists, topic, 2**16 - 1),
        "more tokens": changed_at(lists, tokens, lists[tokens] + 1),
        "no tokens": changed_at(lists, tokens, 0),
        "the most tokens": changed_at(lists, tokens, 2**16 - 1),
        "a slot that should be free": changed_at(lists, int(sizes[0]), 7),
        "room behind the last list": changed_at(lists, -1, 1),
        "nothing": np.zeros_like(lists),
        "a topic that is right in its lower 16 bits": changed_at(wide, topic, 2**16 + int(lists[topic])),
        "more than 16 bits": changed_at(wide, topic, 2**31 - 1),
    }
    exchanged = changed_at(lists, [topic, topic + 1], lists[[topic + 1, topic]])
    if lists[tokens] != lists[tokens + 1]:
        damaged["two topics exchanged"] = exchanged
    for what, values in damaged.items():
        assert "lists of topics in documents do not match" in sparse.refused({"n_dk": values}), what
    for place in (0, sizes.size // 2, sizes.size - 1):
        for size in (0, sizes[place] + 1, sizes[place] - 1, 2**31 - 1):
            if 0 <= size != sizes[place]:
                message = sparse.refused({"list_size": changed_at(sizes, place, size)})
                assert "lists of topics in documents do not match" in message
    # The order of a list is part of the state, and any order is safe: topics and tokens move together.
    moved = changed_at(exchanged, [tokens, tokens + 1], lists[[tokens + 1, tokens]])
    with sparse.damaged({"n_dk": moved}):
        sparse.use(sparse.directory)


def frequency_misfits(chain: Victim, n_types: int) -> Iterator[dict[str, np.ndarray]]:
    names = ("keys", "sums", "squares")
    keys, sums, squares = (chain.reader.array(name) for name in names)
    types = keys // chain.sizes["topics"]
    several = int(np.flatnonzero(types[1:] == types[:-1])[0])  # a type that has two topics
    moved = (1, -1) if sums[several + 1] > 1 else (-1, 1)
    yield {"keys": changed_at(keys, -1, n_types * chain.sizes["topics"])}
    yield {"keys": changed_at(keys, -1, 2**63 - 1)}
    yield {"sums": changed_at(sums, 0, sums[0] + 1)}
    yield {"sums": changed_at(sums, -1, 2**63 - 1)}
    two = slice(several, several + 2)
    yield {"sums": changed_at(sums, two, sums[two] + moved)}  # the squares tell
    yield {"squares": changed_at(squares, -1, squares[-1] - 1)} if squares[-1] > 1 else {"sums": sums * 2}
    yield {"squares": np.ones_like(squares), "sums": sums * 2}
    yield {name: chain.reader.array(name)[:0] for name in names}
    yield {
        name: np.append(each, each[-1] + 1) for name, each in zip(names, (keys, sums, squares), strict=True)
    }
    three = np.flatnonzero(types[2:] == types[:-2])  # a type that has three topics: a sum beyond 64 bits
    if three.size:
        at = slice(three[0], three[0] + 3)
        total = sums[types == types[three[0]]].sum() + 2
        wrapped = changed_at(sums, at, (2**63 - 1, 2**63 - 1, total))
        yield {"sums": wrapped, "squares": np.full_like(sums, 2**62)}


def test_topical_frequencies_that_do_not_add_up(chain: Victim, partition: Partition) -> None:
    misfits = list(frequency_misfits(chain, partition.n_types))
    assert len(misfits) >= (10 if chain.sizes["topics"] == SPARSE else 9)
    for changed in misfits:
        assert "damaged: " in chain.refused(changed), changed


FACTS: dict[str, tuple[dict[str, Any], str]] = {
    "a sweep too many": ({"sweep": N_SWEEPS + 1}, "the state is of sweep 341; the run has 340"),
    "an endless sweep": ({"sweep": 2**63 - 1}, "of sweep 9,223,372,036,854,775,807; the run has"),
    "another sweep": ({"sweep": STOPPED - 1}, "not that of this run after sweep 249"),
    "the first sweep": ({"sweep": 0}, "not that of this run after sweep 0"),
    "no samples": ({"n_samples": 0}, "not that of this run after sweep 250"),
    "more samples": ({"n_samples": 2}, "not that of this run after sweep 250"),
    "other shards": ({"n_shards": 3}, "a chain with 3 shards, this one has 2"),
}


@pytest.mark.parametrize(("facts", "message"), FACTS.values(), ids=FACTS)
def test_facts_of_another_chain(chain: Victim, facts: dict[str, Any], message: str) -> None:
    assert message in chain.refused(change=lambda content: content["facts"].update(facts))


def test_sampled_sizes_that_do_not_add_up(chain: Victim) -> None:
    sampled = chain.reader.array("sampled")
    for changed in (changed_at(sampled, 0, sampled[0] + 1), sampled[:0], np.tile(sampled, 2)):
        assert "the sampled sizes of topics do not add up" in chain.refused({"sampled": changed})


def test_rows_and_priors_of_another_chain(chain: Victim) -> None:
    rows = [list(row) for row in chain.reader.facts["rows"]]
    later = [[row[0] + 1, *row[1:]] for row in rows]
    for changed in ([], rows[:-1], rows[1:], [*rows, rows[-1]], rows[::-1], later):
        message = chain.refused(change=lambda content, rows=changed: content["facts"].update(rows=rows))
        assert "not that of this run after sweep 250" in message
    alpha, n_topics = chain.reader.array("alpha"), chain.sizes["topics"]
    sampled = chain.reader.array("sampled")
    message = chain.refused({"alpha": np.append(alpha, alpha[0]), "sampled": np.append(sampled, 0)})
    assert f"a chain with {n_topics + 1} topics, this one has {n_topics}" in message
