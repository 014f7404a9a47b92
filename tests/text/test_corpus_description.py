"""What ``topminer inspect`` is told about a corpus."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from oracles import tokens as oracle
from oracles.texts import STOP_WORDS, documents

from topminer import Corpus, InputError
from topminer.text.describe import LONGEST_COUNTED, N_SAMPLES, SAMPLE_CHARACTERS, SampleDocument, describe

pytestmark = pytest.mark.small


def test_by_hand() -> None:
    corpus = Corpus.from_texts(
        ["The big cats, the 3 big dogs", "", "Коты и 漢字", "the"],
        stop_words=["the", "и"],
        numbers=False,
        stem=False,
    )
    facts = describe(corpus)
    assert facts.name == "texts"
    assert (facts.n_documents, facts.n_documents_without_tokens) == (4, 2)
    assert (facts.n_tokens, facts.n_kept, facts.n_stop_words, facts.n_numbers_dropped) == (12, 7, 4, 1)
    assert (facts.n_surfaces, facts.n_stems, facts.n_chunks) == (6, 6, 3)
    assert facts.chunk_lengths == [0, 0, 2, 1] + [0] * (LONGEST_COUNTED - 3)
    assert facts.longest_chunk == 3
    assert (facts.mean_document, facts.median_document, facts.longest_document) == (1.75, 1.5, 4)
    assert facts.scripts == [("Latin", 4), ("Han", 2), ("Cyrillic", 1)]
    assert facts.top_words == [("big", 2), ("cats", 1), ("dogs", 1), ("Коты", 1), ("字", 1), ("漢", 1)]
    assert facts.times is None
    assert ("documents without kept tokens", 2) in [row[:2] for row in facts.skipped]
    assert ("numbers", 1) in [row[:2] for row in facts.skipped]


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("слово", "Cyrillic"),
        ("λέξη", "Greek"),
        ("מילה", "Hebrew"),
        ("كلمة", "Arabic"),
        ("한국어", "Hangul"),
        ("かな", "Hiragana"),
        ("カナ", "Katakana"),
        ("漢", "Han"),
        ("คำ", "Thai"),
        ("शब्द", "Devanagari"),
        ("㐀", "Han"),
        ("豈", "Han"),
        ("ｶﾅ", "Katakana"),
        ("Ａ", "Latin"),
        ("々", "Han"),
        ("3.14", "digits"),
    ],
)
def test_scripts(text: str, script: str) -> None:
    facts = describe(Corpus.from_texts([text], language=None))
    assert [name for name, _ in facts.scripts] == [script]


def test_long_chunks_are_counted_together() -> None:
    words = " ".join(f"w{number}" for number in range(40))
    facts = describe(Corpus.from_texts([words, words + " x", "cat"], language=None))
    assert facts.chunk_lengths[1] == 1
    assert facts.chunk_lengths[LONGEST_COUNTED] == 2
    assert facts.longest_chunk == 41


def test_what_a_reader_adds(tmp_path: Path) -> None:
    file = tmp_path / "texts.csv"
    file.write_bytes(b"text,day\ncat,2021-05-06\n ,\n,\ndog \xff bird,2020-01-02\nbad\x00cat,\n")
    facts = describe(Corpus.read(file, time="day", keep_texts=False))
    skipped = {what: number for what, number, _ in facts.skipped}
    assert skipped == {"blank documents": 2, "undecodable bytes": 1, "NUL characters": 1}
    assert facts.times == ("2020-01-02", "2021-05-06")
    assert facts.samples == []


def test_a_sample_by_hand() -> None:
    corpus = Corpus.from_texts(["The big cats, of dogs!"], stop_words=["the", "of"], ids=["x"])
    pieces = [("between", "The "), ("kept", "big"), ("between", " "), ("kept", "cats"), ("end", ", of ")]
    assert describe(corpus).samples == [SampleDocument("x", [*pieces, ("kept", "dogs"), ("between", "!")])]


def test_samples_of_long_documents_are_cut() -> None:
    text = "many words, " * 1000
    sample = describe(Corpus.from_texts([text])).samples[0]
    shown = "".join(piece for _, piece in sample.pieces)
    assert text.startswith(shown)
    assert SAMPLE_CHARACTERS / 2 < len(shown) <= SAMPLE_CHARACTERS


@given(documents)
def test_facts_of_any_corpus(texts: list[str]) -> None:
    try:
        corpus = Corpus.from_texts(texts, stop_words=STOP_WORDS, kinds=None)
    except InputError:
        return
    facts = describe(corpus)
    assert facts.n_tokens == facts.n_kept + facts.n_stop_words + facts.n_numbers_dropped
    assert sum(facts.chunk_lengths) == facts.n_chunks
    assert sum(number for _, number in facts.scripts) == facts.n_kept
    assert 1 <= len(facts.samples) <= N_SAMPLES
    numbers = [corpus.ids.to_list().index(sample.id) for sample in facts.samples]
    assert numbers == sorted(set(numbers))
    rules = oracle.Rules(STOP_WORDS, stem=str)
    for sample, number in zip(facts.samples, numbers, strict=True):
        assert texts[number].startswith("".join(piece for _, piece in sample.pieces))
        kept = [piece for what, piece in sample.pieces if what == "kept"]
        expected = oracle.read(texts[number], rules).kept
        assert kept == [token.surface for token in expected][: len(kept)]
        assert (
            Counter(what for what, _ in sample.pieces)["end"]
            == sum(token.first for token in expected[: len(kept)]) - 1
        )
