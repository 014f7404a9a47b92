"""A corpus of two topics that nobody can miss, each with phrases of its own."""

import random

from topminer import Corpus

GROUPS = (
    [
        "support vector machine",
        "kernel method",
        "margin",
        "classifier",
        "loss",
        "feature",
        "regression",
        "label",
    ],
    ["frequent pattern mining", "data stream", "itemset", "transaction", "basket", "join", "query", "index"],
)


def planted(n: int = 400, n_phrases: int = 3, seed: int = 3) -> Corpus:
    """Documents of one topic each: some of its phrases in random order, full stops between."""
    choose = random.Random(seed)
    texts = []
    for i in range(n):
        texts.append(". ".join(choose.choices(GROUPS[i % 2], k=n_phrases)) + ".")
    return Corpus.from_texts(texts, stem=False)
