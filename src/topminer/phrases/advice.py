"""A warning instead of silence: why topics would have hardly any phrase, and what to try.

Hardly any means fewer than two phrases of several words for each topic (fewer than 20 where no topics are
looked for), in less than 2 % of the places where one could stand. Ordinary corpora have more: 500 abstracts
have 170 to 320 phrases in 3 to 7 % of the places. A text in another language than it was read in is also
warned of, however many phrases it has, since most of them are made of stop words.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from topminer.phrases.miner import PhraseMiner
from topminer.phrases.scores import least_support
from topminer.text.corpus import Corpus
from topminer.text.language_guess import other_language

FEW_FOR_A_TOPIC, FEW = 2, 20  # phrases; the latter where no topics are looked for
FEW_INSTANCES = 0.02  # of the kept tokens
LITTLE_TEXT = 20_000  # kept tokens
FEW_STOP_WORDS, MANY_STOP_WORDS = 0.02, 0.8  # of all tokens; ordinary texts have between 0.2 and 0.65
THRESHOLD, CUT = 2.0, 0.0  # those that are used if none is given


class MiningSummary(NamedTuple):
    """What is known of a corpus that was cut into phrases, wherever its documents are."""

    n_documents: int
    n_tokens: int  # that are kept
    n_found: int  # tokens of the text, kept or not
    n_stop_words: int  # tokens that are not kept
    n_phrases: int  # of several words
    n_instances: int  # of these phrases
    n_topics: int | None  # that are looked for
    min_support: int
    threshold: float
    cut: float | None  # the lowest quality of a phrase; None: nothing was judged
    language: str | None  # that the text was read in
    looks_like: str | None  # another language that it looks like
    expects_stop_words: bool  # whether stop words of the language are left out, if there are any

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        miner: PhraseMiner,
        *,
        n_documents: int,
        n_tokens: int,
        n_phrases: int,
        n_instances: int,
        n_topics: int | None = None,
    ) -> MiningSummary:
        """Summarise a corpus that ``miner`` has mined; the corpus may be without its documents."""
        origin, rules = corpus.origin, corpus.rules
        return cls(
            n_documents,
            n_tokens,
            origin.n_found,
            origin.n_stop_words,
            n_phrases,
            n_instances,
            n_topics,
            miner.min_support_,
            miner.settings.threshold,
            miner.settings.cut,
            rules.language,
            other_language(corpus.vocabulary, rules, origin),
            bool(rules.stop_words) and rules.stop_word_policy != "keep",
        )


class Try(NamedTuple):
    """What to try: another value of a parameter, or something that is no parameter."""

    what: str  # such as "a lower"
    parameter: str = ""
    value: str | None = None  # the value to try, if it is known

    def text(self, as_options: bool) -> str:
        """Name the parameter as in Python, or as an option of commands.

        >>> Try("a lower", "min_support").text(True), Try("", "language", "german").text(False)
        ('a lower --min-support', 'language="german"')
        """
        name = f"--{self.parameter.replace('_', '-')}" if as_options else self.parameter
        if self.value is not None:
            return f"{name} {self.value}" if as_options else f'{name}="{self.value}"'
        return f"{self.what} {name}" if self.parameter else self.what


class Advice(NamedTuple):
    """What is wrong, why, and what to try."""

    finding: str
    reasons: tuple[str, ...]
    tries: tuple[Try, ...]

    def text(self, *, as_options: bool = False) -> str:
        """Return all of it on one line; parameters are named as in Python, or as options of commands."""
        *first, last = (each.text(as_options) for each in self.tries)
        tries = f"{', '.join(first)} or {last}" if first else last
        return f"{self.finding}: {'; '.join(self.reasons)}. Try {tries}."


Reason = tuple[str, Try]


def advice(found: MiningSummary) -> Advice | None:
    """Return a warning and what to try; None if all is well."""
    limit = FEW if found.n_topics is None else FEW_FOR_A_TOPIC * found.n_topics
    is_scarce = found.n_phrases < limit and found.n_instances < FEW_INSTANCES * found.n_tokens
    is_scarce &= math.isfinite(found.threshold)  # an infinite threshold asks for no phrases
    if not is_scarce:
        if found.looks_like is None:
            return None
        reason, tried = next(_of_words(found))
        return Advice("Phrases may be made of stop words", (reason,), (tried,))
    reasons, tries = zip(*(*_of_words(found), *_of_settings(found)), strict=True)
    n = f"{found.n_phrases:,} of several words" if found.n_phrases else "none of several words"
    topics = "" if found.n_topics is None else f" for {_counted(found.n_topics, 'topic')}"
    return Advice(f"Hardly any phrases ({n}{topics})", reasons, tries)


def _of_words(found: MiningSummary) -> Iterator[Reason]:
    """Yield reasons that lie in how the text was read, each with what to try."""
    share = found.n_stop_words / max(found.n_found, 1)
    if found.looks_like is not None:
        looks = f"the text looks {found.looks_like.capitalize()}"
        yield f"{looks}, and was read as {_name(found)}", Try("", "language", found.looks_like)
    elif share < FEW_STOP_WORDS and found.expects_stop_words and found.language is not None:
        yield f"hardly any of the stop words of {_name(found)} occur", Try("another", "language")
    if share > MANY_STOP_WORDS:
        yield f"{share:.0%} of all tokens are stop words", Try("a shorter list of", "stop_words")


def _of_settings(found: MiningSummary) -> Iterator[Reason]:
    """Yield reasons that lie in the size of the text and in the settings, each with what to try."""
    needed = f"a phrase must occur {found.min_support:,} times"
    is_strict = found.threshold > THRESHOLD
    is_rare = found.min_support > least_support(found.threshold)
    if found.n_tokens < LITTLE_TEXT:
        documents = f"{_counted(found.n_documents, 'document')} with {found.n_tokens:,} kept tokens"
        yield f"{documents} are little text", Try("more text")
    if found.cut is not None and found.cut > CUT:
        yield f"the lowest quality is {found.cut:g}", Try("a lower", "quality")
    if is_rare:
        yield needed, Try("a lower", "min_support")
    elif is_strict or found.n_tokens < LITTLE_TEXT:
        yield f"{needed} to reach the threshold of {found.threshold:g}", Try("a lower", "significance")
    else:
        yield "its words seldom occur in the same order", Try("a lower", "significance")


def _name(found: MiningSummary) -> str:
    return (found.language or "").capitalize()


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"
