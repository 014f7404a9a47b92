"""Take the screenshots of the documentation: the whole method on a corpus, its report and its explorer.

``python docs/screenshots.py [CORPUS]`` writes docs/figures/*.png, light and dark. Left out, CORPUS is the
language reference that comes with Python, as in ``topminer demo``. Needs Playwright and Chromium.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import uvicorn
from playwright.sync_api import Page, sync_playwright

from topminer import Corpus, ToPMine
from topminer.demo import paragraphs
from topminer.views import report
from topminer.views.explorer.app import create_app
from topminer.views.explorer.explorer import Explorer

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-lcd-text", "--force-color-profile=srgb"]  # text in shades of one colour
WIDTH, HEIGHT, TALL = 1280, 800, 820


def main() -> None:
    """Fit, draw and take pictures."""
    given = _arguments()
    corpus = Corpus.from_texts(paragraphs()) if given.corpus is None else Corpus.read(given.corpus)
    title = given.title or (given.corpus.stem if given.corpus else "The language reference")
    model = ToPMine(given.topics, significance=given.significance, n_sweeps=500, random_state=0).fit(corpus)
    given.output.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        page, directory = Path(folder) / "report.html", Path(folder) / "model"
        page.write_text(report(model, title=title), encoding="utf-8")
        model.save(directory)
        explorer = Explorer(model, directory, title=title)
        phrase = _phrase(explorer.overview()["entries"])
        row = _document(explorer.documents(None, 0, len(corpus))["documents"], given.significance)
        with _served(explorer) as live:
            _take(_routes(page.as_uri(), live, phrase, row), given.output)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", nargs="?", type=Path, help="a file; left out: the language reference")
    parser.add_argument("--title", help="what pages are called; left out: as the corpus")
    parser.add_argument("--topics", type=int, default=12)
    parser.add_argument("--significance", type=float, default=2.0)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "figures")
    return parser.parse_args()


@contextmanager
def _served(explorer: Explorer) -> Iterator[str]:
    """The address of a running explorer."""
    server = uvicorn.Server(uvicorn.Config(create_app(explorer), port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join()


def _routes(report: str, live: str, phrase: dict[str, Any], row: int) -> dict[str, str]:
    """The address of each picture."""
    asked = quote(phrase["text"])
    return {
        "report-overview": f"{report}#/",
        "report-topic": f"{report}#/topic/{phrase['topics'][0][0]}",
        "explorer-document": f"{live}#/document/{row}",
        "explorer-search": f"{live}#/search?q={asked}",
        "explorer-phrase": f"{live}#/phrase/{asked}",
    }


def _phrase(entries: list[dict[str, Any]]) -> dict[str, Any]:
    """The phrase to be shown: one that is frequent, and has most of its instances in one topic."""
    topical = [entry for entry in entries if entry["n"] > 1 and not entry["background"]]
    return max(topical, key=lambda entry: entry["topics"][0][1] ** 2 / entry["total"])


def _document(documents: list[dict[str, Any]], threshold: float) -> int:
    """The row of a document that fits the picture: with many phrases, of more than one topic."""

    def n_joined(document: dict[str, Any]) -> tuple[int, int]:
        topics = [
            topic
            for topic, strength in zip(document["topic"], document["strength"], strict=True)
            if strength is not None and strength >= threshold
        ]
        return len(set(topics)), len(topics)

    short = [each for each in documents if 120 <= len(each["text"]) <= 280 and each["text"].endswith(".")]
    return int(max(short or documents, key=n_joined)["row"])


def _take(routes: dict[str, str], folder: Path) -> None:
    """Take every picture, on a light and on a dark screen."""
    with (
        sync_playwright() as playwright,
        closing(playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)) as browser,
    ):
        for scheme, ending in (("light", ".png"), ("dark", "-dark.png")):
            page = browser.new_page(color_scheme=scheme, reduced_motion="reduce")
            for name, address in routes.items():
                path = folder / f"{name}{ending}"
                _show(page, name, address)
                page.screenshot(path=path)
                print(f"{path}  {path.stat().st_size / 1000:.0f} kB")


def _show(page: Page, name: str, address: str) -> None:
    height = TALL if name == "explorer-document" else HEIGHT
    page.set_viewport_size({"width": WIDTH, "height": height})
    page.goto("about:blank")  # a new hash alone would load nothing
    page.goto(address)
    page.wait_for_selector("main h1")
    if name in ("explorer-search", "explorer-phrase"):
        page.wait_for_selector(".paged a")
    if name == "explorer-document":
        page.wait_for_selector(".tree")
    page.mouse.move(0, height - 1)


if __name__ == "__main__":
    main()
