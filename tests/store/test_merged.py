"""Several things stored as one."""

from pathlib import Path

import numpy as np
import pytest
from directories import data_folder
from polars.testing import assert_frame_equal
from small_thing import ARRAYS, FACTS, TABLES
from stored_things import declared

from topminer import InputError, store
from topminer.store import Stored


def test_several_things_as_one_and_back(tmp_path: Path) -> None:
    corpus = Stored(FACTS, ARRAYS, TABLES)
    topics = Stored({"n": 2}, {"ids": np.array([7]), "corpus-ids": np.array([8])}, {})
    one = store.merged({"corpus": corpus, "topics": topics, "nothing": Stored({}, {}, {})})
    assert one.facts == {"corpus": FACTS, "topics": {"n": 2}, "nothing": {}}
    assert {"corpus-ids", "topics-ids", "topics-corpus-ids"} < set(one.arrays)
    assert set(one.tables) == {"corpus-words", "corpus-none"}
    form = declared("thing", one.facts, one.arrays, one.tables)
    store.write(tmp_path, form, one, overwrite=False)
    assert "corpus-ids.0000.npy" in {path.name for path in data_folder(tmp_path).iterdir()}
    back = store.read(tmp_path, form)
    for name, each in {"corpus": corpus, "topics": topics, "nothing": Stored({}, {}, {})}.items():
        got = store.part(back, name)
        assert got.facts == each.facts
        assert {key: array.tolist() for key, array in got.arrays.items()} == {
            key: array.tolist() for key, array in each.arrays.items()
        }
        assert set(got.tables) == set(each.tables)
    assert_frame_equal(store.part(back, "corpus").tables["words"], TABLES["words"])


def test_parts_of_parts() -> None:
    inner = store.merged({"b": Stored({"n": 1}, {"x": np.arange(2)}, {})})
    got = store.part(store.part(store.merged({"a": inner, "b": inner}), "a"), "b")
    assert got.facts == {"n": 1}
    assert set(got.arrays) == {"x"}


def test_a_part_that_is_missing() -> None:
    one = store.merged({"topics": Stored({}, {}, {}), "corpus": Stored({}, {}, {})})
    with pytest.raises(InputError, match=r"there is no phrases in what was stored; found: corpus, topics$"):
        store.part(one, "phrases")
    with pytest.raises(InputError, match="there is no corpus in what was stored; found: no parts"):
        store.part(Stored({"corpus": 3}, {"corpus-x": np.arange(2)}, {}), "corpus")
