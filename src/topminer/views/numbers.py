"""Every number as people read it, in the terminal and on pages.

What is shown is also what is compared: two figures that read the same are level.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

NOTHING = "–"  # where there is no figure


def number(value: float | None, form: str = "") -> str:
    """Return a number by its format: with no format, thousands and at most one digit behind the point.

    >>> number(None), number(1234), number(2.25), number(0.5, ".3f")
    ('–', '1,234', '2.2', '0.500')
    """
    if value is None:
        return NOTHING
    return format(value, form or (",.1f" if isinstance(value, float) else ","))


def percent(share: float) -> str:
    """Return a share in about two digits.

    >>> percent(0.21), percent(0.0812), percent(0.0003)
    ('21 %', '8.1 %', '0.03 %')
    """
    if 0 < share < 0.00005:
        return "< 0.01 %"
    digits = 0 if share >= 0.0995 else 1 if share >= 0.000995 or share == 0 else 2
    return f"{100 * share:.{digits}f} %"


def share_text(share: float) -> str:
    """Return a share in whole per cent.

    >>> share_text(0.754)
    '75 %'
    """
    return f"{100 * share:.0f} %"


def seconds_text(seconds: float) -> str:
    """Return a time in about two digits.

    >>> [seconds_text(seconds) for seconds in (0.0, 0.0004, 0.084, 64.7, 146.0, 24_048.0, 2_600_000.0)]
    ['0 s', '< 0.01 s', '0.08 s', '65 s', '2.4 min', '6.7 h', '30 days']
    """
    if 0 < seconds < 0.005:
        return "< 0.01 s"
    for size, end, unit in ((1, 99.5, "s"), (60, 5970, "min"), (3600, 171_000, "h")):
        if seconds < end:
            return f"{_two_digits(seconds / size)} {unit}"
    return f"{_two_digits(seconds / 86_400)} days"


def _two_digits(value: float) -> str:
    if value < 0.995:
        return f"{value:.2f}" if value else "0"
    return f"{value:,.1f}" if value < 9.95 else f"{value:,.0f}"


def short(value: float) -> str:
    """Return a number in two or three digits and a thousand, million or billion.

    >>> short(3_241_000), short(48_100), short(7.25)
    ('3.2 M', '48 k', '7.2')
    """
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k"), (1, "")):
        if value >= size:
            return f"{value / size:.{1 if value < 10 * size else 0}f}{letter}"
    return f"{value:.1f}"


def ratio_text(ratio: float) -> str:
    """Return how many times as much something is.

    >>> [ratio_text(ratio) for ratio in (0.0001, 0.97, 1.0, 2.246, 41.3, 1234.5)]
    ['< 0.01', '0.97', '1.00', '2.25', '41', '1,234']
    """
    if 0 < ratio < 0.005:
        return "< 0.01"
    return f"{ratio:,.{2 if ratio < 9.995 else 0}f}"


def score_text(score: float, digits: int = 3) -> str:
    """Return a score with so many digits behind the point; zero has no sign.

    >>> score_text(0.2137), score_text(-0.2), score_text(-0.0001), score_text(0.614, 2)
    ('0.214', '−0.200', '0.000', '0.61')
    """
    return f"{round(score, digits) + 0.0:.{digits}f}".replace("-", "−")


def score_beside(score: float, threshold: float) -> str:
    """Return a score with two digits behind the point, or as many as tell it from a threshold above it.

    >>> score_beside(7.8074, 4.0), score_beside(3.99996, 4.0)
    ('7.81', '3.99996')
    """
    texts = (f"{score:.{digits}f}" for digits in range(2, 17))
    return next((text for text in texts if score >= threshold or float(text) < threshold), repr(score))


def threshold_text(threshold: float) -> str:
    """Return a threshold as it was given.

    >>> threshold_text(4.0), threshold_text(math.inf)
    ('4', '∞')
    """
    return "∞" if math.isinf(threshold) else f"{threshold:g}"


def quality_text(quality: float | None) -> str:
    """Return a quality, or what a statistic adds to it.

    >>> quality_text(1.234), quality_text(-0.5), quality_text(None), quality_text(0.0)
    ('+1.23', '−0.50', '–', '')
    """
    if quality is None:
        return NOTHING
    return "" if quality == 0 else f"{quality:+.2f}".replace("-", "−")


def expected_text(expected: float) -> str:
    """Return an expected count, with about three digits.

    >>> [expected_text(count) for count in (0.0004, 0.234, 41.27, 1234.5)]
    ['< 0.01', '0.23', '41.3', '1,234']
    """
    if expected < 0.01:
        return "< 0.01"
    return f"{expected:,.{2 if expected < 10 else 1 if expected < 100 else 0}f}"


def count_text(count: float) -> str:
    """Return a count, which may be an average of several.

    >>> count_text(44_165), count_text(16.5), count_text(15.0), count_text(6.6667)
    ('44,165', '16.5', '15', '6.7')
    """
    return f"{count:,.0f}" if round(count, 1) == round(count) else f"{count:,.1f}"


def perplexity_text(perplexity: float) -> str:
    """Return a perplexity in four digits or more.

    >>> perplexity_text(1980.14), perplexity_text(210.44)
    ('1,980', '210.4')
    """
    return f"{perplexity:,.{0 if perplexity >= 999.95 else 1}f}"


def counted(n: int, what: str) -> str:
    """Return a count with what is counted.

    >>> counted(1, "topic"), counted(1200, "topic")
    ('1 topic', '1,200 topics')
    """
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def listing(names: Sequence[str]) -> str:
    """Return names in a row.

    >>> listing(["LDA", "TNG", "KERT"]), listing(["LDA"])
    ('LDA, TNG and KERT', 'LDA')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def headed(title: str) -> str:
    """Return a title as it stands at the head of something.

    >>> headed("recall"), headed("NPMI of words")
    ('Recall', 'NPMI of words')
    """
    return title[:1].upper() + title[1:]
