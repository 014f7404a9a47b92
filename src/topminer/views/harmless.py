"""A page that cannot run or load anything but itself: its frame, its policy, and a look at its charts."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from xml.etree import ElementTree

from topminer.text.printable import printable

_DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""
_ELEMENTS = {"svg", "g", "a", "defs", "clipPath", "linearGradient", "radialGradient", "stop"}
_ELEMENTS |= {"path", "rect", "line", "circle", "text", "tspan", "title", "desc"}


def document(title: str, style: str, body: str, script: str = "", *, live: bool = False) -> str:
    """Return a whole HTML file: the frame around ``body``, which is HTML already.

    Parameters
    ----------
    title : str
        What it is called; any text.
    style, script : str
        The only ones its policy allows.
    body : str
    live : bool, default False
        Whether it may ask the server it came from.
    """
    if script:
        body += f"\n<script>{script}</script>"
    return _DOCUMENT.format(
        policy=escape(policy_of(style, script, live=live)),
        title=escape(printable(title)),
        style=style,
        body=body,
    )


def policy_of(style: str, script: str = "", *, live: bool = False) -> str:
    """Return a Content-Security-Policy that names the style and the script by their hashes."""
    rules = ["default-src 'none'"]
    rules += [f"script-src '{_hash(script)}'"] if script else []
    rules += [f"style-src '{_hash(style)}'", "img-src data:", "base-uri 'none'", "form-action 'none'"]
    return "; ".join([*rules, "connect-src 'self'"] if live else rules)


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def check_svg(name: str, svg: str) -> None:
    """Refuse a chart that could do anything but be looked at."""
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
