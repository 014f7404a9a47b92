"""Explanations that tests of views and of the command line draw."""

from typing import Any

from topminer import Corpus, PhraseMiner
from topminer.phrases.explain import Explanation, explain

# 29 kept tokens: frequent 9, pattern 13, tree 7; "frequent pattern" 9 times, "pattern tree" 4 times.
TEXTS = ["Frequent pattern"] * 9 + ["pattern of a tree"] * 4 + ["tree"] * 3
MARKUP = '<script>alert(\'x\')</script> &amp; "pattern" onload="y" ]]> frequent patterns'
CONTROLS = "\x07\x1b[2J\x00\u202e\ufffe"
HOSTILE = f"{MARKUP} {CONTROLS}"


def explained(text: str, texts: list[str] = TEXTS, **parameters: Any) -> Explanation:
    miner = PhraseMiner(**{"min_support": 2, "significance": 1.0} | parameters)
    return explain(miner.fit(Corpus.from_texts(texts)), text)
