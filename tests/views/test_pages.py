"""Pages as files: what their policies allow, and how texts are kept from being anything but texts."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from importlib.resources import files

import pytest
from every_page import NAMES, made
from page_fixture import page_charts, page_data
from parsed import Parsed

from topminer.views import pages
from topminer.views.pages import ASSETS, page, policy

STATIC = files(pages.__package__) / "static"


@pytest.mark.parametrize("hostile", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_nothing_but_its_own_style_and_script_can_run(name: str, hostile: bool) -> None:
    html = made(name, hostile)
    read = Parsed(html)
    read.check_harmless()
    assert "unsafe" not in read.policy and "connect-src" not in read.policy
    assert html.startswith("<!doctype html>")
    ids = [given["id"] for _, given in read.found if "id" in given]
    assert len(ids) == len(set(ids))
    html.encode()


@pytest.mark.parametrize("name", NAMES)
def test_hostile_texts_are_only_shown(name: str) -> None:
    html, usual = made(name, hostile=True), Parsed(made(name))
    read = Parsed(html)
    more = {"abbr", "li", "mark", "b", "small", "table", "h2", "div", "p"}
    assert {tag for tag, _ in read.found} <= {tag for tag, _ in usual.found} | more
    assert len(read.all("script")) == len(usual.all("script"))
    visible = re.sub('id="data">.*?</script>', "", html, flags=re.S)
    assert not re.search("[\x00-\x08\x0e-\x1f\x7f-\x84\u202a-\u202e\u2066-\u2069\ud800-\udfff]", visible)
    if name in ("tuning", "intrusion", "ratings"):
        shown = read.texts["title"][0]
        for text in ('"><script>', "</style></title>", "{{7*7}}", "{% raw %}", "javascript:"):
            assert text in shown
        assert "·txt.exe ·inner·" in shown


def test_a_page_is_the_same_every_time() -> None:
    for name in NAMES:
        html = made(name)
        made.cache_clear()
        assert made(name) == html


def test_every_file_is_part_of_a_page() -> None:
    named = {f"{name}.js" for assets in ASSETS.values() for name in assets.scripts.split()}
    named |= {f"{name}.css" for assets in ASSETS.values() for name in assets.styles.split()}
    assert {each.name for each in STATIC.iterdir()} == named
    assert set(NAMES) == set(ASSETS)


def test_scripts_set_texts_only() -> None:
    active = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|cssText"
    for each in STATIC.iterdir():
        source = each.read_text(encoding="utf-8")
        assert not re.search(rf"{active}|https?://(?!www\.w3)|@import|url\((?!#)", source), each.name
        assert "</script" not in source and "</style" not in source and "<!--" not in source
        assert not re.search(r"(?<!\.)\bsetAttribute\(.style|\w\.style\.", source.replace(").style;", ""))


def test_the_page_of_a_grid_has_the_chart_the_reasons_and_every_number() -> None:
    read = Parsed(made("tuning"))
    assert len(read.all("svg")) == 1
    assert read.texts["li"] == [f"word{i} word{i + 1}" for i in range(20)]
    assert read.texts["pre"] == ["A study"]
    assert "Recommended: 20 topics, threshold 2" in read.texts["h2"]
    assert [given.get("class") for given in read.all("tr")] == [None] * 5 + ["taken", None]
    assert read.rows()[1] == ["5", "2", "895.0", "3.0", "0.100", "-0.100", "0.90", "500", "12.3"]
    assert read.rows()[2] == ["5", "none", "895.0", "3.0", "0.100", "–", "0.90", "500", "12.3"]


# ------------------------------------------------------------------- report and explorer


@pytest.mark.small
def test_data_survives_the_way_into_the_page() -> None:
    data = page_data(hostile=True)
    data_text = Parsed(page(data, page_charts(data))).texts["script"][0]
    assert json.loads(data_text) == data
    assert not re.search("[<>&\u2028\u2029]", data_text)


@pytest.mark.small
def test_only_a_live_page_may_ask() -> None:
    assert Parsed(page(page_data(), {})).policy == policy(live=False)
    assert Parsed(page(page_data(live=True), {})).policy == policy(live=True)
    assert "connect-src" not in policy(live=False) and "connect-src 'self'" in policy(live=True)


@pytest.mark.small
def test_the_frame_of_the_page_is_small() -> None:
    data = page_data()
    assert len(page(data, {})) - len(json.dumps(data, ensure_ascii=False)) < 130_000


@pytest.mark.small
def test_lone_surrogates_can_be_written_and_infinities_cannot() -> None:
    data = page_data()
    data["documents"][0]["text"] = "half \ud800 a sign"
    assert "half \\ud800 a sign" in page(data, {}).encode().decode()
    with pytest.raises(ValueError, match="JSON"):
        page({**page_data(), "highest": math.inf}, {})


SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{}</svg>'


@pytest.mark.small
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


@pytest.mark.small
def test_a_label_may_say_anything() -> None:
    svg = SVG.format('<g aria-label="x onload=1 style=2"><text>&lt;script&gt;</text></g>')
    assert svg in page(page_data(), {"map": svg})


def test_libraries_are_loaded_when_a_page_is_made() -> None:
    of_views = (f"topminer.views.{name}" for name in ("charts.files", "explanation", "comparison", "forms"))
    modules = ", ".join(["topminer.cli.explain", *of_views])
    heavy = "('altair', 'vl_convert', 'jinja2')"
    check = f"import sys, topminer.cli, {modules}; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
