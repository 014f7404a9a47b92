"""Charts as SVG and PNG, drawn by vl-convert without a network.

The SVG is then made fit for a page: marks have tooltips, links lead within the page, and elements that draw
nothing are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from topminer.memory import require_drawing
from topminer.text.printable import printable
from topminer.views.colours import GROUND, dark_rules

if TYPE_CHECKING:
    import altair as alt

SHARPNESS = 2.0  # pixels of a PNG for one of the chart's
LONGEST_SIDE = 16_000  # of a PNG, in pixels
FONT = "system-ui, sans-serif"

_NAMESPACE = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"
_TOPIC = re.compile(r"#/topic/(\d+)")
_NUMBER = re.compile(r"-?\d*\.\d+")
# Points of a path that have the same height as those before and behind.
_LEVEL = re.compile(r"(L[^,LMZ]+,([^,LMZ]+))(?:L[^,LMZ]+,\2(?=[LMZ]|$))+(?=L[^,LMZ]+,\2(?:[LMZ]|$))")
_NOT_NEEDED = ("class", "aria-roledescription", "pointer-events", "font-family")


def to_svg(chart: alt.TopLevelMixin, title: str, *, standalone: bool = False) -> str:
    """Return a chart as an SVG document.

    Parameters
    ----------
    chart : altair chart
    title : str
        Title of the chart.
    standalone : bool, default False
        For a file by itself, with its own ground, light or dark as the reader's screen is. Otherwise the page
        gives both (:func:`topminer.views.colours.dark_rules`), and links to topics, which lead to places in
        the page, are kept.

    Returns
    -------
    str
        Without scripts and without style attributes. All that is drawn of a topic stands in a group whose
        ``data-topic`` is its number.
    """
    return Drawing(chart).svg(title, standalone=standalone)


def to_png(chart: alt.TopLevelMixin) -> bytes:
    """Return a chart as a PNG file, light."""
    return Drawing(chart).png()


@dataclass(frozen=True)
class Drawing:
    """A chart that is drawn once, for however many files."""

    chart: alt.TopLevelMixin

    @cached_property
    def _drawn(self) -> str:
        svg: str = _converter().vegalite_to_svg(self.chart.to_dict(validate=False), allowed_base_urls=[])
        return svg

    def svg(self, title: str, *, standalone: bool = False) -> str:
        """See :func:`to_svg`."""
        drawn = ElementTree.fromstring(self._drawn)
        root = Element("svg", {"xmlns": _NAMESPACE, "class": "marks"})
        root.attrib |= {name: drawn.attrib[name] for name in ("width", "height", "viewBox")}
        root.set("font-family", FONT)
        ElementTree.SubElement(root, "title").text = printable(title)
        if standalone:
            style = f"@media (prefers-color-scheme:dark){{{dark_rules('.marks')}}}"
            ElementTree.SubElement(root, "style").text = style
            ElementTree.SubElement(root, "rect", {"width": "100%", "height": "100%", "fill": GROUND.light})
        marks = [element for element in drawn if element.tag != f"{{{_NAMESPACE}}}rect"]  # the ground
        root.extend(_slim(marks, {}, linked=not standalone))
        _add_titles(root)
        # Screen readers skip links inside role=img, so a chart with links gets role=group.
        root.set("role", "group" if root.find(".//a") is not None else "img")
        return ElementTree.tostring(root, encoding="unicode")

    def png(self) -> bytes:
        """See :func:`to_png`."""
        size = ElementTree.fromstring(self._drawn).attrib
        longest = max(float(size["width"]), float(size["height"]))
        png: bytes = _converter().svg_to_png(self._drawn, scale=min(SHARPNESS, LONGEST_SIDE / longest))
        return png


@cache
def _converter() -> Any:
    """Return vl-convert, after a check of memory: its V8 ends the process if address space is too small."""
    require_drawing()
    import vl_convert

    return vl_convert


def _slim(elements: Iterable[Element], cells: dict[str, _Cell], linked: bool) -> list[Element]:
    """Return elements without what a page does not need.

    All marks with the same link are gathered in one cell. ``cells`` are those so far with the same origin of
    coordinates.
    """
    left: list[Element] = []
    for element in elements:
        tag = element.tag.removeprefix(f"{{{_NAMESPACE}}}")
        if _draws_nothing(tag, element.attrib):
            continue
        slimmed = Element(tag, _attributes(element.attrib))
        slimmed.text = element.text
        slimmed.extend(_slim(element, {} if "transform" in slimmed.attrib else cells, linked))
        if slimmed.get("aria-hidden") and slimmed.find(".//*[@data-topic]") is not None:
            del slimmed.attrib["aria-hidden"], slimmed.attrib["pointer-events"]  # other marks join this cell
        if tag == "a":
            href = "#" + element.attrib[_LINK].partition("#")[2]  # vl-convert put an address before it
            if href not in cells:
                cells[href] = _Cell(href, linked)
                left.append(cells[href].group)
            cells[href].add(slimmed)
        elif tag != "g" or (slimmed.attrib and len(slimmed)):
            left.append(slimmed)
        else:
            left += list(slimmed)
    return left


class _Cell:
    """All that is drawn of a topic, in one group, and in one link if the chart stands in a page."""

    def __init__(self, href: str, linked: bool) -> None:
        self.group = Element("g")
        if topic := _TOPIC.fullmatch(href):
            self.group.set("data-topic", topic[1])
        self._marks = ElementTree.SubElement(self.group, "a", {"href": href}) if linked else self.group

    def add(self, marks: Iterable[Element]) -> None:
        """Add marks; the label of one of them is the label of all."""
        for mark in marks:
            for name in ("aria-label", "role"):
                if (value := mark.attrib.pop(name, None)) and (name, self._marks.tag) != ("role", "a"):
                    self._marks.set(name, value)
            self._marks.append(mark)


def _add_titles(root: Element) -> None:
    """Give marks a tooltip: their label."""
    for element in list(root.iter()):
        label = element.get("aria-label")
        if label and (element.tag != "g" or "data-topic" in element.attrib):  # not of axes
            title = Element("title")
            title.text = label
            element.insert(0, title)


def _draws_nothing(tag: str, attributes: dict[str, str]) -> bool:
    if attributes.get("display") == "none":
        return True
    return tag == "path" and not {"fill", "stroke"} & attributes.keys()


def _attributes(drawn: dict[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in drawn.items() if name not in (*_NOT_NEEDED, _LINK)}
    for name in ("d", "transform"):
        if name in kept:
            kept[name] = _NUMBER.sub(_rounded, kept[name])
    if "d" in kept:
        kept["d"] = _LEVEL.sub(r"\1", kept["d"])
    if "aria-label" not in kept:
        kept.pop("role", None)
    for name, default in (("opacity", "1"), ("transform", "translate(0,0)"), ("stroke-dasharray", "1,0")):
        if kept.get(name) == default:
            del kept[name]
    if kept.get("aria-hidden") == "true":  # so the pointer reaches the marks behind it
        kept["pointer-events"] = "none"
    return kept


def _rounded(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 1):g}"
