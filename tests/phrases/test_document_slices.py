"""Documents with their phrases marked: brackets for people, offsets that cut the original text."""

from collections.abc import Iterator

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from written import paper_miner

from topminer.phrases import document_slices as module
from topminer.phrases.document_slices import marked_documents
from topminer.phrases.miner import PhraseMiner
from topminer.phrases.partition import Partition
from topminer.text.corpus import Corpus

SCHEMA = {
    "id": pl.String,
    "text": pl.String,
    "marked": pl.String,
    "phrases": pl.List(
        pl.Struct(
            {"text": pl.String, "start": pl.Int64, "end": pl.Int64, "stems": pl.String, "words": pl.Int64}
        )
    ),
}


def partition_of(texts: list[str], **rules) -> Partition:
    """The texts cut into phrases that are frequent because each text comes thirty times."""
    corpus = Corpus.from_texts(texts * 30, **rules)
    return paper_miner(20, 3.0).fit_transform(corpus)[: len(texts)]


def records(partition: Partition) -> Iterator[dict]:
    for batch in marked_documents(partition):
        assert batch.schema == SCHEMA
        yield from batch.iter_rows(named=True)


def check(record: dict) -> None:
    """Brackets and offsets say the same, and both leave the text as it is."""
    pieces, at = [], 0
    for phrase in record["phrases"]:
        assert at <= phrase["start"] < phrase["end"]
        assert record["text"][phrase["start"] : phrase["end"]] == phrase["text"]
        assert phrase["words"] >= 2
        pieces += [record["text"][at : phrase["start"]], f"[{phrase['text']}]"]
        at = phrase["end"]
    assert record["marked"] == "".join([*pieces, record["text"][at:]])


def test_the_paper_s_example() -> None:
    texts = ["A frequent pattern!", "We are mining frequent patterns quickly.", "Nothing"]
    one, two, three = records(partition_of(texts))
    assert one == {
        "id": "1",
        "text": "A frequent pattern!",
        "marked": "A [frequent pattern]!",
        "phrases": [
            {"text": "frequent pattern", "start": 2, "end": 18, "stems": "frequent pattern", "words": 2}
        ],
    }
    assert two["marked"].startswith("We are [mining frequent patterns")
    assert two["phrases"][0]["stems"].startswith("mine frequent pattern")
    assert (three["marked"], three["phrases"]) == ("Nothing", [])


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("🎉👩‍🔬 deep learning 🎉", "🎉👩‍🔬 [deep learning] 🎉"),
        ("🎉🎉 deep learning, 🎉 so 𝔡𝔢𝔢𝔭", "🎉🎉 [deep learning], 🎉 [so 𝔡𝔢𝔢𝔭]"),
        ("(酒店)。房间!", "([酒店])。[房间]!"),
        ("עיבוד שפה טבעית", "[עיבוד שפה טבעית]"),
        ("معالجة اللغة، جيد", "[معالجة اللغة]، جيد"),
        ("cafe\u0301 cre\u0300me, e\u0301te\u0301", "[cafe\u0301 cre\u0300me], e\u0301te\u0301"),
        ("İSTANBUL ŞEHRİ — ẞtraße", None),
        ("[already] in [brackets here]", None),
        ("the state  of\tthe art\r\n", "the [state  of\tthe art]\r\n"),
    ],
)
def test_offsets_cut_every_script(text: str, marked: str | None) -> None:
    others = ["x1", "y2", "z3", "u4", "v5"]
    rules = {"stop_words": ["of", "the"], "language": None}
    record, *_ = records(partition_of([text, *others], **rules))
    check(record)
    assert record["phrases"]
    assert marked is None or record["marked"] == marked


@given(st.lists(st.text(max_size=40), min_size=1, max_size=4))
def test_offsets_cut_any_text(texts: list[str]) -> None:
    texts = [f"{text} deep learning {text}" for text in texts]
    found = list(records(partition_of(texts)))
    assert len(found) == len(texts)
    for record in found:
        check(record)


@pytest.mark.parametrize(("tokens", "documents"), [(1, 100), (5, 100), (100, 1), (100, 2), (7, 3)])
def test_slices_change_nothing(monkeypatch, tokens: int, documents: int) -> None:
    texts = ["", "deep learning", "of the", "", "We like deep learning; they like deep learning", "words", ""]
    partition = partition_of(texts)
    (whole,) = marked_documents(partition)
    monkeypatch.setattr(module, "TOKENS", tokens)
    monkeypatch.setattr(module, "DOCUMENTS", documents)
    slices = list(marked_documents(partition))
    assert len(slices) > 1
    assert max(map(len, slices)) <= documents
    assert all(batch.schema == SCHEMA for batch in slices)
    assert pl.concat(slices).equals(whole)
    assert whole["text"].to_list() == texts


def test_without_texts_there_is_nothing_to_mark() -> None:
    partition = Partition.of_words(Corpus.from_texts(["deep learning"], keep_texts=False))
    with pytest.raises(ValueError, match="keep_texts"):
        next(marked_documents(partition))


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "language"), [("titles_20conf.txt.zst", "english"), ("japanese_packages.jsonl.zst", "japanese")]
)
def test_offsets_cut_real_documents(shared_data, name: str, language: str) -> None:
    corpus = Corpus.read(shared_data / name, language=language)
    found = list(records(PhraseMiner().fit_transform(corpus)))
    assert len(found) == len(corpus)
    assert sum(len(record["phrases"]) for record in found) > 10_000
    for record in found:
        check(record)
