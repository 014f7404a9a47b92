"""Which language a text is in, by the stop words that occur in it.

A language's stop words are between a quarter (titles) and more than half (speech) of the tokens of its texts.
Read with the stop words of another language, they are among the kept tokens, and lead them: of a German text
read as English, every second kept token is one of German's stop words. Related languages share many stop
words, so a language is only named if its stop words occur more often than those of the given language.
"""

from __future__ import annotations

import polars as pl

from topminer.text.languages import LANGUAGES, stop_words_of
from topminer.text.provenance import Origin
from topminer.text.rules import TextRules, fold

N_WORDS = 1000  # the most frequent words are enough: stop words are among them
LEAST = 0.15  # of all tokens: stop words of a language that is named


def other_language(vocabulary: pl.DataFrame, rules: TextRules, origin: Origin) -> str | None:
    """Return the language whose stop words a corpus is full of, if it is not the one it was read in."""
    if rules.language is None or origin.n_found == 0:
        return None
    words = vocabulary.head(N_WORDS).select("surface", "count").iter_rows()
    counts = [(fold(surface), count) for surface, count in words]
    found = {
        name: sum(count for word, count in counts if word in stop_words)
        for name, stop_words in ((name, stop_words_of(each)) for name, each in LANGUAGES.items())
    }
    own = found.pop(rules.language) + origin.n_stop_words
    name = max(found, key=lambda name: found[name])
    return name if found[name] > max(own, LEAST * origin.n_found) else None
