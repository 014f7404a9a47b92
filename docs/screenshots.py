"""Take the screenshots of the documentation: the whole method on a corpus, its report and its explorer.

``python docs/screenshots.py [CORPUS]`` writes docs/figures/*.png, light and dark. Left out, CORPUS is the
language reference that comes with Python, as in ``topminer demo``. ``python docs/screenshots.py --gallery
FOLDER`` writes docs/figures/gallery-*.png: FOLDER has the models of docs/gallery.md. Needs Playwright and
Chromium.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
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
WIDTH, HEIGHT, TALL, NARROW = 1280, 800, 820, 390
GALLERY = ("conf", "abstracts", "news", "reviews", "articles", "films")
ALSO_DARK, ALSO_NARROW = ("conf", "reviews"), ("news",)


class Picture(NamedTuple):
    """A picture that is taken of a page."""

    name: str
    address: str
    scheme: str = "light"
    width: int = WIDTH

    @property
    def file(self) -> str:
        """The name of its file."""
        narrow = "-narrow" if self.width == NARROW else ""
        return f"{self.name}{narrow}{'-dark' if self.scheme == 'dark' else ''}.png"


def main() -> None:
    """Fit, draw and take pictures."""
    given = _arguments()
    given.output.mkdir(exist_ok=True)
    if given.gallery is not None:
        _take(_gallery(given.gallery), given.output)
        return
    corpus = Corpus.from_texts(paragraphs()) if given.corpus is None else Corpus.read(given.corpus)
    title = given.title or (given.corpus.stem if given.corpus else "The language reference")
    model = ToPMine(given.topics, significance=given.significance, n_sweeps=500, random_state=0).fit(corpus)
    with tempfile.TemporaryDirectory() as folder:
        page, directory = Path(folder) / "report.html", Path(folder) / "model"
        page.write_text(report(model, title=title), encoding="utf-8")
        model.save(directory)
        explorer = Explorer(model, directory, title=title)
        phrase = _phrase(explorer.overview()["entries"])
        row = _document(explorer.documents(None, 0, len(corpus))["documents"], given.significance)
        with _served(explorer) as live:
            routes = _routes(page.as_uri(), live, phrase, row)
            pictures = [Picture(*route, scheme) for scheme in ("light", "dark") for route in routes.items()]
            _take(pictures, given.output)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", nargs="?", type=Path, help="a file; left out: the language reference")
    parser.add_argument("--gallery", type=Path, metavar="FOLDER", help="with the models of docs/gallery.md")
    parser.add_argument("--title", help="what pages are called; left out: as the corpus")
    parser.add_argument("--topics", type=int, default=12)
    parser.add_argument("--significance", type=float, default=2.0)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "figures")
    return parser.parse_args()


def _gallery(folder: Path) -> list[Picture]:
    """The overview of each model's report; of some also on a dark or a narrow screen."""
    addresses = {name: f"{(folder / name / 'report.html').resolve().as_uri()}#/" for name in GALLERY}
    pictures = [Picture(f"gallery-{name}", address) for name, address in addresses.items()]
    pictures += [Picture(f"gallery-{name}", addresses[name], "dark") for name in ALSO_DARK]
    return pictures + [Picture(f"gallery-{name}", addresses[name], width=NARROW) for name in ALSO_NARROW]


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


def _take(pictures: list[Picture], folder: Path) -> None:
    """Take every picture."""
    with (
        sync_playwright() as playwright,
        closing(playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)) as browser,
    ):
        for picture in pictures:
            with closing(browser.new_page(color_scheme=picture.scheme, reduced_motion="reduce")) as page:
                path = folder / picture.file
                _show(page, picture)
                page.screenshot(path=path)
                print(f"{path}  {path.stat().st_size / 1000:.0f} kB")


def _show(page: Page, picture: Picture) -> None:
    height = TALL if picture.name == "explorer-document" else HEIGHT
    page.set_viewport_size({"width": picture.width, "height": height})
    page.goto(picture.address)
    page.wait_for_selector("main h1")
    if picture.name in ("explorer-search", "explorer-phrase"):
        page.wait_for_selector(".paged a")
    if picture.name == "explorer-document":
        page.wait_for_selector(".tree")
    page.mouse.move(0, height - 1)


if __name__ == "__main__":
    main()
