"""What tests of several commands share: a small corpus, all that is a model in a directory, drawn pages."""

import io
from typing import Any

from corpora import titles as texts
from corpora import write_titles as write_corpus
from directories import bytes_of as all_files
from directories import model_bytes as model_files
from rich.console import Console

__all__ = ["QUICK", "all_files", "model_files", "page_of", "texts", "write_corpus"]

QUICK = ["--topics", "3", "--sweeps", "20", "--no-report"]


def page_of(result: Any, width: int | None = 80) -> str:
    """The page of a result, without blanks at the ends of its lines."""
    console = Console(file=io.StringIO(), width=width or 1000, markup=False, emoji=False, highlight=False)
    console.print(result.page(width))
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())
