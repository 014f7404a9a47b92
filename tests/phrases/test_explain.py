"""Merge trees against one worked by hand, against the definitions, and for texts of every kind."""

import math
from itertools import accumulate
from typing import Any

import pytest
from corpora import needs_jit
from hypothesis import given
from hypothesis import strategies as st
from oracles import phrases as oracle
from planted import some
from written import RULES, WORDS, chunks_of, paper_miner, texts

from topminer import Corpus, PhraseMiner
from topminer.phrases.explain import Explanation, Neighbours, explain
from topminer.phrases.mining import MAX_LENGTH

pytestmark = pytest.mark.small

# 29 kept tokens: frequent 9, pattern 13, tree 7; "frequent pattern" 9 times, "pattern tree" 4 times.
TEXTS = ["Frequent pattern"] * 9 + ["pattern of a tree"] * 4 + ["tree"] * 3


def miner_of(texts: list[str], **parameters: Any) -> PhraseMiner:
    return paper_miner(**{"min_support": 2, "significance": 1.0} | parameters).fit(Corpus.from_texts(texts))


def words(explained: Explanation) -> list[str]:
    return [phrase.text for phrase in explained.phrases]


def apart(explained: Explanation) -> list[tuple[str, str, str]]:
    return [(pair.left.text, pair.right.text, pair.reason) for pair in explained.neighbours]


def test_a_tree_worked_by_hand() -> None:
    explained = explain(miner_of(TEXTS), "The frequent patterns! A pattern on trees")
    assert words(explained) == ["frequent patterns", "pattern", "trees"]
    first, second = explained.merges

    assert (first.left.text, first.right.text) == ("frequent", "patterns")
    assert first.made.text == "frequent patterns"
    assert first.made.stems == ("frequent", "pattern")
    assert (first.left.count, first.right.count, first.observed, first.made.count) == (9, 13, 9, 9)
    assert first.expected == 9 * 13 / 29
    assert first.score == first.strength == pytest.approx((9 - 9 * 13 / 29) / 3)
    assert first.happens

    assert (second.left.text, second.right.text, second.made.text) == ("pattern", "trees", "pattern on trees")
    assert second.observed == 4
    assert second.expected == 13 * 7 / 29
    assert second.score == second.strength == pytest.approx((4 - 13 * 7 / 29) / 2)
    assert not second.happens

    assert apart(explained) == [("frequent patterns", "pattern", "chunk"), ("pattern", "trees", "score")]
    last = explained.neighbours[-1]
    assert (last.observed, last.expected, last.score) == (4, second.expected, second.score)
    assert (explained.threshold, explained.min_support, explained.n_tokens) == (1.0, 2, 29)


def same(explained: Explanation, miner: PhraseMiner, corpus: Corpus) -> None:
    """Whether an explanation says what the miner does, and adds up."""
    encoded = corpus.encode([explained.text])
    partition = miner.transform(encoded)
    assert [phrase.stems for phrase in explained.phrases] == partition.to_lists()[0]
    spans = partition.spans()
    assert [phrase.start for phrase in explained.phrases] == spans["start"].to_list()
    assert [phrase.end for phrase in explained.phrases] == spans["stop"].to_list()
    assert "".join(piece for _, piece in explained.pieces) == explained.text
    assert [cut for phrase in explained.phrases for cut in range(phrase.first, phrase.behind)] == list(
        range(len(explained.tokens))
    )
    for merge in explained.merges:
        assert merge.made.stems == merge.left.stems + merge.right.stems
        assert merge.made.count == merge.observed
        assert merge.expected == merge.left.count * merge.right.count / corpus.n_tokens
        assert merge.happens == (merge.strength >= explained.threshold)
    scores = [merge.score for merge in explained.merges]
    assert [merge.strength for merge in explained.merges] == list(accumulate(scores, min))


@some
@given(st.data())
def test_every_merge_is_that_of_the_slow_algorithm(data: st.DataObject) -> None:
    written = data.draw(texts())
    corpus = Corpus.from_texts(written, **RULES)
    min_support, threshold = data.draw(st.integers(1, 3)), data.draw(st.sampled_from([0.0, 0.5, 1.0, 1.5]))
    miner = paper_miner(min_support, threshold).fit(corpus)
    text = data.draw(st.sampled_from(written))
    explained = explain(miner, text)
    same(explained, miner, corpus)

    support = oracle.known(chunks_of(corpus), min_support, MAX_LENGTH)
    [document] = chunks_of(corpus.encode([text]))
    slow = list(oracle.all_merges(document, support, oracle.paper_score(corpus.n_tokens)))
    assert len(slow) == len(explained.merges)
    for merge, expected in zip(explained.merges, slow, strict=True):
        assert merge.right.first == expected.boundary
        assert (merge.left.stems, merge.right.stems) == (expected.left, expected.right)
        assert merge.score == pytest.approx(expected.score)


@some
@given(st.data())
def test_every_pair_that_stays_apart_has_its_reason(data: st.DataObject) -> None:
    corpus = Corpus.from_texts(data.draw(texts(5)), **RULES)
    min_support, threshold = data.draw(st.integers(1, 3)), data.draw(st.sampled_from([0.0, 0.5, 1.0, 1.5]))
    max_length = data.draw(st.sampled_from([None, 1, 2, 3]))
    miner = paper_miner(min_support, threshold, max_length).fit(corpus)
    text = ", ".join(
        " of ".join(chunk) for chunk in data.draw(st.lists(st.lists(st.sampled_from(WORDS[:6])), max_size=3))
    )
    explained = explain(miner, text)
    same(explained, miner, corpus)
    counts = oracle.count(chunks_of(corpus), MAX_LENGTH)
    assert len(explained.neighbours) == max(0, len(explained.phrases) - 1)
    for pair in explained.neighbours:
        observed = counts[pair.left.stems + pair.right.stems]
        assert pair.reason == reason(pair, explained, observed)
        assert pair.observed in (observed, None)
        assert (pair.observed is None) == (pair.reason == "chunk")
        assert text[pair.left.end : pair.right.start] == pair.between


def reason(pair: Neighbours, explained: Explanation, observed: int) -> str:
    """The definition, from exact counts."""
    left, right = explained.tokens[pair.left.first], explained.tokens[pair.right.first]
    if left.chunk != right.chunk:
        return "chunk"
    if left.count == 0 or right.count == 0:
        return "unknown"
    if observed < explained.min_support:
        return "rare"
    if pair.left.length + pair.right.length > explained.max_length:
        return "long"
    expected = pair.left.count * pair.right.count / explained.n_tokens
    assert pair.score == pytest.approx((observed - expected) / math.sqrt(observed))
    assert pair.score < explained.threshold
    return "score"


@pytest.mark.parametrize(
    ("text", "parameters", "expected"),
    [
        ("pattern, tree", {}, ("pattern", "tree", "chunk")),
        ("pattern and xyzzy", {}, ("pattern", "xyzzy", "unknown")),
        ("tree pattern", {}, ("tree", "pattern", "rare")),
        ("pattern tree", {"min_support": 5}, ("pattern", "tree", "rare")),
        ("pattern tree", {}, ("pattern", "tree", "score")),
        ("frequent patterns", {"max_length": 1}, ("frequent", "patterns", "long")),
        ("frequent patterns", {"never": ["frequent pattern"]}, ("frequent", "patterns", "never")),
        ("frequent patterns", {"significance": math.inf}, ("frequent", "patterns", "score")),
    ],
)
def test_reasons(text: str, parameters: dict[str, Any], expected: tuple[str, str, str]) -> None:
    assert apart(explain(miner_of(TEXTS, **parameters), text)) == [expected]


def test_parameters_set_after_the_fit_explain_nothing() -> None:
    """Guards against a tree with another threshold or score than the cut beside it."""
    miner = miner_of(TEXTS)
    before = explain(miner, "The frequent patterns! A pattern on trees")
    miner.set_params(significance=0.1, quality=3.0)
    assert explain(miner, "The frequent patterns! A pattern on trees") == before
    assert (before.threshold, before.cut) == (1.0, None)


def test_what_is_rare_is_counted_in_the_corpus() -> None:
    rare, unseen = (
        explain(miner_of(TEXTS, min_support=5), text).neighbours[0] for text in ("pattern tree", "tree tree")
    )
    assert (rare.observed, rare.expected, rare.score) == (4, 13 * 7 / 29, None)
    assert (unseen.observed, unseen.expected) == (0, 49 / 29)


def test_without_the_corpus_nobody_knows_what_is_rare() -> None:
    miner = miner_of(TEXTS, min_support=5)
    miner.fitted.forget_documents()
    pair = explain(miner, "pattern tree").neighbours[0]
    assert (pair.reason, pair.observed) == ("rare", None)


def test_what_is_always_whole_is_one_unit_from_the_start() -> None:
    miner = miner_of(["deep pattern tree"] * 5 + TEXTS, always=["pattern tree", "tree frequent"])
    explained = explain(miner, "deep pattern trees frequent tree frequent")
    units = [(unit.text, unit.count, unit.always) for unit in explained.units]
    whole = [("pattern trees", 9, True), ("tree frequent", 0, True)]
    assert units == [("deep", 5, False), whole[0], ("frequent", 9, False), whole[1]]
    assert [token.glued for token in explained.tokens] == [False, False, True, False, False, True]
    assert [(merge.left.text, merge.right.text) for merge in explained.merges] == [("deep", "pattern trees")]
    assert not any(merge.made.always for merge in explained.merges)
    assert words(explained) == ["deep pattern trees", "frequent", "tree frequent"]
    assert [pair.reason for pair in explained.neighbours] == ["rare", "rare"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (" \n", []),
        ("of the, and!", []),
        ("pattern", ["pattern"]),
        ("🤖", []),
        ("pattern 👨‍👩‍👧 tree", ["pattern", "tree"]),
        ("模式树", ["模", "式", "树"]),
        ("شجرة pattern النمط", ["شجرة", "pattern", "النمط"]),
        ("tree\x00\x07\ud800 pattern", ["tree", "pattern"]),
    ],
)
def test_texts_of_every_kind(text: str, tokens: list[str]) -> None:
    explained = explain(miner_of(TEXTS), text)
    assert [token.text for token in explained.tokens] == tokens
    assert words(explained) == tokens
    assert len(explained.neighbours) == max(0, len(tokens) - 1)
    assert "".join(piece for _, piece in explained.pieces) == text.replace("\ud800", "\ufffd")


@needs_jit
@pytest.mark.corpus
def test_the_papers_title(shared_data) -> None:
    corpus = Corpus.read(shared_data / "titles_20conf.txt.zst")
    text = "Mining frequent patterns without candidate generation: a frequent pattern tree approach."
    miner = paper_miner(significance=2.0).fit(corpus)
    explained = explain(miner, text)
    same(explained, miner, corpus)
    assert words(explained)[0] == "Mining frequent patterns"
    made = [merge.made.text for merge in explained.merges]
    assert made[:3] == ["Mining frequent", "frequent pattern", "Mining frequent patterns"]
