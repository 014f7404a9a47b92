"""The comparisons of docs/results.md: tables and topics as Markdown, plots as SVG.

    python benchmarks/results.py [FOLDER]

FOLDER has what these wrote, on an idle machine (D is the folder of corpora):

    topminer compare $D/titles_20conf.txt.zst --topics 5 --sweeps 1000 --output FOLDER/titles \
        --gold $D/gold_computing_dictionary.txt.zst --gold $D/gold_wikipedia.txt.zst
    topminer compare $D/abstracts_acl_arc.jsonl.zst --text-column text --topics 20 --sweeps 500 \
        --gold $D/gold_acl_terms.tsv.zst --gold $D/gold_wikipedia.txt.zst --output FOLDER/abstracts
    topminer compare $D/news_reuters.jsonl.zst --text-column text --topics 20 --sweeps 500 \
        --gold $D/gold_wordnet.txt.zst --gold $D/gold_wikipedia.txt.zst --output FOLDER/news
    topminer compare $D/reviews_amazon.jsonl.zst --text-column text --topics 10 --sweeps 500 \
        --gold $D/gold_wordnet.txt.zst --gold $D/gold_wikipedia.txt.zst --output FOLDER/reviews

and, for the spread over seeds, the same with ``--seed 1 --output FOLDER/NAME-1`` and ``--seed 2``, without
PD-LDA (``--methods topmine,lda,kert,tng,turbo --no-perplexity --no-scaling``).

Writes docs/results/NAME.md and docs/figures/compare-NAME-*.svg; the discussion is written by hand.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from harness import table

from topminer.cli.compare import at
from topminer.views.charts import to_svg
from topminer.views.charts.comparison import Row, Series, decomposition, perplexities, run_times
from topminer.views.numbers import ratio_text, seconds_text
from topminer.views.paper_times import paper_ratio

DOCS = Path(__file__).parents[1] / "docs"
NAMES = {
    "titles": "Titles of twenty conferences",
    "abstracts": "Abstracts of computational linguistics",
    "news": "Business news",
    "reviews": "Reviews",
}
N_SHOWN = 10
SEEDED = ("topmine", "lda", "kert", "tng", "turbo")  # that are run with several seeds
MEASURES = (
    ("NPMI, words", ("coherence", "npmi_words")),
    ("NPMI, phrases", ("coherence", "npmi_phrases")),
    ("C_V, words", ("coherence", "cv_words")),
    ("C_V, phrases", ("coherence", "cv_phrases")),
    ("diversity, words", ("diversity", "words")),
    ("diversity, phrases", ("diversity", "phrases")),
    ("intruders found", ("intrusion", "share")),
)

Data = Mapping[str, Any]


def cell(value: float | None, best: float | None) -> str:
    text = "–" if value is None else f"{value:.3f}"
    return f"**{text}**" if value is not None and best is not None and text == f"{best:.3f}" else text


def best_of(values: list[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def times(data: Data) -> str:
    rows = []
    for method in data["methods"]:
        about = "~" if method["extrapolated"] else ""
        there = paper_ratio(method["name"])
        stages = ", ".join(f"{each['name']} {seconds_text(each['seconds'])}" for each in method["stages"])
        seconds = method["failed"] or f"{about}{seconds_text(method['seconds'])}"
        ratio = "–" if method["ratio"] is None else f"{about}{ratio_text(method['ratio'])}"
        rows.append([method["title"], seconds, ratio, "–" if there is None else ratio_text(there), stages])
    return table(["", "time", "× LDA", "× LDA, paper's titles", "stages"], rows)


def measures(data: Data) -> str:
    methods = data["methods"]
    rows = [[f"{method['title']}{' ~' if method['extrapolated'] else ''}"] for method in methods]
    for _, place in MEASURES:
        values = [at(method, *place) for method in methods]
        for row, value in zip(rows, values, strict=True):
            row.append(cell(value, best_of(values)))
    return table(["", *(name for name, _ in MEASURES)], rows)


def spread(runs: list[Data]) -> str:
    """Means and standard deviations over seeds, of the measures and of precision and recall."""
    first = runs[0]["methods"]
    golds = max((method.get("quality") or [] for method in first), key=len)
    places = [*MEASURES]
    for i, gold in enumerate(golds):
        places.append((f"of 100, {gold['gold']}", ("quality", i, "precision", "100")))
        places.append((f"recall, {gold['gold']}", ("quality", i, "recall")))
    names = [method["name"] for method in first if method["name"] in SEEDED]
    rows = []
    for title, place in places:
        row = [title]
        for name in names:
            found = [
                at(method, *place) for run in runs for method in run["methods"] if method["name"] == name
            ]
            values = [value for value in found if value is not None]
            row.append(f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}" if len(values) > 1 else "–")
        rows.append(row)
    titles = [method["title"] for method in first if method["name"] in names]
    return table(["", *titles], rows)


def quality(data: Data) -> Iterator[str]:
    methods = [method for method in data["methods"] if method.get("quality")]
    for i, gold in enumerate(methods[0]["quality"] if methods else []):
        cuts = sorted(gold["precision"], key=int)
        cuts = [n for n in cuts if any(at(method, "quality", i, "precision", n) for method in methods)]
        places = [("quality", i, "precision", n) for n in cuts] + [("quality", i, "recall")]
        rows = [[f"{method['title']}{' ~' if method['extrapolated'] else ''}"] for method in methods]
        for place in places:
            values = [at(method, *place) for method in methods]
            for row, value in zip(rows, values, strict=True):
                row.append(cell(value, best_of(values)))
        heads = ["", *(f"of {n}" for n in cuts), f"recall of {gold['relevant']:,}"]
        yield f"Against `{gold['gold']}`, precision of the first n, and recall:\n\n{table(heads, rows)}"


def perplexity(data: Data) -> str:
    curves = {curve["model"]: dict(map(tuple, curve["points"])) for curve in data["perplexity"]["curves"]}
    rows = [
        [f"{sweep:,}", *(f"{points[sweep]:,.1f}" for points in curves.values())]
        for sweep in next(iter(curves.values()))
        if sweep in (5, 10, 20, 50, 100, 200, 300, 400, 500, 750, 1000)
    ]
    return table(["sweep", *curves], rows)


def growth(data: Data) -> str:
    rows = [
        [
            f"{point['documents']:,}",
            f"{point['tokens']:,}",
            f"{point['mining']:.3f}",
            f"{point['topics']:.1f}",
        ]
        for point in data["scaling"]["points"]
    ]
    return table(["documents", "kept tokens", "mining, s", "topics, s"], rows)


def topics(data: Data) -> Iterator[str]:
    for method in data["methods"]:
        rows = [
            [str(k), ", ".join(topic["words"][:N_SHOWN]), ", ".join(topic["phrases"][:N_SHOWN])]
            for k, topic in enumerate(method["topics"])
        ]
        if method["name"] == "lda":
            rows = [row[:2] for row in rows]
        heads = ["", "words", "phrases"][: len(rows[0])] if rows else [""]
        text = table(heads, rows).replace("---:", "---")
        yield f"### {method['title']}\n\n{text}"


def figures(name: str, data: Data) -> Iterator[str]:
    rows = [
        Row(
            method["title"],
            method["ratio"],
            f"{'~' if method['extrapolated'] else ''}{seconds_text(method['seconds'])}",
            ours=method["name"] == "topmine",
            hollow=method["extrapolated"],
            paper=paper_ratio(method["name"]),
        )
        for method in data["methods"]
        if method["ratio"]
    ]
    curves = [
        Series(curve["model"], [tuple(point) for point in curve["points"]])
        for curve in data["perplexity"]["curves"]
    ]
    points = data["scaling"]["points"]
    parts = [
        Series(title, [(point["documents"], point[key]) for point in points])
        for title, key in (("topic modelling", "topics"), ("phrase mining", "mining"))
    ]
    drawn = {
        "times": (run_times(rows, "times as long as LDA"), "Run times against LDA's; strokes: the paper's"),
        "perplexity": (perplexities(curves), "Held-out perplexity by sweep"),
        "growth": (decomposition(parts), "Mining and topic modelling on growing samples, in seconds"),
    }
    for kind, (chart, title) in drawn.items():
        path = DOCS / "figures" / f"compare-{name}-{kind}.svg"
        path.write_text(to_svg(chart, title, standalone=True), encoding="utf-8")
        yield f"![{title}](../figures/{path.name})"


def page(name: str, data: Data, runs: list[Data]) -> str:
    corpus, settings = data["corpus"], data["settings"]
    times_plot, perplexity_plot, growth_plot = figures(name, data)
    parts = [
        f"# {NAMES[name]}",
        f"`{corpus['name']}`: {corpus['documents']:,} documents, {corpus['tokens']:,} kept tokens. "
        f"{settings['topics']} topics, {settings['sweeps']:,} sweeps, seed {settings['seed']}, one thread, "
        f"{settings['budget']:.0f} seconds for each method. ~ marks a method that was stopped early; "
        "its time is extrapolated. Best values are bold. "
        "Made by `benchmarks/results.py`; discussion: [](../results.md).",
        "## Run times",
        times(data),
        times_plot,
        "## Coherence, diversity, intruders",
        f"The first {settings['top_phrases']} words and phrases of each topic. An automatic annotator "
        f"looks for intruders, in {settings['questions']} questions for each method; "
        "LDA's questions are about words.",
        measures(data),
        "## Phrase quality",
        *quality(data),
        *(
            ["## Spread over seeds", f"Mean and standard deviation over {len(runs)} seeds.", spread(runs)]
            if runs[1:]
            else []
        ),
        "## Held-out perplexity",
        perplexity(data),
        perplexity_plot,
        "## Growth",
        growth(data),
        growth_plot,
        "## Topics",
        *topics(data),
    ]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "compared")
    (DOCS / "results").mkdir(exist_ok=True)
    for name in NAMES:
        paths = [folder / each / "compare.json" for each in (name, f"{name}-1", f"{name}-2")]
        runs = [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]
        data = runs[0]
        (DOCS / "results" / f"{name}.md").write_text(page(name, data, runs), encoding="utf-8")
        print(name, [(method["name"], method["ratio"]) for method in data["methods"]])


if __name__ == "__main__":
    main()
