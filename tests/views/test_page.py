"""The page as a file: what its policy allows, how its data is kept from being anything but data."""

from __future__ import annotations

import json
import math
import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from page_fixture import HOSTILE, page_charts, page_data

from topminer.views import page as views_page
from topminer.views.page import SCRIPTS, page, policy

pytestmark = pytest.mark.small


class _Read(HTMLParser):
    """What a browser would find: elements, their attributes, and the texts of scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.inside = ""
        self.texts: dict[str, list[str]] = {"script": [], "style": [], "title": []}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.inside = tag
        if tag in self.texts:
            self.texts[tag].append("")

    def handle_data(self, data: str) -> None:
        if self.inside in self.texts:
            self.texts[self.inside][-1] += data

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""


@pytest.fixture(scope="module")
def hostile() -> str:
    data = page_data(hostile=True)
    return page(data, page_charts(data))


def test_data_survives_the_way_into_the_page(hostile: str) -> None:
    data_text = _Read(hostile).texts["script"][0]
    assert json.loads(data_text) == page_data(hostile=True)
    assert not re.search("[<>&\u2028\u2029]", data_text)


def test_hostile_texts_make_no_elements(hostile: str) -> None:
    read = _Read(hostile)
    tags = [tag for tag, _ in read.found]
    assert tags.count("script") == 2
    assert "img" not in tags
    assert read.texts["title"][0] == HOSTILE[1]
    attributes = {name for _, given in read.found for name in given}
    assert not {name for name in attributes if name.startswith("on") or name == "style"}


def test_policy_names_the_script_and_the_style(hostile: str) -> None:
    read = _Read(hostile)
    [told] = [
        given["content"] for _, given in read.found if given.get("http-equiv") == "Content-Security-Policy"
    ]
    assert told == policy(live=False)
    for kind in ("script", "style"):
        own = b64encode(sha256(read.texts[kind][-1].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{own}'" in told
    assert "default-src 'none'" in told and "connect-src" not in told and "unsafe" not in told


def test_only_a_live_page_may_ask() -> None:
    assert "connect-src 'self'" in policy(live=True)
    assert unescape(policy(live=True)) in unescape(page(page_data(live=True), {}))


def test_a_page_is_the_same_every_time() -> None:
    assert page(page_data(), {}) == page(page_data(), {})


def test_the_frame_of_the_page_is_small() -> None:
    data = page_data()
    frame = len(page(data, {})) - len(json.dumps(data, ensure_ascii=False))
    assert frame < 120_000


def test_every_script_is_part_of_the_page() -> None:
    there = {each.name for each in files(views_page).iterdir() if each.name.endswith(".js")}
    assert there == set(SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_set_texts_only(name: str) -> None:
    source = (files(views_page) / name).read_text(encoding="utf-8")
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|https?://(?!www\.w3)",
        source,
    )
    assert "</script" not in source and "<!--" not in source


def test_lone_surrogates_can_be_written() -> None:
    data = page_data()
    data["documents"][0]["text"] = "half \ud800 a sign"
    assert "half \\ud800 a sign" in page(data, {}).encode().decode()


def test_numbers_that_json_has_not_are_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        page({**page_data(), "highest": math.inf}, {})


SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{}</svg>'


@pytest.mark.parametrize(
    ("inside", "why"),
    [
        ("<script>alert(1)</script>", "element <script>"),
        ("<foreignObject/>", "element <foreignObject>"),
        ("<style>*{}</style>", "element <style>"),
        ("<image/>", "element <image>"),
        ('<g onload="alert(1)"/>', "attribute onload"),
        ('<g style="fill:red"/>', "attribute style"),
        ('<a href="javascript:alert(1)"/>', "within the page"),
        ('<a xlink:href="https://example.org/#/topic/1"/>', "within the page"),
        ("<!-- -->", "comments"),
        ("</template>", "well-formed"),
    ],
)
def test_charts_that_could_do_something_are_refused(inside: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        page(page_data(), {"map": SVG.format(inside)})


def test_a_label_may_say_anything() -> None:
    svg = SVG.format('<g aria-label="x onload=1 style=2"><text>&lt;script&gt;</text></g>')
    assert svg in page(page_data(), {"map": svg})
