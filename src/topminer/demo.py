"""A corpus that needs no download: the language reference that every CPython carries.

``pydoc_data.topics`` holds the pages behind Python's ``help()`` as plain text with hard-wrapped lines. What
lies between two blank lines is a paragraph if it reads like prose; code, grammar, tables and headings do not.
"""

from __future__ import annotations

import re

MIN_WORDS = 8

_NOT_PROSE = re.compile(r"::=|>>>|^\s*(\+--|# |def )", re.MULTILINE)  # grammar, sessions, tables, code
_ITEM = re.compile(r"^(\*|\d+\.|\[\d+\]) ")  # a list's bullet or number, a footnote's mark
_FOOTNOTE = re.compile(r"\s\[\d+\](?=\W|$)")
_MARKUP = re.compile(r'"|(?<!\S)\*{1,2}(?=\w)|(?<=[\w:])\*{1,2}(?=\W|$)')  # "literal", *emphasis*, **strong**
_SENTENCE = re.compile(r"[\w(“‘].*[.,;:?!…][)”’]?")


def paragraphs() -> list[str]:
    """Return the language reference as more than a thousand paragraphs of prose, always in the same order."""
    from pydoc_data.topics import topics

    blocks = (block for name in sorted(topics) for block in re.split(r"\n\s*\n", topics[name]))
    texts = (_unwrapped(block) for block in blocks if not _NOT_PROSE.search(block))
    return list(dict.fromkeys(text for text in texts if _reads_like_prose(text)))


def _unwrapped(block: str) -> str:
    r"""Join a block's lines to one and take off the markup.

    >>> _unwrapped('* A *mapping* object, like the built-\n  in "dict". [2]')
    'A mapping object, like the built-in dict.'
    """
    text = _ITEM.sub("", re.sub(r"(?<=\w)-\n\s*", "-", block.strip()))
    return " ".join(_MARKUP.sub("", _FOOTNOTE.sub("", text)).split())


def _reads_like_prose(text: str) -> bool:
    return len(text.split()) >= MIN_WORDS and _SENTENCE.fullmatch(text) is not None
