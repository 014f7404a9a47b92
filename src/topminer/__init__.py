"""ToPMine: topics described by phrases, from piles of text.

The names below are loaded when they are first used, so that ``import topminer`` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from topminer._lazy import loading

if TYPE_CHECKING:
    from topminer.errors import InputError, NotFittedError
    from topminer.loading import load
    from topminer.phrases.miner import PhraseMiner
    from topminer.phrases.partition import Partition
    from topminer.phrases.vectorizer import PhraseVectorizer
    from topminer.pipeline import ToPMine
    from topminer.text.corpus import Corpus
    from topminer.topics.model.phraselda import PhraseLDA
    from topminer.topics.results.listing import Listing
    from topminer.topics.results.summary import Summary

__version__ = "0.1.0"

__all__ = [
    "Corpus",
    "InputError",
    "Listing",
    "NotFittedError",
    "Partition",
    "PhraseLDA",
    "PhraseMiner",
    "PhraseVectorizer",
    "Summary",
    "ToPMine",
    "__version__",
    "load",
]

__getattr__ = loading(
    __name__,
    {
        "Corpus": "topminer.text.corpus",
        "InputError": "topminer.errors",
        "Listing": "topminer.topics.results.listing",
        "NotFittedError": "topminer.errors",
        "Partition": "topminer.phrases.partition",
        "PhraseLDA": "topminer.topics.model.phraselda",
        "PhraseMiner": "topminer.phrases.miner",
        "PhraseVectorizer": "topminer.phrases.vectorizer",
        "Summary": "topminer.topics.results.summary",
        "ToPMine": "topminer.pipeline",
        "load": "topminer.loading",
    },
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
