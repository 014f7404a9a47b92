"""A page about a grid of models: what is recommended and why, the chart, and all numbers.

One file that loads nothing, runs nothing, and follows the reader's choice of a light or a dark screen.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from topminer.evaluation.recommend import Point, named
from topminer.evaluation.tune import Tuning
from topminer.text.printable import printable
from topminer.views.colours import FAINT, GRID, GROUND, INK, WASH, dark_rules
from topminer.views.harmless import document

_COLOURS = {"ground": GROUND, "ink": INK, "faint": FAINT, "grid": GRID, "wash": WASH}
_STYLE = """
body { margin: 2rem auto; padding: 0 1.5rem; max-width: 52rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin-top: 2.2rem; }
.faint { color: var(--faint); }
.scroll { overflow-x: auto; margin: 1rem 0; }
svg { display: block; max-width: 100%; height: auto; }
pre { background: var(--wash); padding: 0.7rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; }
th { color: var(--faint); font-weight: normal; }
th, td { padding: 0.3rem 1.2rem 0.3rem 0; border-bottom: 1px solid var(--grid); text-align: right;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
.taken td { font-weight: bold; background: var(--wash); }
"""
_BODY = """<h1>{title}</h1>
{reasons}
<div class="scroll" tabindex="0" role="group" aria-label="Charts">
{svg}
</div>
<h2>All that was tried</h2>
{table}
<p class="faint">Perplexity is that of held-out documents, ± its standard error over seeds. Coherence is the
mean NPMI of the ten foremost words of a topic, and of its ten foremost phrases. Stability is the likeness of
the topics that different seeds find. Phrases are the distinct ones of several words.</p>"""
_HEADS = (
    "topics",
    "threshold",
    "perplexity",
    "±",
    "coherence",
    "of phrases",
    "stability",
    "phrases",
    "seconds",
)


def to_html(found: Tuning, svg: str, name: str, command: str | None = None) -> str:
    """Return the page.

    Parameters
    ----------
    found : Tuning
    svg : str
        The chart, to stand in a page (:func:`topminer.views.charts.svg.to_svg`).
    name : str
        Of the corpus.
    command : str, optional
        What makes the recommended model.
    """
    title = f"How many topics? {name}"
    body = _BODY.format(
        title=_safe(title),
        reasons="\n".join(_reasons(found, command)),
        svg=svg,
        table="\n".join(_table(found)),
    )
    return document(title, _style(), body)


def _safe(text: str) -> str:
    return escape(printable(text))


def _style() -> str:
    light = "; ".join(f"--{name}: {colour.light}" for name, colour in _COLOURS.items())
    dark = "; ".join(f"--{name}: {colour.dark}" for name, colour in _COLOURS.items())
    rules = f":root {{ {dark} }} {dark_rules('.marks')}"
    return f"\n:root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ {rules} }}{_STYLE}"


def _reasons(found: Tuning, command: str | None) -> Iterator[str]:
    if found.recommended is not None:
        yield f"<h2>Recommended: {_safe(named(found.recommended))}</h2>"
    yield "<ul>"
    yield from (f"<li>{_safe(line)}</li>" for line in found.why)
    yield "</ul>"
    if command is not None:
        yield f"<pre>{_safe(command)}</pre>"


def _table(found: Tuning) -> Iterator[str]:
    yield '<div class="scroll"><table>'
    yield f"<thead><tr>{''.join(f'<th>{head}</th>' for head in _HEADS)}</tr></thead>"
    yield "<tbody>"
    for point in found.points:
        kind = ' class="taken"' if point is found.recommended else ""
        yield f"<tr{kind}>{''.join(f'<td>{cell}</td>' for cell in _cells(point))}</tr>"
    yield "</tbody></table></div>"


def _cells(point: Point) -> Iterator[str]:
    yield f"{point.n_topics:,}"
    yield "none" if point.threshold == float("inf") else f"{point.threshold:g}"
    for value, form in (
        (point.perplexity, ",.1f"),
        (point.perplexity_error, ",.1f"),
        (point.coherence, ".3f"),
        (point.phrase_coherence, ".3f"),
        (point.stability, ".2f"),
        (point.n_phrases, ",d"),
        (point.seconds, ",.1f"),
    ):
        yield "–" if value is None else f"{value:{form}}"
