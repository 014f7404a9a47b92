"""The measures of a model in the terminal, and what people said."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from topminer.cli.compare_view import number
from topminer.text.printable import printable as visible

MOST_TOPICS = 30  # that are listed
N_WORDS = 3


def drawn(found: Mapping[str, Any], width: int) -> RenderableType:
    """Return a page: a row for each topic, and below it what holds for all."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("topic", justify="right")
    table.add_column("", no_wrap=True, overflow="ellipsis", max_width=max(width - 60, 12))
    columns = ("npmi_words", "npmi_phrases", "cv_words", "cv_phrases", "stability")
    for head in ("NPMI words", "phrases", "C_V words", "phrases", "stability"):
        table.add_column(head, justify="right", no_wrap=True)
    for topic in found["topics"][:MOST_TOPICS]:
        shown = (topic["phrases"] or topic["words"])[:N_WORDS]
        table.add_row(
            str(topic["id"]),
            visible(", ".join(shown)),
            *(number(topic[name], ".3f", False) for name in columns),
        )
    mean = {**found["coherence"], "stability": found["stability"]}
    table.add_row(
        "", Text("mean of all topics", "bold"), *(number(mean[name], ".3f", True) for name in columns)
    )
    return Group(table, "", *_facts(found))


def _facts(found: Mapping[str, Any]) -> Iterator[Text]:
    diversity = found["diversity"]
    for kind, share in diversity.items():
        if share is not None:
            yield _line(
                f"diversity of {kind}", f"{share:.2f}", "share of distinct ones among all topics' first"
            )
    if asked := found["intrusion"]:
        value = f"{asked['right']:g} of {asked['asked']}"
        yield _line("intruders found", value, f"by the annotator {asked['annotator']}, not by people")
    for each in found["quality"]:
        shares = ", ".join(
            f"{share:.0%} of {n}" for n, share in each["precision"].items() if share is not None
        )
        recall = "" if each["recall"] is None else f"; recall {each['recall']:.0%} of {each['relevant']:,}"
        yield _line("good phrases", f"{shares}{recall}", visible(each["gold"]))
    if held_out := found["perplexity"]:
        last = {curve["model"]: curve["points"][-1] for curve in held_out["curves"]}
        for model, (sweep, value) in last.items():
            bits = f"{math.log2(value):.3f} bits a word"
            yield _line(f"held-out perplexity, {model}", f"{value:,.1f}", f"{bits}, after {sweep:,} sweeps")


def _line(what: str, value: str, more: str) -> Text:
    return Text.assemble((f"{what}  ", "dim"), (value, "bold"), (f"  {more}", "dim"))


def judged(people: Mapping[str, Any]) -> RenderableType:
    """Return what people said, a row for each method."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for head in ("", "intruders found", "asked", "coherence (z)", "phrase quality (z)"):
        table.add_column(head, justify="right" if head else "left")
    intrusion, ratings = people.get("intrusion") or {}, people.get("ratings") or {}
    coherence, quality = ratings.get("coherence") or {}, ratings.get("quality") or {}
    for name in dict.fromkeys([*intrusion, *coherence, *quality]):
        score = intrusion.get(name) or {}
        table.add_row(
            visible(name),
            number(score.get("right"), ".1f", False),
            number(score.get("asked"), "d", False),
            number(coherence.get(name), "+.2f", False),
            number(quality.get(name), "+.2f", False),
        )
    agreements = (
        ("intrusion", people.get("alpha")),
        ("coherence", ratings.get("alpha_coherence")),
        ("phrase quality", ratings.get("alpha_quality")),
    )
    lines = [
        _line(f"agreement, {what}", f"{alpha:.2f}", "Krippendorff's α")
        for what, alpha in agreements
        if alpha is not None
    ]
    return Group(table, *lines)
