"""Coherence of topics against gensim's CoherenceModel, on the same words and the same documents.

    python benchmarks/bench_coherence.py [--corpus NAME] [--topics K] [--rounds N]

gensim counts windows one by one, in as many processes as there are cores; both get ten words of each topic.
"""

from __future__ import annotations

import argparse

from gensim.corpora import Dictionary
from gensim.models.coherencemodel import CoherenceModel
from harness import alternate, corpus_path, table

from topminer import Corpus, Partition, PhraseLDA
from topminer.evaluation.coherence import c_v, npmi
from topminer.topics.results.ranking import top_words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--corpus", default="abstracts_acl_arc.jsonl.zst")
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    path = corpus_path(options.corpus)
    corpus = Corpus.read(path, text="text") if ".jsonl" in path.name else Corpus.read(path)
    lda = PhraseLDA(options.topics, n_sweeps=50, random_state=0).fit(Partition.of_words(corpus))
    topics = [[(int(i),) for i in top_words(lda.topic_word_, k, 10)] for k in range(options.topics)]
    print(f"{options.corpus}: {corpus!r}, {options.topics} topics of ten words\n")
    stems = corpus.vocabulary["stem"].to_list()
    texts = corpus.to_lists()
    words = [[stems[i] for (i,) in topic] for topic in topics]
    dictionary = Dictionary(texts)

    def rival(measure: str) -> float:
        return CoherenceModel(
            topics=words, texts=texts, dictionary=dictionary, coherence=measure, topn=10
        ).get_coherence()

    rows = []
    for name, ours, measure in (("NPMI, windows of 10", npmi, "c_npmi"), ("C_V, windows of 110", c_v, "c_v")):
        times = alternate(
            {
                "ours": lambda ours=ours: ours(topics, corpus),
                "gensim": lambda measure=measure: rival(measure),
            },
            options.rounds,
        )
        ratio = times["gensim"] / times["ours"]
        rows.append([name, f"{times['ours']:.3f}", f"{times['gensim']:.2f}", f"{ratio:.0f}"])
    print(table(["", "topminer, s", "gensim, s", "ratio"], rows))


if __name__ == "__main__":
    main()
