"""What tests of pages in a browser share: corpora to be shown, a browser that tells what it did, a server."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from numpy.typing import NDArray
from serving import running
from starlette.types import Receive, Scope, Send

from topminer import Corpus, PhraseMiner, Summary, ToPMine
from topminer.phrases.partition import Partition
from topminer.text.printable import UNPRINTABLE
from topminer.views.explorer.app import create_app
from topminer.views.explorer.explorer import Explorer

CHROMIUM = Path("/usr/bin/chromium")
can_browse = CHROMIUM.exists() and find_spec("playwright") is not None
needs_chromium = pytest.mark.skipif(not can_browse, reason=f"needs {CHROMIUM} and Playwright")

# ------------------------------------------------------------------------ corpora

THEMES = [
    ["frequent pattern mining", "association rules", "itemsets", "transactions", "closed patterns"],
    ["support vector machines", "kernel methods", "margins", "classifiers", "feature selection"],
    ["query expansion", "relevance feedback", "search engines", "rankings", "inverted index"],
    ["machine translation", "word alignment", "parallel corpora", "decoders", "language models"],
]
VARIANTS = ["mining of frequent patterns", "engines of search"]  # of phrases above
BACKGROUND = "experimental results"
RARE = "zirconium lattice"  # too rare for the usual threshold
N_DOCUMENTS = 200


def representative(model: ToPMine, n: int) -> list[NDArray[np.int64]]:
    summary = Summary(model)
    return [summary.representative(topic, n) for topic in range(summary.n_topics)]


def planted() -> list[dict[str, str]]:
    """Documents of one theme each, with a word of their own, and a phrase of no theme at all."""
    rng = np.random.default_rng(7)
    records = []
    for row in range(N_DOCUMENTS):
        parts = [*rng.choice(THEMES[row % 4], 12), *rng.choice(THEMES[row % 4], 2), BACKGROUND]
        if row % 8 == 0:
            parts.append(VARIANTS[0])
        if row % 8 == 2:
            parts.append(VARIANTS[1])
        if row % 29 == 0:
            parts.append(RARE)
        rng.shuffle(parts)
        text = f"Study{row:03}, {parts[0]} {parts[1]}, " + "; ".join(parts[2:]) + "."
        records.append({"id": f"S-{row:03}", "text": text, "time": f"{2001 + row // 20}-0{1 + row % 9}-01"})
    return records


SCRIPT = "<script>window.hacked=1</script>"
ATTACKS = [
    SCRIPT,
    "</script><img/src=x/onerror=window.hacked=2>",
    '"onerror=window.hacked=3',
    "<svg/onload=window.hacked=4>",
    "javascript:window.hacked=5",
    "{{7*7}}",
    "${1}",
    "<!--",
    "]]>",
    "&lt;b&gt;",
    "safe\u202etxt.exe",
    "\u2066inner\u2069outer",
    "bell\x07\x1b[31m",
    "a\u2028b",
    "😀",
    "𝒳",
    "👩\u200d🔬",
    "constructor",
    "__proto__",
    "%E0%A4%A",
    "a/b?c#d",
    "W" * 300,
]


def hostile() -> Corpus:
    """Documents whose words hold whatever they like, with ids that are no better."""
    rng = np.random.default_rng(11)
    documents = []
    for row in range(160):
        words = rng.choice(ATTACKS[row % 2 :: 2], 10)
        phrase = [SCRIPT, "{{7*7}}", ATTACKS[10]] if row % 2 == 0 else [ATTACKS[1], "𝒳", "${1}"]
        rest = rng.choice(["quince", "cobalt", "nul\0nul"], 3)
        documents.append(" ".join([*words, *phrase, *rest, *phrase]))
    ids = [f"{ATTACKS[row % len(ATTACKS)]} {row}" for row in range(len(documents))]
    return Corpus.from_texts(documents, None, stem=False, stop_words=[], token_pattern=r"\S+", ids=ids)


SCRIPTS = {
    "chinese": ["机器学习", "数据挖掘", "支持向量机", "神经网络"],
    "arabic": ["تعلم الآلة", "استخراج البيانات", "شبكة عصبية", "لغة طبيعية"],
    "hebrew": ["למידת מכונה", "כריית נתונים", "רשת עצבית", "שפה טבעית"],
}


def scripts() -> Corpus:
    """Documents that run from right to left, and documents without blanks."""
    rng = np.random.default_rng(5)
    documents, ids = [], []
    for row in range(120):
        name = list(SCRIPTS)[row % 3]
        comma, stop = {"chinese": ("，", "。"), "arabic": ("، ", "."), "hebrew": (", ", ".")}[name]
        documents.append(comma.join(rng.choice(SCRIPTS[name], 12)) + stop)
        ids.append(f"{name} {row}")
    return Corpus.from_texts(documents, None, ids=ids)


def read_planted(folder: Path) -> Corpus:
    """The planted documents from a file, with ids and times."""
    file = folder / "studies.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in planted()), encoding="utf-8")
    return Corpus.read(file, id="id", time="time")


@cache
def studies() -> ToPMine:
    """A model of the planted documents."""
    with TemporaryDirectory() as folder:
        corpus = read_planted(Path(folder))
    return ToPMine.as_in_paper(4, n_sweeps=60, random_state=3).fit(corpus)


@cache
def attacked() -> ToPMine:
    """A model of the hostile documents."""
    return ToPMine(3, significance=3, n_sweeps=20, random_state=3).fit(hostile())


@cache
def foreign() -> ToPMine:
    """A model of documents in other scripts."""
    return ToPMine(3, language=None, n_sweeps=60, random_state=3).fit(scripts())


def shown_rows(model: ToPMine) -> list[int]:
    """The documents that are part of a report."""
    return sorted({int(row) for rows in representative(model, 8) for row in rows})


def several(partition: Partition, row: int) -> list[str]:
    """The phrases of several words in a document, by its partition."""
    assert partition.corpus.texts is not None
    text, spans = partition.corpus.texts[row], partition[row].spans()
    return [text[start:stop] for start, stop, n in spans.select("start", "stop", "length").rows() if n > 1]


def partition_at(model: ToPMine, threshold: float) -> Partition:
    """The partition at a threshold; a low one needs phrases that the model had no need to mine."""
    if threshold >= 4:
        return model.partition_.at(threshold)
    paper: dict[str, None] = {"quality": None, "evidence": None, "ties": None}
    return PhraseMiner(significance=threshold, **paper).fit_transform(model.corpus_)


# ------------------------------------------------------------------------ browser


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Pages come one after another: a process for each would take longer than most of them.
        args = ["--no-sandbox", "--renderer-process-limit=1"]
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=args)
        try:
            yield Browser(browser)
        finally:
            browser.close()


class Browser:
    """A browser, whose tab is used again and again: opening one takes longer than most tests."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._spare: Tab | None = None

    @contextmanager
    def tab(self) -> Iterator[Tab]:
        """A tab in which nobody has been, as far as a page can tell."""
        tab, self._spare = self._spare or Tab(self._browser.new_context()), None
        try:
            yield tab
            if tab.left_nothing():
                tab.page.goto("about:blank")
                self._spare = tab
        finally:
            if self._spare is not tab:
                tab.context.close()


PATIENCE = 120_000  # milliseconds, for what is certain to come

# What marks the view that is left: the next one has a heading of its own.
LEAVE = "document.querySelector('h1')?.setAttribute('id', 'before');"

# The slider bends its scale: where a threshold is, is looked for.
SLIDE = """async (wanted) => {
  const slider = document.querySelector("#threshold");
  const thresholdAt = async (step) => {
    slider.value = step;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(done));
    return Number(document.querySelector(".slider output").textContent.replaceAll(",", ""));
  };
  let [low, high] = [0, Number(slider.max)];
  while (high > low) {
    const middle = Math.floor((low + high) / 2);
    if (await thresholdAt(middle) < wanted) low = middle + 1;
    else high = middle;
  }
  return thresholdAt(low);
}"""


class Tab:
    """A page that is visited, and all it did unasked: what it said, and what it asked for."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.address = ""
        self.noise: list[str] = []
        self.requests: list[str] = []
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", lambda message: self.noise.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.noise.append(f"error: {error}"))
        self.page.on("dialog", self._dismiss)
        context.on("request", lambda request: self.requests.append(request.url.split("#")[0]))
        self.session = context.new_cdp_session(self.page)

    def visit(self, address: str, *, width: int = 1200, scheme: str = "light") -> None:
        """Open a page, and forget what others did."""
        self.address, self.noise, self.requests = address, [], []
        self.page.mouse.move(0, 0)
        self.page.set_viewport_size({"width": width, "height": 800})
        self.page.emulate_media(media="null", color_scheme=scheme, reduced_motion="reduce")
        self.page.goto(address)

    def left_nothing(self) -> bool:
        """Whether nothing was stored that a later page would find; where nothing can be, nobody knows."""
        stored = "() => { try { return localStorage.length + sessionStorage.length; } catch { return -1; } }"
        return self.context.cookies() == [] and self.run(stored) == 0

    def _dismiss(self, dialog: Any) -> None:
        self.noise.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def go(self, route: str) -> None:
        """Follow a link within the page, and wait until its view is there and complete."""
        follow = (
            f"(route) => {{ if ((location.hash || '#/') !== route) {{ {LEAVE} location.hash = route; }} }}"
        )
        self.run(follow, route)
        self.settle()

    @contextmanager
    def arriving(self) -> Iterator[None]:
        """Wait for the view that something leads to: pages draw it some time after their address changed."""
        self.run(f"() => {{ {LEAVE} }}")
        yield
        self.settle()

    def settle(self) -> None:
        """Wait until the view is there, and nothing in it is still awaited."""
        self.until("document.querySelector('main h1:not(#before)') && !document.querySelector('[aria-busy]')")

    def until(self, condition: str) -> None:
        """Wait for a condition. The page's policy forbids what Playwright would do for that."""
        waiting = f"""async () => {{
          const end = performance.now() + {PATIENCE};
          while (!({condition})) {{
            if (performance.now() > end) return false;
            await new Promise((done) => setTimeout(done, 5));
          }}
          return true;
        }}"""
        assert self.run(waiting), f"{condition} at {self.page.url}"

    def reload(self) -> None:
        """Load the page again, and wait for its view."""
        self.page.reload()
        self.settle()

    def reload_until(self, condition: str) -> None:
        """Load the page again until a condition holds: what it stores reaches a new process when it does."""
        end = time.monotonic() + PATIENCE / 1000
        self.reload()
        while not self.run(condition):
            assert time.monotonic() < end, f"{condition} at {self.page.url}"
            self.reload()

    def widen(self, width: int) -> None:
        """Give the page another width, and wait until it has it."""
        self.page.set_viewport_size({"width": width, "height": 800})
        self.until(f"innerWidth === {width}")

    def next_frame(self) -> None:
        """Wait for what the page does before it is drawn again."""
        self.run("new Promise((done) => requestAnimationFrame(done))")

    def run(self, script: str, given: Any = None) -> Any:
        """What a script gives in the page."""
        return self.page.evaluate(script, given)

    def texts(self, selector: str) -> list[str]:
        """The texts of elements, as shown."""
        return [text.strip() for text in self.page.locator(selector).all_inner_texts()]

    def listed(self, label: str = "Phrases") -> list[str]:
        """The names in a list of bars."""
        return self.texts(f'[aria-label="{label}"] .name > :first-child')

    def brackets(self) -> list[tuple[str, int]]:
        """The phrases that are marked in the document, and their topics."""
        script = "(all) => all.map((each) => [each.textContent, Number(each.dataset.topic)])"
        return [tuple(pair) for pair in self.page.eval_on_selector_all(".reading .phrase", script)]

    def slide(self, threshold: float) -> float:
        """Move the slider near a threshold, and tell which one it is then."""
        return float(self.run(SLIDE, threshold))

    def check_quiet(self, origin: str) -> None:
        """The page said nothing, and asked for nothing but itself or its own server."""
        assert self.noise == []
        assert [url for url in self.requests if not url.startswith(origin)] == []
        assert self.run("window.hacked") is None


@contextmanager
def visiting(browser: Browser, address: str, **how: Any) -> Iterator[Tab]:
    """A tab that must have been quiet in the end; a file may ask for nothing but itself."""
    with browser.tab() as tab:
        tab.visit(address, **how)
        tab.settle()
        yield tab
        if address.startswith("file:"):
            assert tab.requests == [address.split("#")[0]] * len(tab.requests)
            tab.check_quiet("file:")
        else:
            tab.check_quiet("/".join(address.split("/")[:3]) + "/")


Visit = Callable[..., AbstractContextManager[Tab]]


def written(file: Path, html: str) -> str:
    """Write a page, and tell its address."""
    file.write_text(html, encoding="utf-8")
    return file.as_uri()


def drawn(text: str) -> str:
    """A text as a page shows it."""
    return re.sub(UNPRINTABLE, "·", text)


def phrase_route(text: str) -> str:
    """Where a phrase is shown."""
    return f"#/phrase/{quote(text, safe='')}"


# ------------------------------------------------------------------------- server


@contextmanager
def serving(explorer: Explorer, token: str | None = None) -> Iterator[str]:
    """An explorer on this machine, at the address that is given; who made it closes it."""
    explorer.page()  # as topminer serve does: nobody waits for it
    app = create_app(explorer, token=token)

    async def kept_open(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await app(scope, receive, send)

    with running(kept_open) as served:
        yield f"http://127.0.0.1:{served.port}/"


# ------------------------------------------------------------------------- checks

STRUCTURE = r"""() => {
  const wrong = [];
  const told = (element) => element.outerHTML.slice(0, 120);
  const all = (selector) => [...document.querySelectorAll(selector)];
  if (!document.documentElement.lang) wrong.push("no language");
  if (!document.title.trim()) wrong.push("no title");
  for (const one of ["h1", "main"]) if (all(one).length !== 1) wrong.push(`${all(one).length} of ${one}`);
  let level = 0;
  for (const heading of all("h1, h2, h3, h4, h5, h6")) {
    const next = Number(heading.localName[1]);
    if (next > level + 1) wrong.push(`from h${level} to ${told(heading)}`);
    if (!heading.textContent.trim()) wrong.push(`empty ${told(heading)}`);
    level = next;
  }
  const ids = new Set();
  for (const { id } of all("[id]")) {
    if (ids.has(id)) wrong.push(`twice: #${id}`);
    ids.add(id);
  }
  const references = ["aria-controls", "aria-labelledby", "aria-describedby", "aria-activedescendant"];
  for (const name of ["for", ...references]) {
    for (const element of all(`[${name}]`)) {
      const known = element.getAttribute(name).split(/\s+/).every((id) => document.getElementById(id));
      if (!known) wrong.push(`${name} of ${told(element)} leads nowhere`);
    }
  }
  for (const input of all("input, select, textarea")) {
    const labels = [...input.labels].map((label) => label.textContent).join("");
    if (!(input.getAttribute("aria-label") ?? labels).trim()) wrong.push(`no label: ${told(input)}`);
  }
  for (const drawing of all("main svg, header svg")) {
    const silent = drawing.closest("[aria-hidden=true]");
    if (!silent && !drawing.getAttribute("aria-label")) wrong.push(`no name: ${told(drawing)}`);
  }
  const reached = "a[href], button, input, select, textarea, summary, [tabindex='0']";
  for (const element of all(reached)) {
    if (element.tabIndex > 0) wrong.push(`jumps ahead: ${told(element)}`);
    const hidden = element.tabIndex >= 0 && element.closest("[aria-hidden=true]");
    if (hidden) wrong.push(`hidden: ${told(element)}`);
  }
  const marks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
  for (const element of all("body, body *:not(input, textarea, script, style)")) {
    const texts = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data);
    const names = ["title", "aria-label"].map((name) => element.getAttribute(name) ?? "");
    if (!element.closest("template, script") && [...texts, ...names].some((text) => marks.test(text))) {
      wrong.push(`turns the text around it: ${told(element)}`);
    }
  }
  return wrong;
}"""

HARM = """() => {
  const alive = "img, iframe, object, embed, main script, main style, [role=alert]";
  const active = ({ name }) => name.startsWith("on") || name === "style";
  const found = [...document.querySelectorAll("*")]
    .filter((element) => element.matches(alive) || [...element.attributes].some(active))
    .map((element) => element.outerHTML);
  return window.hacked === undefined ? found : [...found, window.hacked];
}"""

NAMED = {
    *("link", "button", "textbox", "searchbox", "combobox", "slider", "checkbox", "switch", "radio"),
    *("option", "listbox", "image", "img", "figure", "region", "navigation", "graphics-document"),
    *("DisclosureTriangle", "progressbar", "radiogroup"),
}

CONTRASTS = r"""() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const once = (make) => {  // elements share most colours and all that is behind them
    const made = new Map();
    return (key, ...given) => {
      if (!made.has(key)) made.set(key, make(key, ...given));
      return made.get(key);
    };
  };
  const painted = once((both, colour, ground) => {
    pen.fillStyle = `rgb(${ground})`;
    pen.fillRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  });
  const over = (colour, ground) => painted(`${colour} ${ground}`, colour, ground);
  const light = (colour) => colour.map((x) => x / 255)
    .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
    .reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
  const groundOf = once((element) => {
    const behind = element.parentElement ? groundOf(element.parentElement) : canvas;
    return over(getComputedStyle(element).backgroundColor, behind);
  });
  const bare = document.body.appendChild(document.createElement("i"));
  bare.style.setProperty("background-color", "Canvas");
  const canvas = over(getComputedStyle(bare).backgroundColor, [255, 255, 255]);
  bare.remove();
  const opacityOf = once((element) =>
    getComputedStyle(element).opacity * (element.parentElement ? opacityOf(element.parentElement) : 1));
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const shown = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    if (!own || !shown || element.closest("script, template, .unseen, :disabled, .skip")) continue;
    const ground = groundOf(element);
    const style = getComputedStyle(element);
    const ink = over(element.closest("svg") ? style.fill : style.color, ground);
    const faded = ink.map((x, i) => ground[i] + (x - ground[i]) * opacityOf(element));
    const [a, b] = [light(faded), light(ground)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const name = `${element.localName}.${element.getAttribute("class")} ${element.textContent.slice(0, 30)}`;
    found.push([name, contrast]);
  }
  return found;
}"""


def faults(tab: Tab) -> list[str]:
    """What hinders people who do not see the page, or read it by other means: nothing, it is hoped."""
    wrong: list[str] = tab.run(STRUCTURE)
    for node in tab.session.send("Accessibility.getFullAXTree")["nodes"]:
        role = node.get("role", {}).get("value")
        if not node["ignored"] and role in NAMED and not node.get("name", {}).get("value", "").strip():
            wrong.append(f"a {role} without a name")
    return wrong


def poor_contrasts(tab: Tab) -> list[tuple[str, float]]:
    """Texts that are hard to read before what is behind them."""
    found = tab.run(CONTRASTS)
    assert len(found) > 10
    return [(text, round(contrast, 2)) for text, contrast in found if contrast < 4.5]


PLACES = """(n) => {
  const text = document.getElementById("data").textContent;
  const { periods, live, has_texts, n_documents, ...told } = JSON.parse(text);
  const some = (name, of) => told[name].slice(0, n).map((each) => each[of]);
  return { periods: Boolean(periods), live, has_texts, n_documents,
    topics: some("topics", "id"), entries: some("entries", "text"), documents: some("documents", "row") };
}"""


def routes_in(tab: Tab, n: int = 1000) -> list[str]:
    """Where a page leads: all its views, and of each kind of view so many."""
    data = tab.run(PLACES, n)
    routes = ["#/", "#/documents", "#/background", "#/run", "#/documents?topic=0", "#/search", "#/nowhere"]
    routes += ["#/trends"] if data["periods"] else []
    routes += ["#/try"] if data["live"] else []
    routes += [f"#/topic/{id}" for id in data["topics"]]
    routes += [phrase_route(text) for text in data["entries"]]
    shown = data["documents"] or range(n if data["live"] and data["has_texts"] else 0)
    return [*routes, *(f"#/document/{row}" for row in shown[: min(n, data["n_documents"])])]


@contextmanager
def exploring(browser: Browser, model: Any, directory: Path, **how: Any) -> Iterator[Tab]:
    """A tab on an explorer of its own."""
    with (
        closing(Explorer(model, directory)) as explorer,
        serving(explorer) as address,
        visiting(browser, address, **how) as tab,
    ):
        yield tab
