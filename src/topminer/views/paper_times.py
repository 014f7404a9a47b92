"""The run times that the paper reports, section 7.4, "sampled dblp titles (k=5)"."""

from __future__ import annotations

PAPER_SECONDS = {
    "pdlda": 3.72 * 3600,
    "turbo": 6.68 * 3600,
    "tng": 146.0,
    "lda": 65.0,
    "kert": 68.0,
    "topmine": 67.0,
    "paper": 67.0,
}


def paper_ratio(name: str) -> float | None:
    """Return how many times as long as LDA a method took in the paper.

    >>> round(paper_ratio("turbo")), round(paper_ratio("pdlda")), paper_ratio("another")
    (370, 206, None)
    """
    seconds = PAPER_SECONDS.get(name)
    return None if seconds is None else seconds / PAPER_SECONDS["lda"]
