"""A page that explains one text: its merge tree and, in tables, everything the tree is drawn from.

One file that loads nothing, runs nothing, and follows the reader's choice of a light or a dark screen.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from topminer.phrases.explain import Explanation
from topminer.text.printable import printable
from topminer.views.colours import FAINT, GRID, GROUND, INK, MERGED, THRESHOLD
from topminer.views.merge_tree import title_of, to_svg
from topminer.views.numbers import expected_text, quality_text, score_beside, threshold_text
from topminer.views.wording import STATISTICS, judged_text, quality_terms, terms, verdict, why

_COLOURS = {
    "ground": GROUND,
    "ink": INK,
    "faint": FAINT,
    "grid": GRID,
    "merged": MERGED,
    "threshold": THRESHOLD,
}
_STYLE = """
body { margin: 2rem auto; padding: 0 1.5rem; max-width: 64rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; }
h2 { font-size: 1.1rem; margin-top: 2.2rem; }
.text { font-size: 1.15rem; color: var(--faint); overflow-wrap: anywhere; }
.text b { font-weight: normal; color: var(--ink); }
.text mark { background: none; color: var(--merged); font-weight: bold; border-bottom: 2px solid; }
.faint { color: var(--faint); }
.scroll { overflow-x: auto; margin: 1rem 0; }
svg { display: block; }
table { border-collapse: collapse; }
th { color: var(--faint); font-weight: normal; text-align: left; }
th, td { padding: 0.3rem 1.2rem 0.3rem 0; border-bottom: 1px solid var(--grid); vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.beyond td { color: var(--faint); }
.line td { color: var(--threshold); border-bottom: 2px dashed; }
"""
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>Why these phrases?</h1>
<p class="text" dir="auto">{text}</p>
<p class="faint">{terms}</p>
<div class="scroll" tabindex="0" role="group" aria-label="Merge tree">
{svg}
</div>
<p class="faint">A merge stands at its score, or at the lowest score before it. Below the dashed line it
happens. Expected is what chance would give: f(left) · f(right) ∕ {n_tokens} counted tokens. The score is
(seen − expected) ∕ √seen.</p>
{tables}
</body>
</html>
"""


def to_html(explained: Explanation) -> str:
    """Return the page."""
    tables = [*_merges(explained), *_judgements(explained), *_neighbours(explained)]
    return _PAGE.format(
        title=_safe(title_of(explained)),
        style=_style(),
        text="".join(_marked(explained)),
        terms=terms(explained),
        svg=to_svg(explained),
        n_tokens=f"{explained.n_tokens:,}",
        tables="\n".join(tables),
    )


def _safe(text: str) -> str:
    return escape(printable(text))


def _style() -> str:
    light = "; ".join(f"--{name}: {colour.light}" for name, colour in _COLOURS.items())
    dark = "; ".join(f"--{name}: {colour.dark}" for name, colour in _COLOURS.items())
    return f"\n:root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}{_STYLE}"


def _marked(explained: Explanation) -> Iterator[str]:
    """The text, with its kept words and its phrases of several words marked."""
    for phrase, piece in explained.pieces:
        if phrase is None:
            yield _safe(piece)
        else:
            element = "b" if phrase.length == 1 else "mark"
            yield f"<{element}>{_safe(piece)}</{element}>"


def _table(title: str, heads: list[str], n_numbers: int, rows: list[str]) -> Iterator[str]:
    cells = [f"<th>{head}</th>" for head in heads[: len(heads) - n_numbers]]
    cells += [f'<th class="number">{head}</th>' for head in heads[len(heads) - n_numbers :]]
    yield f"<h2>{title}</h2>"
    yield '<div class="scroll"><table>'
    yield f"<thead><tr>{''.join(cells)}</tr></thead>"
    yield "<tbody>"
    yield from rows
    yield "</tbody></table></div>"


def _merges(explained: Explanation) -> Iterator[str]:
    heads = ["", "left", "right", "f(left)", "f(right)", "seen", "expected", "score", "lowest so far"]
    rows = []
    happened = True
    for number, merge in enumerate(explained.merges, 1):
        if happened and not merge.happens:
            label = f"threshold {threshold_text(explained.threshold)}"
            rows.append(f'<tr class="line"><td></td><td colspan="{len(heads) - 1}">{label}</td></tr>')
        happened = merge.happens
        numbers = [f"{merge.left.count:,}", f"{merge.right.count:,}", f"{merge.observed:,}"]
        numbers += [escape(expected_text(merge.expected)), score_beside(merge.score, explained.threshold)]
        numbers += [score_beside(merge.strength, explained.threshold)]
        cells = [f"<td>{number}</td>"]
        cells += [f"<td><bdi>{_safe(phrase.text)}</bdi></td>" for phrase in (merge.left, merge.right)]
        cells += [f'<td class="number">{each}</td>' for each in numbers]
        rows.append(f'<tr class="{"merged" if merge.happens else "beyond"}">{"".join(cells)}</tr>')
    if rows:
        yield from _table("Merges, in order", heads, 6, rows)


def _judgements(explained: Explanation) -> Iterator[str]:
    rows = []
    for each in explained.judgements:
        cells = [f"<td><bdi>{_safe(each.phrase.text)}</bdi></td>", f"<td>{verdict(each)}</td>"]
        cells.append(f'<td class="number">{judged_text(each, explained)}</td>')
        cells += [f'<td class="number">{quality_text(each.parts.get(name))}</td>' for name in STATISTICS]
        rows.append(f'<tr class="{"merged" if each.stays else "beyond"}">{"".join(cells)}</tr>')
    if rows:
        heads = ["phrase", "", "quality", *STATISTICS.values()]
        title, *table = _table("Quality of the finished phrases", heads, 1 + len(STATISTICS), rows)
        yield title
        yield f'<p class="faint">{quality_terms(explained)}</p>'
        yield from table


def _neighbours(explained: Explanation) -> Iterator[str]:
    rows = []
    for pair in explained.neighbours:
        cells = [f"<td><bdi>{_safe(phrase.text)}</bdi></td>" for phrase in (pair.left, pair.right)]
        rows.append(f"<tr>{''.join(cells)}<td>{_safe(why(pair, explained))}</td></tr>")
    if rows:
        yield from _table("Why the others stay apart", ["left", "right", "because"], 0, rows)
