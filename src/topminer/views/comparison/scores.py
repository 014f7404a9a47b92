"""How good topics and phrases are: coherence, diversity, intrusion and phrase quality, a section each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from topminer.views.charts.comparison import Row, dots
from topminer.views.comparison.measures import (
    OURS,
    Gold,
    Measure,
    coherence,
    diversity,
    golds,
    intrusion,
    methods_of,
    precisions,
    recall,
    titles_of,
    wordy,
)
from topminer.views.comparison.summary import cut_short
from topminer.views.comparison.tables import Column, beside, chart, column, name, safe, section, table
from topminer.views.numbers import NOTHING, count_text, counted, headed, listing

MOST_PRECISIONS = 3  # that are drawn; tables have all of them


def coherence_section(data: Mapping[str, Any]) -> str:
    """Coherence, and diversity beside it."""
    scores, shares = coherence(data), diversity(data)
    if not scores and not shares:
        return ""
    window = (data.get("settings") or {}).get("window")
    within = f"windows of {counted(window, 'kept token')}" if window else "documents"
    about = (
        '<p class="about">Coherence asks whether the foremost words, and phrases, of a topic occur together. '
        f"NPMI counts {within}: −1 is never together, 0 by chance, 1 always. C_V, from 0 to 1, compares how "
        "each goes with all the others. Diversity is the share of distinct ones among the foremost of all "
        "topics. Higher is better. Phrases are rarer than words, the more so the longer they are, and seldom "
        "meet in short documents: compare figures of phrases with care.</p>"
    )
    caption = "Coherence and diversity of topics, means over topics."
    columns = [column(measure) for measure in [*scores, *shares]]
    return section(
        "coherence",
        "Coherence and diversity" if scores and shares else "Coherence" if scores else "Diversity",
        about,
        _kinds(data),
        panels(data, [*scores, *shares]),
        table(data, caption, columns),
    )


def _kinds(data: Mapping[str, Any]) -> str:
    """Which methods have phrases of another kind."""
    titles = titles_of(data)
    loose = [str(method["title"]) for method in methods_of(data) if method.get("contiguous") is False]
    parts = []
    if loose:
        parts.append(f"Phrases of {listing(loose)} are sets of words: they occur where all their words do.")
    if words := [titles[own] for own in wordy(data)]:
        parts.append(f"Phrases of {listing(words)} are single words, and have no figures of their own.")
    return f'<p class="about">{safe(" ".join(parts))}</p>' if parts else ""


def intrusion_section(data: Mapping[str, Any]) -> str:
    """Intruders found without people."""
    measure = intrusion(data)
    found = {method["name"]: method.get("intrusion") or {} for method in methods_of(data)}
    if not measure.values:
        return ""
    by = sorted({str(given["annotator"]) for given in found.values() if given.get("annotator")})
    whose = f" ({safe(listing(by))})" if by else ""
    about = (
        f'<p class="about"><strong>No person answered here.</strong> Of four phrases, three are of one topic '
        f"and one is of another. A program{whose} names the one that goes least with the others, as people "
        "do in the paper. A question without an answer counts as not found.</p>"
    )
    caption = "Automatic phrase intrusion: intruders found of those asked for."
    if words := [titles_of(data)[own] for own in wordy(data) if own in measure.values]:
        caption += f" Questions of {safe(listing(words))} are of single words."
    columns = [*counts(found), column(measure)]
    return section(
        "intrusion",
        "Intrusion, answered by a program",
        about,
        beside(panels(data, [measure]), table(data, caption, columns)),
    )


def counts(found: Mapping[str, Mapping[str, Any]]) -> list[Column]:
    """How many questions were asked, answered, and answered right."""
    columns = []
    for head, field in (("Asked", "asked"), ("Answered", "answered"), ("Right", "right")):
        values = {own: given[field] for own, given in found.items() if given.get(field) is not None}
        if values:
            columns.append(Column(head, {own: count_text(value) for own, value in values.items()}))
    return columns


def quality_section(data: Mapping[str, Any]) -> str:
    """Phrases held against lists of judged ones."""
    lists = golds(data)
    parts = [part for gold in lists for part in _of_gold(data, gold)]
    if not parts:
        return ""
    about = (
        '<p class="about">Phrases of all topics together, the best first, held against lists that say which '
        "phrases are good ones. Precision is the share of good ones among those of the first that the list "
        "judges (their number stands behind); recall is the share of the good ones that are found.</p>"
    )
    return section("quality", "Phrase quality", about, *parts)


def _of_gold(data: Mapping[str, Any], gold: Gold) -> Iterable[str]:
    found, rest = precisions(gold), recall(gold)
    if not found and not rest:
        return
    columns = []
    for measure, cut in zip(found, gold.cuts(), strict=True):
        judged = {own: (given.get("counted") or {}).get(cut) for own, given in gold.of.items()}
        after = {own: f" <small>of {n:,}</small>" for own, n in judged.items() if n is not None}
        columns.append(column(measure, after))
    columns += [column(measure) for measure in rest]
    relevant = {given["relevant"] for given in gold.of.values() if given.get("relevant") is not None}
    many = f", {listing([f'{n:,}' for n in sorted(relevant)])} good phrases" if relevant else ""
    some = found if len(found) <= MOST_PRECISIONS else [found[0], found[len(found) // 2], found[-1]]
    yield f"<h3>{name(gold.name)}</h3>"
    yield panels(data, [*some, *rest])
    yield table(data, f"Held against {name(gold.name)}{many}.", columns)


def panels(data: Mapping[str, Any], measures: Iterable[Measure]) -> str:
    """A small chart of each measure that two methods or more have, all with the same rows."""
    drawn = [measure for measure in measures if len(measure.values) > 1]
    names = [own for own in titles_of(data) if any(own in measure.values for measure in drawn)]
    if not drawn:
        return ""
    short = any(cut_short(method) for method in methods_of(data) if method["name"] in names)
    key = '<p class="key"><span class="dot hollow"></span> ~ cut short, after some of the sweeps</p>'
    inside = "".join(_panel(data, measure, names) for measure in drawn)
    return f'<div class="group"><div class="panels">{inside}</div>{key if short else ""}</div>'


def _panel(data: Mapping[str, Any], measure: Measure, names: Iterable[str]) -> str:
    methods = {method["name"]: method for method in methods_of(data)}
    rows = [
        Row(
            str(methods[own]["title"]) + (" ~" if cut_short(methods[own]) else ""),
            measure.values.get(own),
            measure.text(measure.values[own]) if own in measure.values else NOTHING,
            ours=own == OURS,
            hollow=cut_short(methods[own]),
        )
        for own in names
    ]
    share = measure.kind == "share"
    return chart(dots(rows, 1.0 if share else 0.0, percent=share), headed(measure.title))
