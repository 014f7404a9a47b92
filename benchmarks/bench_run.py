"""From a file to topics of phrases: topminer against tomotopy with its own n-grams, and gensim's.

    python benchmarks/bench_run.py [--corpus NAME] [--topics 50] [--sweeps 100] [--rounds 3]

Each starts from the documents' texts in memory, takes out stop words, stems with the same stemmer, finds
phrases its own way, and trains as many sweeps with fixed priors and two threads. tomotopy and gensim get
their tokens from one plain regular expression and a cache of stems: what a careful user would write. gensim's
LDA is variational and its passes are slow: a few are timed and the rest is extrapolated, and marked with ~.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import Stemmer
from harness import table, texts_of

from topminer import Corpus, ToPMine
from topminer.text.languages import language_of, stop_words_of
from topminer.topics.sampler.chain import STAGE

ALPHA, BETA, THREADS, PASSES = 0.1, 0.01, 2, 3
Stages = dict[str, float]


class Clock:
    """Seconds of each stage."""

    def __init__(self) -> None:
        self.stages: Stages = {}
        self._since = time.perf_counter()

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self.stages[stage], self._since = now - self._since, now

    def progress(self, stage: str, *_: object) -> None:
        """Phrases are found when sampling begins."""
        if stage == STAGE and "phrases" not in self.stages:
            self.lap("phrases")


def topminer(texts: list[str], n_topics: int, n_sweeps: int) -> Stages:
    clock = Clock()
    model = ToPMine(
        n_topics,
        alpha=ALPHA,
        beta=BETA,
        n_sweeps=n_sweeps,
        optimize_interval=0,
        random_state=0,
        n_threads=THREADS,
    )
    corpus = Corpus.from_texts(texts, n_threads=THREADS)
    clock.lap("read")
    model.fit(corpus, progress=clock.progress)
    clock.lap("topics")
    return clock.stages


def _tokens(texts: list[str]) -> list[list[str]]:
    stop_words = frozenset(stop_words_of(language_of("english")))
    stem_of: dict[str, str] = {}
    stem = Stemmer.Stemmer("english").stemWord
    documents = []
    for text in texts:
        words = []
        for word in re.findall(r"\w+", text.lower()):
            if word not in stop_words:
                if word not in stem_of:
                    stem_of[word] = stem(word)
                words.append(stem_of[word])
        documents.append(words)
    return documents


def tomotopy(texts: list[str], n_topics: int, n_sweeps: int) -> Stages:
    import tomotopy as tp

    clock = Clock()
    corpus = tp.utils.Corpus()
    for words in _tokens(texts):
        if words:
            corpus.add_doc(words)
    clock.lap("read")
    n_grams = corpus.extract_ngrams(
        min_cf=17, min_df=5, max_len=5, max_cand=1_000_000, normalized=True, workers=THREADS
    )
    corpus.concat_ngrams(n_grams, delimiter="_")
    clock.lap("phrases")
    model: Any = tp.LDAModel(k=n_topics, alpha=ALPHA, eta=BETA, seed=1, corpus=corpus)
    model.optim_interval = model.burn_in = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.train(n_sweeps, workers=THREADS)
    clock.lap("topics")
    return clock.stages


def gensim(texts: list[str], n_topics: int, n_sweeps: int) -> Stages:
    from gensim.corpora import Dictionary
    from gensim.models import LdaMulticore
    from gensim.models.phrases import Phrases

    clock = Clock()
    documents = _tokens(texts)
    clock.lap("read")
    for _ in range(2):  # two words, then up to four
        phrases = Phrases(documents, min_count=17).freeze()
        documents = [phrases[words] for words in documents]
    clock.lap("phrases")
    dictionary = Dictionary(documents)
    bags = [dictionary.doc2bow(words) for words in documents]
    clock.lap("bags")
    LdaMulticore(
        bags, n_topics, dictionary, workers=THREADS, passes=PASSES, alpha=ALPHA, eta=BETA, random_state=1
    )
    clock.lap("topics")
    clock.stages["topics"] *= n_sweeps / PASSES
    return clock.stages


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default="abstracts_acl_arc.jsonl.zst")
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--sweeps", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--without-gensim", action="store_true")
    options = parser.parse_args()
    texts = texts_of(options.corpus)
    runs: dict[str, Callable[[list[str], int, int], Stages]] = {"topminer": topminer, "tomotopy": tomotopy}
    if not options.without_gensim:
        runs["~ gensim"] = gensim
    topminer(texts[:200], 2, 2)  # compiles, or loads what was compiled
    topminer(texts[:200], options.topics, 2)
    found: dict[str, list[Stages]] = {name: [] for name in runs}
    for _ in range(options.rounds):
        for name, run in runs.items():
            found[name].append(run(texts, options.topics, options.sweeps))
    ours = statistics.median(sum(stages.values()) for stages in found["topminer"])
    rows = []
    for name, each in found.items():
        total = statistics.median(sum(stages.values()) for stages in each)
        middle = {stage: statistics.median(stages.get(stage, 0) for stages in each) for stage in each[0]}
        shown = ", ".join(f"{stage} {seconds:.2f}" for stage, seconds in middle.items())
        rows.append([name, f"{total:.1f}", f"{total / ours:.1f}", shown])
    print(f"{options.corpus}: {len(texts):,} documents, {options.topics} topics, {options.sweeps} sweeps\n")
    print(table(["", "seconds", "÷ topminer", "of which"], rows))
    share = statistics.median(stages["phrases"] / stages["topics"] for stages in found["topminer"])
    print(f"\nMining and segmentation take 1/{1 / share:.0f} of the time of {options.sweeps} sweeps.")


if __name__ == "__main__":
    main()
