"""Models that somebody damaged on purpose, checksums and all: every one is refused before a kernel runs."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from directories import forge, manifest, rewrite
from numpy.typing import NDArray
from small_models import TOPICS, other_columns, other_lengths, other_rows, other_types, other_values

from topminer import Corpus, InputError, ToPMine, load
from topminer.phrases.miner import lowered
from topminer.phrases.quality import WEIGHTS
from topminer.store import Reader
from topminer.store.facts import Fact, Flag, Float, Int, ListOf, Names, OneOf, Record, Text
from topminer.store.formats import MODEL, STORED_CORPUS

WHOLE = {section: {} for section in MODEL.sections}  # all sections are there
ARRAYS, TABLES = list(MODEL.arrays(WHOLE)), list(MODEL.tables(WHOLE))
# Nothing tells how many of these there must be.
MAY_BE_LONGER = ("corpus-surfaces", "corpus-gaps", "topics-history")
MAY_BE_SHORTER = ("topics-history",)


class Victim:
    """A model that is damaged again and again, and is whole in between."""

    def __init__(self, model: Path, directory: Path) -> None:
        self._model, self.directory = model, Path(shutil.copytree(model, directory))
        self.reader = Reader(model, MODEL)
        self.sizes = self.reader._contents.sizes

    @contextmanager
    def forged(self, changed: dict[str, Any]) -> Iterator[None]:
        """Give the model other arrays or tables for a while."""
        before = (self.directory / "model.json").read_bytes()
        forge(self.directory, "model", **{name.replace("-", "__"): value for name, value in changed.items()})
        try:
            yield
        finally:
            folder = manifest(self._model, "model")["data"]
            for name in changed:
                for path in (self._model / folder).glob(f"{name}.*"):
                    shutil.copyfile(path, self.directory / folder / path.name)
            (self.directory / "model.json").write_bytes(before)

    def refused(self, *, documents: bool = True, **changed: Any) -> str:
        """What is said of the model with other arrays or tables."""
        with self.forged(changed), pytest.raises(InputError) as raised:
            load(self.directory, documents=documents)
        message = str(raised.value)
        assert message.startswith(str(self.directory))
        assert "\n" not in message
        return message


@pytest.fixture(scope="module")
def victim(models: dict[int, Path], tmp_path_factory: pytest.TempPathFactory) -> Victim:
    return Victim(models[TOPICS[0]], tmp_path_factory.mktemp("victim") / "model")


@pytest.mark.parametrize("n_topics", TOPICS)
def test_the_parts_are_the_same_whatever_samples(models: dict[int, Path], n_topics: int) -> None:
    reader = Reader(models[n_topics], MODEL)
    assert (set(reader.arrays), set(reader.tables)) == (set(ARRAYS), set(TABLES))
    assert load(models[n_topics]).lda_.n_topics == n_topics


def test_what_is_whole_loads(victim: Victim) -> None:
    """Also after all the damage below."""
    loaded = load(victim.directory)
    assert loaded.lda_.history_.height == 6
    assert set(victim.reader.arrays) == set(ARRAYS)
    assert set(victim.reader.tables) == set(TABLES)


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_another_type_or_shape(victim: Victim, name: str) -> None:
    for what, values in other_types(victim.reader.array(name)):
        assert f"{name}.0000.npy: damaged: " in victim.refused(**{name: values}), what


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_another_length(victim: Victim, name: str) -> None:
    for what, values in other_lengths(victim.reader.array(name)):
        assert "damaged: " in victim.refused(**{name: values}), what


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_with_values_that_are_not_allowed(victim: Victim, name: str) -> None:
    declared = MODEL.arrays(WHOLE)[name]
    for what, values in other_values(victim.reader.array(name), declared, victim.sizes):
        assert f"{name}.0000.npy: damaged: " in victim.refused(**{name: values}), what


@pytest.mark.parametrize("name", TABLES)
def test_tables_with_other_columns_or_values(victim: Victim, name: str) -> None:
    table, declared = victim.reader.table(name), MODEL.tables(WHOLE)[name]
    for what, changed in [*other_columns(table), *other_rows(table, declared, victim.sizes)]:
        assert f"{name}.0000.parquet: damaged: " in victim.refused(**{name: changed}), what


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_another_length(victim: Victim, name: str) -> None:
    table = victim.reader.table(name)
    if name not in MAY_BE_LONGER:
        assert "damaged: " in victim.refused(**{name: pl.concat([table, table.tail(1)])})
    if name not in MAY_BE_SHORTER:
        assert "damaged: " in victim.refused(**{name: table.head(table.height - 1)})
        assert "damaged: " in victim.refused(**{name: table.clear()})


# ------------------------------------------------------- every value is allowed, and they do not fit together


def test_topics_that_do_not_add_up(victim: Victim) -> None:
    array = victim.reader.array
    tokens = array("topics-tokens")
    moved = tokens.copy()
    moved[:2] += (1, -1)
    clique_topic, n_topics = array("topics-clique_topic"), tokens.size
    others = (clique_topic + 1) % n_topics
    per_document = array("topics-doc_topic_tokens").copy()
    per_document[0] += 1
    documents, mean = array("topics-doc_topic_doc"), array("topics-frequency_mean")
    for changed in (
        {"topics-tokens": moved},
        {"topics-word_topic": array("topics-word_topic")[::-1].copy()},
        {"topics-clique_topic": others},
        {"topics-clique_topic": np.where(np.arange(clique_topic.size) == 5, -1, clique_topic)},
        {"topics-doc_topic_tokens": per_document},
        {"topics-doc_topic_doc": np.append(documents[1:], documents[-1:])},
        {"topics-frequency_mean": mean + 1},
        {"topics-frequency_type": array("topics-frequency_type") + 1},
        {"topics-frequency_topic": array("topics-frequency_topic")[::-1].copy()},
    ):
        assert "damaged: " in victim.refused(**{name: np.asarray(each) for name, each in changed.items()})


def test_phrases_that_are_no_tree(victim: Victim) -> None:
    array = victim.reader.array
    prefix, last = array("phrases-prefix"), array("phrases-last")
    length_start, support = array("phrases-length_start"), array("phrases-support")
    n_stems, n = victim.sizes["stems"], prefix.size
    at = np.arange(n)
    for changed in (
        {"phrases-prefix": np.where(at == n - 1, n - 1, prefix)},  # itself
        {"phrases-prefix": np.where(at == n - 1, 0, prefix)},  # two words less
        {"phrases-prefix": np.where(at == n - 1, -1, prefix)},
        {"phrases-prefix": np.where(at == 0, 0, prefix)},
        {"phrases-last": np.where(at == 0, 1, last)},
        {"phrases-length_start": np.where(length_start == n_stems, n_stems + 1, length_start)},
        {"phrases-length_start": np.where(length_start == n_stems, n_stems - 1, length_start)},
        {"phrases-length_start": np.array([0, n])},
        {"phrases-length_start": np.append(length_start, n)},
        {"phrases-support": np.where(at == n - 1, 0, support)},
        {"phrases-support": np.where(at < n_stems, 0, support)},
    ):
        same = {name: each.astype(array(name).dtype) for name, each in changed.items()}
        assert "damaged: phrases-" in victim.refused(**same).replace(
            ".0000.npy: damaged: phr", "damaged: phr"
        )


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


def extremes(victim: Victim) -> Iterator[dict[str, NDArray[Any]]]:
    array = victim.reader.array
    judged, statistics, quality = (array(f"phrases-{name}") for name in ("judged", "statistics", "quality"))
    evidence, n = array("phrases-evidence"), array("phrases-prefix").size
    n_each = len(WEIGHTS)
    assert judged.size > 1
    for value in (0, 2**63 - 1):
        yield {
            "phrases-evidence": np.full_like(evidence, value),
            "phrases-support": np.full_like(evidence, value),
        }
        yield {"phrases-evidence": np.where(np.arange(n) == n - 1, value, 0), "phrases-support": evidence}
    for value in (-1e6, 1e6, 1e300, np.inf, np.nan):
        yield {"phrases-quality": np.full_like(quality, value)}
        yield {"phrases-statistics": np.full_like(statistics, value)}
        yield {"phrases-statistics": np.where(np.arange(statistics.size) % 2, value, -value)}
    for ids in (
        np.arange(n),
        np.arange(0),
        np.arange(n - 1, n),
        np.arange(1),
        judged[::-1],
        judged + n,
        judged - n,
    ):
        for value in (-100.0, 100.0):
            yield {
                "phrases-judged": ids.astype(np.int32),
                "phrases-quality": np.full(ids.size, value),
                "phrases-statistics": np.full(ids.size * n_each, value),
            }
    yield {"phrases-statistics": statistics[:-1]}
    yield {"phrases-statistics": statistics[:-n_each]}
    yield {"phrases-judged": judged[:-1]}


def test_extreme_counts_and_judgements_are_refused_or_harmless(victim: Victim) -> None:
    """No kernel indexes out of bounds, and no number overflows."""
    n_used = n_refused = 0
    for changed in extremes(victim):
        with victim.forged(changed):
            try:
                model = load(victim.directory)
            except InputError as error:
                assert "damaged" in str(error)
                n_refused += 1
            else:
                use(model)
                n_used += 1
    assert n_used > 8
    assert n_refused > 8


def test_phrases_that_reach_too_far(victim: Victim) -> None:
    array = victim.reader.array
    strength, chunk_start = array("partition-strength"), array("corpus-chunk_start")
    joined = strength.copy()
    joined[chunk_start[1]] = 99.0
    assert "no phrase reaches over the start of a chunk" in victim.refused(**{"partition-strength": joined})
    inside = np.setdiff1d(np.arange(chunk_start[-1]), chunk_start)[0]
    moved = array("corpus-doc_start").copy()
    moved[1] = inside
    assert "every document starts a chunk" in victim.refused(**{"corpus-doc_start": np.sort(moved)})
    stem_ids = array("corpus-stem_ids").copy()
    stem_ids[np.flatnonzero(np.isfinite(strength))[0]] = -1
    assert "every word is in the vocabulary" in victim.refused(**{"corpus-stem_ids": stem_ids})


# ---------------------------------------------------------------------------------------------------- facts


def others_than(fact: Fact) -> Iterator[Any]:
    """Values that a fact must not have."""
    yield from (10**400, float("nan"), float("-inf"), [[]], {"x": 1}, "\0?")
    if not isinstance(fact, OneOf):
        yield None
    if isinstance(fact, Int):
        yield from (fact.low - 1, fact.high + 1, 1.0, True, "1")
    if isinstance(fact, Float):
        yield from (fact.low - 1, True, "1", *(() if fact.infinite else (float("inf"),)))
    if isinstance(fact, Flag):
        yield from (0, 1, "true")
    if isinstance(fact, Text):
        yield from (1, ["x"], *(("",) if fact.choices else ()))
    if isinstance(fact, ListOf):
        yield from ("x", {}, [None], [[-1]], [[2**40]])
    if isinstance(fact, Names):
        yield from ([], {"x": None})


def facts_in(record: Record, *path: str) -> Iterator[tuple[tuple[str, ...], Fact]]:
    for name, fact in record.fields.items():
        yield (*path, name), fact
        if isinstance(fact, Record):
            yield from facts_in(fact, *path, name)


ALL_FACTS = dict(
    facts_in(Record({**{name: section.facts for name, section in MODEL.sections.items()}, **MODEL.facts}))
)
# A text may be any text, a list of texts any list of them: whoever reads a text by rules checks the rules.
ANY_TEXT = {path for path, fact in ALL_FACTS.items() if "text" in str(fact)}


@pytest.mark.parametrize("path", ALL_FACTS, ids=".".join)
def test_facts_that_are_not_as_declared(
    models: dict[int, Path], tmp_path: Path, path: tuple[str, ...]
) -> None:
    directory = Path(shutil.copytree(models[3], tmp_path / "model"))
    whole = (directory / "model.json").read_bytes()
    values = [value for value in others_than(ALL_FACTS[path]) if path not in ANY_TEXT or value != "\0?"]
    for value in values:

        def change(content: dict[str, Any], value: Any = value) -> None:
            inner = content["facts"]
            for name in path[:-1]:
                inner = inner.setdefault(name, {})
            inner[path[-1]] = value

        rewrite(directory, change, "model")
        with pytest.raises(InputError, match=r"model\.json: damaged: ") as raised:
            load(directory)
        assert path[-1] in str(raised.value)
        (directory / "model.json").write_bytes(whole)


@pytest.mark.parametrize(
    ("section", "name", "value"),
    [
        ("parameters", "engine", "ray"),
        ("parameters", "ray_address", "192.0.2.1:6379"),
        ("parameters", "n_threads", 1000),
        ("parameters", "stop_words", ["x"]),
        ("parameters", "always", ["x y"]),
        ("parameters", "random_state", 5),
        ("topics", "n_threads", 5),
        ("corpus", "texts", "elsewhere"),
    ],
)
def test_a_model_decides_nothing_that_is_not_declared(
    models: dict[int, Path], tmp_path: Path, section: str, name: str, value: Any
) -> None:
    """Guards against a forged model that has a later fit go to another machine."""
    directory = Path(shutil.copytree(models[3], tmp_path / "model"))
    rewrite(directory, lambda content: content["facts"][section].update({name: value}), "model")
    refused = rf"model\.json: damaged: {section}: found an unknown field '{name}'"
    for documents in (True, False):
        with pytest.raises(InputError, match=refused):
            load(directory, documents=documents)


@pytest.mark.parametrize("section", ["phrases", "partition", "topics", "corpus", "parameters"])
def test_a_section_that_is_missing(models: dict[int, Path], tmp_path: Path, section: str) -> None:
    """Facts alone, or with all its arrays and tables."""
    directory = Path(shutil.copytree(models[3], tmp_path / "model"))

    def without(content: dict[str, Any]) -> None:
        del content["facts"][section]

    rewrite(directory, without, "model")
    with pytest.raises(InputError, match="damaged"):
        load(directory)
    files = manifest(directory, "model")["files"]
    files = {file: known for file, known in files.items() if not file.startswith(section)}
    rewrite(directory, lambda content: content.update(files=files), "model")
    with pytest.raises(InputError, match="damaged"):
        load(directory)


def test_the_same_checks_without_documents(victim: Victim) -> None:
    declared = MODEL.arrays(WHOLE)
    for name in (name for name in ARRAYS if not victim.reader.is_of_documents(name)):
        array = victim.reader.array(name)
        for what, values in [*other_lengths(array), *other_values(array, declared[name], victim.sizes)]:
            assert "damaged: " in victim.refused(documents=False, **{name: values}), what
    assert load(victim.directory, documents=False).transform(["data streams"]).shape[0] == 1


# -------------------------------------------------------------------------------------------------- corpora


@pytest.mark.parametrize("name", STORED_CORPUS.arrays({}))
def test_a_corpus_alone(corpus: Corpus, tmp_path: Path, name: str) -> None:
    corpus.save(tmp_path)
    reader = Reader(tmp_path, STORED_CORPUS)
    array, declared, sizes = reader.array(name), STORED_CORPUS.arrays({})[name], reader._contents.sizes
    for _, values in [*other_types(array), *other_lengths(array), *other_values(array, declared, sizes)]:
        forge(tmp_path, "corpus", **{name: values})
        with pytest.raises(InputError, match="damaged: "):
            Corpus.load(tmp_path)
    forge(tmp_path, "corpus", **{name: array})
    assert len(Corpus.load(tmp_path)) == 121
