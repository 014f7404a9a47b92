"""The page that explains one text: its merge tree and, in tables, everything the tree is drawn from."""

from __future__ import annotations

import math
from typing import Any

from topminer.phrases.explain import Explanation
from topminer.views.merge_tree import MOST_WORDS, about_merge, about_word, title_of
from topminer.views.numbers import expected_text, quality_text, score_beside
from topminer.views.pages import as_json, render
from topminer.views.report_page.shown import ALWAYS
from topminer.views.wording import STATISTICS, judged_text, quality_terms, terms, verdict, why


def explanation_page(explained: Explanation) -> str:
    """Return the page."""
    return render(
        "explanation",
        title=title_of(explained),
        explained=explained,
        terms=terms(explained),
        merges=[_merge_numbers(explained, i) for i in range(len(explained.merges))],
        n_happening=sum(merge.happens for merge in explained.merges),
        statistics=STATISTICS,
        quality_terms=quality_terms(explained),
        judgements=[
            (
                each,
                verdict(each),
                judged_text(each, explained),
                [quality_text(each.parts.get(name)) for name in STATISTICS],
            )
            for each in explained.judgements
        ],
        neighbours=[(pair, why(pair, explained)) for pair in explained.neighbours],
        most_words=MOST_WORDS,
        tree=as_json(_tree(explained)),
    )


def _merge_numbers(explained: Explanation, i: int) -> list[str]:
    merge, threshold = explained.merges[i], explained.threshold
    counts = [f"{n:,}" for n in (merge.left.count, merge.right.count, merge.observed)]
    scores = [score_beside(score, threshold) for score in (merge.score, merge.strength)]
    return [*counts, expected_text(merge.expected), *scores]


def _tree(explained: Explanation) -> dict[str, Any]:
    """Return the tree as ``tree.js`` draws it; a joint belongs to the token behind it."""
    tokens, n = explained.tokens, len(explained.tokens)
    strength = [ALWAYS if token.glued else None for token in tokens]
    scores: list[str | None] = [None] * n
    about: list[str | None] = [None] * n
    for merge in explained.merges:
        at = merge.right.first
        strength[at] = merge.strength
        scores[at] = score_beside(merge.score, explained.threshold)
        about[at] = about_merge(merge, explained.threshold)
    several = [phrase for phrase in explained.finished if phrase.length > 1]
    in_phrase = {i for phrase in several for i in range(phrase.first, phrase.behind)}
    return {
        "text": explained.text,
        "start": [token.start for token in tokens],
        "end": [token.end for token in tokens],
        "chunk": [token.chunk for token in tokens],
        "joined": [int(i in in_phrase) for i in range(n)],
        "strength": strength,
        "order": [i for i in range(n) if tokens[i].glued] + [merge.right.first for merge in explained.merges],
        "scores": scores,
        "about": about,
        "words": [about_word(token) for token in tokens],
        "threshold": explained.threshold if math.isfinite(explained.threshold) else None,
        "most": MOST_WORDS,
    }
