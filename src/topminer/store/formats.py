"""Everything that topminer stores, declared: models, corpora, and the parts of a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from topminer._parameters import ALPHA_RANGE, BETA_RANGE, MOST_CHAINS, MOST_SEED, MOST_SHARDS, MOST_TOPICS
from topminer.store.certainty_formats import CERTAINTY, INTERVALS_HOLD, finished
from topminer.store.facts import Fact, Flag, Float, Int, ListOf, Names, OneOf, Record, Text, optional
from topminer.store.relations import (
    chunks_are_apart,
    documents_add_up,
    documents_start_chunks,
    evidence_in_support,
    fewer_topics_are_tried,
    judged_have_statistics,
    pairs_ascend,
    phrases_form_a_tree,
    stems_are_distinct,
    types_have_instances,
    words_add_up,
    words_are_known,
)
from topminer.store.schema import Array, Column, Format, Range, Relation, Section, Table

_COUNT = Range(low=0)
_TIME = Range(low=-62_135_596_800_000_000, high=253_402_300_799_999_999)  # the years 1 to 9999
_WORD = Column(pl.String, filled=True)
_TOPIC = Range(low=0, below="topics")
_FLOATS = Range(low=0.0)
_ALPHA = Range(*ALPHA_RANGE)
_BETA = Float(*BETA_RANGE)
_SEED = Int(high=MOST_SEED)
_THRESHOLD = Float(0.0, infinite=True)
_RULE = OneOf((Text(("none", "paragraph")), Int(1)))  # how documents are divided into pieces
_READING_RULES: Mapping[str, Fact] = {
    "language": optional(Text()),
    "stem": Flag(),
    "stop_word_policy": Text(("skip", "keep", "break")),
    "numbers": Flag(),
    "token_pattern": optional(Text()),
    "kinds": optional(Names(Text(("drop", "skip", "keep")))),
}
_FILTERED = dict.fromkeys(("n_rare_words", "n_duplicates", "n_duplicate_tokens"), Int())
_DF = OneOf((Int(1), Float(0.0, 1.0)))

# -------------------------------------------------------------------------------------------------- corpus


CORPUS = Section(
    facts=Record(
        {
            "rules": Record({**_READING_RULES, "stop_words": ListOf(Text())}),
            "origin": Record(
                {
                    "name": Text(),
                    "columns": Names(Text()),
                    "n_found": Int(),
                    "n_stop_words": Int(),
                    "n_numbers_dropped": Int(),
                    "n_blank_documents": Int(),
                    "n_undecodable": Int(),
                    "first_undecodable": optional(Text()),
                    "n_nul_characters": Int(),
                    "kinds": Names(Int()),
                    **_FILTERED,
                },
                may_lack=("name", "first_undecodable", *_FILTERED),  # a model names no place
            ),
        }
    ),
    arrays={
        "stem_ids": Array("<i4", "tokens", Range(low=-1, below="stems"), documents=True),
        "surface_ids": Array("<i4", "tokens", Range(low=0, below="surfaces"), documents=True),
        "gap_ids": Array("<i4", "tokens", Range(low=0, below="gaps"), documents=True),
        "starts": Array("<i4", "tokens", _COUNT, documents=True),
        "doc_start": Array("<i8", "documents+1", order="ascending", ends="tokens", documents=True),
        "chunk_start": Array("<i8", "chunks+1", order="strict", ends="tokens", documents=True),
    },
    tables={
        "vocabulary": Table(
            "stems",
            {"stem": _WORD, "surface": _WORD, "count": Column(pl.Int64, _COUNT)},
        ),
        "surfaces": Table(
            "surfaces",
            {
                "surface": _WORD,
                "stem": Column(pl.Int32, Range(low=-1, below="stems")),
                "count": Column(pl.Int64, _COUNT),
            },
            documents=True,
        ),
        "gaps": Table("gaps", {"gap": Column(pl.String)}, documents=True),
        "documents": Table(
            "documents",
            {"id": Column(pl.String), "time": Column(pl.Datetime("us"), _TIME, nulls=True, may_lack=True)},
            documents=True,
        ),
        "texts": Table("documents", {"text": Column(pl.String)}, may_lack=True, documents=True),
    },
    relations=(
        Relation("every document starts a chunk", ("doc_start", "chunk_start"), documents_start_chunks),
        Relation("every stem has one row", ("vocabulary",), stems_are_distinct),
    ),
)

# ------------------------------------------------------------------------------------ phrases and partition

_OWN = ListOf(ListOf(Int(below="stems"), least=2))

PHRASES = Section(
    facts=Record(
        {
            "n_tokens": Int(1),
            "min_support": Int(1),
            "reached_max_length": Flag(),
            "threshold": _THRESHOLD,
            "cut": optional(Float()),
            "tied": Flag(),
            "always": _OWN,
            "never": _OWN,
        }
    ),
    arrays={
        "prefix": Array("<i4", "mined", Range(low=-1, below="mined")),
        "last": Array("<i4", "mined", Range(low=0, below="stems")),
        "evidence": Array("<i8", "mined", _COUNT),
        "support": Array("<i8", "mined", _COUNT),
        "length_start": Array("<i8", "lengths", order="ascending", ends="mined"),
        "judged": Array("<i4", "judged", Range(low=0, below="mined"), order="strict"),
        "quality": Array("<f8", "judged", Range(low=-1e9, high=1e9)),
        "statistics": Array("<f8", "judged*statistics", Range(low=-1e6, high=1e6)),
    },
    relations=(
        Relation("no phrase has more evidence than support", ("evidence", "support"), evidence_in_support),
        Relation("each judgement has eight statistics", ("judged", "statistics"), judged_have_statistics),
    ),
    may_lack=True,
)


# Phrase types of several words, in the order in which they first occur, and how they are shown. They follow
# from the documents, but can be shown without them.
PARTITION = Section(
    arrays={
        "strength": Array("<f8", "tokens", Range(infinite=True), documents=True),
        "type_start": Array("<i8", "long_types+1", order="strict", ends="type_words"),
        "type_stems": Array("<i4", "type_words", Range(low=0, below="stems")),
        "instances": Array("<i8", "types", _COUNT),
    },
    tables={"surfaces": Table("long_types", {"surface": _WORD})},
    may_lack=True,
)

# -------------------------------------------------------------------------------------------------- topics


TOPICS = Section(
    facts=Record(
        {
            "seed": _SEED,
            "beta": _BETA,
            "n_documents": Int(equals="documents"),
            "n_samples": Int(1),
            "n_shards": Int(1, MOST_SHARDS),
            "split": _RULE,
        }
    ),
    arrays={
        "word_topic": Array("<i4", "stems*topics", _COUNT),
        "tokens": Array("<i8", "topics", _COUNT),
        "doc_topic_doc": Array(
            "<i8", "doc_topics", Range(low=0, below="documents"), order="ascending", documents=True
        ),
        "doc_topic_topic": Array("<i4", "doc_topics", _TOPIC, documents=True),
        "doc_topic_tokens": Array("<i4", "doc_topics", Range(low=1), documents=True),
        "doc_pieces": Array("<i4", "documents", Range(low=1), documents=True),
        "clique_topic": Array("<i4", "cliques", Range(low=-1, below="topics"), documents=True),
        "frequency_type": Array("<i4", "type_topics", _COUNT),
        "frequency_topic": Array("<i4", "type_topics", _TOPIC),
        "frequency_mean": Array("<f8", "type_topics", _FLOATS),
        "frequency_spread": Array("<f8", "type_topics", _FLOATS),
        "alpha": Array("<f8", "topics", _ALPHA),
    },
    tables={
        "history": Table(
            "records",
            {
                "sweep": Column(pl.Int64, Range(low=1)),
                "log_likelihood": Column(pl.Float64),
                "perplexity": Column(pl.Float64, _FLOATS),
                "held_out_perplexity": Column(pl.Float64, _FLOATS, nulls=True),
            },
        ),
        "tried": Table(
            "tried",
            {"n_topics": Column(pl.Int64, Range(low=1)), "perplexity": Column(pl.Float64, _FLOATS)},
            may_lack=True,
        ),
    },
    relations=(
        Relation("the words of a topic add up to its tokens", ("word_topic", "tokens"), words_add_up),
        Relation(
            "the documents of a topic add up to its tokens",
            ("doc_topic_topic", "doc_topic_tokens", "tokens"),
            documents_add_up,
        ),
        Relation("fewer and fewer topics were tried", ("tried",), fewer_topics_are_tried),
        Relation("phrase types and topics ascend", ("frequency_type", "frequency_topic"), pairs_ascend),
    ),
)

MINING: dict[str, Fact] = {
    "min_support": OneOf((Text(("auto",)), Int(1), Float(0.0))),
    "significance": _THRESHOLD,
    "max_length": optional(Int(1)),
    "quality": OneOf((Text(("auto",)), *optional(Float()).kinds)),
    "evidence": OneOf((Text(("auto",)), *optional(Int(1)).kinds)),
    "ties": optional(Text(("auto",))),
}
_CHAIN_PARAMETERS: dict[str, Fact] = {
    "beta": _BETA,
    "n_sweeps": OneOf((Text(("auto",)), Int(1))),
    "optimize_interval": Int(0),
    "burn_in": Int(0),
    "n_shards": optional(Int(1, MOST_SHARDS)),
    "start": Text(("random", "factorised")),
    "split": OneOf((Text(("auto", "none", "paragraph")), Int(1))),
    "n_chains": Int(1, MOST_CHAINS),
}
ONE = ("n_chains",)  # missing in a model of one chain
# No parameter names a place or an engine: a model from a stranger must not choose where to go.
SAMPLING: dict[str, Fact] = {
    **_CHAIN_PARAMETERS,
    "n_topics": Int(1, MOST_TOPICS, equals="topics"),
    "alpha": OneOf((*optional(Float(*ALPHA_RANGE)).kinds, ListOf(Float(*ALPHA_RANGE)))),
}
PARAMETERS = Record({**MINING, **SAMPLING, "phrases": Flag()}, may_lack=ONE)

_PHRASES_OF_A_CORPUS = (
    Relation(
        "single words come first, and every longer phrase extends one that is a word shorter",
        ("phrases-prefix", "phrases-last", "phrases-length_start", "corpus-vocabulary"),
        phrases_form_a_tree,
    ),
    Relation(
        "single words come first among the types, and the others occur",
        ("partition-type_start", "partition-instances", "corpus-vocabulary"),
        types_have_instances,
    ),
    Relation("every word is in the vocabulary", ("corpus-stem_ids", "partition-strength"), words_are_known),
    Relation(
        "no phrase reaches over the start of a chunk",
        ("partition-strength", "corpus-chunk_start"),
        chunks_are_apart,
    ),
)

MODEL = Format(
    "model",
    {
        "corpus": CORPUS,
        "phrases": PHRASES,
        "partition": PARTITION,
        "topics": TOPICS,
        "certainty": CERTAINTY,
    },
    facts={"parameters": PARAMETERS},
    relations=(*_PHRASES_OF_A_CORPUS, INTERVALS_HOLD),
)

# The steps of a model, stored alone.
MINER = Format(
    "miner",
    {
        "corpus": CORPUS,
        "phrases": replace(PHRASES, may_lack=False),
        "partition": replace(PARTITION, may_lack=False),
    },
    facts={"parameters": Record(MINING)},
    relations=_PHRASES_OF_A_CORPUS,
)
STORED_TOPICS = Format(
    "topics",
    {"topics": TOPICS, "certainty": CERTAINTY},
    facts={"parameters": Record(SAMPLING, may_lack=ONE)},
    relations=(INTERVALS_HOLD,),
)

# ---------------------------------------------------------------------------------------------- checkpoints

STORED_CORPUS = Format("corpus", {"": CORPUS})
STORED_PARTITION = Format(
    "partition", {"": Section(arrays={"strength": Array("<f8", "tokens", Range(infinite=True))})}
)

_ROW = ListOf(
    row=(Int(1), Float(), Float(0.0), optional(Float(0.0)), Float(0.0), Float(0.0)),
)

CHAIN = Format(
    "chain",
    {
        "": Section(
            facts=Record(
                {
                    "sweep": Int(),
                    "seed": _SEED,
                    "n_shards": Int(1, MOST_SHARDS),
                    "split": _RULE,
                    "beta": _BETA,
                    "n_samples": Int(),
                    "rows": ListOf(_ROW),
                    "tried": ListOf(ListOf(row=(Int(1), Float(0.0)))),
                    "seconds": Float(0.0),
                }
            ),
            arrays={
                "z": Array("<u2", "sampled_cliques", _TOPIC),
                "n_dk": Array("<u2|<i4", "list_slots", _COUNT),
                "list_size": Array("<i4", "lists", _COUNT),
                "z_rare": Array("<u2", "rare_tokens", _TOPIC),
                "keys": Array("<i8", "type_topics", _COUNT, order="strict"),
                "sums": Array("<i8", "type_topics", Range(low=1)),
                "squares": Array("<i8", "type_topics", Range(low=1)),
                "alpha": Array("<f8", "topics", _ALPHA),
                "sampled": Array("<i8", "samples*topics", _COUNT),
            },
        )
    },
)
BEST = replace(CHAIN, kind="best")  # of several chains: the state of the best so far

_RUN = Record(
    {
        "id": Text(),
        "corpus": Text(),
        "reading": Record(
            {
                "text": optional(Text()),
                "id": optional(Text()),
                "time": optional(Text()),
                "format": optional(Text(("txt", "csv", "tsv", "jsonl", "parquet"))),
                "encoding": Text(),
                "errors": Text(("replace", "strict")),
                **_READING_RULES,
                "stop_words": optional(ListOf(Text())),
                "add_stop_words": optional(ListOf(Text())),
            }
        ),
        "filters": Record({"min_df": _DF, "max_df": _DF, "dedupe": Flag()}),
        "model": Record(
            {
                **MINING,
                **_CHAIN_PARAMETERS,
                "n_topics": OneOf((Text(("auto",)), Int(1, MOST_TOPICS))),
                "phrases": Flag(),
                "alpha": optional(Float(*ALPHA_RANGE)),
                "random_state": _SEED,
                "always": optional(ListOf(Text())),
                "never": optional(ListOf(Text())),
            }
        ),
        "keep_texts": Flag(),
        "report": Flag(),
        "checkpoint_every": Float(0.0),
        "engine": Text(("local", "ray")),
        "elsewhere": Flag(),  # whether the run was on a cluster that was running already
    }
)
PLAN = Format("plan", {"": Section(facts=Record({"run": _RUN}))})

CHECKPOINT: Mapping[str, Format] = {
    each.kind: each
    for each in (
        *(PLAN, STORED_CORPUS, STORED_PARTITION, CHAIN, BEST),
        *map(finished, range(1, MOST_CHAINS + 1)),
    )
}
