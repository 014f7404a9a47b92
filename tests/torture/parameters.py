"""Parameters and options: random ones, and the extremes of every type.

A trial holds if all results are finite and all topics in range, or if one clear line refuses the parameters.
"""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from topminer import Corpus, PhraseLDA, PhraseMiner, ToPMine
from topminer.cli import main  # noqa: F401 - children start with it
from topminer.errors import InputError
from topminer.topics.sampler.chain import STAGE, Chain
from torture.extremes import FLOATS, INTEGERS
from torture.processes import in_child, run_topminer
from torture.trials import Trials

NAME = "parameters: random and extreme"
WANTED = 400

TEXTS = [
    "Frequent pattern mining in large data bases.",
    "Support vector machines for text, and for images",
    "Mining frequent patterns without candidates: a tree approach",
    "A query log of the web; query logs of people",
] * 8

EXTREMES: list[Any] = [
    *(*INTEGERS, *FLOATS, 17, 256, 257, 1024, 1025, 2**31, 2**63, 2**64 - 1, 2**64, 10**18, 10**19, 10**30),
    *(10**400, -(10**30), 1.0, 2.5, 1e-320, 1e-40, 1e-6, 1e-4, 0.999999, 1e3, 1e6, 1e39),
    *(True, False, None, "", "5", "auto", "nan", b"5", 1j),
    *([], [0.1], [0.1, 0.2], [[0.1], [0.2]], [0.1, "a"], [1, [2]], {}, {"a": 1}, {1}, object),
    *(Decimal("0.5"), Fraction(1, 3), Fraction(10**400, 3)),
    *(np.int8(5), np.uint8(200), np.int64(2**62), np.uint64(2**63), np.bool_(True), np.float16(0.1)),
    *(np.float32(1e30), np.float64("nan"), np.longdouble("1e4000"), np.array(0.5), np.array([0.1, 0.2])),
    *(np.array([math.nan, 0.1]), np.array([1e-300, 1e300]), np.array([], np.float32)),
]
# What is given where nothing extreme is: small enough for a quick fit.
USUAL: dict[str, Callable[[Random], Any]] = {
    "n_topics": lambda chance: chance.choice([1, 2, 5, 16, 17, 40]),
    "alpha": lambda chance: chance.choice([None, 10 ** chance.uniform(-6, 3)]),
    "beta": lambda chance: 10 ** chance.uniform(-4, 3),
    "n_sweeps": lambda chance: chance.randrange(1, 6),
    "optimize_interval": lambda chance: chance.randrange(4),
    "burn_in": lambda chance: chance.randrange(4),
    "n_shards": lambda chance: chance.choice([None, 1, 2, 3]),
    "split": lambda chance: chance.choice(["auto", "none", "paragraph", 1, 20]),
    "start": lambda chance: chance.choice(["random", "factorised"]),
    "n_chains": lambda chance: chance.choice([1, 1, 2]),
    "random_state": lambda chance: chance.choice([None, 0, chance.randrange(2**64)]),
    "min_support": lambda chance: chance.choice(["auto", 1, 3, 0.01, 1e-300]),
    "significance": lambda chance: chance.choice([0, 0.5, 4, math.inf, 1e300]),
    "max_length": lambda chance: chance.choice([None, 1, 2, 64, 10**18]),
    "quality": lambda chance: chance.choice(["auto", None, -3.0, 2]),
    "evidence": lambda chance: chance.choice(["auto", None, 1, 3]),
    "ties": lambda chance: chance.choice(["auto", None]),
    "n_threads": lambda chance: chance.choice([1, 2, 3]),
}
OF_MINER = ("min_support", "significance", "quality", "evidence", "ties", "max_length", "n_threads")
OF_TOPICS = ("n_threads", *(name for name in USUAL if name not in OF_MINER))

# The commands' numeric options; what else they need stands in `_command`.
SAMPLING = ("topics", "sweeps", "seed", "alpha", "beta", "optimize-interval", "burn-in", "shards", "chains")
MINING = ("min-support", "max-length", "significance", "threads")
OPTIONS = {
    "run": (*SAMPLING, *MINING, "checkpoint-every"),
    "phrases": (*MINING, "top", "thresholds"),
    "topics": ("words", "phrases", "relevance", "threads"),
    "infer": ("threads",),
    "evaluate": ("window", "seeds", "sweeps", "seed", "threads"),
    "explain": MINING,
}
WRITTEN = (
    *("0", "-1", "1", "2", "7", "300", "65535", "65536", "4294967296", "9223372036854775808"),
    *("1" + "0" * 30, "1" + "0" * 5000, "0.5", "1e-320", "1e-300", "1e-40", "1e-6", "0.0001", "1000"),
    *("1e30", "1e300", "1e999", "inf", "-inf", "nan", "auto", "none", "", " ", "x", "٣", "1_000", "0x10"),
    *("2,4", "5,,5", "1e3,nan", "true"),
)
LASTING = ("sweeps", "seeds")  # a large number of them is allowed, and takes for ever


def torture(trials: Trials) -> None:
    """Try parameters of the library and options of the commands in turn."""
    corpus, model = trials.folder / "corpus.txt", trials.folder / "model"
    corpus.write_text("\n".join(TEXTS), encoding="utf-8")
    made = run_topminer("run", str(corpus), "--output", str(model), *_QUICK, "--no-report")
    if made.code:
        raise RuntimeError(f"no model to try things with: {made.printed}")
    for chance in trials:
        if trials.tried % 2:
            asked = _parameters(chance)
            ending = in_child(_in_library, *asked)
        else:
            asked = _command(chance, corpus, model, trials.folder / f"output-{trials.tried}")
            ending = run_topminer(*asked)
        if ending.complaint:
            trials.failed(f"{asked}: {ending.complaint}")


_QUICK = ("--topics", "3", "--sweeps", "5", "--min-support", "3", "--significance", "1", "--threads", "1")


# ---------------------------------------------------------------------------------------- the library


def _parameters(chance: Random) -> tuple[str, dict[str, Any], Any]:
    """What to fit, its parameters, and how many words and phrases to show of its topics."""
    what = chance.choice(["miner", "topics", "all"])
    names = {"miner": OF_MINER, "topics": OF_TOPICS, "all": tuple(USUAL)}[what]
    given = {name: USUAL[name](chance) for name in names}
    for name in chance.sample(names, chance.choice([0, 1, 1, 1, 2])):
        given[name] = chance.choice(EXTREMES)
    return what, given, chance.choice([0, 3, chance.choice(EXTREMES)])


def _in_library(what: str, given: dict[str, Any], n: Any) -> None:
    corpus = Corpus.from_texts(TEXTS, n_threads=given.get("n_threads", 1))
    if what == "miner":
        miner = PhraseMiner(**given).fit(corpus)
        partition = miner.transform(corpus)
        assert miner.phrases_["support"].is_not_null().all()
        assert partition.clique_start[-1] == corpus.n_tokens
        return
    if what == "topics":
        partition = PhraseMiner(3, 1.0, n_threads=1).fit(corpus).transform(corpus)
        _check_topics(PhraseLDA(**given).fit(partition, after_sweep=_enough), partition.n_cliques)
        return
    model = ToPMine(**given)
    model.fit(corpus, progress=_stop_soon)
    _check_topics(model.lda_, model.partition_.n_cliques)
    for topic in model.topics(n, n):
        assert all(math.isfinite(word.p) for word in topic.words)
    _, inferred = model.infer([*TEXTS[:3], "", "words nobody knows"])
    assert np.isfinite(inferred.doc_topic).all() and inferred.clique_topic.max() < inferred.doc_topic.shape[1]
    assert model.explain(TEXTS[0]).phrases


def _enough(chain: Chain) -> None:
    _stop_soon(STAGE, chain.sampler.n_sweeps)


def _stop_soon(stage: str, done: int, *_: object) -> None:
    if stage == STAGE and done >= 6:
        raise InputError("these are enough sweeps")


def _check_topics(lda: PhraseLDA, n_cliques: int) -> None:
    topics, n_topics = lda.clique_topic_, int(lda.n_topics)
    assert topics.size == n_cliques and topics.min() >= 0 and topics.max() < n_topics
    for table in (lda.doc_topic_, lda.topic_word_):
        assert np.isfinite(table).all() and np.allclose(table.sum(axis=1), 1)
    assert np.isfinite(lda.alpha_).all() and math.isfinite(lda.beta_)
    assert lda.history_["log_likelihood"].is_finite().all()


# --------------------------------------------------------------------------------------- the commands


def _command(chance: Random, corpus: Path, model: Path, output: Path) -> list[str]:
    """A command with some of its options set."""
    name = chance.choice(list(OPTIONS))
    words = {
        "run": ["run", str(corpus), "--output", str(output), *_QUICK],
        "phrases": ["phrases", str(corpus), "--threshold-sweep"],
        "topics": ["topics", str(model), "--order", "relevance"],
        "infer": ["infer", str(model), str(corpus), "--output", f"{output}.jsonl"],
        "evaluate": ["evaluate", str(model), "--sweeps", "3", "--output", f"{output}.json"],
        "explain": ["explain", str(corpus), TEXTS[0], "--min-support", "3"],
    }[name]
    if name == "phrases" and chance.random() < 0.5:
        words.remove("--threshold-sweep")
    options = OPTIONS[name]
    for option in chance.sample(options, min(chance.choice([1, 1, 2, 3]), len(options))):
        value = chance.choice(WRITTEN)
        if option in LASTING and value.strip().isdecimal() and int(value[:20]) > 7:
            value = "3"
        words.append(f"--{option}={value}")
    return words
