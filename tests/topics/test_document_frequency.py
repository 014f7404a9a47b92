"""Documents of phrases in topics: against the definition, and by hand."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from models import EVERY, stored, usual
from oracles import document_frequency as oracle
from oracles.document_frequency import Instance

from topminer import ToPMine, load
from topminer.topics.results.entries import Entries


def documents_of(entries: Entries) -> list[list[Instance]]:
    """The phrase instances of each document."""
    model = entries.model
    partition, topics = model.partition_, model.lda_.clique_topic_.tolist()
    kinds, start = partition.type_ids.tolist(), partition.doc_start.tolist()
    lengths = np.diff(partition.clique_start).tolist()
    of_type = [*entries.entry_of.tolist(), -1]
    instances = [
        Instance(of_type[kind], topic, length)
        for kind, topic, length in zip(kinds, topics, lengths, strict=True)
    ]
    return [instances[start[d] : start[d + 1]] for d in range(len(partition))]


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("tie", [True, False], ids=["tied", "apart"])
def test_documents_are_as_defined(name: str, tie: bool) -> None:
    entries = Entries.of(EVERY[name](), tie=tie)
    documents = documents_of(entries)
    several = np.flatnonzero(entries.lengths > 1)
    frequency = entries.document_frequency
    assert frequency.documents.tolist() == [oracle.n_documents(documents, i) for i in several.tolist()]
    places = [place for place, entry in enumerate(entries.frequency.types) if entries.lengths[entry] > 1]
    assert frequency.in_topic.size == len(places)
    for place, found in zip(places, frequency.in_topic.tolist(), strict=True):
        entry, k = (int(each[place]) for each in entries.frequency[:2])
        assert found == pytest.approx(oracle.in_topic(documents, entry, k), abs=5.1e-4)
        assert entries.in_topic[place] == found


def test_a_worked_example() -> None:
    rest = [Instance(9, 0, 10), Instance(8, 1, 5)], [Instance(8, 1, 5)]
    documents = [[Instance(7, 0, 2), *rest[0]], [*rest[1], Instance(7, 0, 2)]]
    assert oracle.in_topic(documents, 7, 0) == 15 / 20 + 5 / 10
    assert oracle.n_documents(documents, 7) == 2


def test_single_words_count_by_their_instances() -> None:
    entries = Entries.of(usual())
    alone = entries.lengths == 1
    assert entries.documents[alone].tolist() == entries.totals[alone].tolist()
    here = alone[entries.frequency.types]
    assert entries.in_topic[here].tolist() == entries.frequency.mean[here].tolist()


@pytest.mark.parametrize("tie", [True, False], ids=["tied", "apart"])
def test_a_model_without_its_documents_knows_them(tie: bool) -> None:
    bare: ToPMine = load(stored(), documents=False)
    expected, found = (Entries.of(model, tie=tie).document_frequency for model in (usual(), bare))
    assert found.documents.tolist() == expected.documents.tolist()
    assert found.in_topic.tolist() == expected.in_topic.tolist()


def test_kept_documents_of_another_length_are_found_anew(tmp_path: Path) -> None:
    directory = shutil.copytree(stored(), tmp_path / "model")
    expected = load(directory, documents=False).topics()
    whole = (directory / "names.json").read_text()
    kept = json.loads(whole)
    for name in ("documents", "in_topic"):
        (directory / "names.json").write_text(json.dumps({**kept, name: kept[name][:-1]}))
        assert load(directory, documents=False).topics() == expected == usual().topics()
        assert (directory / "names.json").read_text() == whole


def test_a_document_that_is_only_the_phrase_has_its_topics() -> None:
    documents = ["Frequent patterns."] * 30 + ["Query plans."] * 30
    model = ToPMine(2, n_sweeps=20, min_support=5, quality=None, random_state=0, n_threads=1).fit(documents)
    entries = Entries.of(model)
    several = (entries.lengths > 1)[entries.frequency.types]
    last = np.bincount(model.lda_.clique_topic_, minlength=2)
    assert several.any()
    for entry in np.flatnonzero(entries.lengths > 1).tolist():
        here = entries.frequency.types == entry
        assert entries.in_topic[here].sum() == pytest.approx(entries.documents[entry], abs=0.01)
    assert entries.in_topic[several].sum() == pytest.approx(last.sum(), abs=0.01)
