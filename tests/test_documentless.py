"""Models loaded without their documents: the same for new ones, and nothing made up about their own."""

import copy
import json
import pickle
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from topminer import InputError, ToPMine, load
from topminer.loading import load_to_explain
from topminer.phrases.miner import lowered
from topminer.pipeline import stored_model
from topminer.topics.results.entries import ORDERS
from topminer.topics.results.summary import ranked_topics

GROUPS = (["apples and pears", "fresh fruit salad", "plums"], ["iron", "heavy metal alloys", "zinc"])
TEXTS = [", ".join(group[(i + j) % 3] for j in range(4)) for i in range(30) for group in GROUPS] + [""]
NEW = [
    "Zinc and a heavy metal alloy.",
    "",
    "Xylophones, plums! Fresh fruit salads",
    "iron alloys, iron plums",
]
LOST = "loaded without its documents"


@pytest.fixture(scope="module", params=[True, False], ids=["phrases", "words"])
def directory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("documentless") / "model"
    never = ["apples and pears"] if request.param else None
    model = ToPMine(2, n_sweeps=20, random_state=1, phrases=request.param, never=never)
    model.fit(TEXTS).save(path)
    return path


@pytest.fixture
def without(directory: Path) -> ToPMine:
    return load(directory, documents=False)


def test_new_documents_are_treated_alike(directory: Path, without: ToPMine) -> None:
    whole = load(directory)
    assert without.transform(NEW).tobytes() == whole.transform(NEW).tobytes()
    assert without.segment(NEW) == whole.segment(NEW)
    assert without.score(TEXTS) == whole.score(TEXTS)
    for mine, theirs in zip(without.infer(NEW)[1], whole.infer(NEW)[1], strict=True):
        assert np.array_equal(mine, theirs)
    assert without.lda_.topic_word_.tobytes() == whole.lda_.topic_word_.tobytes()
    assert without.get_params() == whole.get_params()
    assert without.corpus_.vocabulary.equals(whole.corpus_.vocabulary)
    assert without.lda_.history_.equals(whole.lda_.history_)


def test_topics_are_shown_alike(directory: Path, without: ToPMine) -> None:
    whole = load(directory)
    assert without.topics() == whole.topics()
    assert without._repr_html_() == whole._repr_html_()
    mine, theirs = without.partition_, whole.partition_
    assert mine.type_surfaces() == theirs.type_surfaces() and mine.n_types == theirs.n_types
    assert np.array_equal(mine.instances(), theirs.instances())
    for order, tie in product(ORDERS, (True, False)):
        shown = [ranked_topics(each, order=order, tie=tie, background=True) for each in (without, whole)]
        assert shown[0] == shown[1]
    assert np.array_equal(mine.instances(), theirs.instances())  # no order has changed them


def test_tokens_alone_are_enough_to_explain(directory: Path) -> None:
    whole = load(directory)
    if whole.miner_ is not None:
        for text in NEW:
            assert load_to_explain(directory).explain(text) == whole.explain(text)


def test_texts_are_explained(directory: Path, without: ToPMine) -> None:
    if without.miner_ is None:
        pytest.skip("nothing was merged")
    whole = load(directory)
    for text in NEW:
        mine, theirs = without.explain(text), whole.explain(text)
        assert (mine.merges, mine.phrases, mine.tokens) == (theirs.merges, theirs.phrases, theirs.tokens)


NEEDS_DOCUMENTS: dict[str, Callable[[ToPMine], Any]] = {
    "stored": stored_model,
    "own documents": lambda model: model.lda_.doc_topic_,
    "some of them": lambda model: model.lda_.shares(0, 2),
    "cliques": lambda model: model.lda_.clique_topic_.size,
    "an array": lambda model: np.asarray(model.lda_.clique_topic_),
    "a slice": lambda model: model.lda_.clique_topic_[1:],
    "a length": lambda model: len(model.partition_),
    "lists": lambda model: model.partition_.to_lists(),
    "iteration": lambda model: list(model.partition_),
}


def test_what_needs_the_documents_says_so(without: ToPMine, tmp_path: Path) -> None:
    for need in NEEDS_DOCUMENTS.values():
        with pytest.raises(InputError, match=LOST):
            need(without)
    with pytest.raises(InputError, match=LOST):
        without.save(tmp_path / "copy")
    assert not list(tmp_path.iterdir())


def test_phrases_with_their_instances_need_the_documents(without: ToPMine) -> None:
    if without.miner_ is not None:
        with pytest.raises(InputError, match=LOST):
            _ = without.miner_.phrases_
        with pytest.raises(InputError, match=LOST):
            without.transform(without.corpus_)
        with pytest.raises(InputError, match="the documents of the model are not loaded"):
            lowered(without.miner_, 1.0)


def test_it_can_be_shown_copied_and_sent(without: ToPMine) -> None:
    assert repr(without.partition_) == "<not loaded>"
    for other in (copy.deepcopy(without), copy.copy(without), pickle.loads(pickle.dumps(without, 5))):
        assert other.transform(NEW).tobytes() == without.transform(NEW).tobytes()
        assert other.topics() == without.topics()
        with pytest.raises(InputError, match=LOST):
            other.lda_.doc_topic_.sum()


def test_it_can_be_fitted_anew(without: ToPMine) -> None:
    without.fit(TEXTS)
    assert len(without.topics()) == 2


def test_files_of_documents_are_left_alone(directory: Path, tmp_path: Path) -> None:
    """Their headers tell that they are of the right types and lengths; nothing else of them is read."""
    other = Path(shutil.copytree(directory, tmp_path / "other"))
    content = json.loads((other / "model.json").read_text(encoding="utf-8"))
    needed = {"topics-word_topic", "topics-tokens", "topics-alpha", "topics-history", "corpus-vocabulary"}
    needed |= {f"topics-frequency_{name}" for name in ("type", "topic", "mean", "spread")}
    needed |= {f"partition-{name}" for name in ("type_start", "type_stems", "instances", "surfaces")}
    expected = load(directory).transform(NEW)
    for file in content["files"]:
        path = other / content["data"] / file
        whole, changed = path.read_bytes(), bytearray(path.read_bytes())
        changed[-1 if file.endswith("npy") else 10] ^= 1
        path.write_bytes(changed)
        with pytest.raises(InputError, match="checksum differs"):
            load(other)
        if file.startswith("phrases-") or file.split(".")[0] in needed:
            with pytest.raises(InputError, match="checksum differs"):
                load(other, documents=False)
        else:
            assert load(other, documents=False).transform(NEW).tobytes() == expected.tobytes()
        path.write_bytes(whole)


def test_a_file_that_is_missing(directory: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(directory, tmp_path / "other"))
    for path in sorted(other.glob("model-*/*")):
        path.rename(tmp_path / "away")
        with pytest.raises(InputError, match="missing; the model is damaged"):
            load(other, documents=False)
        (tmp_path / "away").rename(path)
