"""Seconds of training until held-out perplexity is the rival's plateau: the part `time` of perplexity.py.

A rival's plateau is its perplexity after 1,000 sweeps (passes over all documents), or, if that takes longer
than the budget, at the budget's end. A model has reached it when it is at most half a percent above. All
models learn from the same words and are judged on identical words, after sweeps 1, 2, 3, … 1,000 that grow by
a fifth each; in between, seconds are interpolated. Neither judging nor setting a model up is counted.

Each model is a line of JSON in the file of results. What is in the file is not measured again, so the work
can be done in pieces: --corpora, --topics and --models choose some.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from contestants import RIVALS, Contestant, ours
from harness import table
from schedules import CORPORA, documents_of, lines

from topminer.evaluation.perplexity import Split
from topminer.topics.results.held_out import HeldOut, perplexity

MODELS = ("LDA", "PhraseLDA", *RIVALS)
NEAR = 1.005
KEYS = ("corpus", "topics", "model", "threads", "tokens", "passes", "budget")


def checks(most: int) -> list[int]:
    """Sweeps after which models are judged.

    >>> checks(20)
    [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20]
    """
    found = [1]
    while found[-1] < most:
        found.append(min(most, max(found[-1] + 1, round(found[-1] * 1.2))))
    return found


def made(
    name: str, documents: Split, n_topics: int, options: argparse.Namespace
) -> tuple[Contestant, HeldOut]:
    """A model that is set up, and what it is judged by."""
    arguments = n_topics, options.passes, options.threads
    if name == "PhraseLDA":
        return ours(documents.phrases, *arguments), documents.held_phrases
    if name == "LDA":
        return ours(documents.words, *arguments), documents.held_words
    return RIVALS[name](documents.words.corpus, *arguments), documents.held_words


def curve(model: Contestant, test: HeldOut, options: argparse.Namespace) -> list[tuple[int, float, float]]:
    """Sweeps, seconds of training and perplexity, until the last sweep or the end of the budget."""
    points: list[tuple[int, float, float]] = []
    seconds, done = 0.0, 0
    for sweep in checks(options.passes):
        before = time.perf_counter()
        model.train(sweep - done)
        seconds, done = seconds + time.perf_counter() - before, sweep
        word_topic, tokens, alpha, beta = model.found()
        value = perplexity(test, word_topic, tokens, alpha, beta, n_threads=options.threads)
        points.append((sweep, round(seconds, 4), round(value, 2)))
        if seconds > options.budget:
            break
    return points


def measure(options: argparse.Namespace) -> None:
    """Append the curves that are not in the file yet."""
    done = {tuple(line[key] for key in KEYS) for line in lines(options.results)}
    for corpus in options.corpora.split(","):
        documents = None
        for n_topics in options.topics:
            for name in options.models.split(","):
                limits = options.threads, options.tokens, options.passes, options.budget
                key = (corpus, n_topics, name, *limits)
                if key in done:
                    continue
                documents = documents or documents_of(corpus, options.tokens)
                points = curve(*made(name, documents, n_topics, options), options)
                with options.results.open("a") as file:
                    file.write(json.dumps({**dict(zip(KEYS, key, strict=True)), "points": points}) + "\n")
                print(*key, points[-1], flush=True)


def reached(points: list[tuple[int, float, float]], goal: float) -> float | None:
    """Seconds until perplexity is at most ``goal``, on the line between the two points around it; or None.

    >>> reached([(1, 1.0, 300.0), (2, 2.0, 200.0), (3, 3.0, 100.0)], 150.0)
    2.5
    """
    for i, (_, seconds, value) in enumerate(points):
        if value <= goal:
            if i == 0:
                return seconds
            _, earlier, above = points[i - 1]
            return earlier + (seconds - earlier) * (above - goal) / (above - value)
    return None


def rows(options: argparse.Namespace) -> Iterator[list[str]]:
    """For each corpus, number of topics and rival: seconds of the rival and of ours, and the ratios."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for line in lines(options.results):
        if all(line[key] == getattr(options, key) for key in ("threads", "tokens", "passes")):
            found[line["corpus"], line["topics"], line["model"]] = line
    for corpus, n_topics, name in sorted(found, key=lambda key: (key[0], key[1], MODELS.index(key[2]))):
        if name not in RIVALS:
            continue
        points = found[corpus, n_topics, name]["points"]
        sweep, last, plateau = points[-1]
        own = reached(points, NEAR * plateau)
        row = [corpus, str(n_topics), name, f"{plateau:.0f}", f"{sweep} ({last:.0f} s)", f"{own:.2f}"]
        for model in ("LDA", "PhraseLDA"):
            if (corpus, n_topics, model) not in found:
                row += ["", ""]
                continue
            mine = found[corpus, n_topics, model]["points"]
            seconds = reached(mine, NEAR * plateau)
            lowest = min(value for _, _, value in mine)
            missed = f"not in {mine[-1][1]:.1f} ({100 * (lowest / plateau - 1):+.1f} %)"
            row += [missed, ""] if seconds is None else [f"{seconds:.2f}", f"{seconds / own:.2f}"]
        yield row


def show(options: argparse.Namespace) -> None:
    """Print what is in the file."""
    head = ["corpus", "K", "rival", "plateau", "sweeps", "seconds", "LDA", "÷ rival", "PhraseLDA", "÷ rival"]
    print(table(head, list(rows(options))))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what can be chosen."""
    parser.add_argument("--results", type=Path, default=Path("plateau.jsonl"))
    parser.add_argument("--table", action="store_true", help="print what was measured so far")
    parser.add_argument("--corpora", default="acl,amazon,20conf")
    parser.add_argument("--topics", type=int, nargs="+", default=[20, 100, 500])
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=300_000, help="kept tokens of a corpus, about")
    parser.add_argument("--passes", type=int, default=1000)
    parser.add_argument("--budget", type=float, default=300.0, help="seconds of training for each model")


def clock(options: argparse.Namespace) -> None:
    """Measure what is missing, or, with ``--table``, print what was measured."""
    unknown = set(options.models.split(",")) - set(MODELS) or set(options.corpora.split(",")) - set(CORPORA)
    if unknown:
        raise SystemExit(f"unknown: {', '.join(sorted(unknown))}")
    run: Callable[[argparse.Namespace], None] = show if options.table else measure
    run(options)
