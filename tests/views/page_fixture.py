"""Page data as the report makes it, invented: a small corpus in which every number has its place."""

from __future__ import annotations

import math
import random
from html import escape
from typing import Any

THEMES = {
    phrases.split(", ")[0]: phrases.split(", ")
    for phrases in (
        "frequent pattern mining, association rules, sequential patterns, data streams",
        "support vector machines, kernel methods, feature selection, text classification",
        "information retrieval, query expansion, relevance feedback, web search engines",
        "machine translation, word alignment, language models, parallel corpora",
        "query optimization, relational databases, transaction processing, index structures",
        "social networks, community detection, link prediction, influence maximization",
        "reinforcement learning, markov decision processes, policy gradient, value iteration",
        "image segmentation, object recognition, face detection, optical flow",
    )
}
BACKGROUND = ["paper presents", "experimental results", "case study"]
SINGLES = [*("fast", "robust", "adaptive", "scalable", "graph")]
SINGLES += [*("parallel", "incremental", "noisy", "sparse", "online")]
BETWEEN = ["for the", "and", "with", "in", "of", "by"]
PERIODS = [str(year) for year in range(1995, 2009)]
THRESHOLD, LOWEST, HIGHEST = 4.0, 1.0, 60.0
HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>window.hacked=1</script>",
    '"onerror=alert(1) x="<img src=x onerror=alert(1)>',
    "{{7*7}} ${7*7} <!-- ",
    "\u202eabc\u2066def\u2069 \u200f",
    "-->]]>\u2028\u2029&lt;b&gt;",
]
OTHER_SCRIPTS = [
    ("机器学习模型用于翻译", [(0, 2), (2, 4), (4, 6), (8, 10)]),
    ("למידת מכונה לתרגום טקסט", [(0, 5), (6, 11), (12, 18), (19, 23)]),
]


def page_data(
    n_topics: int = 5, n_documents: int = 24, *, live: bool = False, hostile: bool = False, times: bool = True
) -> dict[str, Any]:
    """Return the data of a page; the same arguments give the same data."""
    made = _Made(n_topics, hostile, times)
    documents = [made.document(row, n_topics) for row in range(n_documents)]
    documents += [_foreign(n_documents + i, *text) for i, text in enumerate(OTHER_SCRIPTS)]
    for topic in made.topics:
        mine = [i for i, one in enumerate(documents) if one["topics"][0][0] == topic["id"]]
        topic["documents"] = mine[:5]
    return {
        "format": 1,
        "title": HOSTILE[1] if hostile else "Conference titles",
        "version": "0.1.0",
        "live": live,
        "n_documents": 44165,
        "n_tokens": 210_345,
        "n_types": 5210,
        "threshold": THRESHOLD,
        "lowest": LOWEST,
        "highest": HIGHEST,
        "has_texts": True,
        "periods": PERIODS if times else None,
        "unit": "year" if times else None,
        "order": "best",
        "period_sizes": [1000 + 37 * i for i in range(len(PERIODS))] if times else None,
        "facts": [
            {
                "title": "Corpus",
                "rows": [["documents", "44,165"], ["kept tokens", "210,345"], ["file", "titles.txt"]],
            },
            {"title": "Parameters", "rows": [["topics", str(n_topics)], ["sweeps", "1,000"], ["seed", "0"]]},
            {"title": "Run", "rows": [["time", "41 s"], ["threads", "2"]]},
        ],
        "verdict": ["The likelihood was flat after 1,000 sweeps: +0.0041 a token in the last 100."],
        "warning": "One topic holds 44% of the kept tokens: try more topics.",
        "rate": 0.95,
        "topics": made.topics,
        "entries": made.entries,
        "documents": documents,
    }


class _Made:
    """Topics and their entries."""

    def __init__(self, n_topics: int, hostile: bool, times: bool) -> None:
        self.random = random.Random(n_topics)
        self.hostile = hostile
        self.times = times
        self.entries: list[dict[str, Any]] = []
        self.background: list[int] = []
        weights = [self.random.gammavariate(2, 1) for _ in range(n_topics)]
        self.phrases_of = [self._texts(k) for k in range(n_topics)]
        self.topics = [self._topic(k, n_topics, weight / sum(weights)) for k, weight in enumerate(weights)]
        for text in BACKGROUND:
            self._spread(text)

    def _texts(self, k: int) -> list[str]:
        theme = list(THEMES.values())[k % len(THEMES)]
        turn = k // len(THEMES)
        before = f"{SINGLES[turn % 10]}{'' if turn < 10 else turn // 10} " if turn else ""
        texts = [before + text for text in theme]
        return [*texts, *HOSTILE] if self.hostile and k == 0 else texts

    def _topic(self, k: int, n_topics: int, weight: float) -> dict[str, Any]:
        size = 200_000 * weight
        rows = []
        for rank, text in enumerate(self.phrases_of[k]):
            frequency = round(size / (40 + 30 * rank), 1)
            # A later phrase is more of the topic's own, so that orders differ.
            other = round(frequency * (2.0 - 0.6 * rank), 1) if rank < 3 else 0.0
            entry = self._entry(text, k, frequency, other, n_topics)
            rows.append(
                [entry, frequency, round(0.03 * ((rank + 2) % 4 + 1), 4), round(math.log(frequency), 4)]
            )
        for rank, word in enumerate(SINGLES):
            i = self._entry(f"{word}{k}", k, round(size / (60 + 9 * rank), 1), 0.0, n_topics)
            rows.append([i, self.entries[i]["topics"][0][1], 0.001, 0.1 - rank])
        words = [
            [
                f"{word}{k}",
                round(0.05 / (rank + 1), 5),
                round(0.05 / (rank + 1) / (2 + (7 * rank) % 5), 6),
                rank == 3,
                round(-1.0 - (3 * rank) % 7, 1),
            ]
            for rank, word in enumerate(SINGLES)
        ]
        return {
            "id": k,
            "weight": weight,
            "size": size,
            "label": self.phrases_of[k][0] if not (self.hostile and k == 1) else HOSTILE[0],
            "background": False,
            "renamed": False,
            "similar": [[(k + step) % n_topics, round(0.8 / step, 2)] for step in range(1, min(4, n_topics))],
            "words": words,
            "phrases": rows,
            "trend": [round(weight * (0.6 + 0.8 * self.random.random()), 4) for _ in PERIODS]
            if self.times
            else None,
            "documents": [],
            "measures": {
                "exclusivity": 0.31,
                "coherence": None if k else -0.08,
                "documents": 1200 + k,
                "stability": round(1 / (k + 1), 3),
                "stable": k < 2,
                "weight_low": weight / 2,
                "weight_high": weight * 1.5,
            },
        }

    def _entry(self, text: str, k: int, frequency: float, other: float, n_topics: int) -> int:
        where = [[k, frequency]] + ([[(k + 1) % n_topics, other]] if other else [])
        total = round(sum(each for _, each in where), 1)
        parts = text.split()
        forms = None
        if len(parts) == 2 and not text.startswith("<"):
            shares = [0.7, 0.3]
            texts = [text, f"{parts[1]} of {parts[0]}"]
            forms = [
                [form, round(total * share), [[t, round(f * share, 1)] for t, f in where]]
                for form, share in zip(texts, shares, strict=True)
            ]
        entry = {"text": text, "n": len(parts), "total": total, "background": False, "p": 0.31}
        entry |= {"forms": forms}
        entry["topics"] = sorted(where, key=lambda pair: -pair[1])
        entry["trend"] = [self.random.randrange(40) for _ in PERIODS] if self.times else None
        self.entries.append(entry)
        return len(self.entries) - 1

    def _spread(self, text: str) -> None:
        """A phrase that stands in every topic."""
        where = [[topic["id"], round(topic["size"] / 90, 1)] for topic in self.topics]
        entry = {"text": text, "n": 2, "background": True, "p": 0.0002, "forms": None, "trend": None}
        entry["total"] = round(sum(each for _, each in where), 1)
        entry["topics"] = sorted(where, key=lambda pair: -pair[1])[:8]
        self.entries.append(entry)
        for topic in self.topics:
            topic["phrases"].append([len(self.entries) - 1, round(topic["size"] / 90, 1), 0.0005, 0.0])

    def document(self, row: int, n_topics: int) -> dict[str, Any]:
        """A text of phrases and single words, some joined more strongly than others."""
        k = row % n_topics
        one: dict[str, Any] = {"text": "𝔄 " if row == 0 else ""}
        one |= {"start": [], "end": [], "strength": [], "topic": []}
        for _ in range(1 + row % 3 * 2):
            for part in range(6):
                topic = k if part < 4 else (k + 1) % n_topics
                pool = SINGLES if part % 3 == 2 else self.phrases_of[topic]
                self._append(one, self.random.choice(pool), topic, first=part == 0)
                one["text"] += f" {self.random.choice(BETWEEN)} " if part < 5 else ". "
        if self.hostile:
            one["text"] += " ".join(HOSTILE)
        one["text"] = one["text"].strip()
        share = round(0.5 + self.random.random() / 3, 2)
        topics = [[k, share], [(k + 1) % n_topics, round((1 - share) * 0.8, 2)]]
        made_id = f"{HOSTILE[0]}{row}" if self.hostile and row == 1 else f"P{95 + row % 14:02}-{1000 + row}"
        time = f"{1995 + row % 14}-01-01" if self.times else None
        return {"row": row, "id": made_id, "time": time, "cut": row == 5, "topics": topics, **one}

    def _append(self, one: dict[str, Any], text: str, topic: int, *, first: bool) -> None:
        at = len(one["text"])
        for i, word in enumerate(text.split(" ")):
            strength: float | None = None
            if i or not (first or self.random.random() < 0.3):
                strength = round(self.random.uniform(5, 40) if i else self.random.uniform(0.5, 3.5), 2)
            one["start"].append(at)
            one["end"].append(at + len(word))
            one["strength"].append(strength)
            one["topic"].append(topic)
            at += len(word) + 1
        one["text"] += text


def _foreign(row: int, text: str, spans: list[tuple[int, int]]) -> dict[str, Any]:
    return {
        "row": row, "id": f"X-{row}", "time": None, "text": text, "cut": False, "topics": [[0, 0.9]],
        "start": [start for start, _ in spans], "end": [end for _, end in spans],
        "strength": [None, 12.0, 2.0, None], "topic": [0, 0, 1, -1],
    }  # fmt: skip


def page_charts(data: dict[str, Any]) -> dict[str, str]:
    """Return charts of the kind vl-convert draws."""
    points = []
    for topic in data["topics"]:
        k = topic["id"]
        x, y = 40 + (k * 97) % 420, 40 + (k * 61) % 320
        radius = 6 + 90 * topic["weight"] ** 0.5 if len(data["topics"]) < 50 else 6
        label = escape(f"Topic {k}: {topic['label']}").replace("\u202e", "·")
        arc = f"A{radius:.1f},{radius:.1f},0,1,1,"
        points.append(
            f'<g data-topic="{k}"><a href="#/topic/{k}" aria-label="{label}"><title>{label}</title><path '
            f'transform="translate({x},{y})" d="M{radius:.1f},0{arc}-{radius:.1f},0{arc}{radius:.1f},0" '
            'fill="#1f66ad" fill-opacity="0.5" stroke="#1f66ad"/>'
            f'<text transform="translate({x},{y + 4})" text-anchor="middle" fill="#1f2933">{k}</text></a></g>'
        )
    line = '<path d="M20,180L580,20" stroke="#1f66ad"/><text x="20" y="195" fill="#65707c">0</text>'
    return {
        "map": _svg(500, 400, "".join(points)),
        "trends": _svg(700, 200, line),
        "history": _svg(600, 200, line),
    }


def _svg(width: int, height: int, inside: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" '
        f'class="marks" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<rect width="{width}" height="{height}" fill="white"/><g fill="none">{inside}</g></svg>'
    )
