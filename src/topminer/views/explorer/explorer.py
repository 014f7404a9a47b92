"""What the explorer tells of a model: all answers of its API, with no word about the web.

Everything costly is made once, when it is first asked for, and any number of threads may ask.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from topminer.errors import InputError
from topminer.store import read_json
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.own_labels import Labels, LabelsError, update_labels
from topminer.topics.results.summary import Summary
from topminer.views.explorer.concordance import lines_at, places_of
from topminer.views.explorer.excerpts import excerpt
from topminer.views.explorer.search import Building, SearchIndex, Unavailable, terms_of
from topminer.views.pages import page
from topminer.views.report import charts_of, title_of
from topminer.views.report.data import page_data
from topminer.views.report.documents import Documents, cut

Names = Mapping[int, str]  # labels by the topic's number
N_FOREMOST = 10  # documents of a topic that are told with it
LIST_CHARS = 2_000  # of a text in a list; a document asked for by itself is told whole


class Unknown(LookupError):
    """There is no such topic or document."""


class Replaced(RuntimeError):
    """Another model has been written to the directory since this one was loaded."""

    def __init__(self) -> None:
        super().__init__("the model was replaced by another one since; start topminer serve again")


class NoTexts(RuntimeError):
    """The model was saved without the texts of its documents."""

    def __init__(self) -> None:
        super().__init__("this model was saved without the texts of its documents")


class Explorer:
    """A fitted model, and the directory it was loaded from.

    Parameters
    ----------
    model : Fitted
        The model.
    directory : Path
        Where it lies; labels and the search index are kept there.
    title : str or None
        The page's title; None: the name of the corpus.
    """

    def __init__(self, model: Fitted, directory: Path, *, title: str | None = None) -> None:
        self.model, self.directory = model, directory
        self.title = title or title_of(model)
        self._model_name = Labels.read(directory).model
        self._data: dict[str, Any] | None = None
        self._page: tuple[Names, str] | None = None  # and the labels in it
        self._lock, self._labels_lock = threading.Lock(), threading.Lock()
        self._summary = Summary(model)
        self._documents = Documents(self._summary)
        texts = model.corpus_.texts
        self._index = None if texts is None else SearchIndex(texts, directory, self._model_name)
        self._places = lru_cache(32)(lambda phrase: places_of(model.corpus_, phrase))

    def close(self) -> None:
        """Stop what runs in the background."""
        if self._index is not None:
            self._index.close()

    # ----------------------------------------------------------------- topics

    def page(self) -> str:
        """The page, with the labels as they are."""
        names = self._names()
        with self._lock:
            if self._page is None or self._page[0] != names:
                data = self._labelled(names)
                charts = charts_of(self._summary.relabelled(names))
                self._page = names, page(data, charts)
            return self._page[1]

    def overview(self) -> dict[str, Any]:
        """The page data, without documents."""
        return {name: value for name, value in self._now().items() if name != "documents"}

    def topics(self) -> list[dict[str, Any]]:
        """All topics, with their phrases spelled out."""
        data = self._now()
        return [self._spelled_out(topic, data["entries"]) for topic in data["topics"]]

    def topic(self, number: int) -> dict[str, Any]:
        """One topic, with its phrases spelled out."""
        self._check_topic(number)
        data = self._now()
        return self._spelled_out(data["topics"][number], data["entries"])

    def rename(self, number: int, label: str) -> dict[str, Any]:
        """Give a topic a label of one's own; an empty one gives it the automatic one again."""
        self._check_topic(number)

        def change(labels: Labels) -> Labels:
            if labels.model != self._model_name:
                raise Replaced
            return labels.renamed(number, label)

        # The file's own lock is for other processes; threads of this one wait in line here.
        with self._labels_lock, _without_paths():
            labels = update_labels(self.directory, change)
        topic = self._now(labels.names)["topics"][number]
        return {name: topic[name] for name in ("id", "label", "renamed")}

    def _names(self) -> Names:
        """The user's own labels as they are now: `topminer label` may change them at any time."""
        with _without_paths():
            labels = Labels.read(self.directory)
        return labels.names if labels.model == self._model_name else {}

    def _now(self, names: Names | None = None) -> dict[str, Any]:
        names = self._names() if names is None else names
        with self._lock:
            return self._labelled(names)

    def _labelled(self, names: Names) -> dict[str, Any]:
        """The page data, with labels."""
        if self._data is None:
            run = read_json(self.directory / "run.json")
            self._data = page_data(self._summary, title=self.title, run=run, live=True)
        topics = [
            {**topic, "label": names[topic["id"]], "renamed": True} if topic["id"] in names else topic
            for topic in self._data["topics"]
        ]
        return {**self._data, "topics": topics}

    def _spelled_out(self, topic: dict[str, Any], entries: list[dict[str, Any]]) -> dict[str, Any]:
        """A topic of the page data that needs no other part of it."""
        phrases = [
            {
                "phrase": entries[entry]["text"],
                "frequency": frequency,
                "kert": kert,
                "background": entries[entry]["background"],
            }
            for entry, frequency, kert in topic["phrases"]
        ]
        rows = self._summary.representative(topic["id"], N_FOREMOST)
        return {**topic, "phrases": phrases, "documents": rows.tolist()}

    def _check_topic(self, number: int) -> None:
        n_topics = self.model.lda_.alpha_.size
        if not 0 <= number < n_topics:
            raise Unknown(f"there is no topic {number}; topics are numbered from 0 to {n_topics - 1:,}")

    # -------------------------------------------------------------- documents

    def documents(self, topic: int | None, offset: int, limit: int) -> dict[str, Any]:
        """Documents in order, or those of a topic, the most representative first."""
        self._check_texts()
        if topic is None:
            total = len(self.model.corpus_)
            rows = np.arange(min(offset, total), min(offset + limit, total))
        else:
            self._check_topic(topic)
            found = self._summary.representative(topic)
            total, rows = found.size, found[offset : offset + limit]
        return {"total": total, "documents": self._documents.of_rows(rows, LIST_CHARS)}

    def document(self, row: int, threshold: float | None = None) -> dict[str, Any]:
        """One document, and its phrases at a threshold."""
        self._check_texts()
        n_documents = len(self.model.corpus_)
        if not 0 <= row < n_documents:
            raise Unknown(f"there is no document {row}; rows are numbered from 0 to {n_documents - 1:,}")
        lowest = self._summary.lowest
        if threshold is not None and threshold < lowest:
            raise InputError(f"threshold must be at least {lowest:g}, not {threshold:g}")
        document = self._documents.of_rows([row], None)[0]
        return document if threshold is None else {**document, "phrases": cut(document, threshold)}

    def segment(self, text: str) -> dict[str, Any]:
        """A text of one's own, cut and with its topics."""
        return self._documents.of_text(text)

    def search(self, query: str, offset: int, limit: int) -> dict[str, Any]:
        """Documents that have all words of a query, the best first; or how far the index is."""
        texts, index = self.model.corpus_.texts, self._index
        if texts is None or index is None:
            raise NoTexts
        terms = terms_of(query)
        found = index.find(terms, offset, limit)
        if isinstance(found, Building):
            return {"building": {"done": found.done, "total": found.total}}
        documents = [
            {
                **{name: document[name] for name in ("row", "id", "time", "topics")},
                "excerpt": excerpt(texts[document["row"]], terms),
            }
            for document in self._documents.of_rows(found.rows, LIST_CHARS)
        ]
        return {"total": found.total, "documents": documents}

    def concordance(self, phrase: str, offset: int, limit: int) -> dict[str, Any]:
        """The places where a phrase stands, in the corpus's order."""
        self._check_texts()
        places, length = self._places(phrase)
        lines = lines_at(
            self.model.partition_, self.model.lda_.clique_topic_, places[offset : offset + limit], length
        )
        return {"total": places.size, "lines": [line._asdict() for line in lines]}

    def _check_texts(self) -> None:
        if self.model.corpus_.texts is None:
            raise NoTexts


@contextmanager
def _without_paths() -> Iterator[None]:
    """Have an error of labels.json say what is wrong, and not where the model lies."""
    try:
        yield
    except LabelsError as error:
        raise Unavailable(error.reason) from None
