"""Perplexity by sweep, PhraseLDA against LDA, and how the parts of our method grow with the corpus."""

from __future__ import annotations

from collections.abc import Mapping
from math import log2
from typing import Any

from topminer.views.charts.comparison import Series, decomposition, perplexities
from topminer.views.comparison.summary import perplexity_sentence, scaling_sentence
from topminer.views.comparison.tables import beside, chart, name, plain_table, safe, section, sentence
from topminer.views.numbers import NOTHING, perplexity_text, ratio_text, seconds_text


def perplexity_section(data: Mapping[str, Any]) -> str:
    """The section of held-out perplexity."""
    given = data.get("perplexity") or {}
    curves = [
        Series(str(curve["model"]), [(sweep, value) for sweep, value in curve["points"] if value is not None])
        for curve in given.get("curves") or ()
    ]
    curves = [curve for curve in curves if curve.points]
    if not curves:
        return ""
    heads = ("Model", "Sweep", "Perplexity", "Bits per word")
    return section(
        "perplexity",
        "Held-out perplexity",
        f'<p class="about">{_held_out(given)} Lower is better.</p>',
        f"<p>{sentence(told)}</p>" if (told := perplexity_sentence(data)) else "",
        beside(
            chart(perplexities(curves), "Held-out perplexity by sweep"),
            plain_table("At the end of each curve.", heads, _ends(curves)),
        ),
        _every(curves),
    )


def _held_out(given: Mapping[str, Any]) -> str:
    documents, words = given.get("held_out"), given.get("words")
    of = f"{documents:,} documents" if documents is not None else "Some documents"
    many = f" ({words:,} words)" if words is not None else ""
    return (
        f"{of} were held out. The first half of each tells its topics; how well is the second half{many} "
        "predicted? All models are asked for the same words, and fit their priors along the way."
    )


def _ends(curves: list[Series]) -> list[list[str]]:
    rows = []
    for curve in curves:
        sweep, value = curve.points[-1]
        rows.append([name(curve.name), f"{sweep:,}", perplexity_text(value), f"{log2(value):.2f}"])
    return rows


def _every(curves: list[Series]) -> str:
    """All points, for who wants the numbers."""
    values = [dict(curve.points) for curve in curves]
    sweeps = sorted({sweep for points in values for sweep in points})
    rows = [
        [f"{sweep:,}", *(perplexity_text(points[sweep]) if sweep in points else NOTHING for points in values)]
        for sweep in sweeps
    ]
    heads = ("Sweep", *(name(curve.name) for curve in curves))
    inside = plain_table("Held-out perplexity by sweep.", heads, rows)
    return f"<details><summary>All sweeps that were looked at</summary>\n{inside}\n</details>"


def scaling_section(data: Mapping[str, Any]) -> str:
    """The section of growing samples."""
    points = (data.get("scaling") or {}).get("points") or ()
    parts = [
        Series(title, [(point["documents"], point[key]) for point in points if point.get(key)])
        for title, key in (("topic modelling", "topics"), ("phrase mining", "mining"))
    ]
    if not any(part.points for part in parts):
        return ""
    title = "Parts of ToPMine’s time by documents, both axes logarithmic"
    key = '<span class="stroke wide"></span> growth in proportion to the corpus'
    rows = [[_count(point.get("documents")), *_figures(point)] for point in points]
    heads = ("Documents", "Tokens", "Phrase mining", "Topic modelling", "Ratio")
    return section(
        "scaling",
        "Where ToPMine’s time goes",
        '<p class="about">ToPMine on growing samples of the corpus: first it mines phrases, then it models '
        "topics.</p>",
        f"<p>{sentence(told)}</p>" if (told := scaling_sentence(data)) else "",
        beside(
            chart(decomposition([part for part in parts if part.points]), title, key),
            plain_table("The parts of ToPMine’s time on growing samples.", heads, rows),
        ),
    )


def _figures(point: Mapping[str, Any]) -> list[str]:
    mining, topics = point.get("mining"), point.get("topics")
    spans = [NOTHING if each is None else seconds_text(each) for each in (mining, topics)]
    ratio = ratio_text(topics / mining) if mining and topics is not None else NOTHING
    return [_count(point.get("tokens")), *(safe(span) for span in spans), safe(ratio)]


def _count(number: float | None) -> str:
    return NOTHING if number is None else f"{number:,}"
