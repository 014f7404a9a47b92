"""What the explorer answers: each request of its API is a method of :class:`Explorer`.

FastAPI validates the parameters by their types. Everything costly is computed once, when it is first needed,
and any number of threads may ask.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import fastapi
import numpy as np
import polars as pl
from fastapi import HTTPException, Query
from fastapi.responses import JSONResponse

from topminer.errors import InputError
from topminer.store import read_json
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.own_labels import MANIFEST, Labels, update_labels
from topminer.topics.results.summary import Summary
from topminer.views.explorer.answers import NewLabel, NewText
from topminer.views.explorer.concordance import lines_at, places_of
from topminer.views.explorer.excerpts import excerpt
from topminer.views.explorer.search import Building, SearchIndex, terms_of
from topminer.views.pages import page
from topminer.views.report_page import charts_of, title_of
from topminer.views.report_page.data import page_data
from topminer.views.report_page.documents import Documents, cut
from topminer.views.report_page.shown import ALWAYS

Names = Mapping[int, str]  # labels by the topic's number
N_REPRESENTATIVE = 10  # documents that are listed with a topic
LIST_CHARS = 2_000  # of a text in a list; a document asked for by itself is complete
MAX_LIMIT = 100
_FAR = 2**31  # no list is longer

TopicNumber = Annotated[int, fastapi.Path(ge=0, le=_FAR, description="The topic's number.")]
Row = Annotated[int, fastapi.Path(ge=0, le=_FAR, description="The document's place in the corpus, from 0.")]
OfTopic = Annotated[int | None, Query(ge=0, le=_FAR, description="Only those that have this topic.")]
Threshold = Annotated[
    float | None, Query(ge=0, le=ALWAYS, allow_inf_nan=False, description="Cut into phrases at it.")
]
SearchText = Annotated[
    str, Query(max_length=1_000, description='Words, the last of which may go on; "…": side by side.')
]
SearchPhrase = Annotated[str, Query(max_length=1_000, description="Its words, in any form.")]
Offset = Annotated[int, Query(ge=0, le=_FAR, description="How many to pass over.")]
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="How many to return at most.")]


class Explorer:
    """A fitted model, the directory it was loaded from, and the page's title (the name of the corpus)."""

    def __init__(self, model: Fitted, directory: Path, *, title: str | None = None) -> None:
        self.model, self.directory = model, directory
        self.title = title or title_of(model)
        self._model_name = Labels.read(directory).model
        self._data: dict[str, Any] | None = None
        self._page: tuple[Names, str] | None = None  # and the labels in it
        self._lock, self._labels_lock = threading.Lock(), threading.Lock()
        self._summary = Summary(model)
        self._documents = Documents(self._summary)
        self._places = lru_cache(32)(lambda phrase: places_of(model.corpus_, phrase))
        self._index: SearchIndex | None = None
        if model.corpus_.texts is not None:
            # The manifest has the checksums of all data: models with the same manifest have the same texts.
            digest = hashlib.sha256((directory / MANIFEST).read_bytes()).hexdigest()
            self._index = SearchIndex(model.corpus_.texts, digest)

    def close(self) -> None:
        """Stop what runs in the background."""
        if self._index is not None:
            self._index.close()

    # ----------------------------------------------------------------- topics

    def page(self) -> str:
        """Return the page, with the labels as they are now."""
        names = self._names()
        with self._lock:
            if self._page is None or self._page[0] != names:
                charts = charts_of(self._summary.relabelled(names))
                self._page = names, page(self._labelled(names), charts)
            return self._page[1]

    def overview(self) -> dict[str, Any]:
        """Return the page data, without documents."""
        return {name: value for name, value in self._now().items() if name != "documents"}

    def topics(self) -> list[dict[str, Any]]:
        """Topics, the heaviest first, with their words and phrases."""
        data = self._now()
        return [self._spelled_out(topic, data["entries"]) for topic in data["topics"]]

    def topic(self, id: TopicNumber) -> dict[str, Any]:
        """A topic with its words and phrases."""
        self._check_topic(id)
        data = self._now()
        return self._spelled_out(data["topics"][id], data["entries"])

    def rename(self, id: TopicNumber, new: NewLabel) -> dict[str, Any]:
        """Give a topic a label of your own, which stays with the model."""
        self._check_topic(id)

        def change(labels: Labels) -> Labels:
            if labels.model != self._model_name:
                raise HTTPException(
                    409, "the model was replaced by another one since; start topminer serve again"
                )
            return labels.renamed(id, new.label)

        # The file's own lock is for other processes; threads of this one wait in line here.
        with self._labels_lock:
            labels = update_labels(self.directory, change)
        topic = self._now(labels.names)["topics"][id]
        return {name: topic[name] for name in ("id", "label", "renamed")}

    def _names(self) -> Names:
        """Return the user's own labels as they are now: `topminer label` may change them at any time."""
        labels = Labels.read(self.directory)
        return labels.names if labels.model == self._model_name else {}

    def _now(self, names: Names | None = None) -> dict[str, Any]:
        names = self._names() if names is None else names
        with self._lock:
            return self._labelled(names)

    def _labelled(self, names: Names) -> dict[str, Any]:
        """Return the page data with labels. The caller has the lock."""
        if self._data is None:
            run = read_json(self.directory / "run.json")
            self._data = page_data(self._summary, title=self.title, run=run, live=True)
        topics = [
            {**topic, "label": names[topic["id"]], "renamed": True} if topic["id"] in names else topic
            for topic in self._data["topics"]
        ]
        return {**self._data, "topics": topics}

    def _spelled_out(self, topic: dict[str, Any], entries: list[dict[str, Any]]) -> dict[str, Any]:
        """Return a topic of the page data that needs no other part of it."""
        phrases = [
            {
                "phrase": entries[entry]["text"],
                "frequency": frequency,
                "kert": kert,
                "best": best,
                "background": entries[entry]["background"],
            }
            for entry, frequency, kert, best in topic["phrases"]
        ]
        rows = self._summary.representative(topic["id"], N_REPRESENTATIVE)
        return {**topic, "phrases": phrases, "documents": rows.tolist()}

    def _check_topic(self, number: int) -> None:
        n_topics = self._summary.n_topics
        if number >= n_topics:
            raise HTTPException(
                404, f"there is no topic {number}; topics are numbered from 0 to {n_topics - 1:,}"
            )

    # -------------------------------------------------------------- documents

    def documents(self, topic: OfTopic = None, offset: Offset = 0, limit: Limit = 10) -> dict[str, Any]:
        """Documents in order, or those of a topic, the most representative first. Long texts are cut."""
        self._check_texts()
        if topic is None:
            total = len(self.model.corpus_)
            rows = np.arange(min(offset, total), min(offset + limit, total))
        else:
            self._check_topic(topic)
            found = self._summary.representative(topic)
            total, rows = found.size, found[offset : offset + limit]
        return {"total": total, "documents": self._documents.of_rows(rows, LIST_CHARS)}

    def document(self, row: Row, threshold: Threshold = None) -> dict[str, Any]:
        """A document, its topics, its kept tokens, and how strongly these hold together."""
        self._check_texts()
        n_documents = len(self.model.corpus_)
        if row >= n_documents:
            raise HTTPException(
                404, f"there is no document {row}; rows are numbered from 0 to {n_documents - 1:,}"
            )
        lowest = self._summary.lowest
        if threshold is not None and threshold < lowest:
            raise InputError(f"threshold must be at least {lowest:g}, not {threshold:g}")
        document = self._documents.of_rows([row], None)[0]
        return document if threshold is None else {**document, "phrases": cut(document, threshold)}

    def segment(self, new: NewText) -> dict[str, Any]:
        """A text that is not in the corpus, with its phrases and the topics that the model sees in it."""
        return self._documents.of_text(new.text)

    def search(self, q: SearchText, offset: Offset = 0, limit: Limit = 10) -> Any:
        """Documents that have all the words, the best first."""
        texts = self._check_texts()
        assert self._index is not None
        terms = terms_of(q)
        found = self._index.find(terms, offset, limit)
        if isinstance(found, Building):
            return JSONResponse({"building": {"done": found.done, "total": found.total}}, 202)
        documents = [
            {
                **{name: document[name] for name in ("row", "id", "time", "topics")},
                "excerpt": excerpt(texts[document["row"]], terms),
            }
            for document in self._documents.of_rows(found.rows, LIST_CHARS, finer=False)
        ]
        return {"total": found.total, "documents": documents}

    def concordance(self, phrase: SearchPhrase, offset: Offset = 0, limit: Limit = 20) -> dict[str, Any]:
        """Every place where the words of a phrase stand side by side, in the corpus's order."""
        self._check_texts()
        places, length = self._places(phrase)
        lines = lines_at(
            self.model.partition_, self.model.lda_.clique_topic_, places[offset : offset + limit], length
        )
        return {"total": places.size, "lines": [line._asdict() for line in lines]}

    def _check_texts(self) -> pl.Series:
        """Return the texts of the documents; refuse the request if the model has none."""
        if self.model.corpus_.texts is None:
            raise HTTPException(409, "this model was saved without the texts of its documents")
        return self.model.corpus_.texts
