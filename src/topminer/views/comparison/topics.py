"""The topics of each method, side by side: their foremost words and phrases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from topminer.views.comparison.measures import methods_of
from topminer.views.comparison.tables import name, safe, section, titled
from topminer.views.numbers import percent


def topics_section(data: Mapping[str, Any]) -> str:
    """The section of topics: as many words and phrases of each as were judged."""
    most = (data.get("settings") or {}).get("top_phrases")
    blocks = [_block(method, most) for method in methods_of(data) if method.get("topics")]
    if not blocks:
        return ""
    some = f"At most {most:,} of each are shown: those that were judged. " if most else ""
    about = (
        '<p class="about">Topics of one method have nothing to do with those of the same number of another. '
        f"Phrases go by each method’s own order, the best first; words by their probability. {some}</p>"
    )
    return section("topics", "Topics", about, *blocks)


def _block(method: Mapping[str, Any], most: int | None) -> str:
    cards = "\n".join(_card(k, topic, most) for k, topic in enumerate(method["topics"]))
    return f'<h3>{titled(method)}</h3>\n<ol class="topics">\n{cards}\n</ol>'


def _card(k: int, topic: Mapping[str, Any], most: int | None) -> str:
    weight, words, phrases = topic.get("weight"), topic.get("words") or [], topic.get("phrases") or []
    share = f' <span class="faint">{safe(percent(weight))}</span>' if weight is not None else ""
    parts = [f"<h4>Topic {k}{share}</h4>"]
    if phrases and phrases != words:
        listed = "".join(f"<li>{name(phrase)}</li>" for phrase in phrases[:most])
        parts.append(f'<ol class="phrases">{listed}</ol>')
    if words:
        parts.append(f'<p class="words">{", ".join(name(word) for word in words[:most])}</p>')
    return f"<li>{''.join(parts)}</li>"
