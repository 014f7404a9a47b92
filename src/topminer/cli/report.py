"""``topminer report``: what a model found, as one HTML file, and as charts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from topminer.cli.command import spread
from topminer.cli.options import DirectoryArgument, OverwriteOption, RunOptions, option
from topminer.errors import InputError
from topminer.memory import require_drawing

if TYPE_CHECKING:
    from topminer.pipeline import ToPMine
    from topminer.progress import Progress

EXAMPLES = [
    "topminer report titles-model",
    "topminer report titles-model --output topics.html --title 'Titles, 2003 to 2010'",
    "topminer report titles-model --charts charts",
]
NAME = "report.html"


@spread
def report(
    directory: DirectoryArgument,
    run: RunOptions,
    output: Annotated[
        Path | None, option("The .html file to write. Left out: report.html in DIR, anew.", metavar="FILE")
    ] = None,
    title: Annotated[
        str | None, option("What the report is called. Left out: as the corpus.", metavar="TEXT")
    ] = None,
    charts: Annotated[
        Path | None, option("Write charts as .svg and .png files into this folder instead.", metavar="FOLDER")
    ] = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Write what a model found as one HTML file.

    Topics with their phrases, a map of them, trends, representative documents with their phrases marked, and
    the facts of the run. The file opens from disk, and loads nothing. A run writes it too.
    """
    from topminer.cli.files import check_target
    from topminer.cli.session import Session

    if charts is not None and (output is not None or title is not None):
        raise InputError("--charts writes charts alone: leave --output and --title out")
    target = output or directory / NAME
    if output is not None:
        check_target(output, (".html", ".htm"), overwrite)
    if charts is not None and charts.exists() and not charts.is_dir():
        raise InputError(f"{charts}: is a file; expected a folder to write charts to")
    require_drawing()
    session = Session(run)
    with session.progress() as progress:
        model = session.model(directory)
        if charts is not None:
            n_files = _write_charts(model, directory, charts, progress)
        else:
            write_report(model, directory, target, title, progress)
    if charts is not None:
        session.written(f"{n_files:,} charts", charts)
    else:
        session.written("Report", target, f"{target.stat().st_size / 1e6:.1f} MB")


def write_report(
    model: ToPMine, directory: Path, target: Path, title: str | None, progress: Progress
) -> None:
    """Write the report of the model in ``directory``, whole or not at all, and keep the topics' names."""
    from topminer import store
    from topminer.cli.files import write_file
    from topminer.pipeline import RUN
    from topminer.topics.results.kept import keep
    from topminer.topics.results.own_labels import Labels
    from topminer.topics.results.summary import Summary
    from topminer.views.report_page import report_of

    summary = Summary(model, labels=Labels.read(directory).names)
    html = report_of(summary, title=title, run=store.read_json(directory / RUN), progress=progress)
    write_file(target, html)
    keep(directory, summary)


def _write_charts(model: ToPMine, directory: Path, folder: Path, progress: Progress) -> int:
    from topminer.topics.results.labels import automatic_labels, labels_of
    from topminer.topics.results.own_labels import Labels
    from topminer.views.charts.files import write_charts

    labels = labels_of(automatic_labels(model), Labels.read(directory).names)
    return len(write_charts(model, folder, labels, progress))
