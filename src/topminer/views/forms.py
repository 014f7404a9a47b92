"""Forms for annotators: one HTML file each, to be opened anywhere, without a network and without a server.

They hold the questions of phrase intrusion and the lists that experts rate, of the paper's section
"Interpretability". A form can also be printed. Its script counts what is answered, keeps it in the browser,
and makes the CSV that :mod:`topminer.evaluation.judgements` reads. Neither methods nor intruders are in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from topminer.evaluation.intrusion import LETTERS, Question
from topminer.evaluation.judgements import UNABLE
from topminer.evaluation.ratings import HIGHEST, LOWEST, RatingList
from topminer.views.pages import render


def intrusion_form(questions: Sequence[Question], title: str) -> str:
    """Return the form of phrase intrusion as one HTML file."""
    values = {"columns": ["answer"], "noun": "answered", "letters": LETTERS, "unable": UNABLE}
    return _form("intrusion", title, questions, values)


def rating_form(lists: Sequence[RatingList], title: str) -> str:
    """Return the form of expert ratings as one HTML file."""
    values = {"columns": ["coherence", "quality"], "noun": "rated", "lowest": LOWEST, "highest": HIGHEST}
    return _form("ratings", title, lists, values)


def _form(name: str, title: str, items: Sequence[Question | RatingList], values: dict[str, Any]) -> str:
    ids = "\n".join(item.id for item in items)
    form = sha256(ids.encode()).hexdigest()[:16]  # the browser keeps answers under this name
    n_answers = max(1, len(items) * len(values["columns"]))
    return render(name, title=title, file=name, items=items, form=form, n_answers=n_answers, **values)
