"""What the figures say, in plain sentences: who is first on each measure, and by how much.

The sentences follow from the figures alone, whoever is first::

    KERT is first with 0.213, 0.020 ahead of ToPMine (0.193).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log2
from typing import Any, NamedTuple

from topminer.views.comparison.measures import OURS, Measure, every, methods_of, titles_of
from topminer.views.comparison.paper import PAPER_PARTS, paper_ratio
from topminer.views.numbers import (
    counted,
    listing,
    ordinal,
    perplexity_text,
    ratio_text,
    seconds_text,
)


class Finding(NamedTuple):
    """What one measure says."""

    section: str  # of the page, where the figures are
    against: str  # what figures were held against, if anything
    title: str
    sentence: str


def findings(data: Mapping[str, Any]) -> Iterator[Finding]:
    """What each measure says, in the order of the page."""
    titles = _marked(data)
    for gold, measure in every(data):
        told = _of_times(measure, data) if measure.kind == "time" else _of(measure, titles)
        yield Finding(measure.section, gold, measure.title, told)
    if sentence := perplexity_sentence(data):
        yield Finding("perplexity", "", "held-out perplexity", sentence)
    if sentence := scaling_sentence(data):
        yield Finding("scaling", "", "growth", sentence)


def headline(data: Mapping[str, Any]) -> str:
    """On how many measures our method is first, shares the first place, or is behind; '' without it."""
    names: dict[str, list[str]] = {"first": [], "level": [], "behind": []}
    for gold, measure in every(data):
        if OURS in measure.values and len(measure.values) > 1:
            best = measure.best()
            place = "behind" if OURS not in best else "first" if len(best) == 1 else "level"
            names[place].append(f"{measure.title} ({gold})" if gold else measure.title)
    n = sum(map(len, names.values()))
    if not n:
        return ""
    parts = [f"is first on {_some(len(names['first']), n)}"]
    if names["level"]:
        parts.append(f"shares the first place on {_some(len(names['level']), n)}")
    parts.append(f"is behind on {_some(len(names['behind']), n)}")
    behind = f": {listing(names['behind'])}" if names["behind"] else ""
    return f"Of {counted(n, 'measure')}, {titles_of(data)[OURS]} {listing(parts)}{behind}."


def caveats(data: Mapping[str, Any]) -> Iterator[str]:
    """What a reader must know before comparing: methods that were not run, or not to their end."""
    for method in methods_of(data):
        if method.get("failed"):
            yield f"{method['title']} was not run: {reason(method)}."
    short = [str(method["title"]) for method in methods_of(data) if cut_short(method)]
    if short:
        budget = (data.get("settings") or {}).get("budget")
        end = f" of {seconds_text(budget)}" if budget else ""
        were, their = ("was", "Its") if len(short) == 1 else ("were", "Their")
        yield (
            f"{listing(short)} {were} cut short (~): all sweeps would not fit the budget{end}. {their} time "
            f"is extrapolated, and {their.lower()} topics are those of the sweeps that were done; all "
            "of them might give better ones."
        )


def reason(method: Mapping[str, Any]) -> str:
    """Why a method was not run; its name, which stands beside, is left out."""
    return str(method["failed"]).removeprefix(f"{method['title']}: ").rstrip(".")


def cut_short(method: Mapping[str, Any]) -> bool:
    """Whether a method was run, but not to its end."""
    return bool(method.get("extrapolated")) and method.get("seconds") is not None


def perplexity_sentence(data: Mapping[str, Any]) -> str:
    """Who predicts held-out words best, at the last sweep that all models have; '' if there is none."""
    curves = {
        str(curve["model"]): {sweep: value for sweep, value in curve["points"] if value is not None}
        for curve in (data.get("perplexity") or {}).get("curves") or ()
    }
    shared = set.intersection(*(set(curve) for curve in curves.values())) if curves else set()
    if not shared or len(curves) < 2:
        return ""
    sweep = max(shared)
    last = sorted((curve[sweep], model) for model, curve in curves.items())
    (lowest, best), (highest, _) = last[0], last[-1]
    after = f"After {counted(sweep, 'sweep')}"
    if perplexity_text(lowest) == perplexity_text(highest):
        return f"{after}, {listing([model for _, model in last])} are level at {perplexity_text(lowest)}."
    others = [
        f"{model} {perplexity_text(value)} ({100 * (value / lowest - 1):.1f} % higher)"
        for value, model in last[1:]
    ]
    bits = " against ".join(f"{log2(value):.2f}" for value, _ in last)
    return (
        f"{after}, {best} predicts words it has not seen best: perplexity {perplexity_text(lowest)}; "
        f"{listing(others)}. That is {bits} bits per word."
    )


def scaling_sentence(data: Mapping[str, Any]) -> str:
    """How the two parts of our method grow with the corpus; '' without two samples."""
    points = (data.get("scaling") or {}).get("points") or ()
    whole = [point for point in points if point.get("mining") and point.get("topics")]
    if len(whole) < 2:
        return ""
    few, many = whole[0], whole[-1]
    grown = {part: ratio_text(many[part] / few[part]) for part in ("documents", "mining", "topics")}
    ratios = sorted(point["topics"] / point["mining"] for point in whole)
    low, high = ratio_text(ratios[0]), ratio_text(ratios[-1])
    span = low if low == high else f"{low} to {high}"
    return (
        f"From {few['documents']:,} to {many['documents']:,} documents ({grown['documents']} times as many), "
        f"mining takes {grown['mining']} times as long and topic modelling {grown['topics']} times. Topic "
        f"modelling takes {span} times as long as mining (in the paper, about {PAPER_PARTS})."
    )


def _of(measure: Measure, titles: Mapping[str, str]) -> str:
    """Who is first with a score, who comes next, and where our method is."""
    places, n = measure.places(), len(measure.values)
    shown = measure.text(measure.values[places[0][0]])
    first = _names(places[0], titles)
    if n == 1:
        return f"Only {first} has a figure: {shown}."
    if len(places) == 1:
        return f"{'Both' if n == 2 else f'All {n}'} are level at {shown}: {first}."
    second = _names(places[1], titles)
    ahead = f"{measure.apart(places[0][0], places[1][0])} ahead of {second}"
    ahead += f" ({measure.text(measure.values[places[1][0]])})"
    told = f"{first} {'is first with' if len(places[0]) == 1 else 'are level at'} {shown}, {ahead}."
    for place, level in enumerate(places[2:], 2):
        if OURS in level:
            at = ordinal(1 + sum(map(len, places[:place])))
            shares = f"shares the {at} place" if len(level) > 1 else f"is {at}"
            told += f" {titles[OURS]} {shares} of {n} with {measure.text(measure.values[OURS])}."
    return told


def _of_times(measure: Measure, data: Mapping[str, Any]) -> str:
    """Who is fastest, how far the next, ours and the slowest are behind, and how ours stands to LDA."""
    places, titles = measure.places(), titles_of(data)
    short = {method["name"] for method in methods_of(data) if cut_short(method)}

    def shown(name: str) -> str:
        return ("~" if name in short else "") + measure.text(measure.values[name])

    best = places[0]
    if len(measure.values) == 1:
        return f"Only {titles[best[0]]} was timed: {shown(best[0])}."
    if len(best) == 1:
        told = f"{titles[best[0]]} is the fastest: {shown(best[0])}."
    else:
        told = f"{_names(best, titles)} are equally fast to the digits shown: {shown(best[0])}."
    for level in places[1:]:
        if level is places[1] or level is places[-1] or OURS in level:
            take = "takes" if len(level) == 1 else "take"
            as_long = measure.apart(best[0], level[0])
            told += f" {_names(level, titles)} {take} {shown(level[0])}, {as_long} as long."
    ratio = {method["name"]: method.get("ratio") for method in methods_of(data)}.get(OURS)
    if ratio is not None and OURS in measure.values:
        told += f" {titles[OURS]} needs {ratio_text(ratio)} times the time of LDA"
        told += f" (in the paper {ratio_text(paper_ratio(OURS) or 0.0)})."
    return told


def _some(k: int, n: int) -> str:
    return "none" if k == 0 else "all" if k == n else str(k)


def _names(names: list[str], titles: Mapping[str, str]) -> str:
    return listing([titles[name] for name in names])


def _marked(data: Mapping[str, Any]) -> dict[str, str]:
    """What methods are called; those that were cut short with a mark."""
    short = {method["name"] for method in methods_of(data) if cut_short(method)}
    return {name: f"~{title}" if name in short else title for name, title in titles_of(data).items()}
