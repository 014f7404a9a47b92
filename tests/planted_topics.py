"""A corpus of two topics that nobody can miss, each with phrases of its own."""

import random

from topminer import Corpus

GROUPS = (
    ["support vector machine", "kernel method", "margin", "classifier"],
    ["frequent pattern mining", "data stream", "itemset", "transaction"],
)


def planted(n: int = 400, seed: int = 3) -> Corpus:
    """Documents of one topic each: five of its phrases in random order, full stops between."""
    choose = random.Random(seed)
    texts = []
    for i in range(n):
        texts.append(". ".join(choose.choices(GROUPS[i % 2], k=5)) + ".")
    return Corpus.from_texts(texts, stem=False)
