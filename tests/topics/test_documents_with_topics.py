"""Documents with their topics and phrases, as `topminer infer` writes them."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from topminer import Corpus, InputError, Partition, PhraseMiner
from topminer.phrases import document_slices
from topminer.topics.results.documents import documents_with_topics
from topminer.topics.results.fold_in import Inferred

TEXTS = [
    "",
    "Topic models — 🎈 topic models — of e\u0301clairs and zebras.",
    "...",
    "Zebra, topic model!",
    "",
]


@pytest.fixture(scope="module")
def partition() -> Partition:
    corpus = Corpus.from_texts(["A topic model.", "Some éclairs."] * 40)
    miner = PhraseMiner(significance=3.0).fit(corpus)
    return miner.transform(corpus.encode(TEXTS))


def inferred(partition: Partition, n_topics: int = 3) -> Inferred:
    """Topics that tell where they came from."""
    shares = np.arange(len(partition) * n_topics, dtype=np.float64).reshape(-1, n_topics)
    known = partition.type_ids >= 0
    topics = np.where(known, np.arange(partition.n_cliques) % n_topics, -1).astype(np.int32)
    return Inferred(shares, topics, int((~known).sum()))


@pytest.mark.small
def test_columns_and_offsets(partition: Partition) -> None:
    (table,) = documents_with_topics(partition, inferred(partition))
    assert table.schema == {
        "id": pl.String,
        "topics": pl.List(pl.Float64),
        "phrases": pl.List(
            pl.Struct({"text": pl.String, "start": pl.Int32, "end": pl.Int32, "topic": pl.Int32})
        ),
    }
    assert table["id"].to_list() == ["1", "2", "3", "4", "5"]
    assert table["topics"].to_list() == [[3.0 * d, 3.0 * d + 1, 3.0 * d + 2] for d in range(5)]
    phrases = table["phrases"].to_list()
    assert [[phrase["text"] for phrase in each] for each in phrases] == [
        [],
        ["Topic models", "topic models", "e\u0301clairs", "zebras"],
        [],
        ["Zebra", "topic model"],
        [],
    ]
    for text, each in zip(TEXTS, phrases, strict=True):
        for phrase in each:
            assert text[phrase["start"] : phrase["end"]] == phrase["text"]
    assert [[phrase["topic"] for phrase in each] for each in phrases] == [[], [0, 1, 2, -1], [], [-1, 2], []]


@pytest.mark.small
@pytest.mark.parametrize(("tokens", "heights"), [(2, [1, 1, 1, 1, 1]), (1000, [2, 2, 1])])
def test_small_slices_say_the_same(
    partition: Partition, tokens: int, heights: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = pl.concat(documents_with_topics(partition, inferred(partition)))
    monkeypatch.setattr(document_slices, "TOKENS", tokens)
    monkeypatch.setattr(document_slices, "DOCUMENTS", 2)
    batches = list(documents_with_topics(partition, inferred(partition)))
    assert [batch.height for batch in batches] == heights
    assert len({str(batch.schema) for batch in batches}) == 1
    assert pl.concat(batches).equals(whole)


@pytest.mark.small
def test_nothing_but_empty_documents(partition: Partition) -> None:
    empty = partition[[0, 2, 4]]
    (table,) = documents_with_topics(empty, inferred(empty))
    assert table["phrases"].to_list() == [[], [], []]
    assert table["id"].to_list() == ["1", "3", "5"]
    assert not list(documents_with_topics(partition[:0], inferred(partition[:0])))


@pytest.mark.small
def test_single_words(partition: Partition) -> None:
    words = Partition.of_words(partition.corpus)
    (table,) = documents_with_topics(words, inferred(words))
    assert [phrase["text"] for phrase in table["phrases"][3]] == ["Zebra", "topic", "model"]


@pytest.mark.small
def test_without_texts(partition: Partition) -> None:
    bare = Partition.of_words(replace(partition.corpus, texts=None))
    with pytest.raises(InputError, match="texts were not kept"):
        next(documents_with_topics(bare, inferred(bare)))
