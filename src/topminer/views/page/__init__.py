"""The page of the report and of the explorer: one HTML file that loads nothing.

The page holds its data as JSON, its charts as templates, one style and one script. Its policy names the
style and the script by their hashes, so nothing else can run, whatever a corpus holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from topminer.views import colours
from topminer.views.colours import Colour, dark_rules
from topminer.views.harmless import check_svg, document, policy_of

# In this order: a file may use the constants of those before it.
SCRIPTS = (
    "dom.js",
    "colours.js",
    "data.js",
    "feed.js",
    "orders.js",
    "cutting.js",
    "tooltip.js",
    "charts.js",
    "bars.js",
    "tree.js",
    "overview.js",
    "topic.js",
    "marked.js",
    "document.js",
    "phrase.js",
    "documents.js",
    "finding.js",
    "search.js",
    "about.js",
    "app.js",
)

_COLOURS = {
    "ground": colours.GROUND,
    "raised": Colour("#f6f8fa", "#1b2127"),
    "ink": colours.INK,
    "faint": colours.FAINT,
    "grid": colours.GRID,
    "accent": colours.ACCENT,
    "wash": colours.WASH,
    "whole": Colour("#d3dae1", "#3a454f"),
    "threshold": colours.THRESHOLD,
    "topic-lightness": Colour("48%", "80%"),
    "topic-chroma": Colour("0.13", "0.11"),
    "tint": Colour("12%", "20%"),
}

_BODY = """<noscript><p class="message">This page draws its topics with JavaScript, which is switched off.
Everything it needs is in the page itself: it loads nothing.</p></noscript>
{charts}
<script type="application/json" id="data">{data}</script>"""

_IN_JSON = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def page(data: Mapping[str, Any], charts: Mapping[str, str]) -> str:
    """Return the page as one self-contained HTML file.

    Parameters
    ----------
    data : mapping
        The page data; with ``live`` true the page asks the explorer for what it does not hold.
    charts : mapping of str to str
        SVG of ``map``, ``trends``, ``history`` and ``weights``; any may be missing.

    Raises
    ------
    ValueError
        If a chart holds what could run or load something, or the data holds a number JSON has not.
    """
    body = _BODY.format(
        charts="\n".join(_template(name, svg) for name, svg in charts.items()), data=_json(data)
    )
    return document(str(data["title"]), _style(), body, _script(), live=bool(data["live"]))


def policy(*, live: bool) -> str:
    """Return the Content-Security-Policy of the page.

    Parameters
    ----------
    live : bool
        Whether the page may ask the server it came from.
    """
    return policy_of(_style(), _script(), live=live)


def _asset(name: str) -> str:
    return (files(__name__) / name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    parts = "\n".join(_asset(name) for name in SCRIPTS)
    return f'\n(() => {{\n"use strict";\n{parts}}})();\n'


@cache
def _style() -> str:
    """The style, with dark colours where the reader or the reader's system wants them; paper is light."""
    light = "".join(f"--{name}:{colour.light};" for name, colour in _COLOURS.items())
    return (
        f"\n:root{{{light}}}\n{_asset('style.css')}\n"
        f"@media screen and (prefers-color-scheme:dark){{{_dark(':root:not([data-theme=light])')}}}\n"
        f"@media screen{{{_dark(':root[data-theme=dark]')}}}\n"
    )


def _dark(root: str) -> str:
    dark = "".join(f"--{name}:{colour.dark};" for name, colour in _COLOURS.items())
    return f"{root}{{{dark}}}{dark_rules(f'{root} .chart')}"


def _json(data: Mapping[str, Any]) -> str:
    """JSON that ends no script and starts no comment, whatever its texts hold."""
    plain = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", plain)


def _template(name: str, svg: str) -> str:
    check_svg(name, svg)
    return f'<template id="chart-{escape(name)}">{svg}</template>'
