"""The report: how long it takes beyond loading the model, its size, and when its first page is usable.

    python benchmarks/bench_report.py [--corpus NAME] [--topics K …] [--rounds N]

Each report is written by a process of its own, as ``topminer report`` does, with compiled kernels in the
cache. A page is usable when Chromium has drawn the list of topics.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import corpus_path, table

CHROMIUM = "/usr/bin/chromium"
DRAWN = "new Promise(done => requestAnimationFrame(() => done(performance.now())))"
WRITE = """
import sys, time
from pathlib import Path
from topminer import load
model = load(sys.argv[1])
start = time.perf_counter()
from topminer.views.report_page import report
Path(sys.argv[2]).write_text(report(model), encoding="utf-8")
print(time.perf_counter() - start)
"""


def written(model: Path, target: Path) -> float:
    """Seconds to make and write a report in a new process, beyond loading the model."""
    command = [sys.executable, "-c", WRITE, str(model), str(target)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def usable(page: Path, rounds: int) -> float:
    """Median seconds from opening the file until topics are drawn."""
    from playwright.sync_api import sync_playwright

    times = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for _ in range(rounds):
            tab = browser.new_page()
            tab.goto(page.as_uri(), wait_until="commit")
            tab.wait_for_selector('main a[href^="#/topic/"]')
            times.append(tab.evaluate(DRAWN))
            tab.close()
        browser.close()
    return statistics.median(times) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", default="abstracts_arxiv_cs.jsonl.zst")
    parser.add_argument("--topics", type=int, nargs="+", default=[10, 100, 500])
    parser.add_argument("--sweeps", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for n_topics in options.topics:
            model, page = Path(folder) / f"model-{n_topics}", Path(folder) / f"{n_topics}.html"
            run = ["run", str(corpus_path(options.corpus)), "--text-column", "text", "--time-column", "year"]
            run += ["--topics", str(n_topics), "--sweeps", str(options.sweeps), "--output", str(model)]
            subprocess.run([sys.executable, "-m", "topminer", *run, "--no-report", "--quiet"], check=True)
            written(model, page)  # compiles what is not in the cache yet
            took = statistics.median(written(model, page) for _ in range(options.rounds))
            size = page.stat().st_size / 1e6
            opened = usable(page, options.rounds)
            rows.append([str(n_topics), f"{took:.1f} s", f"{size:.1f} MB", f"{opened:.2f} s"])
    print(options.corpus)
    print(table(["topics", "report beyond load", "size", "first page usable after"], rows))


if __name__ == "__main__":
    main()
