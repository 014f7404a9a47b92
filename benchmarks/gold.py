"""Lists of good phrases, and which phrases of a corpus stand in them: for benchmarks of phrase quality."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from harness import corpus_path, texts_of

from topminer import Corpus, PhraseMiner
from topminer.phrases.fitted import Fitted
from topminer.phrases.phrase_index import supports_of
from topminer.text.reading.zstd import zstd

LISTS = ("gold_wikipedia", "gold_wordnet", "gold_computing_dictionary")
CORPORA = {
    "titles_20conf": "titles_20conf.txt.zst",
    "titles_arxiv": "titles_arxiv.txt.zst",
    "abstracts_acl": "abstracts_acl.jsonl.zst",
    "abstracts_acl_arc": "abstracts_acl_arc.jsonl.zst",
    "abstracts_arxiv_cs": "abstracts_arxiv_cs.jsonl.zst",
    "news_2017": "news_2017.jsonl.zst",
    "news_bbc": "news_bbc.jsonl.zst",
    "news_reuters": "news_reuters.jsonl.zst",
    "reviews_amazon": "reviews_amazon.jsonl.zst",
    "reviews_imdb": "reviews_imdb.jsonl.zst",
    "keyphrases_inspec": "keyphrases_inspec.jsonl.zst",
    "keyphrases_krapivin": "keyphrases_krapivin.jsonl.zst",
}
ENOUGH = 5  # occurrences of a gold phrase that is to be found
PAPER = {"quality": None, "evidence": None, "ties": None}
Stems = tuple[int, ...]


@cache
def lines(name: str) -> list[str]:
    """The lines of a compressed file."""
    with zstd.open(corpus_path(name), "rt", encoding="utf-8") as text:
        return [line.rstrip("\n") for line in text]


def sample(texts: list[str], n: int | None, seed: int = 0) -> list[str]:
    """Some of the texts, in their order."""
    if n is None or n >= len(texts):
        return texts
    chosen = np.sort(np.random.default_rng(seed).choice(len(texts), n, replace=False))
    return [texts[i] for i in chosen.tolist()]


def stems_of(corpus: Corpus, phrases: list[str]) -> set[Stems]:
    """The stems of those phrases whose words are all in the corpus; one stem may have hyphens."""
    read = corpus.encode(phrases)
    stems, start = read.stem_ids.tolist(), read.doc_start.tolist()
    found = {tuple(stems[start[i] : start[i + 1]]) for i in range(len(phrases))}
    return {each for each in found if each and min(each) >= 0}


@dataclass
class Judged:
    """A corpus with the gold phrases that occur in it."""

    name: str
    texts: list[str]

    @classmethod
    def read(cls, name: str, n: int | None = None) -> Judged:
        """A corpus of the test set, or a sample of its documents."""
        return cls(name, sample(texts_of(CORPORA[name]), n))

    @cached_property
    def corpus(self) -> Corpus:
        """All documents."""
        return Corpus.from_texts(self.texts)

    @cached_property
    def lists(self) -> list[set[Stems]]:
        """The gold phrases of each list that occur in the corpus."""
        found = []
        for name in LISTS:
            phrases = sorted(stems_of(self.corpus, lines(f"{name}.txt.zst")))
            occurs = supports_of(self.corpus, phrases) > 0
            found.append({each for each, here in zip(phrases, occurs.tolist(), strict=True) if here})
        return found

    @cached_property
    def gold(self) -> set[Stems]:
        """The gold phrases of all lists."""
        return set.union(*self.lists)

    @cached_property
    def wanted(self) -> set[Stems]:
        """The gold phrases of several words that occur often enough to be found."""
        phrases = sorted(each for each in self.gold if len(each) > 1)
        often = supports_of(self.corpus, phrases) >= ENOUGH
        return {each for each, enough in zip(phrases, often.tolist(), strict=True) if enough}

    def formed(self, miner: PhraseMiner) -> set[Stems]:
        """The phrases of several words that a fitted miner cuts the corpus into."""
        return types_of(miner.transform(self.corpus))

    @cached_property
    def by_equation_1(self) -> list[tuple[float, set[Stems]]]:
        """What equation 1 forms at several thresholds, from low to high."""
        whole = PhraseMiner(ENOUGH, 0.0, **PAPER).fit_transform(self.corpus)
        thresholds = (0, 0.5, 1, 1.5, 2, 2.25, 2.5, 3, 3.5, 4, 5, 6, 8, 10, 14, 20)
        return [(float(t), types_of(whole.at(t))) for t in thresholds]

    def share_by_equation_1(self, recall: float, least_words: int = 2) -> float:
        """The share in gold of what equation 1 forms at the threshold with this recall; NaN: none has it."""
        wanted = {each for each in self.wanted if len(each) >= least_words}
        points = []
        for _, types in self.by_equation_1:
            types = {each for each in types if len(each) >= least_words}
            hits = len(types & wanted)
            if types and wanted:
                points.append((hits / len(wanted), hits / len(types)))
        points.sort()
        if not points or recall > points[-1][0]:
            return float("nan")
        return float(np.interp(recall, [point[0] for point in points], [point[1] for point in points]))


def types_of(partition: object) -> set[Stems]:
    """The types of several words of a partition that have an instance."""
    n_stems = partition.corpus.n_stems  # type: ignore[attr-defined]
    start, stems = partition.type_start.tolist(), partition.type_stems.tolist()  # type: ignore[attr-defined]
    often = partition.instances().tolist()  # type: ignore[attr-defined]
    return {tuple(stems[start[i] : start[i + 1]]) for i in range(n_stems, len(often)) if often[i]}


def share_at(
    scores: np.ndarray, is_good: np.ndarray, is_wanted: np.ndarray, n_wanted: int, recall: float
) -> float:
    """The share of good ones among the foremost by score, as many as the recall takes; NaN: too few."""
    order = np.argsort(-scores, kind="stable")
    found = np.cumsum(is_wanted[order])
    enough = np.searchsorted(found, recall * n_wanted)
    return float(np.mean(is_good[order][: enough + 1])) if enough < found.size else float("nan")


def judged_phrases(judged: Judged, **parameters: object) -> tuple[np.ndarray, list[Stems], Fitted]:
    """The statistics of every finished phrase of several tokens, nothing rejected; and the atoms of each."""
    options = {"quality": -1e6, **parameters}
    miner = PhraseMiner(**options).fit(judged.corpus)  # type: ignore[arg-type]
    fitted = miner.fitted
    assert fitted.judge is not None
    types = {fitted.ties.of_phrase(each) for each in judged.formed(miner)}
    atoms_of = {id: tuple(fitted.mined.words_of(id)) for id in fitted.judge.ids.tolist()}
    ids = [id for id, atoms in atoms_of.items() if atoms in types]
    return fitted.judge.statistics[ids], [atoms_of[id] for id in ids], fitted
