"""The options that many commands share, in groups.

A command that reads a corpus takes ``text: TextOptions`` and ``run: RunOptions``, one that mines it
``mining: PhraseOptions`` too; :func:`topminer.cli.command.spread` turns each group into options.
"""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from topminer._parameters import (
    ALPHA_RANGE,
    BETA_RANGE,
    MOST,
    MOST_CHAINS,
    MOST_SHARDS,
    MOST_THREADS,
    MOST_TOPICS,
    whole,
)
from topminer.errors import InputError
from topminer.memory import require_libraries

if TYPE_CHECKING:
    from topminer.progress import Progress
    from topminer.text.corpus import Corpus


def option_in(panel: str | None, help: str, *names: str, **more: Any) -> Any:
    """Return an option that the help shows in one of its panels."""
    return typer.Option(*names, help=help, rich_help_panel=panel, **more)


def argument(help: str, **more: Any) -> Any:
    """Return an argument of a command."""
    return typer.Argument(help=help, show_default=False, **more)


option = functools.partial(option_in, None)
flag = functools.partial(option, metavar="")
number = functools.partial(option, metavar="N")

_file = functools.partial(option_in, "The file")
_words = functools.partial(option_in, "Words")
_topics = functools.partial(option_in, "Topics")
_run = functools.partial(option_in, "This run")

CorpusArgument = Annotated[
    str,
    argument(
        "A .txt file (one document a line), a folder of .txt files, a .csv, .tsv, .jsonl or .parquet "
        "file, each also as .gz, .xz or .zst; or - for standard input.",
        metavar="CORPUS",
    ),
]


DirectoryArgument = Annotated[Path, argument("A model directory.", metavar="DIR")]
OverwriteOption = Annotated[bool, flag("Replace what exists already.", "--overwrite")]
NWordsOption = Annotated[int, number("Words of each topic.", min=0)]
NPhrasesOption = Annotated[int, number("Phrases of each topic.", min=0)]
AllOption = Annotated[
    bool, flag("Show every phrase by itself, also variants and phrases of no topic.", "--all")
]


@dataclass(frozen=True)
class ResultOptions:
    """How a result is printed."""

    format: Annotated[str, option("table, markdown, csv or json.", metavar="FORMAT")] = "table"
    json: Annotated[bool, flag("An earlier name of --format json.", "--json", hidden=True)] = False


@dataclass(frozen=True)
class FileOptions:
    """How a file is read."""

    text_column: Annotated[
        str | None,
        _file("The column of the texts. May be left out if only one looks like text.", metavar="NAME"),
    ] = None
    id_column: Annotated[
        str | None, _file("The column that names the documents. Left out: they are numbered.", metavar="NAME")
    ] = None
    time_column: Annotated[
        str | None, _file("The column of the documents' years, dates or times.", metavar="NAME")
    ] = None
    input_format: Annotated[
        Literal["txt", "csv", "tsv", "jsonl", "parquet"] | None,
        _file("txt, csv, tsv, jsonl or parquet, where the file's name does not tell.", metavar="FORMAT"),
    ] = None
    encoding: Annotated[str, _file("The encoding, such as latin-1 or utf-16.", metavar="NAME")] = "utf-8"
    errors: Annotated[
        Literal["replace", "strict"],
        _file("Bytes that are no text: replace them by � and count them, or be strict and stop."),
    ] = "replace"

    def reading(self) -> dict[str, Any]:
        """Return the arguments of :meth:`Corpus.read`, as values that JSON can store."""
        return {
            "text": self.text_column,
            "id": self.id_column,
            "time": self.time_column,
            "format": self.input_format,
            "encoding": self.encoding,
            "errors": self.errors,
        }


@dataclass(frozen=True)
class TextOptions(FileOptions):
    """How a file is read, and what counts as a word in it."""

    language: Annotated[
        str, _words("Whose stop words and stems: english, german, …; none for neither.", metavar="NAME")
    ] = "english"
    stem: Annotated[bool, _words("Count words by their stems: model and models are one.", metavar="")] = True
    stop_words: Annotated[
        Path | None, _words("Your own stop words, one a line, instead of the language's.", metavar="FILE")
    ] = None
    stop_word_policy: Annotated[
        Literal["skip", "keep", "break"],
        _words(
            "Phrases see through stop words (skip), hold them (keep) or end there (break).", metavar="POLICY"
        ),
    ] = "skip"
    numbers: Annotated[bool, _words("Keep numbers as words. Left out, they end a chunk.", metavar="")] = True
    token_pattern: Annotated[
        str | None,
        _words("A regular expression that finds words, instead of the built-in rules.", metavar="REGEX"),
    ] = None

    add_stop_words: Annotated[
        Path | None, _words("More stop words, one a line, beside the language's.", metavar="FILE")
    ] = None
    kind: Annotated[
        list[str] | None,
        _words(
            "What becomes of a kind of text: NAME=drop, skip or keep, such as url=keep. May be repeated. "
            "none: the text is read as it stands.",
            metavar="NAME=POLICY",
        ),
    ] = None
    min_df: Annotated[
        str, _words("Leave out words in fewer documents: a number, or a share (0.001).", metavar="N")
    ] = "1"
    max_df: Annotated[
        str, _words("Words in more documents are stop words: a number, or a share (0.5).", metavar="N")
    ] = "1.0"
    dedupe: Annotated[
        bool, _words("Leave out documents that are nearly the same as an earlier one.", metavar="")
    ] = False

    def read(self, corpus: str, run: RunOptions, progress: Progress, *, paper: bool = False) -> Corpus:
        """Read ``corpus`` as these options say; ``paper``: no kind of text is left out."""
        from topminer.text.corpus import Corpus

        reading, filters = self.reading(paper=paper), self.filters()
        read = Corpus.read(corpus, **reading, n_threads=run.threads, progress=progress)
        return read.filtered(**filters)

    def filters(self, *, is_on_cluster: bool = False) -> dict[str, Any]:
        """Return the checked arguments of :meth:`Corpus.filtered`."""
        min_df, max_df = _documents("--min-df", self.min_df), _documents("--max-df", self.max_df)
        if self.stop_word_policy == "keep" and self.max_df != "1.0":
            raise InputError("--max-df makes stop words, and --stop-word-policy keep keeps them: choose one")
        if is_on_cluster and (self.dedupe or (self.min_df, self.max_df) != ("1", "1.0")):
            raise InputError("--min-df, --max-df and --dedupe need --engine local: a cluster cannot do them")
        return {"min_df": min_df, "max_df": max_df, "dedupe": self.dedupe}

    def reading(self, *, paper: bool = False) -> dict[str, Any]:
        """Return the checked arguments of :meth:`Corpus.read`, as values that JSON can store."""
        from topminer.text.kinds import resolve
        from topminer.text.rules import lines_of

        kinds = self._kinds()
        if paper and kinds:
            raise InputError("--paper reads the text as it stands: leave out --kind")
        resolve(kinds, numbers=self.numbers)

        return {
            **FileOptions.reading(self),
            "language": None if self.language == "none" else self.language,
            "stem": self.stem,
            "stop_words": None if self.stop_words is None else lines_of(self.stop_words, "stop word"),
            "stop_word_policy": self.stop_word_policy,
            "numbers": self.numbers,
            "token_pattern": self.token_pattern,
            "kinds": None if paper else kinds,
            "add_stop_words": (
                None if self.add_stop_words is None else lines_of(self.add_stop_words, "stop word")
            ),
        }

    def _kinds(self) -> dict[str, Any] | None:
        """Return the policies that were given, by kind; None: no kind is recognised."""
        given = self.kind or []
        if given == ["none"]:
            return None
        for each in given:
            if "=" not in each:
                raise InputError(f"--kind must be NAME=POLICY, such as url=keep, or none, not {each!r}")
        return dict(each.split("=", 1) for each in given)


@dataclass(frozen=True)
class TopicOptions:
    """How topics are sampled."""

    topics: Annotated[
        str,
        _topics(
            "How many topics; auto: as many as predict held-out documents best.",
            metavar="K|auto",
            show_default=False,
        ),
    ]
    sweeps: Annotated[
        str,
        _topics(
            "How often every phrase is sampled; auto: until the likelihood is flat, at most 2,000 times.",
            metavar="N|auto",
        ),
    ] = "1000"
    seed: Annotated[int, _topics("The same seed gives the same model.", metavar="N", min=0)] = 0
    alpha: Annotated[
        float | None,
        _topics(
            "Prior of topics in documents. Left out: 1 / K to start with, or 50 / K if priors are kept; "
            "0.5 at most.",
            metavar="X",
            min=ALPHA_RANGE[0],
            max=ALPHA_RANGE[1],
        ),
    ] = None
    beta: Annotated[
        float,
        _topics(
            "Prior of words in topics. Fitted, it is 0.01 or more.",
            metavar="X",
            min=BETA_RANGE[0],
            max=BETA_RANGE[1],
        ),
    ] = 0.01
    optimize_interval: Annotated[
        int, _topics("Fit the priors every so many sweeps; 0: keep them.", metavar="N", min=0)
    ] = 10
    burn_in: Annotated[int, _topics("Sweeps before priors are first fitted.", metavar="N", min=0)] = 20
    shards: Annotated[
        int | None,
        _topics(
            "1: the serial, exact sampler. Left out: by the corpus's size.",
            metavar="N",
            min=1,
            max=MOST_SHARDS,
        ),
    ] = None
    chains: Annotated[
        int,
        _topics(
            "Sample N times with different seeds. The best is the model; the others show how sure it is.",
            metavar="N",
            min=1,
            max=MOST_CHAINS,
        ),
    ] = 1

    split: Annotated[
        str | None,
        _topics(
            "Sample long documents in pieces: auto, none, paragraph, or of about N kept words (stop words do "
            "not count). Left out: auto; with --paper none.",
            metavar="auto|none|paragraph|N",
        ),
    ] = None

    start: Annotated[
        Literal["factorised", "random"] | None,
        _topics(
            "Topics to start with: those of a factorisation of the words in documents, or random ones. Left "
            "out: factorised; with --paper random.",
            metavar="factorised|random",
        ),
    ] = None

    def settings(self, *, paper: bool = False, is_on_cluster: bool = False) -> dict[str, Any]:
        """Return the arguments of a model. Bad values are refused before anything is read."""
        n_topics = _whole_or_auto("--topics", self.topics, MOST_TOPICS)
        whole("--burn-in", self.burn_in, 0)
        whole("--optimize-interval", self.optimize_interval, 0)
        whole("--chains", self.chains, 1, MOST_CHAINS)
        return {
            "n_topics": n_topics,
            "n_sweeps": _whole_or_auto("--sweeps", self.sweeps),
            "random_state": self.seed,
            "alpha": self.alpha,
            "beta": self.beta,
            "optimize_interval": self.optimize_interval,
            "burn_in": self.burn_in,
            "n_shards": self.shards,
            "split": _split(self.split, paper, is_on_cluster),
            "start": self.start or ("random" if paper else "factorised"),
            "n_chains": self.chains,
        }


@dataclass(frozen=True)
class RunOptions:
    """What a run may use and say."""

    threads: Annotated[
        int | None,
        _run(
            "How many threads to use. Left out: one a core. No result depends on it.",
            metavar="N",
            min=1,
            max=MOST_THREADS,
        ),
    ] = None
    quiet: Annotated[bool, _run("Print nothing but errors.", "--quiet", "-q", metavar="")] = False

    def __post_init__(self) -> None:
        # Before any library is loaded: below a small limit some would end the process.
        from topminer.engines.local import n_threads_or_all

        require_libraries(n_threads_or_all(self.threads))
        self.limit_polars()

    def limit_polars(self) -> None:
        """Tell Polars, which reads variables when it is imported and never again, about threads and memory.

        Its allocator, jemalloc, keeps what is freed for half a second: much, when texts were written.
        """
        os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:100,muzzy_decay_ms:0")
        if self.threads is not None:
            os.environ["POLARS_MAX_THREADS"] = str(self.threads)


@dataclass(frozen=True)
class EngineOptions(RunOptions):
    """What a run may use, and where."""

    engine: Annotated[
        Literal["local", "ray"] | None,
        _run(
            "local: this machine; ray: the nodes of a Ray cluster, with the same result. Left out: local, "
            "or, for resume, where the run began.",
            metavar="local|ray",
        ),
    ] = None
    ray_address: Annotated[
        str | None,
        _run(
            "A cluster that is running: HOST:PORT or auto. Left out: Ray is started here.", metavar="ADDRESS"
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ray_address is not None and self.engine == "local":
            raise InputError("--ray-address goes with --engine ray")

    @property
    def place(self) -> dict[str, str | None]:
        """Where to run, as far as it was said; an address says it, too."""
        engine = "ray" if self.ray_address is not None else self.engine
        return {} if engine is None else {"engine": engine, "ray_address": self.ray_address}


def _whole_or_auto(option: str, given: str, most: int = MOST) -> int | str:
    """Read a whole number from 1 on, or "auto".

    >>> _whole_or_auto("--sweeps", "200"), _whole_or_auto("--sweeps", "auto")
    (200, 'auto')
    """
    if given == "auto":
        return given
    number = int(given) if given.isdecimal() and len(given) <= len(str(MOST)) else given
    return whole(option, number, 1, most, also=", or auto")


def _split(given: str | None, paper: bool, is_on_cluster: bool) -> int | str:
    """Read the value of ``--split``.

    >>> _split("200", False, False), _split(None, False, False), _split(None, True, False)
    (200, 'auto', 'none')
    """
    given = given or ("none" if paper else "auto")
    if paper and given != "none":
        raise InputError("--paper samples documents as a whole: leave out --split")
    if is_on_cluster and given == "paragraph":
        raise InputError("--split paragraph needs --engine local: the workers of a cluster hold no texts")
    if given in ("auto", "none", "paragraph"):
        return given
    number = int(given) if given.isdecimal() and len(given) <= len(str(MOST)) else given
    return whole("--split", number, 1, also=", or auto, none or paragraph")


def _documents(option: str, given: str) -> int | float:
    """Read a number of documents, or a share of them.

    >>> _documents("--min-df", "5"), _documents("--max-df", "0.5")
    (5, 0.5)
    """
    try:
        value = int(given) if given.isdecimal() else float(given)
    except ValueError:
        value = 0
    if value >= 1 if isinstance(value, int) else 0 <= value <= 1:
        return value
    raise InputError(f"{option} must be a whole number from 1 on, or a share such as 0.5, not {given!r}")
