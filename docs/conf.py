"""How the documentation is built: Markdown, docstrings, the help of commands, declarations of the format."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sphinx.application import Sphinx

from topminer import __version__

project = "topminer"
author = "the topminer developers"
release = version = __version__

napoleon_use_ivar = True  # attributes in a list; properties of the same names document themselves
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "_generated"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # numpydoc sections name the types
napoleon_google_docstring = False

html_theme = "furo"
html_title = f"topminer {release}"
html_theme_options = {"navigation_with_keys": True}


def write_help(app: Sphinx) -> None:
    """Write each command's help, as it stands on a terminal of 96 characters, where cli.md includes it."""
    os.environ |= {"NO_COLOR": "1", "TERMINAL_WIDTH": "96"}
    from typer.testing import CliRunner

    from topminer.cli.app import app as topminer
    from topminer.cli.app import command

    folder = Path(app.srcdir) / "_generated"
    folder.mkdir(exist_ok=True)
    for name in command().commands:
        shown = CliRunner().invoke(topminer, [name, "--help"], prog_name="topminer", catch_exceptions=False)
        lines = [line.rstrip() for line in shown.output.strip().splitlines()]
        (folder / f"{name}.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def write_formats(app: Sphinx) -> None:
    """Write what each kind of stored thing consists of, where format.md includes it."""
    sys.path.insert(0, str(app.srcdir))
    from format_tables import as_markdown

    from topminer.store.formats import CHECKPOINT, MODEL

    folder = Path(app.srcdir) / "_generated"
    folder.mkdir(exist_ok=True)
    for form in (MODEL, *CHECKPOINT.values()):
        (folder / f"format-{form.kind}.md").write_text(as_markdown(form), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Let Sphinx call us before it reads anything."""
    app.connect("builder-inited", write_help)
    app.connect("builder-inited", write_formats)
