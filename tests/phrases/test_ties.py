"""Ties: one example worked by hand, which words are tied, and both spellings judged as one phrase."""

from typing import Any

import pytest
from hypothesis import example, given
from judged import RULES, STOP_WORDS, counts_of, texts
from oracles import quality as oracle
from planted import some

from topminer import Corpus, PhraseMiner
from topminer.phrases.explain import explain
from topminer.phrases.ties import ties_of

pytestmark = pytest.mark.small


def tied(corpus: Corpus) -> dict[str, tuple[str, ...]]:
    names, ties = corpus.vocabulary["stem"].to_list(), ties_of(corpus)
    atoms = {name: tuple(names[atom] for atom in ties.of_phrase((stem,))) for stem, name in enumerate(names)}
    return {name: parts for name, parts in atoms.items() if parts != (name,)}


def test_worked_by_hand() -> None:
    """Real-time system: twice with a hyphen, twice without; "real" alone once, "time" alone once.

    The tied text has 6 + 6 + 2 atoms. "Real time" has the evidence 4: two tokens and two pairs of tokens.
    The words inside a token are no evidence for themselves: "real" has 3.
    """
    corpus = Corpus.from_texts(["Real-time systems"] * 2 + ["real time systems"] * 2 + ["real, time"])
    miner = PhraseMiner(3, 0.0, None, None).fit(corpus)
    assert miner.mined.n_tokens == 14
    assert PhraseMiner(3, 0.0, None, None, None).fit(corpus).phrases_.is_empty()  # each spelling is too rare
    table = {row["stems"]: row for row in miner.phrases_.rows(named=True)}
    assert {stems: row["evidence"] for stems, row in table.items()} == {"real time": 4, "real time system": 4}
    words = corpus.vocabulary["stem"].to_list()
    evidence = dict(zip(words, miner.mined.evidence[: len(words)].tolist(), strict=True))
    assert evidence == {"real": 3, "time": 3, "real-tim": 0, "system": 4}
    # Its best split is real | time system: the latter stands in two places, where it starts with a token.
    assert table["real time system"]["significance"] == pytest.approx((4 - 3 * 2 / 14) / 2)
    forms = [[("real-tim", "system")]] * 2 + [[("real", "time", "system")]] * 2
    assert miner.transform(corpus).to_lists() == [*forms, [("real",), ("time",)]]


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        (["ant-bee, ant, bee"], {"ant-bee": ("ant", "bee")}),
        (["ant\u2010bee, ant, bee"], {"ant\u2010bee": ("ant", "bee")}),
        (["ant-bee, ant"], {}),  # no bee
        (["cat-of-the-bee, cat, bee"], {"cat-of-the-bee": ("cat", "bee")}),
        (["of-bee, bee"], {}),  # one word that is kept
        (["1990-1995, 1990, 1995"], {}),
        (["x-1995, x, 1995"], {"x-1995": ("x", "1995")}),
        (
            ["ant-bee-cat, ant-bee, ant, bee, cat"],
            {"ant-bee": ("ant", "bee"), "ant-bee-cat": ("ant", "bee", "cat")},
        ),
    ],
)
def test_which_words_are_tied(documents: list[str], expected: dict[str, tuple[str, ...]]) -> None:
    assert tied(Corpus.from_texts(documents * 2, **RULES)) == expected


@some
@given(texts())
@example(["ant-bee, ant, bee, ant, bee"])  # occurs once
def test_ties_by_brute_force(documents: list[str]) -> None:
    corpus = Corpus.from_texts(documents, **RULES)
    assert tied(corpus) == oracle.ties_of(counts_of(corpus), STOP_WORDS)


@pytest.mark.parametrize("cut", [-100.0, 100.0])
def test_both_forms_have_one_judgement(cut: float) -> None:
    corpus = Corpus.from_texts(["Ant-bee cat", "ant bee cat, ant, bee, cat"] * 4, **RULES)
    miner = PhraseMiner(3, 0.0, cut, None).fit(corpus)
    (one,), (other, *_) = (explain(miner, text).judgements[:1] for text in ("ant-bee cat", "ant bee cat"))
    assert (one.quality, one.parts, one.stays) == (other.quality, other.parts, other.stays)
    assert one.stays == (cut < 0)
    forms = miner.transform(corpus.encode(["ant-bee cat", "ant bee cat"])).to_lists()
    if cut < 0:
        assert forms == [[("ant-bee", "cat")], [("ant", "bee", "cat")]]
    else:
        assert forms == [[("ant-bee",), ("cat",)], [("ant",), ("bee",), ("cat",)]]


def always(phrase: str, **parameters: Any) -> list[list[tuple[str, ...]]]:
    corpus = Corpus.from_texts(["ant-bee cat", "ant bee cat", "bee cat-ant, bee cat ant"] * 2, **RULES)
    miner = PhraseMiner(significance=1e9, always=[phrase], **parameters)
    return miner.fit_transform(corpus).to_lists()[:3]


def test_no_own_phrase_starts_or_ends_inside_a_token() -> None:
    """Guards against "ant-bee cat" kept whole because the user wants "bee cat" whole."""
    assert always("bee cat") == [
        [("ant-bee",), ("cat",)],
        [("ant",), ("bee", "cat")],
        [("bee",), ("cat-ant",), ("bee", "cat"), ("ant",)],
    ]


def test_an_own_phrase_is_kept_whole_in_both_forms() -> None:
    assert always("ant-bee cat") == always("ant bee cat")
    assert always("ant bee cat")[:2] == [[("ant-bee", "cat")], [("ant", "bee", "cat")]]


def test_what_is_rare_is_counted_by_whole_tokens() -> None:
    """Guards against "bee cat" counted in "ant-bee cat", where it is no phrase."""
    corpus = Corpus.from_texts(["ant-bee cat", "ant-bee", "bee cat, ant"], **RULES)
    [pair] = explain(PhraseMiner(9, 0.0, None, None).fit(corpus), "bee cat").neighbours
    assert (pair.reason, pair.observed) == ("rare", 1)
