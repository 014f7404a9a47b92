"""What people do with a model or a checkpoint. Each use runs in a child; then its results are checked."""

import json
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torture.processes import Ending

TEXT = "Support vector machine learning, and a neural network for gene sequence alignment."
MAX_SHARE = 1 + 1e-6


@dataclass(frozen=True)
class Use:
    """One use of a directory.

    ``run`` is given the directory, an empty folder to write to and new documents, and returns an exit code;
    ``check`` says what is wrong with the results of a run that ended with exit code 0.
    """

    name: str
    run: Callable[[Path, Path, Path], int | None]
    check: Callable[[Ending, Path], str | None] = lambda ending, folder: None
    needs_phrases: bool = False

    def complaint(self, ending: Ending, folder: Path) -> str | None:
        """What is wrong with how a run ended, or with its results."""
        if ending.complaint or ending.code != 0:
            return ending.complaint
        return self.check(ending, folder)


# ------------------------------------------------------------------------------------------------- the uses


def _commands(*lines: str) -> Callable[[Path, Path, Path], int]:
    """Run commands, until one fails; they name the places DIR, OUT (a folder), NEW, and the TEXT."""

    def run(directory: Path, folder: Path, new: Path) -> int:
        from topminer.cli import main

        places = {"DIR": str(directory), "NEW": str(new), "TEXT": TEXT}
        for line in lines:
            words = [places.get(word, word.replace("OUT", str(folder))) for word in line.split()]
            if code := main([*words, "--threads", "1"]):
                return code
        return 0

    return run


def _explore(directory: Path, folder: Path, new: Path) -> None:
    """Ask the explorer for each of its pages; an error of the server is raised here."""
    from topminer.loading import load
    from topminer.views.explorer.app import create_app
    from topminer.views.explorer.explorer import Explorer

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from starlette.testclient import TestClient

    explorer = Explorer(load(directory, n_threads=1), directory)
    app = create_app(explorer)
    client = TestClient(app, base_url="http://localhost")
    answers = [client.get(path) for path in _pages(app.openapi())]
    answers.append(client.post("/api/segment", json={"text": TEXT}))
    answers.append(client.put("/api/topics/0/label", json={"label": "renamed"}))
    for answer in answers:
        if answer.status_code >= 500 and answer.status_code != 503:
            raise RuntimeError(f"{answer.url} answers {answer.status_code}: {answer.text[:300]}")
    explorer.close()


def _pages(openapi: dict[str, Any]) -> Iterator[str]:
    """Every page that can be asked for, some with several values of their parameters."""
    queries = {
        "/api/documents": ("", "?topic=0", "?topic=2&offset=3&limit=100"),
        "/api/search": ("?q=support+vector", '?q="neural+network"'),
        "/api/concordance": ("?phrase=support+vector+machine", "?phrase=query&limit=100"),
        "/api/documents/{row}": ("", "?threshold=5"),
    }
    yield from ("/", "/api")
    for path, methods in openapi["paths"].items():
        if "get" in methods:
            for query in queries.get(path, ("",)):
                for number in (0, 2, 59) if "{" in path else (0,):
                    yield path.replace("{id}", str(number)).replace("{row}", str(number)) + query


# ---------------------------------------------------------------------------------------------- the results


def _check_topics(ending: Ending, folder: Path) -> str | None:
    try:
        topics = json.loads(ending.printed[ending.printed.index("{") :])["topics"]
    except (ValueError, LookupError, TypeError):
        return f"the topics are no JSON: {ending.printed[:300]}"
    shares = [topic["weight"] for topic in topics]
    shares += [word["p"] for topic in topics for word in topic["words"]]
    counts = [phrase["frequency"] for topic in topics for phrase in topic["phrases"]]
    return _strange(shares, "share") or _strange(counts, "frequency", math.inf)


def _check_inferred(ending: Ending, folder: Path) -> str | None:
    lines = (folder / "new.jsonl").read_text(encoding="utf-8").splitlines()
    shares = [share for line in lines for share in json.loads(line)["topics"]]
    return _strange(shares, "share of a topic in a document")


def _check_report(ending: Ending, folder: Path) -> str | None:
    return None if (folder / "report.html").stat().st_size > 10_000 else "the report is nearly empty"


def _strange(numbers: list[Any], what: str, largest: float = MAX_SHARE) -> str | None:
    for number in numbers:
        if not isinstance(number, int | float) or not 0 <= number <= largest or math.isinf(number):
            return f"exit code 0, but a {what} is {number}"
    return None


_TOPICS = "topics DIR --format json"
_INFER = "infer DIR NEW --text-column text --output OUT/new.jsonl --quiet"
_EVALUATE = "evaluate DIR --seeds 1 --sweeps 3 --output OUT/measures.json --quiet"
MODEL_USES = (
    Use("topics", _commands(_TOPICS), _check_topics),
    Use("report", _commands("report DIR --output OUT/report.html --quiet"), _check_report),
    Use("explorer", _explore),
    Use("infer", _commands(_INFER), _check_inferred),
    Use("explain", _commands("explain DIR TEXT"), needs_phrases=True),
    Use("export csv", _commands("export DIR --to csv --output OUT/tables --quiet")),
    Use("export parquet", _commands("export DIR --to parquet --output OUT/tables --quiet")),
    Use("export pyldavis", _commands("export DIR --to pyldavis --output OUT/model.json --quiet")),
    Use("evaluate", _commands(_EVALUATE)),
    Use("label", _commands("label DIR", "label DIR 1 renamed")),
)
RESUME = Use("resume", _commands("resume DIR --quiet", _TOPICS), _check_topics)


def uses_of(kind: str) -> tuple[Use, ...]:
    """The uses of a model of a kind."""
    return tuple(use for use in MODEL_USES if kind != "words" or not use.needs_phrases)
