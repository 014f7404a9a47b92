"""The table of a torture run: a row for each part."""

import json
import os
import platform
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any


@dataclass
class Row:
    """What came of one part."""

    part: str
    tried: int = 0
    failed: int = 0
    seconds: float = 0.0
    note: str = ""
    failures: list[str] = field(default_factory=list)

    @property
    def held(self) -> int:
        """Trials that did not fail."""
        return self.tried - self.failed


def as_markdown(rows: list[Row], facts: dict[str, Any]) -> str:
    """The table, and how it came about."""
    sums = (sum(each) for each in zip(*((row.tried, row.failed, row.seconds) for row in rows), strict=True))
    lines = ["| part | tried | held | failed | seconds | |", "|---|---:|---:|---:|---:|---|"]
    for row in [*rows, Row("together", *sums)]:
        numbers = f"{row.tried:,} | {row.held:,} | {row.failed:,} | {row.seconds:,.0f}"
        lines.append(f"| {row.part} | {numbers} | {row.note} |")
    said = ", ".join(f"{name} {value}" for name, value in facts.items())
    return "\n".join([*lines, "", f"({said})", ""])


def write(path: Path, rows: list[Row], facts: dict[str, Any]) -> None:
    """Write the table as JSON, and as Markdown beside it."""
    content = {"facts": facts, "parts": [{**asdict(row), "held": row.held} for row in rows]}
    path.with_suffix(".json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(as_markdown(rows, facts), encoding="utf-8")


def facts_of(seed: int, minutes: float) -> dict[str, Any]:
    """What the numbers depend on."""
    return {
        "seed": seed,
        "minutes": round(minutes, 1),
        "cores": os.cpu_count(),
        "topminer": version("topminer"),
        "Python": platform.python_version(),
    }
