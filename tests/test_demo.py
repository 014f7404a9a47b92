"""The demo corpus."""

import re

import pytest

from topminer.demo import _unwrapped, paragraphs

pytestmark = pytest.mark.small


def test_it_is_a_corpus_of_prose() -> None:
    texts = paragraphs()
    assert len(texts) > 500
    assert len(texts) == len(set(texts))
    assert all(len(text.split()) >= 8 for text in texts)
    assert not [text for text in texts if re.search(r"\n|>>> |::=|\(Pdb\) [a-z]+ |\+--|  ", text)]


def test_it_is_the_same_every_time() -> None:
    assert paragraphs() == paragraphs()


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ("The\n   lines", "The lines"),
        ("built-\n  in", "built-in"),
        ("* *emphasis*, **strong**:", "emphasis, strong:"),
        ('10. The "with" statement', "The with statement"),
        ("[3] A footnote.", "A footnote."),
        ("Read on. [3]", "Read on."),
        ("x * y ** z", "x * y ** z"),
    ],
)
def test_lines_are_joined_and_markup_is_taken_off(block: str, text: str) -> None:
    assert _unwrapped(block) == text
