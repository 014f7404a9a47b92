"""Gibbs sampling of new documents, with the words of the topics fixed (see results/fold_in.py)."""

from __future__ import annotations

from topminer.topics.kernels.fold_in_dense import sample_dense
from topminer.topics.kernels.fold_in_sparse import make_scratch, sample_sparse
from topminer.topics.kernels.new_documents import NewDocuments, room_for_cliques
from topminer.topics.kernels.streams import MAX_DENSE, make_streams


def sample_documents(documents: NewDocuments) -> None:
    """Sample new documents; write their rows of ``doc_topic`` and the topics of their cliques."""
    cliques = room_for_cliques(documents)
    if documents.n_topics > MAX_DENSE:
        sample_sparse(documents, cliques, make_scratch(documents))
    else:
        sample_dense(documents, cliques, make_streams(documents))
