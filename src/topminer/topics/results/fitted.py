"""The parts of a fitted model that results are computed from."""

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
    """The parts of a fitted :class:`topminer.ToPMine` that results are computed from."""

    corpus_: Corpus
    partition_: Partition
    miner_: PhraseMiner | None
    lda_: PhraseLDA

    def infer(self, texts: Iterable[Document] | Corpus) -> tuple[Partition, Inferred]:
        """Segment new documents and infer their topics."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters the model was fitted with."""
