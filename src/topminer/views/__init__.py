"""What a person sees of a result: orders of phrases, charts, pages and tables.

Views take a fitted model and change nothing of it. What they work out, such as which phrases belong to no
topic in particular, is about what to show, and how. Altair is loaded when the first chart is drawn.
"""

from __future__ import annotations

from topminer.topics.results.labels import automatic_labels
from topminer.topics.results.summary import ranked_topics
from topminer.views.charts import history, to_png, to_svg, topic_bars, topic_map, trends, weights
from topminer.views.report import report

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
