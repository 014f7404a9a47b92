"""Texts with hyphens, stop words, capitals and repeated chunks, and what the slow oracle makes of them."""

from itertools import pairwise
from typing import Any, NamedTuple

from hypothesis import assume
from hypothesis import strategies as st
from oracles import quality as oracle
from oracles.phrases import Phrase
from oracles.quality import Chunk, Evidence, Judge, Token

from topminer import Corpus
from topminer.phrases.quality import INTERCEPT, WEIGHTS

STOP_WORDS = ("of", "the")
RULES: dict[str, Any] = {"language": None, "stop_words": list(STOP_WORDS)}
WORDS = ("ant", "bee", "cat", "dog")
JOINED = ("ant-bee", "bee-of-cat", "cat-dog-ant", "dog-zebra")
UNSURE = 1e-3  # a quality that is nearer to the cut may be rounded to the other side


@st.composite
def texts(draw: st.DrawFn) -> list[str]:
    """A few words and phrases that come again and again, and chunks that are repeated."""
    vocabularies = WORDS[:2], (*WORDS, "x2"), WORDS[:3] + JOINED[:2], WORDS[:2] + JOINED[:1], WORDS + JOINED
    word = st.sampled_from(draw(st.sampled_from(vocabularies)))
    gap = st.sampled_from((" ", " ", " ", " of ", " of the "))

    def joined(words: list[str], gaps: list[str]) -> str:
        return "".join(word + gap for word, gap in zip(words, gaps, strict=True)).strip()

    phrase = st.lists(word, min_size=2, max_size=4).flatmap(
        lambda words: st.lists(gap, min_size=len(words), max_size=len(words)).map(
            lambda gaps: joined(words, gaps)
        )
    )
    planted = draw(st.lists(phrase, min_size=1, max_size=3))
    planted += [each.title() for each in planted[:1]]
    piece = st.one_of(st.sampled_from(planted), st.sampled_from(planted), word)
    chunks = draw(st.lists(st.lists(piece, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=5))
    document = st.lists(st.sampled_from(chunks), min_size=1, max_size=3).map(", ".join)
    documents = draw(st.lists(document, min_size=1, max_size=9))
    return [*documents, ", ".join(WORDS)] if draw(st.booleans()) else documents  # the parts are known


@st.composite
def texts_without_blanks(draw: st.DrawFn) -> list[str]:
    """Each character is a token."""
    piece = st.sampled_from(("数", "据", "挖掘", "数据", "数据挖掘", "ant", " bee cat "))
    chunk = st.lists(piece, min_size=1, max_size=4).map("".join)
    chunks = draw(st.lists(chunk, min_size=1, max_size=4))
    return draw(st.lists(st.sampled_from(chunks), min_size=1, max_size=12))


def is_alone(stem: str) -> bool:
    return stem in "数据挖掘"


class Given(NamedTuple):
    """The parameters of a miner."""

    min_support: int
    threshold: float
    cut: float | None
    least_words: int | None
    tied: bool
    max_length: int
    always: tuple[Phrase, ...] = ()
    never: tuple[Phrase, ...] = ()

    def parameters(self) -> dict[str, Any]:
        return {
            "min_support": self.min_support,
            "significance": self.threshold,
            "quality": self.cut,
            "evidence": self.least_words,
            "ties": "auto" if self.tied else None,
            "max_length": self.max_length,
            "always": [" ".join(phrase) for phrase in self.always],
            "never": [" ".join(phrase) for phrase in self.never],
        }


own = st.lists(
    st.lists(st.sampled_from(WORDS[:3]), min_size=2, max_size=3).map(tuple), min_size=1, max_size=2
).map(tuple)
given_parameters = st.builds(
    Given,
    st.integers(1, 3),
    st.sampled_from((0.0, 0.5, 1.0)),
    st.sampled_from((None, -4.0, -2.0, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 100.0)),
    st.sampled_from((None, 1, 2, 3, 6)),
    st.booleans(),
    st.sampled_from((2, 4, 12)),
    st.one_of(st.just(()), own),
    st.one_of(st.just(()), own),
)


def tokens_of(corpus: Corpus) -> list[list[list[Token]]]:
    """Documents as the oracle has them."""
    stems = corpus.stems().to_list()
    surfaces = corpus.surfaces["surface"].gather(corpus.surface_ids).to_list()
    gaps = corpus.gaps.gather(corpus.gap_ids).to_list()
    tokens = [Token(*each) for each in zip(stems, surfaces, gaps, strict=True)]
    bounds = corpus.chunk_start.tolist()
    return [
        [tokens[start:stop] for start, stop in pairwise(bounds) if first <= start < last]
        for first, last in pairwise(corpus.doc_start.tolist())
    ]


def counts_of(corpus: Corpus) -> dict[str, int]:
    """The vocabulary, and how often each stem occurs."""
    return dict(corpus.vocabulary.select("stem", "count").rows())


class Expected:
    """What a miner with some parameters must find in a corpus."""

    def __init__(self, corpus: Corpus, given: Given) -> None:
        vocabulary = counts_of(corpus)
        self.given, self.ties = given, oracle.ties_of(vocabulary, STOP_WORDS) if given.tied else {}
        self.always, self.never = (
            [phrase for phrase in phrases if set(phrase) <= vocabulary.keys()]
            for phrases in (given.always, given.never)
        )
        chunks = [chunk for document in tokens_of(corpus) for chunk in document]
        self.is_counted = oracle.counted(chunks, given.least_words)
        atoms = [oracle.atoms_of(chunk, self.ties) for chunk in chunks]
        self.known: Evidence = oracle.count(atoms, self.is_counted, given.min_support, given.max_length)
        some = [chunk for chunk, chosen in zip(atoms, self.is_counted, strict=True) if chosen]
        self.judge: Judge | None = None
        if given.cut is not None:
            self.judge = Judge(self.known, given.cut, WEIGHTS, INTERCEPT, is_alone)
            finished = [self._finished(chunk) for chunk in some]
            self.judge.judge_all(some, finished, [oracle.glued(chunk, self.always) for chunk in some])
            for judgement in self.judge.judged.values():
                assume(abs(judgement.quality - given.cut) > UNSURE)

    def _finished(self, chunk: Chunk) -> list[tuple[int, int]]:
        fixed = oracle.glued(chunk, self.always)
        return oracle.finished(chunk, self.known, self.given.threshold, self.never, fixed)

    def partition(self, corpus: Corpus) -> list[list[Phrase]]:
        """The phrases of each document, as tuples of tokens."""
        return [
            [phrase for chunk in document for phrase in self._cut(chunk)] for document in tokens_of(corpus)
        ]

    def _cut(self, tokens: list[Token]) -> list[Phrase]:
        chunk = oracle.atoms_of(tokens, self.ties)
        fixed = oracle.glued(chunk, self.always)
        bounds = self._finished(chunk)
        if self.judge is not None:
            bounds = [piece[:2] for each in bounds for piece in self.judge.pieces(chunk, *each, fixed)]
        token_of = [sum(not atom.inside for atom in chunk[:i]) for i in range(len(chunk) + 1)]
        assert not any(chunk[first].inside for first, _ in bounds)
        return [
            tuple(token.stem for token in tokens[token_of[first] : token_of[behind]])
            for first, behind in bounds
        ]
