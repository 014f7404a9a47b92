"""What a view is given: a fitted model, whoever made it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from topminer.phrases.miner import PhraseMiner
from topminer.phrases.partition import Partition
from topminer.text.corpus import Corpus
from topminer.text.documents import Document
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.results.fold_in import Inferred


class Fitted(Protocol):
    """The parts of a fitted :class:`topminer.ToPMine` that views look at."""

    corpus_: Corpus
    partition_: Partition
    miner_: PhraseMiner | None
    lda_: PhraseLDA

    def infer(self, texts: Iterable[Document] | Corpus) -> tuple[Partition, Inferred]:
        """New documents, cut as the model's own were, and their topics."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters the model was fitted with."""
