"""Long documents, whole and in pieces: coherence, diversity, stability, the largest topic, perplexity.

    python benchmarks/splitting.py measure --results splitting.jsonl
    python benchmarks/splitting.py table --results splitting.jsonl
    python benchmarks/splitting.py topics german_speeches --topics 20

A tenth of the documents is held out, and PhraseLDA learns from the others: from whole documents ("none"), and
from pieces of about so many kept tokens. A corpus "… x 10" has ten documents in a row joined to one, and one
with "from 500" only the documents of at least 500 kept tokens. Stability compares the topics of each two
seeds; all other numbers are means over the seeds. Perplexity is that of the second halves of the held-out
documents, whose first halves are inferred as the model infers any document. NPMI counts words together within
ten words, and phrases within a document. A result is one line of JSON; what is in the file already is not
measured again. ``topics`` prints topics of whole documents and of pieces, matched by their words.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
from harness import table, texts_of

from topminer import Corpus, Partition, PhraseLDA, PhraseMiner, ToPMine
from topminer.evaluation.coherence import npmi
from topminer.evaluation.measures import diversity, phrases_of, words_of
from topminer.evaluation.perplexity import held_out_documents, others
from topminer.evaluation.stability import matched, stability
from topminer.methods.topmine import topics_of
from topminer.topics.model.splitting import Lengths, rule_for


class Sample(NamedTuple):
    """Some documents of a corpus."""

    file: str
    language: str = "english"
    n: int = 3000  # documents, evenly spread
    joined: int = 1  # so many in a row are one document
    least: int = 0  # kept tokens of a document


CORPORA = {
    "titles_20conf": Sample("titles_20conf.txt.zst", n=20_000),
    "keyphrases_inspec": Sample("keyphrases_inspec.jsonl.zst"),
    "abstracts_acl_arc": Sample("abstracts_acl_arc.jsonl.zst"),
    "reviews_imdb": Sample("reviews_imdb.jsonl.zst", n=2000),
    "news_bbc": Sample("news_bbc.jsonl.zst"),
    "news_2017": Sample("news_2017.jsonl.zst", n=1000),
    "german_speeches": Sample("german_speeches.jsonl.zst", "german"),
    "spanish_speeches": Sample("spanish_speeches.jsonl.zst", "spanish"),
    "spanish_speeches from 200": Sample("spanish_speeches.jsonl.zst", "spanish", least=200),
    "reviews_imdb from 300": Sample("reviews_imdb.jsonl.zst", n=12_000, least=300),
    "news_2017 from 500": Sample("news_2017.jsonl.zst", n=4000, least=500),
    "abstracts_acl_arc x 10": Sample("abstracts_acl_arc.jsonl.zst", joined=10),
    "news_bbc x 10": Sample("news_bbc.jsonl.zst", joined=10),
    "chinese_reviews": Sample("chinese_reviews.jsonl.zst", n=6000),
    "japanese_packages": Sample("japanese_packages.jsonl.zst", n=2000),
}
MEASURES = {
    "npmi_words": "NPMI words",
    "npmi_phrases": "phrases",
    "diversity_words": "diversity words",
    "diversity_phrases": "phrases",
    "stability": "stability",
    "largest": "largest topic",
    "perplexity": "perplexity",
}


def corpus_of(name: str) -> Corpus:
    """Read a sample."""
    sample = CORPORA[name]
    texts = texts_of(sample.file)
    texts = texts[:: max(1, len(texts) // sample.n)][: sample.n]
    texts = ["\n".join(texts[i : i + sample.joined]) for i in range(0, len(texts), sample.joined)]
    corpus = Corpus.from_texts(texts, sample.language, n_threads=1)
    if sample.least:
        long = np.flatnonzero(np.diff(corpus.doc_start) >= sample.least)
        corpus = Corpus.from_texts([texts[i] for i in long], sample.language, n_threads=1)
    return corpus


def described(corpus: Corpus) -> dict[str, Any]:
    """Statistics from which a rule could be made, and what "auto" does."""
    lengths, summed = np.diff(corpus.doc_start), Lengths.of(corpus.doc_start)
    return {
        "documents": len(corpus),
        "tokens": corpus.n_tokens,
        "median": float(np.median(lengths[lengths > 0])),
        "mean": float(lengths.mean()),
        "long": summed.n_in_long / summed.n_tokens,
        "auto": rule_for("auto", summed),
    }


def measured(partition: Partition, n_topics: int, rule: int | str, options: Any) -> dict[str, Any]:
    """Fit models with some seeds, and measure them."""
    corpus = partition.corpus
    held_out = held_out_documents(len(partition), seed=0)
    train, test = partition[others(len(partition), held_out)], partition[held_out]
    found: dict[str, list[float]] = {name: [] for name in MEASURES}
    rows = []
    for seed in range(options.seeds):
        lda = PhraseLDA(n_topics, n_sweeps=options.sweeps, split=rule, random_state=seed, n_threads=1)
        lda.fit(train)
        topics = topics_of(lda, partition)
        words, phrases = words_of(topics), phrases_of(topics)
        found["npmi_words"].append(npmi(words, corpus, window=10).mean)
        found["diversity_words"].append(diversity(words, 25))
        if any(phrases):
            found["npmi_phrases"].append(npmi(phrases, corpus, window=None).mean)
            found["diversity_phrases"].append(diversity(phrases, 10))
        found["largest"].append(float(lda.topic_weight_[0]))
        found["perplexity"].append(math.exp(-lda.score(test)))
        rows.append(lda.topic_word_)
    found["stability"] = [stability(rows).mean]
    return {name: mean(values) if values else None for name, values in found.items()}


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield what was measured so far."""
    if path.exists():
        yield from map(json.loads, path.read_text().splitlines())


def measure(options: argparse.Namespace) -> None:
    """Append what is not in the file yet."""
    done = {(line["corpus"], line["topics"], str(line["rule"])) for line in lines(options.results)}
    for name in options.corpora.split(",") if options.corpora else CORPORA:
        corpus = corpus_of(name)
        partition, facts = PhraseMiner(n_threads=1).fit_transform(corpus), described(corpus)
        for n_topics in options.topics:
            for rule in options.rules.split(","):
                if (name, n_topics, rule) in done:
                    continue
                given = int(rule) if rule.isdecimal() else rule
                found = measured(partition, n_topics, given, options)
                line = {"corpus": name, "topics": n_topics, "rule": given, **facts, **found}
                with options.results.open("a") as file:
                    file.write(json.dumps(line) + "\n")
                print(name, n_topics, rule, {k: v and round(v, 3) for k, v in found.items()}, flush=True)


def show(options: argparse.Namespace) -> None:
    """Print a table of the corpora, and one of the measures."""
    found = list(lines(options.results))
    facts = {line["corpus"]: line for line in found}
    rows = [
        [
            name,
            *(f"{each[key]:,.0f}" for key in ("documents", "median", "mean")),
            f"{each['long']:.0%}",
            str(each["auto"]),
        ]
        for name, each in sorted(facts.items(), key=lambda item: (item[1]["long"], item[1]["mean"]))
    ]
    print(table(["corpus", "documents", "median length", "mean", "in long documents", "auto"], rows), "\n")
    order = [row[0] for row in rows]
    found.sort(key=lambda line: (order.index(line["corpus"]), line["topics"]))
    rows = []
    for line in found:
        values = [line[key] for key in MEASURES]
        numbers = ["" if value is None else f"{value:.3f}" for value in values[:-1]]
        rows.append([line["corpus"], str(line["topics"]), str(line["rule"]), *numbers, f"{values[-1]:,.0f}"])
    print(table(["corpus", "K", "pieces", *MEASURES.values()], rows))


def topics(options: argparse.Namespace) -> None:
    """Print the heaviest topics of whole documents and of pieces."""
    corpus = corpus_of(options.corpus)
    models = {
        rule: ToPMine(options.topics, split=rule, n_sweeps=options.sweeps, random_state=0).fit(corpus)
        for rule in ("none", int(options.rule))
    }
    for rule, model in models.items():
        print(f"\n{options.corpus}, {options.topics} topics, pieces: {rule}\n")
        shown = model.topics(n_words=5, n_phrases=6)[: options.shown]
        rows = [
            [
                f"{topic.weight:.3f}",
                ", ".join(word.word for word in topic.words),
                ", ".join(phrase.phrase for phrase in topic.phrases),
            ]
            for topic in shown
        ]
        print(table(["weight", "words", "phrases"], rows))
    whole, pieces = (model.lda_.topic_word_ for model in models.values())
    print("\nmean matched cosine of both:", round(float(matched(whole, pieces)[1].mean()), 3))


def main() -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for command in (measure, show):
        name = "table" if command is show else "measure"
        sub = commands.add_parser(name)
        sub.set_defaults(run=command)
        sub.add_argument("--results", type=Path, default=Path("splitting.jsonl"))
    sub = commands.choices["measure"]
    sub.add_argument("--corpora", default="")
    sub.add_argument("--topics", type=int, nargs="+", default=[20, 50])
    sub.add_argument("--rules", default="none,75,100,150,300")
    sub.add_argument("--seeds", type=int, default=3)
    sub.add_argument("--sweeps", type=int, default=300)
    sub = commands.add_parser("topics")
    sub.set_defaults(run=topics)
    sub.add_argument("corpus", choices=CORPORA)
    sub.add_argument("--topics", type=int, default=20)
    sub.add_argument("--rule", default="100")
    sub.add_argument("--sweeps", type=int, default=500)
    sub.add_argument("--shown", type=int, default=6)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
