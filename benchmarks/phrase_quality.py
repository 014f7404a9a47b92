"""What the default settings call a phrase, judged by lists that they were not fitted to.

    python benchmarks/phrase_quality.py [CORPUS ...]

For each corpus the weights of phrase quality are fitted on all other corpora. Then the defaults mine 500,
2,000, 10,000 and all documents: recall is the share of the gold phrases with five or more occurrences that
are formed, and the share in gold of all phrases formed is compared with that of equation 1 at threshold 2.
Further judges: terms of ACL abstracts that people judged, and the keyphrases that documents were given. They
also judge what a higher cut would drop in small corpora.
"""

from __future__ import annotations

import json
import sys

import numpy as np
from fit_quality import CUT, NAMES, Rows, fit
from gold import CORPORA, PAPER, Judged, Stems, judged_phrases, lines, stems_of, types_of
from harness import table

from topminer import Corpus, PhraseMiner
from topminer.phrases import quality

SIZES = (500, 2_000, 10_000, None)
N_FIRST = 1_000
DROPPED = 0.35  # of the phrases, with the higher cut that is compared with the fixed one


def use_weights_of_others(name: str, rows: dict[str, Rows]) -> None:
    """Judge by weights that were fitted on all corpora but one."""
    others = [each for other, each in rows.items() if other != name]
    weights, intercept = fit(others, list(range(len(NAMES))))
    quality.WEIGHTS.update(zip(NAMES, weights.tolist(), strict=True))
    quality.INTERCEPT = intercept - CUT


def defaults(judged: Judged) -> list[str]:
    """Recall and share in gold of the defaults, and those of equation 1 at threshold 2 and 4."""
    cells = []
    for parameters in ({}, {"significance": 2.0, **PAPER}, {"significance": 4.0, **PAPER}):
        miner = PhraseMiner(**parameters).fit(judged.corpus)
        ties = miner.fitted.ties
        formed = {ties.of_phrase(each) for each in judged.formed(miner)}
        gold, wanted = ({ties.of_phrase(each) for each in some} for some in (judged.gold, judged.wanted))
        recall = len(formed & wanted) / max(len(wanted), 1)
        cells.append((len(formed), recall, len(formed & gold) / max(len(formed), 1)))
    (n, recall, share), (_, paper_recall, paper_share), (n_4, recall_4, _) = cells
    return [
        f"{n:,}",
        f"{recall:.2f}",
        f"{share:.3f}",
        f"{paper_recall:.2f}",
        f"{paper_share:.3f}",
        f"{share / paper_share:.2f}" if paper_share else "",
        f"{n_4:,}",
        f"{recall_4:.2f}",
    ]


def terms_of(corpus: Corpus) -> tuple[set[Stems], set[Stems]]:
    """The ACL terms that people found valid in some spelling, and all that they judged."""
    pairs = [line.rsplit("\t", 1) for line in lines("gold_acl_terms.tsv.zst")[1:]]
    valid = stems_of(corpus, [term for term, verdict in pairs if verdict != "0"])
    return valid, valid | stems_of(corpus, [term for term, _ in pairs])


def keyphrases_of(judged: Judged) -> set[Stems]:
    """The keyphrases of several words that the documents were given."""
    given = [json.loads(line)["keyphrases"] for line in lines(CORPORA[judged.name])]
    written = [each for some in given for each in (some if isinstance(some, list) else some.split(";"))]
    return {each for each in stems_of(judged.corpus, sorted(set(written))) if len(each) > 1}


def around_the_cut(judged: Judged) -> list[str]:
    """Shares of good phrases below the cut, between it and a cut that drops more, and above both."""
    statistics, phrases, fitted = judged_phrases(judged)
    of_phrase = fitted.ties.of_phrase
    if judged.name.startswith("keyphrases"):
        good, known = {of_phrase(each) for each in keyphrases_of(judged)}, set(phrases)
    else:
        good, known = ({of_phrase(each) for each in some} for some in terms_of(judged.corpus))
    scores = quality.quality_of(statistics)
    higher = max(0.0, float(np.quantile(scores, DROPPED)))
    is_good, is_known = (np.array([each in some for each in phrases]) for some in (good, known))
    groups = (scores < 0, (scores >= 0) & (scores < higher), scores >= higher)
    counted = [is_good[group & is_known] for group in groups]
    return [f"{each.mean():.2f} of {each.size:,}" if each.size else "" for each in counted]


def valid_terms(judged: Judged) -> list[list[str]]:
    """Of the most frequent phrases that people have judged, the share that are terms in some spelling."""
    corpus = judged.corpus
    valid, known = terms_of(corpus)
    rows = []
    for title, parameters in (
        ("defaults", {}),
        ("equation 1 at 2", {"significance": 2.0, **PAPER}),
        ("equation 1 at 4", {"significance": 4.0, **PAPER}),
    ):
        partition = PhraseMiner(**parameters).fit_transform(corpus)
        start, stems = partition.type_start.tolist(), partition.type_stems.tolist()
        order = corpus.n_stems + np.argsort(-partition.instances()[corpus.n_stems :], kind="stable")
        phrases = (tuple(stems[start[i] : start[i + 1]]) for i in order.tolist())
        verdicts = [phrase in valid for phrase in phrases if phrase in known][:N_FIRST]
        rows.append([title, f"{np.mean(verdicts):.3f}", f"{len(verdicts):,}"])
    return rows


def keyphrases(judged: Judged) -> list[str]:
    """The share of the phrases formed that are a keyphrase of some document, and the share of those found."""
    gold = keyphrases_of(judged)
    cells = []
    for parameters in ({}, {"significance": 2.0, **PAPER}):
        miner = PhraseMiner(**parameters).fit(judged.corpus)
        ties = miner.fitted.ties
        formed = {ties.of_phrase(each) for each in types_of(miner.transform(judged.corpus))}
        found = formed & {ties.of_phrase(each) for each in gold}
        cells += [f"{len(found):,}", f"{len(found) / len(formed):.3f}"]
    return [judged.name, *cells]


def main() -> None:
    names = sys.argv[1:] or list(CORPORA)
    rows = {name: Rows.of(Judged.read(name)) for name in names}
    shown = []
    for name in names:
        use_weights_of_others(name, rows)
        for size in SIZES:
            judged = Judged.read(name, size)
            if size is None or len(judged.texts) == size:
                shown.append([name, f"{len(judged.texts):,}", *defaults(judged)])
                print(shown[-1], file=sys.stderr, flush=True)
    heads = ["corpus", "documents", "phrases", "recall", "share", "recall, eq. 1 at 2", "share, eq. 1 at 2"]
    print(table([*heads, "ratio of shares", "phrases, eq. 1 at 4", "recall, eq. 1 at 4"], shown))
    if "abstracts_acl_arc" in names:
        use_weights_of_others("abstracts_acl_arc", rows)
        print("\n" + table(["ACL terms", "valid", "of"], valid_terms(Judged.read("abstracts_acl_arc"))))
    own, near = [], []
    for name in names:
        if name.startswith("keyphrases") or name == "abstracts_acl_arc":
            use_weights_of_others(name, rows)
            for size in SIZES:
                judged = Judged.read(name, size)
                if size is None or len(judged.texts) == size:
                    near.append([name, f"{len(judged.texts):,}", *around_the_cut(judged)])
        if name.startswith("keyphrases"):
            use_weights_of_others(name, rows)
            own.append(keyphrases(Judged.read(name)))
    if near:
        heads = ["good by other judges", "documents", "below the cut", "below a higher cut", "above both"]
        print("\n" + table(heads, near))
    if own:
        print("\n" + table(["own keyphrases", "found", "share", "found, eq. 1 at 2", "share"], own))


if __name__ == "__main__":
    main()
