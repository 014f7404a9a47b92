"""The parameters of a model: for its steps, and as facts in model.json and run.json."""

from __future__ import annotations

from typing import Any, TypeVar

import polars as pl

from topminer._estimator import Estimator
from topminer.phrases.miner import PhraseMiner
from topminer.store.facts import plain
from topminer.store.formats import PARAMETERS
from topminer.text.corpus import Corpus
from topminer.text.provenance import PATHS
from topminer.topics.model.fitting import without_one_chain
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.sampler.chain import TIMES

Step = TypeVar("Step", bound=Estimator)


def miner_of(model: Estimator) -> PhraseMiner | None:
    """Return the miner of a model, not fitted; None if the model has single words only."""
    return _step(PhraseMiner(), model) if model.get_params()["phrases"] else None


def lda_of(model: Estimator) -> PhraseLDA:
    """Return the topic model of a model, not fitted."""
    return _step(PhraseLDA(), model)


def _step(step: Step, model: Estimator) -> Step:
    parameters = model.get_params()
    return step.set_params(**{name: parameters[name] for name in step.get_params()})


def stored_parameters(model: Estimator, miner: PhraseMiner | None, lda: PhraseLDA) -> dict[str, Any]:
    """Return the parameters of a fitted model as JSON values.

    Those of reading are the corpus's rules, the user's own phrases are stored as stems, the seed with the
    topics.
    """
    # The steps have the parameters they were fitted with; the model's own may have been set anew.
    found = {**model.get_params(), **lda.get_params(), "phrases": miner is not None}
    if miner is not None:
        found.update(miner.get_params())
    return without_one_chain({name: plain(found[name]) for name in PARAMETERS.fields})


def run_facts(corpus: Corpus, history: pl.DataFrame) -> dict[str, Any]:
    """Return the paths of a run's corpus, and the times of its sweeps."""
    paths = {name: getattr(corpus.origin, name) for name in PATHS}
    return {**paths, "history": history.select(TIMES).to_dict(as_series=False)}
