"""What tests of charts read in SVG."""

import json
import re
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from topminer.views.colours import PALETTE

SVG = "{http://www.w3.org/2000/svg}"


def root_of(svg: str, title: str) -> Element:
    """The root of a chart, which must have its title, no script, and colours of the palette alone."""
    root = ElementTree.fromstring(svg)
    assert (root.tag, root[0].text) == (f"{SVG}svg", title)
    assert "<script" not in svg
    colours = set(re.findall(r'(?:fill|stroke)="([^"]*)"', re.sub("<style>.*</style>", "", svg)))
    assert colours <= {colour.light for colour in PALETTE} | {"none", "transparent"}
    return root


def texts_in(drawn: str | Element) -> list[str]:
    root = ElementTree.fromstring(drawn) if isinstance(drawn, str) else drawn
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def data_of(chart: Any) -> list[list[dict[str, Any]]]:
    return [json.loads(values) for values in chart.to_dict()["datasets"].values()]
