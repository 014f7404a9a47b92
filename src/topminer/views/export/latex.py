"""Topics as LaTeX tables, as in the paper: a few side by side, their words and below them their phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from topminer.text.printable import printable
from topminer.topics.results.topic import Topic

SIDE_BY_SIDE = 5  # topics in a table
ROOM, WIDEST_COLUMN = 0.76, 0.3  # of a line: for all topics (besides come a head and gaps), for one

_HEAD = """\
% Put \\usepackage{array,booktabs} into the preamble, and this where the tables belong: \\input{topics}
% Letters beyond Latin need XeLaTeX or LuaLaTeX, and a font that has them."""
_SPECIAL = {
    **{char: f"\\{char}" for char in "{}$&#%_"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"\symbol{34}",  # of German and other languages it is a command
}
_LIGATURES = re.compile("(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)")  # two hyphens would be a dash


def as_latex(topics: Sequence[Topic], title: str, names: Mapping[int, str] | None = None) -> str:
    """Return topics as LaTeX tables.

    Parameters
    ----------
    topics : sequence of Topic
        What to show.
    title : str
        What they are the topics of, for captions.
    names : mapping of int to str, or None
        Labels of topics, shown beside their numbers.
    """
    groups = [topics[i : i + SIDE_BY_SIDE] for i in range(0, len(topics), SIDE_BY_SIDE)]
    tables = [_table(group, title, names or {}, number) for number, group in enumerate(groups, 1)]
    return "\n\n".join([_HEAD, *("\n".join(table) for table in tables)]) + "\n"


def _table(topics: Sequence[Topic], title: str, names: Mapping[int, str], number: int) -> Iterator[str]:
    width = min(WIDEST_COLUMN, ROOM / len(topics))
    column = rf">{{\raggedright\arraybackslash}}p{{{width:.3f}\linewidth}}"
    yield r"\begin{table}[tbp]"
    yield r"\centering\small\setlength{\tabcolsep}{3pt}"
    yield rf"\caption{{{_caption(topics, title)}}}"
    yield rf"\label{{tab:topics-{number}}}"
    yield rf"\begin{{tabular}}{{@{{}}l*{{{len(topics)}}}{{{column}}}@{{}}}}"
    yield r"\toprule"
    yield _row("", *(_heading(topic.id, names) for topic in topics))
    words = [[word for word, _ in topic.words] for topic in topics]
    phrases = [[phrase for phrase, _ in topic.phrases] for topic in topics]
    for label, columns in (("1-grams", words), ("n-grams", phrases)):
        for i, texts in enumerate(zip_longest(*columns, fillvalue="")):
            if i == 0:
                yield r"\midrule"
            yield _row("" if i else label, *texts)
    yield r"\bottomrule"
    yield r"\end{tabular}"
    yield r"\end{table}"


def _caption(topics: Sequence[Topic], title: str) -> str:
    first, last = topics[0].id, topics[-1].id
    which = f"Topic {first}" if first == last else f"Topics {first} to {last}"
    return latex_text(f"{which} of {title}: most likely words, most frequent phrases.")


def _heading(topic: int, names: Mapping[int, str]) -> str:
    return f"Topic {topic}: {names[topic]}" if topic in names else f"Topic {topic}"


def _row(*cells: str) -> str:
    # A cell before the first & is never a bracket, which \\ of the row before would take for its own.
    return rf"{' & '.join(map(latex_text, cells))} \\"


def latex_text(text: str) -> str:
    r"""Escape what LaTeX would take for its own.

    >>> print(latex_text("50% of C_1 & {x} -- a\\b"))
    50\% of C\_1 \& \{x\} -{}- a\textbackslash{}b
    """
    escaped = "".join(_SPECIAL.get(char, char) for char in printable(text))
    return _LIGATURES.sub("{}", escaped)
