"""Mining and segmentation where they are hardest: no punctuation, one sentence again and again, a period.

python benchmarks/bench_worst.py
"""

from __future__ import annotations

import time

import numpy as np
from harness import corpus_path, table

from topminer import Corpus
from topminer.phrases.mining import mine
from topminer.phrases.segmentation import score_phrases, segment
from topminer.phrases.sequence import Sequence

SENTENCE = np.arange(12, dtype=np.int32)
COPIES = 100_000
N_PERIODIC = 5_000_000


def main() -> None:
    real = Corpus.read(corpus_path("abstracts_acl.jsonl.zst"), keep_texts=False)
    one_chunk = np.array([0, real.n_tokens])
    sentences = np.tile(SENTENCE, COPIES)
    periodic = np.tile(np.arange(1000, dtype=np.int32), N_PERIODIC // 1000)
    cases = {
        "one document without punctuation, support 17": (real.stem_ids, one_chunk, real.n_stems, 17),
        "one sentence as 100,000 documents": (sentences, np.arange(COPIES + 1) * SENTENCE.size, 12, 17),
        "one sentence 100,000 times in one chunk": (sentences, np.array([0, sentences.size]), 12, 17),
        "a period of 1,000 words, in one chunk": (periodic, np.array([0, periodic.size]), 1000, 17),
    }
    rows = []
    for name, (stems, chunks, n_stems, support) in cases.items():
        start = time.perf_counter()
        sequence = Sequence(stems, chunks)
        phrases, longest = mine(sequence, n_stems, support, n_threads=2)
        mined = time.perf_counter()
        segment(sequence, longest, score_phrases(phrases, phrases.make_index()), n_threads=2)
        segmented = time.perf_counter()
        reached = "yes" if phrases.reached_max_length else "no"
        times = f"{mined - start:.2f}", f"{segmented - mined:.2f}"
        rows.append([name, f"{stems.size:,}", *times, reached])
    print(table(["", "tokens", "mining, s", "segmenting, s", "greatest length reached"], rows))


if __name__ == "__main__":
    main()
