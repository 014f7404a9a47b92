"""Pages: HTML files made from templates, which run and load nothing but what they hold.

A page is one template of ``templates/`` with one style and at most one script, put together from the files of
``static/``. Its Content-Security-Policy names both by the hashes of the strings that the page embeds, so
nothing else can run, whatever a corpus holds. Templates escape every text, and characters that would be
obeyed rather than shown are replaced. Jinja2 is loaded when the first page is made.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree

from topminer.text.printable import UNPRINTABLE, printable
from topminer.views import colours, numbers
from topminer.views.colours import Colour, dark_rules

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


class Assets(NamedTuple):
    """The files of ``static/`` that a page embeds; a script may use the constants of those before it."""

    styles: str
    scripts: str = ""


_TREE = "dom colours cutting tooltip tree"
_FORM = Assets("base form", "form")
ASSETS = {
    "report": Assets(
        "base tree report",
        f"{_TREE} data feed orders charts bars overview topic marked document phrase documents finding "
        "search sureness about app",
    ),
    "comparison": Assets("base comparison"),
    "tuning": Assets("base tuning"),
    "explanation": Assets("base tree explanation", f"{_TREE} explanation"),
    "intrusion": _FORM,
    "ratings": _FORM,
}

# Variables of all styles.
_COLOURS = {
    "ground": colours.GROUND,
    "raised": Colour("#f6f8fa", "#1b2127"),
    "ink": colours.INK,
    "faint": colours.FAINT,
    "grid": colours.GRID,
    "accent": colours.ACCENT,
    "second": colours.SECOND,
    "wash": colours.WASH,
    "whole": Colour("#d3dae1", "#3a454f"),
    "merged": colours.MERGED,
    "glued": colours.GLUED,
    "threshold": colours.THRESHOLD,
    "topic-lightness": Colour("48%", "80%"),
    "topic-chroma": Colour("0.13", "0.11"),
    "tint": Colour("12%", "20%"),
}
_ACTIVE_IN_JSON = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
_ELEMENTS = {"svg", "g", "a", "defs", "clipPath", "linearGradient", "radialGradient", "stop"}
_ELEMENTS |= {"path", "rect", "line", "circle", "text", "tspan", "title", "desc"}


def page(data: Mapping[str, Any], charts: Mapping[str, str]) -> str:
    """Return the page of the report or, if ``data`` is live, of the explorer.

    ``charts`` are the SVG of ``map``, ``trends``, ``history`` and ``weights``; any may be missing. A chart
    that could run or load something is refused with a ValueError.
    """
    drawn = {name: check_svg(name, svg) for name, svg in charts.items()}
    live = bool(data["live"])
    return render("report", live=live, title=str(data["title"]), data=as_json(data), charts=drawn)


def policy(*, live: bool) -> str:
    """Return the Content-Security-Policy of the report, or of the explorer, which may ask its server."""
    return _policy(_style("report"), _script("report"), live)


def render(name: str, *, live: bool = False, **values: Any) -> str:
    """Return the page of a template; a live one may ask the server it came from."""
    from markupsafe import Markup

    style, script = _style(name), _script(name)
    embedded = {"style": Markup(style), "script": Markup(script), "policy": _policy(style, script, live)}
    return _environment().get_template(f"{name}.html").render(values, **embedded)


def as_json(data: Mapping[str, Any]) -> Markup:
    """Return JSON that ends no script and starts no comment, whatever its texts hold."""
    from markupsafe import Markup

    plain = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(_ACTIVE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", plain))


def check_svg(name: str, svg: str) -> Markup:
    """Return a chart as it can stand in a page; refuse one that could do anything but be looked at."""
    from markupsafe import Markup

    if "<!" in svg or "<?" in svg:
        raise ValueError(f"chart {name!r}: declarations and comments are not allowed")
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        raise ValueError(f"chart {name!r} is not well-formed: {error}") from None
    for element in root.iter():
        tag = element.tag.rpartition("}")[2]
        if tag not in _ELEMENTS:
            raise ValueError(f"chart {name!r}: the element <{tag}> is not allowed")
        for attribute, value in element.attrib.items():
            plain = attribute.rpartition("}")[2].lower()
            if plain == "style" or plain.startswith("on"):
                raise ValueError(f"chart {name!r}: the attribute {plain} is not allowed")
            if plain in ("href", "src") and not value.startswith("#"):
                raise ValueError(f"chart {name!r}: a link may only lead within the page, not to {value!r}")
    return Markup(svg)


def titled_svg(title: str, svg: str) -> Markup:
    """Return a chart as it can stand in a page, with its title as its name for screen readers."""
    from markupsafe import Markup

    return check_svg(title, svg).replace("<svg ", Markup('<svg aria-label="{}" ').format(printable(title)), 1)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=PackageLoader("topminer.views"),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["numbers"] = numbers
    return environment


def _static(names: str, suffix: str) -> str:
    folder = files("topminer.views") / "static"
    return "\n".join((folder / f"{name}{suffix}").read_text(encoding="utf-8") for name in names.split())


@cache
def _script(name: str) -> str:
    scripts = ASSETS[name].scripts
    shared = f"const UNPRINTABLE = /{UNPRINTABLE}/gu;"
    return f'\n(() => {{\n"use strict";\n{shared}\n{_static(scripts, ".js")}}})();\n' if scripts else ""


@cache
def _style(name: str) -> str:
    """The style, with dark colours where the reader or the reader's system wants them; paper is light."""
    light = "".join(f"--{name}:{colour.light};" for name, colour in _COLOURS.items())
    return (
        f"\n:root{{{light}}}\n{_static(ASSETS[name].styles, '.css')}\n"
        f"@media screen and (prefers-color-scheme:dark){{{_dark(':root:not([data-theme=light])')}}}\n"
        f"@media screen{{{_dark(':root[data-theme=dark]')}}}\n"
    )


def _dark(root: str) -> str:
    dark = "".join(f"--{name}:{colour.dark};" for name, colour in _COLOURS.items())
    return f"{root}{{{dark}}}{dark_rules(f'{root} svg')}"


def _policy(style: str, script: str, live: bool) -> str:
    rules = ["default-src 'none'"]
    rules += [f"script-src '{_hash(script)}'"] if script else []
    rules += [f"style-src '{_hash(style)}'", "img-src data:", "base-uri 'none'", "form-action 'none'"]
    return "; ".join([*rules, "connect-src 'self'"] if live else rules)


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
