"""What people are asked, and what they answered: the files of ``compare`` and ``evaluate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topminer.errors import InputError

if TYPE_CHECKING:
    from topminer.evaluation.intrusion import Question
    from topminer.methods.contract import Phrase

INTRUSION_FORM, RATING_FORM = "intrusion.html", "ratings.html"


def write_sheets(
    folder: Path,
    topics_of: Mapping[str, Sequence[Sequence[Phrase]]],
    asked: Sequence[Question],
    seed: int,
) -> None:
    """Write forms and sheets for people, and the keys that say which method a question is of.

    Keys stay with whoever scores: people get a form, or a sheet.
    """
    from topminer.cli.files import replacing
    from topminer.evaluation import sheets
    from topminer.evaluation.ratings import rating_lists
    from topminer.views.forms import intrusion_form, rating_form

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror}") from None
    lists = rating_lists(topics_of, seed=seed)
    sheets.write_questions(folder, asked)
    sheets.write_lists(folder, lists)
    for name, html in (
        (INTRUSION_FORM, intrusion_form(asked, "Which phrase does not belong?")),
        (RATING_FORM, rating_form(lists, "How good are these lists of phrases?")),
    ):
        with replacing(folder / name) as unfinished:
            unfinished.write_text(html, encoding="utf-8")


def scored(folder: Path, answers: Sequence[Path], ratings: Sequence[Path]) -> dict[str, Any]:
    """What people answered, by method, as plain numbers."""
    from topminer.evaluation import sheets
    from topminer.evaluation.intrusion import agreement_of, scores
    from topminer.evaluation.ratings import method_scores

    people: dict[str, Any] = {"annotators": [], "alpha": None, "intrusion": None, "ratings": None}
    if answers:
        asked, given = sheets.read_key(folder / sheets.KEY), sheets.read_answers(*answers)
        found = scores(asked, given)
        people |= {
            "annotators": list(given),
            "alpha": agreement_of(asked, given),
            "intrusion": {method: asdict(score) for method, score in found.items()},
        }
    if ratings:
        lists, rated = sheets.read_lists_key(folder / sheets.RATINGS_KEY), sheets.read_ratings(*ratings)
        judged = method_scores(lists, rated.coherence, rated.quality)
        people["ratings"] = {
            "experts": len(rated.coherence),
            "alpha_coherence": judged.coherence_agreement,
            "alpha_quality": judged.quality_agreement,
            "coherence": {name: each.coherence for name, each in judged.methods.items()},
            "quality": {name: each.quality for name, each in judged.methods.items()},
        }
    return people
