"""The answers of the explorer's API, as its schema documents them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class Phrase(BaseModel):
    """A phrase of a topic."""

    phrase: str
    frequency: float = Field(description="Topical frequency: its instances in this topic.")
    kert: float | None = Field(description="Its KERT score; null: a mere piece of other phrases.")
    best: float | None = Field(description="Its score in the best order; null: lists leave it out.")
    background: bool = Field(description="Whether it is spread over all topics alike.")


class Measures(BaseModel):
    """Diagnostics of a topic."""

    exclusivity: float | None = Field(description="Mean of p(topic | word) over its ten most probable words.")
    coherence: float | None = Field(description="NPMI of these words over documents.")
    documents: int = Field(description="Documents in which the topic has the largest share.")
    stability: float | None = Field(description="Cosine with the matched topics of other chains.")
    stable: bool | None = Field(description="Whether the stability is high enough; null: there is one chain.")
    weight_low: float | None = Field(description="Where the interval of the weight starts.")
    weight_high: float | None = Field(description="Where it ends.")


class Topic(BaseModel):
    """A topic."""

    id: int
    weight: float = Field(description="Share of the kept tokens.")
    size: float = Field(description="Phrase instances in the topic.")
    label: str
    renamed: bool = Field(description="Whether the label is the user's own.")
    similar: list[tuple[int, float]] = Field(description="Most similar topics, with their similarity.")
    background: bool = Field(description="Whether it is in most documents at an even share.")
    words: list[tuple[str, float, float, bool, float]] = Field(
        description="Word, its probability in the topic and in the corpus, whether lists leave it out as "
        "background, and its score in the best order."
    )
    phrases: list[Phrase]
    trend: list[float] | None = Field(description="Share of the topic in each period.")
    documents: list[int] = Field(description="Rows of the most representative documents.")
    measures: Measures


class Label(BaseModel):
    """The label of a topic."""

    id: int
    label: str
    renamed: bool = Field(description="Whether the label is the user's own.")


class NewLabel(BaseModel):
    """A label to be given to a topic."""

    label: str = Field(max_length=1_000, description="Empty: the automatic label again.")


class Cut(BaseModel):
    """A phrase instance."""

    text: str
    start: int
    end: int
    topic: int


class Document(BaseModel):
    """A document; places are counted in Unicode code points."""

    row: int = Field(description="Its place in the corpus; -1: it is not in it.")
    id: str
    time: str | None
    text: str
    cut: bool = Field(description="Whether the text is only the beginning.")
    topics: list[tuple[int, float]] = Field(description="Topics and their shares, the largest first.")
    start: list[int] = Field(description="Where each kept token starts.")
    end: list[int] = Field(description="Where each kept token ends.")
    strength: list[float | None] = Field(
        description="Of each token's bond to the one before: they are one phrase at thresholds up to it."
    )
    topic: list[int] = Field(description="The topic of each token's phrase instance; -1: not known.")
    phrases: list[Cut] = Field(default=[], description="Phrase instances, if a threshold was asked for.")


class Documents(BaseModel):
    """A part of a list of documents."""

    total: int
    documents: list[Document]


class Found(BaseModel):
    """A document that a search has found."""

    row: int
    id: str
    time: str | None
    topics: list[tuple[int, float]]
    excerpt: list[tuple[str, bool]] = Field(description="Pieces of text, and whether each is a hit.")


class Results(BaseModel):
    """A part of what a search has found."""

    total: int
    documents: list[Found]


class Progress(BaseModel):
    """How many documents are done."""

    done: int
    total: int


class StillBuilding(BaseModel):
    """The index is being made: ask again."""

    building: Progress


class ConcordanceLine(BaseModel):
    """A phrase in its context."""

    row: int
    id: str
    left: str
    match: str
    right: str
    topic: int = Field(description="The topic of the phrase instance; -1: not known.")


class Lines(BaseModel):
    """A part of a concordance."""

    total: int
    lines: list[ConcordanceLine]


class NewText(BaseModel):
    """A text to be cut."""

    text: str = Field(max_length=100_000)


class Model(BaseModel):
    """All that the page shows but documents."""

    format: int
    title: str
    version: str
    live: bool
    n_documents: int
    n_tokens: int
    n_types: int = Field(description="Phrase types of several words.")
    threshold: float | None = Field(description="The model's own; null: single words only.")
    lowest: float | None
    highest: float | None
    has_texts: bool
    periods: list[str] | None
    unit: str | None
    order: str = Field(description="The order of phrases that is shown first.")
    period_sizes: list[float] | None
    facts: list[dict[str, Any]]
    verdict: list[str] = Field(description="Whether the sweeps were enough, in sentences.")
    warning: str | None = Field(description="Of a topic that holds more than a third of the kept tokens.")
    rate: float | None = Field(description="Of intervals; null: there is one chain, and there are none.")
    topics: list[dict[str, Any]]
    entries: list[dict[str, Any]]


class Problem(BaseModel):
    """Why a request was refused."""

    detail: str
