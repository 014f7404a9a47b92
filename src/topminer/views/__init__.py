"""What a person sees of a result: orders of phrases, charts, pages and tables.

Views take a fitted model and change nothing of it. What they work out, such as which phrases belong to no
topic in particular, is about what to show, and how. The names below are loaded when they are first used, and
Altair when the first chart is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from topminer._lazy import loading

if TYPE_CHECKING:
    from topminer.topics.results.labels import automatic_labels
    from topminer.topics.results.summary import ranked_topics
    from topminer.views.charts import history, to_png, to_svg, topic_bars, topic_map, trends, weights
    from topminer.views.report_page import report

__all__ = [
    "automatic_labels",
    "history",
    "ranked_topics",
    "report",
    "to_png",
    "to_svg",
    "topic_bars",
    "topic_map",
    "trends",
    "weights",
]

__getattr__ = loading(
    __name__,
    {
        "automatic_labels": "topminer.topics.results.labels",
        "history": "topminer.views.charts",
        "ranked_topics": "topminer.topics.results.summary",
        "report": "topminer.views.report_page",
        "to_png": "topminer.views.charts",
        "to_svg": "topminer.views.charts",
        "topic_bars": "topminer.views.charts",
        "topic_map": "topminer.views.charts",
        "trends": "topminer.views.charts",
        "weights": "topminer.views.charts",
    },
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
