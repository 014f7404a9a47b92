"""The table of strings against a dictionary."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from corpora import needs_jit
from hypothesis import given
from hypothesis import strategies as st

from topminer.containers import strings as module
from topminer.containers.strings import (
    FEW_BYTES,
    SPARE,
    Strings,
    StringTable,
    as_words,
    strings_of,
)
from topminer.jit import kernel

pytestmark = pytest.mark.small

BITS_64 = (1 << 64) - 1


@kernel
def _key(words, start, length):
    return module._key(words, start, length)


@kernel
def _home(low, high, n_slots):
    return module._home(low, high, n_slots)


JIT_IS_ON = hasattr(_key, "py_func")

# Few letters and all lengths around the eight bytes that are read at a time: much is equal, or nearly.
strings = st.one_of(
    st.text("ab", max_size=40).map(str.encode),
    st.binary(max_size=40),
    st.builds(lambda n, tail: b"x" * n + tail, st.integers(0, 40), st.binary(max_size=2)),
    st.builds(lambda n, tail: bytes(n) + tail, st.integers(0, 40), st.sampled_from([b"", b"\0", b"a"])),
)


def add(table: StringTable, strings: list[bytes], dtype: type = np.int32, pad: bytes = b"") -> list[int]:
    """Ids of strings that lie in one buffer, with ``pad`` before each."""
    stops = np.cumsum([len(pad) + len(string) for string in strings], dtype=dtype)
    starts = stops - np.array([len(string) for string in strings], dtype)
    return table.add(as_words(b"".join(pad + string for string in strings)), starts, stops).tolist()


def held(table: StringTable) -> list[bytes]:
    data = table.words.view(np.uint8)
    return [data[start:stop].tobytes() for start, stop in pairwise(table.bounds)]


def ids_by_dict(strings: list[bytes]) -> tuple[list[int], list[bytes]]:
    numbers: dict[bytes, int] = {}
    return [numbers.setdefault(string, len(numbers)) for string in strings], list(numbers)


def check(strings: list[bytes], **how: object) -> None:
    table = StringTable()
    ids, distinct = ids_by_dict(strings)
    assert add(table, strings, **how) == ids  # type: ignore[arg-type]
    assert len(table) == len(distinct)
    assert held(table) == distinct


@given(st.lists(strings, max_size=60), st.sampled_from([np.int32, np.int64]), st.binary(max_size=9))
def test_ids_are_those_of_a_dictionary(strings: list[bytes], dtype: type, pad: bytes) -> None:
    check(strings, dtype=dtype, pad=pad)


@given(st.lists(st.lists(strings, max_size=20), max_size=4))
def test_tables_added_up_are_one(parts: list[list[bytes]]) -> None:
    everything, ids = StringTable(), []
    for part in parts:
        one = StringTable()
        own = add(one, part)
        number = everything.add_strings(one.since())
        ids += number[own].tolist()
    assert (ids, held(everything)) == ids_by_dict([string for part in parts for string in part])


@given(st.data())
def test_spans_may_overlap_and_lie_anywhere(data: st.DataObject) -> None:
    text = data.draw(st.text("ab\0", min_size=1, max_size=60)).encode()
    ends = st.integers(0, len(text))
    spans = [sorted(span) for span in data.draw(st.lists(st.tuples(ends, ends), max_size=40))]
    starts, stops = (np.array([span[i] for span in spans], np.int32) for i in (0, 1))
    ids = StringTable().add(as_words(text), starts, stops)
    assert ids.tolist() == ids_by_dict([text[start:stop] for start, stop in spans])[0]


@needs_jit
@pytest.mark.parametrize("length", [3, 9, 30])
def test_it_grows(length: int) -> None:
    """Past the first size of each of its parts, several times."""
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 30_000, 60_000)
    check([str(number).encode().rjust(length, b".")[-length:] for number in numbers])


@pytest.mark.parametrize("length", [16_000, 16_368, 16_369, 16_384, 100_000])
def test_one_string_longer_than_all_it_has_room_for(length: int) -> None:
    length = length if JIT_IS_ON else min(length, 16_384)
    check([b"a", b"x" * length, b"b", b"x" * length, b"x" * (length - 1), b"a"])


def test_strings_that_meet_in_one_slot() -> None:
    """Short strings whose search starts at the same slot of the table."""
    n_slots = 1 << 12
    slots: dict[int, list[bytes]] = {}
    for number in range(200_000 if JIT_IS_ON else 2_000):
        string = b"%d" % number
        slots.setdefault(home(string, n_slots), []).append(string)
    crowded = max(slots.values(), key=len)
    last = slots.get(n_slots - 1, [])  # from here the search goes on at slot 0
    check((crowded + last + slots.get(0, [])) * 2)


def home(string: bytes, n_slots: int) -> int:
    low, high = _key(as_words(string), 0, len(string))
    return int(_home(low, high, n_slots))


def mixed(word: int) -> int:
    """One step of the hash, in Python's integers."""
    h = word * 0x9E3779B97F4A7C15 & BITS_64
    return h ^ (h >> 32)


def test_different_strings_with_equal_keys() -> None:
    """Each second half is chosen such that the whole hashes the same: only their bytes differ."""
    halves = [b"%08d" % number for number in range(50)]
    goal = 0x0123456789ABCDEF
    strings = [
        half + (goal ^ mixed(16 ^ int.from_bytes(half, "little"))).to_bytes(8, "little") for half in halves
    ]
    assert len({tuple(map(int, _key(as_words(string), 0, 16))) for string in strings}) == 1
    check([*strings, strings[0] + b"!", *reversed(strings)])


@pytest.mark.parametrize("n", range(20))
def test_words_have_bytes_to_spare(n: int) -> None:
    words = as_words(b"x" * n)
    assert words.nbytes >= n + SPARE
    assert words.tobytes() == b"x" * n + bytes(words.nbytes - n)


@given(st.lists(strings, max_size=20), st.integers(0, 20))
def test_strings_in_and_out(strings: list[bytes], n: int) -> None:
    distinct = list(dict.fromkeys(strings))
    table = StringTable()
    table.add_strings(strings_of(strings))
    assert table.since().to_list() == distinct
    assert table.since(min(n, len(distinct))).to_list() == distinct[n:]
    assert strings_of(strings).to_list() == strings


def test_strings_stay_as_they_are_while_others_are_added() -> None:
    """Another thread reads them meanwhile."""
    table = StringTable()
    add(table, [b"%d" % number for number in range(100)])
    strings = table.since(50)
    add(table, [b"%d" % number for number in range(5_000)])
    assert strings.to_list() == [b"%d" % number for number in range(50, 100)]


@given(st.lists(strings, max_size=30), st.lists(strings, max_size=30))
def test_finding_strings_is_looking_them_up(known: list[bytes], wanted: list[bytes]) -> None:
    table = StringTable()
    table.add_strings(strings_of(known))
    ids = {string: i for i, string in enumerate(dict.fromkeys(known))}
    assert table.find_strings(strings_of(wanted)).tolist() == [ids.get(string, -1) for string in wanted]
    assert held(table) == list(ids)


@pytest.mark.parametrize("few_bytes", [0, FEW_BYTES])
@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=20))
def test_a_column_of_texts_and_back(few_bytes: int, texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FEW_BYTES", few_bytes)
        strings = Strings.from_series(pl.Series(texts, dtype=pl.String))
        assert strings.to_list() == [text.encode() for text in texts]
        assert strings.to_series().to_list() == texts
        assert strings.to_series(np.arange(1, len(texts), 2)).to_list() == texts[1::2]


def test_counts_over_several_additions() -> None:
    table, counts = StringTable(), np.zeros(0, np.int64)
    for words in (b"to be or".split(), b"not to be".split(), []):
        strings = strings_of(words)
        counts = table.count(strings.words, strings.bounds[:-1], strings.bounds[1:], counts)
    assert counts.tolist() == [2, 2, 1, 1]
    assert table.since().to_list() == [b"to", b"be", b"or", b"not"]
