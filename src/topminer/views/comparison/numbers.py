"""Numbers and lists of names, as the page of a comparison says them.

What is shown is also what is compared: two figures that read the same are level.

>>> seconds_text(8.13), seconds_text(13_392.0), score_text(-0.0871), share_text(0.754)
('8.1 s', '3.7 h', '−0.087', '75 %')
"""

from __future__ import annotations

from collections.abc import Sequence

NOTHING = "–"  # where there is no figure

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def seconds_text(seconds: float) -> str:
    """A time as people say it, in about two digits.

    >>> [seconds_text(seconds) for seconds in (0.0, 0.0004, 0.084, 64.7, 146.0, 24_048.0, 2_600_000.0)]
    ['0 s', '< 0.01 s', '0.08 s', '65 s', '2.4 min', '6.7 h', '30 days']
    """
    if 0 < seconds < 0.005:
        return "< 0.01 s"
    for size, end, unit in ((1, 99.5, "s"), (60, 5970, "min"), (3600, 171_000, "h"), (86_400, None, "days")):
        if end is None or seconds < end:
            return f"{_two_digits(seconds / size)} {unit}"
    raise AssertionError("a time has some length")


def ratio_text(ratio: float) -> str:
    """How many times as much.

    >>> [ratio_text(ratio) for ratio in (0.0001, 0.97, 1.0, 2.246, 41.3, 1234.5)]
    ['< 0.01', '0.97', '1.00', '2.25', '41', '1,234']
    """
    if 0 < ratio < 0.005:
        return "< 0.01"
    return f"{ratio:,.{2 if ratio < 9.995 else 0}f}"


def score_text(score: float, digits: int = 3) -> str:
    """A score with so many digits behind the point; zero has no sign.

    >>> score_text(0.2137), score_text(-0.2), score_text(-0.0001), score_text(0.614, 2)
    ('0.214', '−0.200', '0.000', '0.61')
    """
    return f"{round(score, digits) + 0.0:.{digits}f}".replace("-", "−")


def share_text(share: float) -> str:
    """A share in whole per cent."""
    return f"{100 * share:.0f} %"


def count_text(count: float) -> str:
    """A count, which may be an average of several.

    >>> count_text(44_165), count_text(16.5), count_text(15.0), count_text(6.6667)
    ('44,165', '16.5', '15', '6.7')
    """
    return f"{count:,.0f}" if round(count, 1) == round(count) else f"{count:,.1f}"


def perplexity_text(perplexity: float) -> str:
    """A perplexity in four digits or more.

    >>> perplexity_text(1980.14), perplexity_text(210.44)
    ('1,980', '210.4')
    """
    return f"{perplexity:,.{0 if perplexity >= 999.95 else 1}f}"


def listing(names: Sequence[str]) -> str:
    """Names in a row.

    >>> listing(["LDA", "TNG", "KERT"]), listing(["LDA"])
    ('LDA, TNG and KERT', 'LDA')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def headed(title: str) -> str:
    """A title as it stands at the head of something.

    >>> headed("recall"), headed("NPMI of words")
    ('Recall', 'NPMI of words')
    """
    return title[:1].upper() + title[1:]


def ordinal(place: int) -> str:
    """A place in words.

    >>> ordinal(3), ordinal(12)
    ('third', 'number 12')
    """
    return _ORDINALS[place - 1] if place <= len(_ORDINALS) else f"number {place}"


def counted(n: int, what: str) -> str:
    """So many of them.

    >>> counted(1, "topic"), counted(1200, "topic")
    ('1 topic', '1,200 topics')
    """
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def _two_digits(number: float) -> str:
    if number < 0.995:
        return f"{number:.2f}" if number else "0"
    return f"{number:,.1f}" if number < 9.95 else f"{number:,.0f}"
