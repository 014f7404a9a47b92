"""The words and numbers in which a merge tree is told: the same in the terminal and on a page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from topminer.phrases.quality import INTERCEPT

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
    score = score_text(neighbours.score, explained.threshold)
    counts = f"seen together {_times(seen)}, expected {count_text(expected)}"
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


def quality_text(quality: float | None) -> str:
    """A quality, or what a statistic adds to it.

    >>> quality_text(1.234), quality_text(-0.5), quality_text(None), quality_text(0.0)
    ('+1.23', '−0.50', '–', '')
    """
    if quality is None:
        return "–"
    return "" if quality == 0 else f"{quality:+.2f}".replace("-", "−")


def quality_terms(explained: Explanation) -> str:
    """Say how the quality of a phrase comes about, and what becomes of a low one."""
    cut = f"A phrase below {explained.cut:g} is split." if explained.cut is not None else ""
    return f"Quality is {quality_text(INTERCEPT)} and what each statistic adds. {cut}".rstrip()


def judged_text(judgement: Judgement, explained: Explanation) -> str:
    """A quality with its sign, and with as many digits as tell it from a cut above it."""
    if judgement.quality is None or explained.cut is None:
        return quality_text(judgement.quality)
    text = score_text(judgement.quality, explained.cut)
    return f"−{text[1:]}" if text.startswith("-") else f"+{text}"


def verdict(judgement: Judgement) -> str:
    """Say what became of a judged phrase."""
    if judgement.quality is None:
        return "not judged"
    return "stays" if judgement.stays else "is split"


def threshold_text(threshold: float) -> str:
    """A threshold as it was given.

    >>> threshold_text(4.0), threshold_text(math.inf)
    ('4', '∞')
    """
    return "∞" if math.isinf(threshold) else f"{threshold:g}"


def score_text(score: float, threshold: float) -> str:
    """A score with two digits behind the point, or as many as tell it from a threshold above it.

    >>> score_text(7.8074, 4.0), score_text(3.99996, 4.0)
    ('7.81', '3.99996')
    """
    texts = (f"{score:.{digits}f}" for digits in range(2, 17))
    return next((text for text in texts if score >= threshold or float(text) < threshold), repr(score))


def count_text(expected: float) -> str:
    """An expected count, with about three digits.

    >>> [count_text(count) for count in (0.0004, 0.234, 41.27, 1234.5)]
    ['< 0.01', '0.23', '41.3', '1,234']
    """
    if expected < 0.01:
        return "< 0.01"
    return f"{expected:,.{2 if expected < 10 else 1 if expected < 100 else 0}f}"


def percent(share: float) -> str:
    """A share in about two digits.

    >>> percent(0.21), percent(0.0812), percent(0.0003)
    ('21 %', '8.1 %', '0.03 %')
    """
    if 0 < share < 0.00005:
        return "< 0.01 %"
    digits = 0 if share >= 0.0995 else 1 if share >= 0.000995 or share == 0 else 2
    return f"{100 * share:.{digits}f} %"
