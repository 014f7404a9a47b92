"""Options of several commands: what makes a phrase."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from topminer.cli.options import RunOptions, option_in
from topminer.errors import InputError

if TYPE_CHECKING:
    from topminer.phrases.miner import PhraseMiner

THRESHOLD, PAPER_THRESHOLD = 2.0, 4.0  # of equation 1, if none is given

_phrases = functools.partial(option_in, "Phrases")


@dataclass(frozen=True)
class MiningOptions:
    """What makes a phrase, whatever the threshold."""

    min_support: Annotated[
        str,
        _phrases(
            "How often a phrase must occur: a number, a share of the kept tokens such as 0.0001, "
            "or auto: as often as the threshold asks for.",
            metavar="N|SHARE|auto",
        ),
    ] = "auto"
    max_length: Annotated[
        int | None, _phrases("The most words of a phrase. Left out: 64.", metavar="N", min=1)
    ] = None
    quality: Annotated[
        str,
        _phrases(
            "The lowest quality of a phrase; what is lower is split. auto is 0, higher is stricter; "
            "none judges nothing.",
            metavar="X|auto|none",
        ),
    ] = "auto"
    evidence: Annotated[
        str,
        _phrases(
            "Repeated text counts once, from so many words on (auto: 8); none counts every repetition.",
            metavar="N|auto|none",
        ),
    ] = "auto"
    ties: Annotated[bool, _phrases("Count “real-time” and “real time” together.", "--ties/--no-ties")] = True
    paper: Annotated[
        bool,
        _phrases(
            "Do what the paper does: equation 1 at threshold 4 unless --significance is given, "
            "nothing judged, every repetition counted, nothing tied.",
            "--paper",
            metavar="",
        ),
    ] = False
    always: Annotated[
        Path | None,
        _phrases("Phrases to keep always whole, one a line, as people write them.", metavar="FILE"),
    ] = None
    never: Annotated[Path | None, _phrases("Phrases never to form, one a line.", metavar="FILE")] = None

    def miner_at(self, significance: float | None, run: RunOptions) -> PhraseMiner:
        """Make a miner as these options say; what cannot be meant is refused before anything is read."""
        from topminer.phrases.miner import PhraseMiner

        return PhraseMiner(**self.settings_at(significance), n_threads=run.threads)

    def settings_at(self, significance: float | None) -> dict[str, Any]:
        """Return the checked arguments of a miner, as values that JSON can store."""
        from topminer.phrases.evidence import least_words
        from topminer.phrases.quality import check_cut
        from topminer.phrases.scores import check_threshold, resolve_support
        from topminer.text.rules import lines_of

        if significance is None:
            significance = PAPER_THRESHOLD if self.paper else THRESHOLD
        support, quality = _support(self.min_support), _number_or_none("--quality", self.quality, float)
        evidence = _number_or_none("--evidence", self.evidence, int)
        if self.paper and (quality, evidence) != ("auto", "auto"):
            raise InputError(
                "--paper judges nothing and counts every repetition: leave out --quality and --evidence"
            )
        resolve_support(support, 1, check_threshold(significance))
        check_cut(quality)
        least_words(evidence)
        return {
            "min_support": support,
            "significance": significance,
            "quality": None if self.paper else quality,
            "evidence": None if self.paper else evidence,
            "ties": "auto" if self.ties and not self.paper else None,
            "max_length": self.max_length,
            "always": None if self.always is None else lines_of(self.always, "phrase"),
            "never": None if self.never is None else lines_of(self.never, "phrase"),
        }


@dataclass(frozen=True)
class PhraseOptions(MiningOptions):
    """What makes a phrase."""

    significance: Annotated[
        float | None,
        _phrases(
            f"The threshold: only what scores at least this is merged. Left out: {THRESHOLD:g}; "
            f"with --paper {PAPER_THRESHOLD:g}.",
            metavar="X",
            min=0,
        ),
    ] = None

    def miner(self, run: RunOptions) -> PhraseMiner:
        """Make a miner as these options say."""
        return self.miner_at(self.significance, run)

    def settings(self) -> dict[str, Any]:
        """Return the checked arguments of a miner, as values that JSON can store."""
        return self.settings_at(self.significance)


def _number_or_none(option: str, given: str, kind: type[int] | type[float]) -> int | float | str | None:
    """Read the value of an option that is a number, auto or none.

    >>> _number_or_none("--quality", "none", float), _number_or_none("--evidence", "6", int)
    (None, 6)
    """
    if given in ("auto", "none"):
        return "auto" if given == "auto" else None
    try:
        return kind(given)
    except ValueError:
        expected = "a whole number" if kind is int else "a number"
        raise InputError(f"{option} must be {expected}, auto or none, not {given!r}") from None


def _support(given: str) -> int | float | str:
    """Read the value of ``--min-support``.

    >>> _support("auto"), _support("30"), _support("1e-5")
    ('auto', 30, 1e-05)
    """
    if given == "auto":
        return given
    try:
        value = float(given)
        return int(value) if value == int(value) else value
    except (ValueError, OverflowError):
        raise InputError(
            f"--min-support must be a whole number from 1 on, a share between 0 and 1, or auto, not {given!r}"
        ) from None
