"""The words and numbers that describe a merge tree: the same in the terminal and on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topminer.phrases.quality import INTERCEPT
from topminer.views.numbers import expected_text, quality_text, score_beside, threshold_text

if TYPE_CHECKING:
    from topminer.phrases.explain import Explanation, Judgement, Neighbours


def why(neighbours: Neighbours, explained: Explanation) -> str:
    """Say in a few words why two phrases are not one."""
    seen, expected = neighbours.observed, neighbours.expected
    match neighbours.reason:
        case "chunk":
            if neighbours.between.isspace():
                return "another chunk: a line ends between"
            return f"another chunk: ‘{' '.join(neighbours.between.split())}’ stands between"
        case "unknown":
            both = explained.tokens[neighbours.left.first : neighbours.right.behind]
            unknown = [f"no ‘{token.text}’" for token in both if token.count == 0]
            return f"the corpus has {' and '.join(unknown)}"
        case "rare":
            if seen is None:
                return f"seen together fewer than {explained.min_support:,} times, the minimum support"
            if seen == 0:
                return "never seen together"
            least = f"fewer than the minimum support of {explained.min_support:,}"
            return f"seen together {_times(seen)}, {least}"
        case "long":
            n_words = neighbours.left.length + neighbours.right.length
            return f"together {n_words:,} words; {explained.max_length:,} is the most allowed"
        case "never":
            return "never to be formed, as was asked"
        case "quality":
            return "one phrase by its score, but its quality is too low"
    assert neighbours.score is not None and seen is not None and expected is not None
    score = score_beside(neighbours.score, explained.threshold)
    counts = f"seen together {_times(seen)}, expected {expected_text(expected)}"
    return f"scored {score}, below the threshold of {threshold_text(explained.threshold)}: {counts}"


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n:,} times"


def terms(explained: Explanation) -> str:
    """Say what was asked of phrases, and of which corpus."""
    threshold = f"threshold {threshold_text(explained.threshold)}"
    support = f"minimum support {explained.min_support:,}"
    cut = "" if explained.cut is None else f"lowest quality {explained.cut:g} · "
    return f"{threshold} · {support} · {cut}{explained.n_tokens:,} counted tokens in the corpus"


# How the statistics of phrase quality are called (phrases/quality.py).
STATISTICS = {
    "association": "association",
    "left_entropy": "left entropy",
    "completeness": "completeness",
    "fixedness": "fixedness",
    "capitals": "capitals",
    "digit": "digit",
    "three_words": "three words",
    "four_words": "four words",
}


def quality_terms(explained: Explanation) -> str:
    """Say how the quality of a phrase comes about, and what becomes of a low one."""
    cut = f"A phrase below {explained.cut:g} is split." if explained.cut is not None else ""
    return f"Quality is {quality_text(INTERCEPT)} and what each statistic adds. {cut}".rstrip()


def judged_text(judgement: Judgement, explained: Explanation) -> str:
    """A quality with its sign, and with as many digits as tell it from a cut above it."""
    if judgement.quality is None or explained.cut is None:
        return quality_text(judgement.quality)
    text = score_beside(judgement.quality, explained.cut)
    return f"−{text[1:]}" if text.startswith("-") else f"+{text}"


def verdict(judgement: Judgement) -> str:
    """Say what became of a judged phrase."""
    if judgement.quality is None:
        return "not judged"
    return "stays" if judgement.stays else "is split"
