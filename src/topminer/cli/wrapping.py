"""Texts that are longer than their cell: wrapped onto indented lines, so that nothing is lost."""

from __future__ import annotations

from rich.cells import cell_len, chop_cells

INDENT = 2  # of all lines of a text but the first


def wrapped(text: str, width: int) -> str:
    """Return a text in lines of at most ``width`` cells, wrapped at blanks; a longer word is folded.

    >>> print(wrapped("securities and exchange commission", 18))
    securities and
      exchange
      commission
    """
    if cell_len(text) <= width:
        return text
    indent = " " * (INDENT if width > 2 * INDENT else 0)
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        start = indent if lines else ""
        if line.strip() and cell_len(f"{line} {word}") > width:
            lines.append(line)
            line = start = indent
        line = f"{line} {word}" if line.strip() else start + word
        if cell_len(line) > width:  # one word that is longer than a line
            room = max(width - len(indent), 1)
            first, *rest = chop_cells(word, room)
            pieces = [start + first, *(indent + piece for piece in rest)]
            lines += pieces[:-1]
            line = pieces[-1]
    return "\n".join([*lines, line])
