"""What keeps a page from running or loading anything: hashes for its policy, and a look at its charts."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from xml.etree import ElementTree

_ELEMENTS = {"svg", "g", "a", "defs", "clipPath", "linearGradient", "radialGradient", "stop"}
_ELEMENTS |= {"path", "rect", "line", "circle", "text", "tspan", "title", "desc"}


def hash_of(text: str) -> str:
    """How a Content-Security-Policy names a style or a script that may be used."""
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
