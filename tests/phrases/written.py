"""Planted corpora as people would write them: in words, with stop words, capitals and commas."""

from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st
from oracles.phrases import Document
from planted import corpora

from topminer import Corpus, Partition, PhraseMiner

WORDS = ("ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis", "jay")
RULES: dict[str, Any] = {"language": None, "stop_words": ["of", "the"]}
AS_IN_PAPER: dict[str, Any] = {"quality": None, "evidence": None, "ties": None}
_GAPS = (" ",) * 7 + ("  ", " of ", " of the ", " & ")


def paper_miner(
    min_support: int | float | str = "auto",
    significance: float = 4.0,
    max_length: int | None = None,
    **parameters: Any,
) -> PhraseMiner:
    """A miner that does what the paper does: Algorithms 1 and 2, and nothing else."""
    return PhraseMiner(min_support, significance, max_length=max_length, **AS_IN_PAPER, **parameters)


def write(documents: list[Document], seed: int = 0) -> list[str]:
    """Stem 0 is "ant", stem 1 "bee", and so on; a comma between chunks."""
    random = Random(seed)

    def chunk_as_text(chunk: list[int]) -> str:
        text = ""
        for i, stem in enumerate(chunk):
            word = WORDS[stem] if random.random() < 0.7 else WORDS[stem].title()
            text += (random.choice(_GAPS) if i else "") + word
        return text

    return [", ".join(map(chunk_as_text, document)) for document in documents]


@st.composite
def texts(draw: st.DrawFn, n_words: int = 8) -> list[str]:
    documents = draw(corpora(n_words))
    assume(any(documents))
    return write(documents, draw(st.integers(0, 9)))


def chunks_of(corpus: Corpus) -> list[Any]:
    """Documents as the oracle has them: lists of chunks, which are lists of stems."""
    stems = [stem for document in corpus.to_lists() for stem in document]
    bounds = corpus.chunk_start.tolist()
    chunks = {start: stems[start:stop] for start, stop in pairwise(bounds)}
    return [
        [chunks[start] for start in bounds[:-1] if first <= start < last]
        for first, last in pairwise(corpus.doc_start.tolist())
    ]


def span(corpus: Corpus, first: int, behind: int) -> str:
    """The kept tokens from one to another as they stand in the text, with blanks for white space."""
    assert corpus.texts is not None
    document = int((corpus.doc_start <= first).sum()) - 1
    return " ".join(corpus.texts[document][corpus.starts[first] : corpus.stops[behind - 1]].split())


def assert_lawful(partition: Partition) -> None:
    """What holds of every partition."""
    corpus = partition.corpus
    bounds = partition.clique_start.tolist()
    assert bounds[0] == 0
    assert bounds[-1] == corpus.n_tokens
    assert all(start < stop for start, stop in pairwise(bounds))
    assert {*corpus.doc_start.tolist(), *corpus.chunk_start.tolist()} <= set(bounds)
    assert [bounds[i] for i in partition.doc_start] == corpus.doc_start.tolist()
    assert partition.n_cliques == len(bounds) - 1 == partition.type_ids.size
    assert len(partition) == len(corpus)

    flat = [[stem for phrase in document for stem in phrase] for document in partition.to_lists()]
    assert flat == corpus.to_lists()

    types = [
        tuple(partition.type_stems[start:stop].tolist()) for start, stop in pairwise(partition.type_start)
    ]
    assert len(types) == partition.n_types == len(set(types))
    assert types[: corpus.n_stems] == [(stem,) for stem in range(corpus.n_stems)]
    assert all(len(stems) > 1 for stems in types[corpus.n_stems :])
    for type_id, (start, stop) in zip(partition.type_ids.tolist(), pairwise(bounds), strict=True):
        stems = tuple(corpus.stem_ids[start:stop].tolist())
        assert stems == ((-1,) if type_id == -1 else types[type_id])
    known = [type_id for type_id in partition.type_ids.tolist() if type_id >= 0]
    assert partition.instances().tolist() == [known.count(type_id) for type_id in range(len(types))]
