"""``topminer explain``: why a text is cut into these phrases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from topminer.cli.command import spread
from topminer.cli.options import OverwriteOption, ResultOptions, RunOptions, TextOptions, argument, option
from topminer.cli.phrase_options import PhraseOptions
from topminer.errors import InputError

if TYPE_CHECKING:
    from topminer.phrases.explain import Explanation

EXAMPLES = [
    'topminer explain titles.txt "Mining frequent patterns without candidate generation"',
    'topminer explain titles.txt "a frequent pattern tree approach" --significance 2 --output tree.svg',
    "topminer explain papers.csv --text-column abstract - < abstract.txt",
    'topminer explain titles-model "Mining frequent patterns without candidate generation"',
]
OUTPUTS = (".svg", ".png", ".html")


@spread
def explain(
    corpus: Annotated[
        str,
        argument(
            "A model directory, or a corpus to mine: a .txt file (one document a line), a folder of "
            ".txt files, a .csv, .tsv, .jsonl or .parquet file, each also as .gz, .xz or .zst; or - for "
            "standard input.",
            metavar="DIR-or-CORPUS",
        ),
    ],
    sentence: Annotated[
        str, argument("The text to explain; - reads it from standard input.", metavar="TEXT")
    ],
    text: TextOptions,
    mining: PhraseOptions,
    run: RunOptions,
    result: ResultOptions,
    output: Annotated[
        Path | None, option("Draw the tree into a .svg, .png or .html file as well.", metavar="FILE")
    ] = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Explain how a text is cut into phrases.

    The corpus is mined (a model's has been), and the text's words are merged by what it says of them. Shown
    are the merge tree, each merge with its count, the count that chance would give and the score, and why
    other neighbours stay apart.
    """
    from topminer.cli.explanation import ExplanationResult
    from topminer.cli.files import check_target
    from topminer.cli.session import Session, is_model

    if output is not None:
        check_target(output, OUTPUTS, overwrite)
    of_model = is_model(Path(corpus))
    if of_model and (text, mining) != (TextOptions(), PhraseOptions()):
        raise InputError(f"{corpus}: a model, which has its own words and phrases: leave those options out")
    miner = mining.miner(run)
    sentence = _given(sentence, corpus)
    session = Session(run)
    with session.progress() as progress:
        if of_model:
            explained = session.explainer(Path(corpus)).explain(sentence)
        else:
            miner.fit(text.read(corpus, run, progress, paper=mining.paper), progress=progress)
            from topminer.phrases.explain import explain as explanation_of

            explained = explanation_of(miner, sentence)
        if output is not None:
            _write(explained, output)
    session.show(ExplanationResult(explained), result.format)
    if output is not None:
        session.written("Merge tree", output)


def _given(sentence: str, corpus: str) -> str:
    """Return the text to explain, from standard input where it is ``-``."""
    if sentence != "-":
        return sentence
    if corpus == "-":
        raise InputError("CORPUS and TEXT are both -; only one of them can be read from standard input")
    from topminer.text.reading.source import STANDARD_INPUT, standard_input
    from topminer.text.reading.stream import chunks, joined

    pieces = chunks(standard_input(), STANDARD_INPUT, lambda n_bytes: None)
    return joined(pieces, STANDARD_INPUT).decode("utf-8", errors="replace").strip()


def _write(explained: Explanation, path: Path) -> None:
    from topminer.cli.files import write_file
    from topminer.views import explanation, merge_tree

    match path.suffix.lower():
        case ".svg":
            write_file(path, merge_tree.to_svg(explained))
        case ".png":
            write_file(path, merge_tree.to_png(explained))
        case _:
            write_file(path, explanation.explanation_page(explained))
