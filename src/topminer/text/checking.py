"""Whether a corpus that was stored holds together: anybody can make a directory with the right checksums."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from topminer.text.corpus import Corpus


def check_arrays(corpus: Corpus) -> None:
    """Let no kernel look where there is nothing; raises ValueError."""
    n, n_stems = corpus.n_tokens, corpus.n_stems
    for name in ("surface_ids", "gap_ids", "starts"):
        if getattr(corpus, name).shape != (n,):
            raise ValueError(f"{name} of {getattr(corpus, name).shape} for {n:,} tokens")
    for name, ids, least, size in (
        ("stem_ids", corpus.stem_ids, -1, n_stems),
        ("surface_ids", corpus.surface_ids, 0, corpus.surfaces.height),
        ("gap_ids", corpus.gap_ids, 0, len(corpus.gaps)),
        ("surfaces", corpus.surfaces["stem"].to_numpy(), -1, n_stems),
    ):
        if ids.size and not (ids.min() >= least and ids.max() < size):
            raise ValueError(f"{name} that are not from {least} to {size - 1}")
    for name, bounds in (("doc_start", corpus.doc_start), ("chunk_start", corpus.chunk_start)):
        if not (bounds.size and bounds[0] == 0 and bounds[-1] == n and np.all(np.diff(bounds) >= 0)):
            raise ValueError(f"{name} that does not go from 0 to {n:,}")
    for column in (corpus.ids, corpus.times, corpus.texts):
        if column is not None and len(column) != len(corpus):
            raise ValueError(f"{len(column):,} values for {len(corpus):,} documents")
