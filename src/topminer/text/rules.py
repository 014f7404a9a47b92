"""The rules by which text becomes tokens, as chosen by the user and checked."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

from topminer.errors import InputError
from topminer.text.kinds import KindsParameter, Policy, resolve
from topminer.text.languages import language_of, stop_words_of
from topminer.text.reading.stream import MAX_RECORD_BYTES, too_long

StopWordPolicy = Literal["skip", "keep", "break"]


@dataclass(frozen=True)
class TextRules:
    """How text becomes kept tokens, as :meth:`.Corpus.from_texts` explains.

    All stop words are listed, so that a stored corpus needs no other list.
    """

    language: str | None  # its name; None: neither stop words nor stems
    stem: bool
    stop_words: tuple[str, ...]  # folded and sorted
    stop_word_policy: StopWordPolicy
    numbers: bool
    token_pattern: str | None  # of Rust's ``regex``, which Polars uses
    kinds: dict[str, Policy] | None = None  # the policy of each kind; None: no kind is recognised

    @classmethod
    def choose(
        cls,
        language: str | None = "english",
        stem: bool = True,
        stop_words: Iterable[str] | PathLike[str] | None = None,
        stop_word_policy: StopWordPolicy = "skip",
        numbers: bool = True,
        token_pattern: str | None = None,
        kinds: KindsParameter = "auto",
        add_stop_words: Iterable[str] | PathLike[str] | None = None,
    ) -> TextRules:
        """Check the given values, and fill in those that were not given."""
        if stop_word_policy not in get_args(StopWordPolicy):
            expected = ", ".join(get_args(StopWordPolicy))
            raise InputError(f"stop_word_policy must be one of {expected}, not {stop_word_policy!r}")
        known = None if language is None else language_of(language)
        if stop_words is None:
            words: Iterable[str] = stop_words_of(known) if known else ()
        else:
            words = _words_in("stop_words", stop_words)
        if add_stop_words is not None:
            words = [*words, *_words_in("add_stop_words", add_stop_words)]
        folded = tuple(sorted({fold(word) for word in words}))
        policies = resolve(kinds, numbers=numbers)
        if policies is not None and policies["number"] == "drop":
            numbers = False
        if token_pattern is not None:  # the user's pattern says what a token is
            policies = None
        name = known.name if known else None
        return cls(name, stem, folded, stop_word_policy, numbers, token_pattern, policies)

    def to_json(self) -> dict[str, Any]:
        """Return the rules as JSON can store them."""
        return {**asdict(self), "stop_words": list(self.stop_words)}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> TextRules:
        """Return the rules that :meth:`to_json` wrote; an unknown language is refused."""
        if stored["language"] is not None:
            language_of(stored["language"])
        return cls(**{**stored, "stop_words": tuple(stored["stop_words"])})


def _words_in(parameter: str, given: Iterable[str] | PathLike[str]) -> list[str]:
    """Return a list of words, or the words in a file."""
    if isinstance(given, PathLike):
        return lines_of(Path(given), "stop word")
    if isinstance(given, str):
        raise InputError(f"{parameter} must be a list of words, or a pathlib.Path to a file of them")
    words = list(given)
    for word in words:
        if not isinstance(word, str):
            raise InputError(f"{parameter} holds {word!r}; expected strings")
    return words


def fold(word: str) -> str:
    """Return the form in which words are compared (docs/text.md); words.py folds many at once."""
    word = unicodedata.normalize("NFC", word).lower()
    if not word.isprintable():
        word = "".join(char for char in word if unicodedata.category(char) != "Cf")
    return word.replace("’", "'").replace("＇", "'").removesuffix(".")


def lines_of(path: Path, what: str) -> list[str]:
    """Return the entries of a file, one a line; lines that start with ``#`` are comments."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_RECORD_BYTES + 1)
        if len(data) > MAX_RECORD_BYTES:
            raise too_long(str(path), "a list")
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 (byte {error.start}); expected one {what} a line") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; expected a file, one {what} a line") from None
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
