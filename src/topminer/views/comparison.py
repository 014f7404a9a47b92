"""The page of a comparison: one HTML file, made from the data that ``compare.json`` holds.

Figures are compared as they are shown: all that read the same as the best are marked as the best. Figures
that are missing, or None, are shown as missing; a section that would have none is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log2
from typing import TYPE_CHECKING, Any, NamedTuple

from topminer.views.charts.comparison import Row, Series, decomposition, dots, perplexities, run_times
from topminer.views.charts.svg import to_svg
from topminer.views.numbers import (
    NOTHING,
    count_text,
    counted,
    headed,
    listing,
    perplexity_text,
    ratio_text,
    score_text,
    seconds_text,
    share_text,
)
from topminer.views.pages import render, titled_svg
from topminer.views.paper_times import paper_ratio

if TYPE_CHECKING:
    import altair as alt
    from markupsafe import Markup

OURS = "topmine"  # the name of the method that the others are compared with
MOST_PRECISIONS = 3  # that are drawn; tables have all of them

_COHERENCE = {
    "npmi_words": "NPMI of words",
    "npmi_phrases": "NPMI of phrases",
    "cv_words": "C_V of words",
    "cv_phrases": "C_V of phrases",
}
_DIVERSITY = {"words": "Diversity of words", "phrases": "Diversity of phrases"}
_RATINGS = {"coherence": "Coherence as rated by people", "quality": "Phrase quality as rated by people"}
_COUNTS = ("asked", "answered", "right")
_SETTINGS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "topics": ("Topics", count_text),
    "sweeps": ("Sweeps", count_text),
    "seed": ("Seed", count_text),
    "threads": ("Threads", count_text),
    "budget": ("Budget a method", seconds_text),
    "top_phrases": ("Judged of each topic", lambda n: f"the first {n:,}"),
    "questions": ("Questions of intrusion", lambda n: f"{n:,} a method"),
    "window": ("Window of NPMI", lambda n: counted(n, "kept token")),
}
_NO_FIGURES: dict[str, Any] = {"seconds": None, "ratio": None, "failed": None, "contiguous": True}
_NO_FIGURES |= {"extrapolated": False, "stages": [], "notes": [], "topics": [], "quality": []}
_NO_FIGURES |= {"coherence": {}, "diversity": {}, "intrusion": {}}

Method = Mapping[str, Any]


def comparison_page(data: Mapping[str, Any]) -> str:
    """Return the page of a comparison as one self-contained HTML file."""
    given = Comparison(data)
    return render(
        "comparison", title=f"{given.name}: methods compared", given=given, counts=counts, ours=OURS
    )


@dataclass(frozen=True)
class Column:
    """A figure of each method that has it, by the method's name."""

    title: str
    values: Mapping[str, float]
    text: Callable[[float], str] = score_text
    better: int = 1  # 1: the highest is the best; -1: the lowest; 0: none is
    estimated: Collection[str] = ()  # the methods whose figures were not measured to their end
    notes: Mapping[str, str] = field(default_factory=dict)  # shown beside figures

    def cell(self, name: str) -> str:
        """Return a figure as it is shown."""
        if name not in self.values:
            return NOTHING
        return ("~" if name in self.estimated else "") + self.text(self.values[name])

    @cached_property
    def best(self) -> set[str]:
        """The methods that are first; nobody, if there is nobody to be compared with."""
        if not self.better or len(self.values) < 2:
            return set()
        best = self.text(max(self.values.values(), key=lambda value: self.better * value))
        return {name for name, value in self.values.items() if self.text(value) == best}


class Chart(NamedTuple):
    """A chart with its title."""

    title: str
    svg: Markup

    @classmethod
    def of(cls, drawn: alt.TopLevelMixin, title: str) -> Chart:
        """Draw a chart."""
        return cls(title, titled_svg(title, to_svg(drawn, title)))


class Gold(NamedTuple):
    """What phrases were worth, measured by one list of judged phrases."""

    name: str
    relevant: list[int]  # how many good phrases the list has; more than one number where methods differ
    precisions: list[Column]
    recall: list[Column]  # empty where nobody knows it

    @property
    def columns(self) -> list[Column]:
        """All figures."""
        return [*self.precisions, *self.recall]

    def drawn(self) -> list[Column]:
        """Return the figures that have charts."""
        some = self.precisions
        if len(some) > MOST_PRECISIONS:
            some = [some[0], some[len(some) // 2], some[-1]]
        return [*some, *self.recall]

    def telling(self) -> list[Column]:
        """Return recall and one precision: that of the most phrases of which every method has one."""
        most = max(len(column.values) for column in self.columns)
        shared = [column for column in self.precisions if len(column.values) == most]
        return [*(shared[-1:] or self.precisions[:1]), *self.recall]


class Comparison:
    """The data of a comparison, as the template shows it."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.methods = [_whole(method) for method in data.get("methods") or ()]
        self.titles = {method["name"]: method["title"] for method in self.methods}
        self.estimated = {method["name"] for method in self.methods if method["cut_short"]}
        self.corpus = data.get("corpus") or {}
        self.name = str(self.corpus.get("name") or "a corpus")
        self.options = data.get("settings") or {}
        self.people = data.get("people") or {}
        self.answers = {name: (self.people.get("intrusion") or {}).get(name) or {} for name in self.titles}
        self.rated = self.people.get("ratings") or {}
        self.perplexity = data.get("perplexity") or {}
        self.samples = (data.get("scaling") or {}).get("points") or []
        # Methods whose phrases are nothing but their words: figures of the two would be the same.
        self.words_only = [method["name"] for method in self.methods if _has_words_only(method["topics"])]
        self._add_figures()

    def _add_figures(self) -> None:
        figures, papers = self._figures, {name: paper_ratio(name) for name in self.titles}
        self.times = Column("Run time", figures("seconds"), seconds_text, -1, self.estimated)
        ratios = Column("To LDA", figures("ratio"), _ratio_text, 0, self.estimated)
        self.time_columns = [self.times, ratios, Column("In the paper", _known(papers), _ratio_text, 0)]
        self.coherence = self._columns("coherence", _COHERENCE, score_text)
        self.diversity = self._columns("diversity", _DIVERSITY, share_text)
        self.found = {method["name"]: method["intrusion"] for method in self.methods}
        self.intrusion = _intrusion("Intruders found automatically", self.found)
        self.found_by_people = _intrusion("Intruders found by people", self.answers)
        self.ratings = []
        for key, title in _RATINGS.items():
            values = _known({name: (self.rated.get(key) or {}).get(name) for name in self.titles})
            self.ratings += [Column(title, values, lambda rating: score_text(rating, 2))] if values else []
        of_golds: dict[str, dict[str, Mapping[str, Any]]] = {}
        for method in self.methods:
            for given in method["quality"]:
                of_golds.setdefault(str(given["gold"]), {})[method["name"]] = given
        golds = [_gold(name, found) for name, found in of_golds.items()]
        self.golds = [gold for gold in golds if gold.columns]
        curves = self.perplexity.get("curves") or ()
        self.curves = _series((curve["model"], curve["points"]) for curve in curves)
        parts = (("topic modelling", "topics"), ("phrase mining", "mining"))
        self.parts = _series(
            (title, [(point["documents"], point.get(key) or None) for point in self.samples])
            for title, key in parts
        )

    def _figures(self, key: str, inside: str | None = None) -> dict[str, float]:
        return _known({each["name"]: (each[inside] if inside else each).get(key) for each in self.methods})

    def _columns(self, inside: str, titles: Mapping[str, str], text: Callable[[float], str]) -> list[Column]:
        """Return figures of words and of phrases; a method whose phrases are words has none of phrases."""
        columns = []
        for key, title in titles.items():
            values = self._figures(key, inside)
            if key.endswith("phrases"):
                values = {name: value for name, value in values.items() if name not in self.words_only}
            columns += [Column(title, values, text)] if values else []
        return columns

    def named(self, names: Iterable[str]) -> str:
        """Return the titles of methods in a row."""
        return listing([self.titles[name] for name in names])

    def having(self, columns: Sequence[Column]) -> list[Method]:
        """Return the methods that have a figure in any of some columns."""
        names = {name for column in columns for name in column.values}
        return [method for method in self.methods if method["name"] in names]

    def settings(self) -> list[tuple[str, str]]:
        """Return how methods were run."""
        known = [(title, text, self.options.get(key)) for key, (title, text) in _SETTINGS.items()]
        return [(title, text(value)) for title, text, value in known if value is not None]

    def summary(self) -> Iterator[tuple[str, str, Column]]:
        """Yield every measure: the section that shows it, the list of phrases it is about, its figures."""
        plain = {"times": [self.times], "coherence": [*self.coherence, *self.diversity]}
        plain["intrusion"] = [self.intrusion]
        plain["people"] = [self.found_by_people, *self.ratings]
        for section, columns in plain.items():
            yield from ((section, "", column) for column in columns if column.values)
        for gold in self.golds:
            yield from (("quality", gold.name, column) for column in gold.telling())

    def ends(self) -> list[tuple[str, list[str]]]:
        """Return perplexity, also in bits, at the end of each curve."""
        ends = [(curve.name, *curve.points[-1]) for curve in self.curves]
        return [(name, [f"{at:,}", perplexity_text(end), f"{log2(end):.2f}"]) for name, at, end in ends]

    def sweeps(self) -> list[tuple[str, list[str]]]:
        """Return perplexity at every sweep that was looked at."""
        values = [dict(curve.points) for curve in self.curves]
        sweeps = sorted({sweep for points in values for sweep in points})
        return [
            (f"{sweep:,}", [perplexity_text(each[sweep]) if sweep in each else NOTHING for each in values])
            for sweep in sweeps
        ]

    def sample_rows(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the time of each part of our method on each sample."""
        for point in self.samples:
            documents, tokens, mining, topics = map(point.get, ("documents", "tokens", "mining", "topics"))
            ratio = topics / mining if mining and topics is not None else None
            forms = (count_text, seconds_text, seconds_text, ratio_text)
            figures = zip((tokens, mining, topics, ratio), forms, strict=True)
            cells = [NOTHING if value is None else text(value) for value, text in figures]
            yield NOTHING if documents is None else count_text(documents), cells

    def time_chart(self) -> Chart | None:
        """Draw run times on a logarithmic axis; None where there is nothing to compare."""
        lda = self.times.values.get("lda")
        timed = Column("", {name: value / (lda or 1) for name, value in self.times.values.items() if value})
        rows = [
            row._replace(text=self.times.cell(name), paper=paper_ratio(name) if lda else None)
            for name, row in self._rows(timed, timed.values).items()
        ]
        if len(rows) < 2:
            return None
        axis = "times as long as LDA" if lda else "seconds"
        return Chart.of(run_times(rows, axis), "Run times, on a logarithmic axis")

    def panels(self, columns: Sequence[Column]) -> list[Chart]:
        """Draw a small chart of each figure that two methods or more have, all with the same rows."""
        drawn = [column for column in columns if len(column.values) > 1]
        names = [method["name"] for method in self.having(drawn)]
        charts = []
        for column in drawn:
            share = column.text is share_text
            rows = self._rows(column, names, " ~").values()
            charts.append(Chart.of(dots(list(rows), 1.0 if share else 0.0, percent=share), column.title))
        return charts

    def _rows(self, column: Column, names: Iterable[str], mark: str = "") -> dict[str, Row]:
        """Return rows of a chart by the names of methods; ``mark`` follows those that were cut short."""
        return {
            name: Row(
                self.titles[name] + (mark if name in self.estimated else ""),
                column.values.get(name),
                column.cell(name),
                ours=name == OURS,
                hollow=name in self.estimated,
            )
            for name in names
        }

    def curves_chart(self) -> Chart:
        """Draw held-out perplexity by sweep."""
        return Chart.of(perplexities(self.curves), "Held-out perplexity by sweep")

    def parts_chart(self) -> Chart:
        """Draw the parts of our method's time by documents."""
        title = "Parts of ToPMine’s time by documents, both axes logarithmic"
        return Chart.of(decomposition(self.parts), title)


def _whole(method: Method) -> Method:
    """Return a method with all its fields."""
    given = _NO_FIGURES | {key: value for key, value in method.items() if value is not None}
    given["title"] = str(given["title"])
    given["cut_short"] = bool(given["extrapolated"]) and given["seconds"] is not None
    if given["failed"]:  # the method's title stands beside it
        given["failed"] = str(given["failed"]).removeprefix(f"{given['title']}: ").rstrip(".")
    return given


def _gold(name: str, found: Mapping[str, Mapping[str, Any]]) -> Gold:
    precisions = {method: given.get("precision") or {} for method, given in found.items()}
    cuts = {cut for given in precisions.values() for cut, value in given.items() if value is not None}
    columns = []
    for cut in sorted(cuts, key=lambda cut: (len(cut), cut)):
        title = f"Precision of the first {int(cut):,}" if cut.isdecimal() else f"Precision at {cut}"
        values = _known({method: given.get(cut) for method, given in precisions.items()})
        judged = {method: (found[method].get("counted") or {}).get(cut) for method in values}
        notes = {method: f"of {n:,}" for method, n in judged.items() if n is not None}
        columns.append(Column(title, values, share_text, notes=notes))
    recall = _known({method: given.get("recall") for method, given in found.items()})
    relevant = sorted({given["relevant"] for given in found.values() if given.get("relevant") is not None})
    return Gold(name, relevant, columns, [Column("Recall", recall, share_text)] if recall else [])


def _intrusion(title: str, found: Mapping[str, Mapping[str, Any]]) -> Column:
    return Column(title, _known({name: given.get("share") for name, given in found.items()}), share_text)


def counts(found: Mapping[str, Mapping[str, Any]]) -> list[Column]:
    """Return how many questions of intrusion were asked, answered, and answered right."""
    given = {key: _known({name: each.get(key) for name, each in found.items()}) for key in _COUNTS}
    return [Column(headed(key), values, count_text, 0) for key, values in given.items() if values]


def _series(given: Iterable[tuple[Any, Iterable[Any]]]) -> list[Series]:
    """Return the lines that have points; a point may have no value."""
    lines = [(str(name), [(x, y) for x, y in points if y is not None]) for name, points in given]
    return [Series(name, points) for name, points in lines if points]


def _has_words_only(topics: Sequence[Mapping[str, Any]]) -> bool:
    pairs = [(topic.get("phrases"), topic.get("words")) for topic in topics]
    return any(phrases for phrases, _ in pairs) and all(phrases == words for phrases, words in pairs)


def _known(given: Mapping[str, float | None]) -> dict[str, float]:
    return {name: float(value) for name, value in given.items() if value is not None}


def _ratio_text(ratio: float) -> str:
    return f"{ratio_text(ratio)} ×"
