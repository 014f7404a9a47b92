"""Charts of a fitted model, for notebooks, reports and files.

Every function takes a model and returns an Altair chart. :func:`to_svg` and :func:`to_png` draw it without a
network. All that is said in a chart is said in its data, in fields named here: no text of a corpus becomes
part of an expression.
"""

from __future__ import annotations

from topminer.views.charts.figures import history, topic_bars, weights
from topminer.views.charts.map import topic_map
from topminer.views.charts.svg import to_png, to_svg
from topminer.views.charts.trends import trends

__all__ = ["history", "to_png", "to_svg", "topic_bars", "topic_map", "trends", "weights"]
