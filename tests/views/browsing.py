"""What tests of pages in a browser share: corpora to be shown, a browser that tells what it did, a server."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from topminer import Corpus
from topminer.views.explorer.app import create_app
from topminer.views.explorer.explorer import Explorer

CHROMIUM = Path("/usr/bin/chromium")
needs_chromium = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs {CHROMIUM}")

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


# ------------------------------------------------------------------------ browser


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Tab:
    """A page that is visited, and all it did unasked: what it said, and what it asked for."""

    def __init__(self, browser: Any, address: str, *, width: int = 1200, scheme: str = "light") -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
        )
        self.address = address
        self.noise: list[str] = []
        self.requests: list[str] = []
        self.page = self.context.new_page()
        self.page.set_default_timeout(30_000)
        self.page.on("console", lambda message: self.noise.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.noise.append(f"error: {error}"))
        self.page.on("dialog", self._dismiss)
        self.context.on("request", lambda request: self.requests.append(request.url.split("#")[0]))
        self.page.goto(address)

    def _dismiss(self, dialog: Any) -> None:
        self.noise.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def go(self, route: str) -> None:
        """Follow a link within the page, and wait until its view is there and complete."""
        if self.run("location.hash || '#/'") != route:
            with self.arriving():
                self.run("(route) => { location.hash = route; }", route)

    @contextmanager
    def arriving(self) -> Iterator[None]:
        """Wait for the view that something leads to."""
        self.run("() => { document.querySelector('h1')?.setAttribute('id', 'before'); }")
        yield
        self.settle()

    def settle(self) -> None:
        """Wait until the view is there, and nothing in it is still awaited."""
        self.until("document.querySelector('main h1:not(#before)') && !document.querySelector('[aria-busy]')")

    def until(self, condition: str) -> None:
        """Wait for a condition. The page's policy forbids what Playwright would do for that."""
        waiting = f"""async () => {{
          for (let i = 0; i < 2000; i++) {{
            if ({condition}) return true;
            await new Promise((done) => setTimeout(done, 5));
          }}
        }}"""
        assert self.run(waiting), f"{condition} at {self.page.url}"

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
        steps = self.run("() => Number(document.querySelector('#threshold').max)")
        low, high = 0, steps
        while high > low:  # the slider bends its scale: look where the threshold is
            middle = (low + high) // 2
            if self._threshold_at(middle) < threshold:
                low = middle + 1
            else:
                high = middle
        return self._threshold_at(low)

    def _threshold_at(self, step: int) -> float:
        self.page.fill("#threshold", str(step))
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return float(self.page.inner_text(".slider output").replace(",", ""))

    def check_quiet(self, origin: str) -> None:
        """The page said nothing, and asked for nothing but itself or its own server."""
        assert self.noise == []
        assert [url for url in self.requests if not url.startswith(origin)] == []
        assert self.run("window.hacked") is None


@contextmanager
def visiting(browser: Any, address: str, **how: Any) -> Iterator[Tab]:
    """A tab that must have been quiet in the end; a file may ask for nothing but itself."""
    tab = Tab(browser, address, **how)
    try:
        tab.settle()
        yield tab
        if address.startswith("file:"):
            assert tab.requests == [address.split("#")[0]] * len(tab.requests)
            tab.check_quiet("file:")
        else:
            tab.check_quiet("/".join(address.split("/")[:3]) + "/")
    finally:
        tab.context.close()


UNSHOWN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)


def drawn(text: str) -> str:
    """A text as a page shows it."""
    return UNSHOWN.sub("·", text)


def phrase_route(text: str) -> str:
    """Where a phrase is shown."""
    return f"#/phrase/{quote(text, safe='')}"


# ------------------------------------------------------------------------- server


@contextmanager
def serving(explorer: Explorer, token: str | None = None) -> Iterator[str]:
    """An explorer on this machine, at the address that is given; who made it closes it."""
    import uvicorn

    explorer.page()  # as topminer serve does: nobody waits for it
    app = create_app(explorer, token=token)
    how: dict[str, Any] = {"host": "127.0.0.1", "port": 0, "ws": "none", "lifespan": "off"}
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=2, **how)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.should_exit = True
        thread.join(10)


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
  const alive = "img, iframe, object, embed, main script, main style, [onerror], [onload], [role=alert]";
  const found = [...document.querySelectorAll(alive)].map((element) => element.outerHTML);
  return window.hacked === undefined ? found : [...found, window.hacked];
}"""

NAMED = {
    *("link", "button", "textbox", "searchbox", "combobox", "slider", "checkbox", "switch", "radio"),
    *("option", "listbox", "image", "img", "figure", "region", "navigation", "graphics-document"),
    *("DisclosureTriangle", "progressbar", "radiogroup"),
}

CONTRASTS = r"""() => {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const over = (colour, ground) => {
    pen.fillStyle = `rgb(${ground})`;
    pen.fillRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (colour) => colour.map((x) => x / 255)
    .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
    .reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
  const groundOf = (element) => {
    const above = [];
    for (let each = element; each; each = each.parentElement) above.unshift(each);
    return above.map((each) => getComputedStyle(each).backgroundColor)
      .reduce((ground, colour) => over(colour, ground), canvas);
  };
  const bare = document.body.appendChild(document.createElement("i"));
  bare.style.setProperty("background-color", "Canvas");
  const canvas = over(getComputedStyle(bare).backgroundColor, [255, 255, 255]);
  bare.remove();
  const opacityOf = (element) => {
    let opacity = 1;
    for (let each = element; each; each = each.parentElement) opacity *= getComputedStyle(each).opacity;
    return opacity;
  };
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
    session = tab.context.new_cdp_session(tab.page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    for node in nodes:
        role = node.get("role", {}).get("value")
        if not node["ignored"] and role in NAMED and not node.get("name", {}).get("value", "").strip():
            wrong.append(f"a {role} without a name")
    return wrong


def poor_contrasts(tab: Tab) -> list[tuple[str, float]]:
    """Texts that are hard to read before what is behind them."""
    found = tab.run(CONTRASTS)
    assert len(found) > 10
    return [(text, round(contrast, 2)) for text, contrast in found if contrast < 4.5]


def routes_in(tab: Tab, n: int = 1000) -> list[str]:
    """Where a page leads: all its views, and of each kind of view so many."""
    data = tab.run("JSON.parse(document.getElementById('data').textContent)")
    routes = ["#/", "#/documents", "#/background", "#/run", "#/documents?topic=0", "#/search", "#/nowhere"]
    routes += ["#/trends"] if data["periods"] else []
    routes += ["#/try"] if data["live"] else []
    routes += [f"#/topic/{topic['id']}" for topic in data["topics"][:n]]
    routes += [phrase_route(entry["text"]) for entry in data["entries"][:n]]
    shown = [one["row"] for one in data["documents"]] or range(n if data["live"] and data["has_texts"] else 0)
    return [*routes, *(f"#/document/{row}" for row in shown[: min(n, data["n_documents"])])]


@contextmanager
def exploring(browser: Any, model: Any, directory: Path, **how: Any) -> Iterator[Tab]:
    """A tab on an explorer of its own."""
    with (
        closing(Explorer(model, directory)) as explorer,
        serving(explorer) as address,
        visiting(browser, address, **how) as tab,
    ):
        yield tab
