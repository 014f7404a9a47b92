"""What a new user waits for: installation, compilation, the first and the second result.

    python benchmarks/first_run.py [REVISION ...] [--wheel FILE] [--repeats N]

Each revision of the repository (by default the last commit) is installed in an environment of its own, with
an empty home and no compiled kernels. All steps of one revision are followed by those of the next, N times;
the table has the medians. ``--wheel`` adds a wheel, for example one of ``make wheel``.

install          pip install '.[serve]', with the versions of constraints.txt; and the environment's size
demo             topminer demo: the first time, with one thread (no helper), and once more
functions        what Numba compiled in the demo: each function counts once for each signature
run              topminer run on 5,000 short texts, 20 topics, the usual 1,000 sweeps, twice
transform        model.transform of one short text in a new process, beside the time to import and load
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import table, texts_of

ROOT = Path(__file__).parent.parent
TITLES = "titles_20conf.txt.zst"
COUNTED = """
import sys
from numba.core import event
from topminer.cli import main

class Counter(event.Listener):
    n = 0
    def on_start(self, event):
        self.n += 1
    def on_end(self, event):
        pass

counter = Counter()
with event.install_listener("numba:compile", counter):
    main(["demo", "--quiet", "--report", "demo.html"])
print(counter.n)
"""
TRANSFORM = """
import time
from topminer import load
model = load("model")
start = time.perf_counter()
model.transform(["A new method for frequent pattern mining in data streams."])
print(time.perf_counter() - start)
"""


class Trial:
    """One installation in an environment of its own."""

    def __init__(self, folder: Path, source: str) -> None:
        self.folder, self.source = folder, source
        self.home = folder / "home"
        self.home.mkdir()
        self.found: dict[str, float] = {}

    def run(self, name: str, *command: str, **variables: str) -> str:
        """Run a command; note its wall clock and CPU time."""
        environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "NUMBA_"))},
            "HOME": str(self.home),
            **variables,
        }
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{self.source}: {name}: {done.stderr[-2000:]}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.found[f"{name}, s"] = time.perf_counter() - start
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.found[f"{name}, s of CPU"] = cpu
        return done.stdout

    def measure(self) -> dict[str, float]:
        """Take all steps."""
        python = str(self.folder / "env" / "bin" / "python")
        topminer = str(self.folder / "env" / "bin" / "topminer")
        subprocess.run([sys.executable, "-m", "venv", str(self.folder / "env")], check=True)
        pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        config = {
            "PIP_CONFIG_FILE": os.environ.get("PIP_CONFIG_FILE", str(Path.home() / ".config/pip/pip.conf"))
        }
        what = f"{self.source}[serve]"
        self.run("install", *pip, "-c", str(ROOT / "constraints.txt"), what, **config)
        del self.found["install, s of CPU"]
        size = subprocess.check_output(["du", "-sm", str(self.folder / "env")], text=True)
        self.found["environment, MB"] = float(size.split()[0])

        caches = [str(self.folder / name) for name in ("both", "one", "counted")]
        self.run("first demo", topminer, "demo", NUMBA_CACHE_DIR=caches[0])
        self.run("second demo", topminer, "demo", NUMBA_CACHE_DIR=caches[0])
        self.run("first demo, one thread", topminer, "demo", "--threads", "1", NUMBA_CACHE_DIR=caches[1])
        compiled = self.run(
            "count", python, "-c", COUNTED, NUMBA_CACHE_DIR=caches[2], TOPMINER_COMPILE_HELPER="0"
        )
        self.found["functions of the demo"] = float(compiled)
        del self.found["count, s"], self.found["count, s of CPU"]
        cache = str(self.folder / "run")
        (self.folder / "titles.txt").write_text("\n".join(texts_of(TITLES, 5000)), encoding="utf-8")
        for name in ("first run", "second run"):
            run = (topminer, "run", "titles.txt", "--topics", "20", "--output", "model", "--overwrite")
            self.run(name, *run, NUMBA_CACHE_DIR=cache)
        for _ in range(2):  # the second process finds all kernels in the cache
            beyond = self.run("transform", python, "-c", TRANSFORM, NUMBA_CACHE_DIR=cache)
        del self.found["transform, s of CPU"]
        self.found["transform, s"] = float(beyond)
        return self.found


def checked_out(revision: str, folder: Path) -> str:
    """A copy of a revision's files."""
    target = folder / revision.replace("/", "-")
    target.mkdir()
    archive = subprocess.run(["git", "archive", revision], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", str(target)], input=archive.stdout, check=True)
    return str(target)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("revisions", nargs="*", default=["HEAD"])
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        sources = {revision: checked_out(revision, Path(temporary)) for revision in asked.revisions}
        if asked.wheel is not None:
            sources["wheel with kernels"] = str(asked.wheel.resolve())
        found: dict[str, list[dict[str, float]]] = {name: [] for name in sources}
        for number in range(asked.repeats):
            for name, source in sources.items():
                folder = Path(temporary) / f"trial-{number}-{len(found[name])}-{abs(hash(name))}"
                folder.mkdir()
                found[name].append(Trial(folder, source).measure())
                shutil.rmtree(folder)
                print(name, number, found[name][-1], file=sys.stderr, flush=True)
        steps = next(iter(found.values()))[0]
        rows = []
        for step in steps:
            medians = [statistics.median(trial[step] for trial in trials) for trials in found.values()]
            ratio = f"{medians[1] / medians[0]:.2f}" if len(medians) > 1 else ""
            rows.append([step, *(f"{median:.4g}" for median in medians), ratio])
        print(table(["", *found, "second ÷ first"], rows))


if __name__ == "__main__":
    main()
