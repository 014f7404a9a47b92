"""What people said: intruders they found, and how they rated topics and phrases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from topminer.views.comparison.measures import people
from topminer.views.comparison.scores import counts, panels
from topminer.views.comparison.tables import beside, column, safe, section, table
from topminer.views.numbers import counted, listing, score_text


def people_section(data: Mapping[str, Any]) -> str:
    """The section of people's answers."""
    told, measures = data.get("people") or {}, people(data)
    if not measures:
        return ""
    found = [measure for measure in measures if measure.kind == "share"]
    rated = [measure for measure in measures if measure.kind != "share"]
    parts = []
    if found:
        asked = {own: given or {} for own, given in (told.get("intrusion") or {}).items()}
        columns = [*counts(asked), *(column(measure) for measure in found)]
        parts += [beside(panels(data, found), table(data, _asked(told), columns))]
    if rated:
        columns = [column(measure) for measure in rated]
        parts += [panels(data, rated), table(data, _rated(told.get("ratings") or {}), columns)]
    return section("people", "People’s answers", *parts)


def _asked(told: Mapping[str, Any]) -> str:
    """Who answered, and how far they agree."""
    names = [str(annotator) for annotator in told.get("annotators") or ()]
    by = f" by {safe(listing(names))}" if names else ""
    return f"Phrase intrusion, answered{by}; means over people.{_agreement(told.get('alpha'))}"


def _rated(ratings: Mapping[str, Any]) -> str:
    experts = ratings.get("experts")
    by = f" by {counted(experts, 'expert')}" if experts is not None else ""
    agreed = [
        f"{what} {score_text(ratings[key], 2)}"
        for what, key in (("coherence", "alpha_coherence"), ("quality", "alpha_quality"))
        if ratings.get(key) is not None
    ]
    alpha = f" Agreement (Krippendorff’s α): {listing(agreed)}." if agreed else ""
    return f"Ratings{by}, each expert’s as z-scores: 0 is the expert’s mean.{alpha}"


def _agreement(alpha: float | None) -> str:
    return "" if alpha is None else f" Agreement (Krippendorff’s α): {score_text(alpha, 2)}."
