"""The page of a comparison: one HTML file, made from the comparison's data alone.

It loads nothing and runs nothing. Its policy names its style by a hash, so nothing else can be added to it,
whatever a corpus holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any

from topminer.views import colours
from topminer.views.colours import Colour, dark_rules
from topminer.views.comparison.curves import perplexity_section, scaling_section
from topminer.views.comparison.measures import methods_of
from topminer.views.comparison.people import people_section
from topminer.views.comparison.scores import coherence_section, intrusion_section, quality_section
from topminer.views.comparison.summary import Finding, caveats, findings, headline
from topminer.views.comparison.tables import name, safe, section, sentence
from topminer.views.comparison.times import times_section
from topminer.views.comparison.topics import topics_section
from topminer.views.harmless import document
from topminer.views.numbers import counted, headed, listing, seconds_text

__all__ = ["comparison_page"]

_COLOURS = {
    "ground": colours.GROUND,
    "raised": Colour("#f6f8fa", "#1b2127"),
    "ink": colours.INK,
    "faint": colours.FAINT,
    "grid": colours.GRID,
    "accent": colours.ACCENT,
    "second": colours.SECOND,
    "wash": colours.WASH,
}
# The sections of the page, in order: anchor, what the way to it is called, and what makes it.
_SECTIONS = (
    ("times", "Run time", times_section),
    ("coherence", "Coherence", coherence_section),
    ("intrusion", "Automatic intrusion", intrusion_section),
    ("people", "People’s answers", people_section),
    ("quality", "Phrase quality", quality_section),
    ("perplexity", "Perplexity", perplexity_section),
    ("scaling", "Growth", scaling_section),
    ("topics", "Topics", topics_section),
)
_BODY = """<a class="skip" href="#summary">Skip to the comparison</a>
<main>
<header>
<p class="eyebrow">Methods compared</p>
<h1>{heading}</h1>
<p class="lead">{lead}</p>
<nav aria-label="Sections"><ul>{links}</ul></nav>
</header>
{sections}
</main>
<footer>Made by topminer compare from the figures in compare.json. This page loads nothing.</footer>"""


def comparison_page(data: Mapping[str, Any]) -> str:
    """Return the page of a comparison as one self-contained HTML file.

    Parameters
    ----------
    data : mapping
        What ``compare.json`` holds. Figures that are missing, or None, are shown as missing; a section that
        would have none is left out.

    Returns
    -------
    str
    """
    corpus = data.get("corpus") or {}
    made = [(anchor, title, make(data)) for anchor, title, make in _SECTIONS]
    parts = [("summary", "Summary", _summary(data)), *made]
    there = [(anchor, title, html) for anchor, title, html in parts if html]
    called = corpus.get("name") or "a corpus"
    body = _BODY.format(
        heading=name(called),
        lead=_lead(data),
        links="".join(f'<li><a href="#{anchor}">{title}</a></li>' for anchor, title, _ in there),
        sections="\n".join(html for _, _, html in there),
    )
    return document(f"{called}: methods compared", _style(), body)


def _lead(data: Mapping[str, Any]) -> str:
    """Who is compared, on how much text."""
    titles = [str(method["title"]) for method in methods_of(data)]
    corpus = data.get("corpus") or {}
    sizes = [
        f"{corpus[key]:,} {what}"
        for key, what in (("documents", "documents"), ("tokens", "kept tokens"), ("stems", "stems"))
        if corpus.get(key) is not None
    ]
    on = f" on {listing(sizes)}" if sizes else ""
    return safe(f"{listing(titles)}{on}." if titles else f"No methods{on}.")


def _summary(data: Mapping[str, Any]) -> str:
    """What the figures say, what to know before comparing them, and the rules."""
    told = "".join(
        _told(anchor, against, list(some))
        for (anchor, against), some in groupby(findings(data), lambda found: (found.section, found.against))
    )
    whole = headline(data)
    warned = "".join(f"<li>{sentence(caveat)}</li>" for caveat in caveats(data))
    return section(
        "summary",
        "What the figures say",
        f'<p class="headline">{safe(whole)}</p>' if whole else "",
        f'<ul class="caveats">{warned}</ul>' if warned else "",
        f'<dl class="findings">{told}</dl>' if told else "",
        _rules(data),
    )


def _told(anchor: str, against: str, found: Sequence[Finding]) -> str:
    """What the measures of one section say."""
    titles = {each: title for each, title, _ in _SECTIONS}
    held = f"<br><small>{name(against)}</small>" if against else ""
    lines = [
        f"<p>{f'<b>{headed(each.title)}.</b> ' if len(found) > 1 else ''}{sentence(each.sentence)}</p>"
        for each in found
    ]
    return f'<div><dt><a href="#{anchor}">{titles[anchor]}</a>{held}</dt><dd>{"".join(lines)}</dd></div>'


def _rules(data: Mapping[str, Any]) -> str:
    """How methods were run, all alike."""
    settings = "".join(f"<div><dt>{key}</dt><dd>{safe(value)}</dd></div>" for key, value in _settings(data))
    rules = (
        "All methods are given the same kept tokens, the same number of topics and the same number of "
        "sweeps. Priors stay as they are, but for those that PD-LDA draws as a part of its model. The time "
        "to compile is not counted."
    )
    return f'<h3>The rules</h3>\n<p class="about">{rules}</p>\n<dl class="settings">{settings}</dl>'


def _settings(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    given = data.get("settings") or {}
    for key, title in (("topics", "Topics"), ("sweeps", "Sweeps"), ("seed", "Seed"), ("threads", "Threads")):
        if given.get(key) is not None:
            yield title, f"{given[key]:,}"
    if given.get("budget") is not None:
        yield "Budget a method", seconds_text(given["budget"])
    if given.get("top_phrases") is not None:
        yield "Judged of each topic", f"the first {given['top_phrases']:,}"
    if given.get("questions") is not None:
        yield "Questions of intrusion", f"{given['questions']:,} a method"
    if given.get("window") is not None:
        yield "Window of NPMI", counted(given["window"], "kept token")


@cache
def _style() -> str:
    """The style, with dark colours where the reader's system wants them; paper is light."""
    light = "".join(f"--{key}:{colour.light};" for key, colour in _COLOURS.items())
    dark = "".join(f"--{key}:{colour.dark};" for key, colour in _COLOURS.items())
    own = (files(__name__) / "style.css").read_text(encoding="utf-8")
    night = f":root{{{dark}}}{dark_rules('.chart')}"
    return f"\n:root{{{light}}}\n{own}\n@media screen and (prefers-color-scheme:dark){{{night}}}\n"
