"""Where a corpus came from, and what was left out or replaced while it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from topminer.containers.strings import FEW_BYTES
from topminer.errors import InputError

if TYPE_CHECKING:
    from topminer.text.reading.reader import Reading
    from topminer.text.words import Lexicon

PATHS = ("name", "first_undecodable")  # the facts of an Origin that name files


@dataclass
class Skipped:
    """What was left out or replaced while reading. It is counted, so that nothing is lost silently."""

    blank_documents: int = 0  # of white space only, or without any text: left out
    undecodable_bytes: int = 0  # sequences of bytes that are not text in the encoding: each became one U+FFFD
    first_undecodable: str | None = None  # where the first of them is: "papers.txt, line 3, byte 17"
    nul_characters: int = 0  # in the texts: kept, and act as blanks

    def count_nuls(self, texts: pl.Series) -> None:
        """Add the NUL characters of some texts."""
        if texts.estimated_size() < FEW_BYTES:
            self.nul_characters += sum(text.count("\0") for text in texts.to_list())
        else:
            self.nul_characters += int(texts.str.count_matches("\0", literal=True).sum())

    def __add__(self, other: Skipped) -> Skipped:
        """Return what two readings, one after the other, left out."""
        return Skipped(
            self.blank_documents + other.blank_documents,
            self.undecodable_bytes + other.undecodable_bytes,
            self.first_undecodable or other.first_undecodable,
            self.nul_characters + other.nul_characters,
        )


@dataclass(frozen=True)
class Origin:
    """Where a corpus came from, and what was left out."""

    name: str = "texts"
    columns: dict[str, str] = field(default_factory=dict)
    n_found: int = 0  # tokens before stop words and numbers were taken out
    n_stop_words: int = 0
    n_numbers_dropped: int = 0
    n_blank_documents: int = 0
    n_undecodable: int = 0
    first_undecodable: str | None = None
    n_nul_characters: int = 0
    kinds: dict[str, int] = field(default_factory=dict)  # how many of each kind were found
    n_rare_words: int = 0  # tokens left out since too few documents have the word
    n_duplicates: int = 0  # documents left out since they are nearly the same as an earlier one
    n_duplicate_tokens: int = 0  # the kept tokens that they had

    def with_reading(self, reading: Reading) -> Origin:
        """Add what is known when a source has been read."""
        named = replace(self, name=reading.name, columns=reading.columns.by_role())
        return named.with_skipped(reading.skipped)

    def with_skipped(self, skipped: Skipped) -> Origin:
        """Add what was left out or replaced while reading."""
        return replace(
            self,
            n_blank_documents=skipped.blank_documents,
            n_undecodable=skipped.undecodable_bytes,
            first_undecodable=skipped.first_undecodable,
            n_nul_characters=skipped.nul_characters,
        )

    def with_words(self, lexicon: Lexicon) -> Origin:
        """Add the counts of tokens that were found and that are not kept."""
        return replace(
            self,
            n_found=lexicon.n_found,
            n_stop_words=lexicon.n_stop_words,
            n_numbers_dropped=lexicon.n_numbers_dropped,
            kinds=lexicon.kinds,
        )

    def nothing_kept(self, n_documents: int) -> InputError:
        """Return the error of a corpus without kept tokens, in which there is nothing to mine."""
        why = (
            f"of {self.n_found:,} tokens {self.n_stop_words:,} are stop words and "
            f"{self.n_numbers_dropped:,} are numbers left out"
        )
        if n_kinds := sum(self.kinds.values()):
            why += f", and {n_kinds:,} are addresses, markup or the like (--kind none reads all)"
        if self.n_rare_words:
            why += f", and {self.n_rare_words:,} are of words in too few documents (min_df)"
        if self.n_found == 0:
            why = "no letter or digit was found"
        return InputError(f"{self.name}: no kept tokens in {n_documents:,} documents: {why}")


def without_paths(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a stored corpus except those that name files, which a model does not store."""
    origin = {name: value for name, value in facts["origin"].items() if name not in PATHS}
    return {**facts, "origin": origin}
