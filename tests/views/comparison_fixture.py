"""A comparison as ``topminer compare`` writes it, invented: every kind of method and of figure."""

from __future__ import annotations

from functools import cache
from typing import Any

from topminer.views.comparison import comparison_page

HOSTILE = [
    "</script><script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=2>",
    "safe\u202etxt.exe \u2066inner\u2069",
    '" onmouseover="window.hacked=3',
    "{{7*7}} ${7*7} {policy}",
    "bell\x07\x1b[31m half \ud800",
    "W" * 300,
]

WORDS = [
    ["data", "mining", "pattern", "efficient", "stream", "frequent", "cluster", "large", "rule", "graph"],
    ["query", "database", "system", "xml", "relational", "object", "processing", "index", "view", "join"],
    ["learning", "model", "network", "classification", "bayesian", "kernel", "feature", "neural", "markov"],
    ["web", "retrieval", "search", "text", "document", "information", "user", "semantic", "ranking"],
    ["planning", "logic", "reasoning", "agent", "knowledge", "constraint", "game", "language", "theory"],
]
PHRASES = [
    ["data mining", "data streams", "association rules", "frequent pattern mining", "time series"],
    ["query processing", "relational databases", "query optimization", "object oriented", "data warehouses"],
    ["support vector machines", "neural networks", "reinforcement learning", "feature selection"],
    ["information retrieval", "web search", "question answering", "search engines", "relevance feedback"],
    ["constraint satisfaction problems", "multi agent systems", "description logics", "natural language"],
]
WEIGHTS = [0.243, 0.221, 0.204, 0.187, 0.145]


def _method(name: str, title: str, seconds: float | None, ratio: float | None, **more: Any) -> dict[str, Any]:
    topics = [
        {"weight": weight, "words": words, "phrases": [] if name == "lda" else phrases}
        for weight, words, phrases in zip(WEIGHTS, WORDS, PHRASES, strict=True)
    ]
    stages = [{"name": "sampling", "seconds": seconds, "measured": seconds, "share": 1.0}]
    plain = {"name": name, "title": title, "seconds": seconds, "extrapolated": False, "ratio": ratio}
    plain |= {"stages": stages, "failed": None, "notes": [], "contiguous": True, "topics": topics}
    return plain | more


def _figures(
    coherence: tuple[float | None, ...], diversity: tuple[float | None, ...], right: float | None
) -> dict[str, Any]:
    names = ("npmi_words", "npmi_phrases", "cv_words", "cv_phrases")
    asked = {"annotator": "automatic (NPMI)", "asked": 20, "answered": 19}
    return {
        "coherence": dict(zip(names, coherence, strict=True)),
        "diversity": dict(zip(("words", "phrases"), diversity, strict=True)),
        "intrusion": None if right is None else asked | {"right": right, "share": right / 20},
    }


def _quality(first: float, more: float, many: float, recall: float) -> list[dict[str, Any]]:
    precision = {"10": first, "100": more, "1000": many}
    counted = {"10": 8, "100": 70, "1000": 512}
    gold = {"gold": "gold_acl_terms.tsv.zst", "precision": precision, "counted": counted}
    return [gold | {"recall": recall, "relevant": 812}]


def comparison_data() -> dict[str, Any]:
    """Six methods: one has no phrases, one was cut short, one was not run."""
    mined = [
        {"name": "mining phrases", "seconds": 0.13, "measured": 0.13, "share": 1.0},
        {"name": "sampling", "seconds": 7.97, "measured": 7.97, "share": 1.0},
    ]
    short = [
        {"name": "sampling", "seconds": 4210.0, "measured": 598.4, "share": 0.1421},
        {"name": "reading off", "seconds": 2.2, "measured": 2.2, "share": 1.0},
    ]
    methods = [
        _method("topmine", "ToPMine", 8.1, 0.976, stages=mined)
        | _figures((0.102, 0.2131, 0.512, 0.488), (0.84, 0.96), 15.0)
        | {"quality": _quality(0.875, 0.71, 0.62, 0.31)},
        _method("lda", "LDA", 8.3, 1.0, notes=["has no phrases of several words"])
        | _figures((0.108, None, 0.53, None), (0.84, None), None),
        _method("kert", "KERT", 11.9, 1.434, contiguous=False)
        | _figures((0.108, 0.2129, 0.53, 0.521), (0.84, 0.71), 16.5)
        | {"quality": _quality(0.5, 0.43, 0.38, 0.12)},
        _method("turbo", "Turbo Topics", 412.0, 49.64)
        | _figures((0.108, 0.187, 0.53, 0.441), (0.84, 0.902), 13.0)
        | {"quality": _quality(0.75, 0.68, 0.57, 0.18)},
        _method("pdlda", "PD-LDA", 4212.2, 507.5, extrapolated=True, stages=short)
        | _figures((0.081, -0.0214, 0.421, 0.367), (0.71, 0.88), 9.0)
        | {"quality": _quality(0.625, 0.52, 0.44, 0.21)},
        {
            "name": "tng",
            "title": "TNG",
            "seconds": None,
            "extrapolated": False,
            "failed": "TNG: bigram counts need 92.0 GB, 6.1 GB are free: take fewer topics",
            "topics": [],
        },
    ]
    return {
        "format": 1,
        "corpus": {"name": "titles_20conf.txt.zst", "documents": 44165, "tokens": 262279, "stems": 13012},
        "settings": {"topics": 5, "sweeps": 1000, "seed": 0, "budget": 600.0, "threads": 1}
        | {"top_phrases": 10, "window": 10},
        "methods": methods,
        "perplexity": {
            "held_out": 4416,
            "words": 13000,
            "curves": [
                {"model": "PhraseLDA", "points": _curve(1612.0)},
                {"model": "LDA", "points": _curve(1730.0)},
            ],
        },
        "scaling": {
            "points": [
                {"documents": 5520, "tokens": 32801, "mining": 0.021, "topics": 0.92},
                {"documents": 11041, "tokens": 65544, "mining": 0.038, "topics": 1.9},
                {"documents": 22082, "tokens": 131209, "mining": 0.071, "topics": 3.9},
                {"documents": 44165, "tokens": 262279, "mining": 0.13, "topics": 7.97},
            ]
        },
        "people": None,
    }


def _curve(end: float) -> list[list[float]]:
    return [[sweep, round(end * (1 + 3 / (sweep**0.8)), 1)] for sweep in (5, *range(25, 1001, 25))]


def with_people() -> dict[str, Any]:
    """People answered too."""
    told = {"asked": 20, "answered": 19.5, "right": 16.5, "share": 0.825}
    less = {"asked": 20, "answered": 18.0, "right": 11.0, "share": 0.55}
    ratings = {"experts": 5, "alpha_coherence": 0.41, "alpha_quality": 0.52}
    ratings |= {"coherence": {"topmine": 0.71, "kert": -0.12}, "quality": {"topmine": 0.63, "kert": -0.94}}
    intrusion = {"topmine": told, "kert": told, "turbo": less}
    people = {"annotators": ["anna", "ben"], "alpha": 0.61, "intrusion": intrusion, "ratings": ratings}
    return comparison_data() | {"people": people}


def hostile_data() -> dict[str, Any]:
    """Every text from outside holds whatever it likes."""
    data = with_people()
    for i, method in enumerate(data["methods"]):
        bad = HOSTILE[i % len(HOSTILE)]
        method["title"] = bad
        method["notes"] = HOSTILE
        method["topics"] = [{"weight": 0.1, "words": HOSTILE, "phrases": HOSTILE}]
        method["failed"] = HOSTILE[0] if method["name"] == "tng" else None
        for stage in method.get("stages", ()):
            stage["name"] = bad
        for gold in method.get("quality") or ():
            gold |= {"gold": HOSTILE[1], "precision": {"10": 0.5}}
        if method.get("coherence"):
            method["coherence"] = {"npmi_phrases": method["coherence"]["npmi_phrases"]}
        if method.get("intrusion"):
            method["intrusion"]["annotator"] = bad
    data["corpus"]["name"] = HOSTILE[0] + HOSTILE[2]
    data["people"]["annotators"] = HOSTILE
    for curve, bad in zip(data["perplexity"]["curves"], HOSTILE, strict=False):
        curve["model"] = bad
    return data


@cache
def page_of(name: str) -> str:
    """The page with people's answers, or the hostile one, made once for all tests."""
    return comparison_page({"plain": with_people, "hostile": hostile_data}[name]())
