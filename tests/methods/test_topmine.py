"""ToPMine twice: with the defaults of this package, and as the paper has it."""

from corpora import two_topics

from topminer import Corpus, PhraseMiner, ToPMine
from topminer.methods import DefaultToPMine, PaperToPMine

REPEATED = "crimson lantern river mountain violin pepper copper garden window"


def texts() -> list[str]:
    """Return ten texts with "support vector", and twenty with the same nine words."""
    kinds = ["red", "green", "blue", "white", "black"]
    found = [f"{kind} support vector {other}" for kind in kinds for other in ("tree", "graph")]
    return found + [REPEATED] * 20


def phrases_of(method: DefaultToPMine, corpus: Corpus) -> set[str]:
    return {phrase.text for topic in method.fit(corpus, 2).topics for phrase in topic.phrases}


def test_the_paper_needs_seventeen_occurrences_and_counts_every_repetition() -> None:
    corpus = Corpus.from_texts(texts())
    default, paper = phrases_of(DefaultToPMine(5), corpus), phrases_of(PaperToPMine(5), corpus)
    assert "support vector" in default
    assert "support vector" not in paper
    assert any("crimson lantern" in phrase for phrase in paper)
    assert not any("crimson lantern" in phrase for phrase in default)


def test_the_paper_mines_as_in_paper_does() -> None:
    corpus, settings = (
        two_topics(),
        PaperToPMine(mining={"quality": 3.0, "significance": 9.0}).miner().get_params(),
    )
    estimator = ToPMine.as_in_paper(2).get_params()
    for name in ("significance", "quality", "evidence", "ties"):
        assert settings[name] == estimator[name]
    theirs = PhraseMiner(**settings).fit_transform(corpus).to_lists()
    ours = ToPMine.as_in_paper(2, n_sweeps=2, random_state=0).fit(corpus).partition_.to_lists()
    assert theirs == ours


def test_support_and_the_longest_phrase_are_those_that_are_asked_for() -> None:
    given = {"min_support": 30, "max_length": 3}
    for method in (DefaultToPMine(mining=given), PaperToPMine(mining=given)):
        miner = method.miner()
        assert (miner.min_support, miner.max_length) == (30, 3)
