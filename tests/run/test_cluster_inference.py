"""Inference on several workers: the documents, their order and what is told are those of one process."""

import io
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from local_workers import LocalWorkers, local_engine
from polars.testing import assert_frame_equal

from topminer import Corpus, InputError, ToPMine, load
from topminer.engines.contract import Engine, WorkerLost
from topminer.run import inference
from topminer.run.inference import Inference, stretches_of
from topminer.run.losses import MAX_LOSSES
from topminer.text.reading.reader import Reading
from topminer.topics.results.documents import documents_with_topics

GROUPS = (["apples and pears", "fresh fruit salad", "plums"], ["iron", "heavy metal alloys", "zinc"])
TEXTS = [", ".join(group[(i + j) % 3] for j in range(4)) for i in range(30) for group in GROUPS]
NEW = [
    "Zinc and a heavy metal alloy.",
    "",
    "Xylophones, plums\0! Fresh fruit salads",
    "iron alloys, iron plums " * 40,
    "the of and",
    "A fresh fruit salad of apples and pears: 12 plums",
]


def model_of(directory: Path, **parameters: Any) -> ToPMine:
    ToPMine(3, n_sweeps=20, random_state=1, **parameters).fit(TEXTS).save(directory)
    return load(directory, documents=False, n_threads=1)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> ToPMine:
    return model_of(tmp_path_factory.mktemp("inference") / "model")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder of lines in several files, one of them without any document."""
    folder = tmp_path / "new"
    folder.mkdir()
    for number in range(7):
        texts = NEW[number:] + NEW[:number] if number != 4 else ["", " "]
        lines = [f'{{"text": "{text}"}}'.replace("\0", "\\u0000") for text in texts]
        (folder / f"{number}.jsonl").write_bytes("\n".join(lines).encode() + b"\n\n")
    with (folder / "5.jsonl").open("ab") as file:
        file.write(b'{"text": "plums \xff and pears \xff"}\n')
    return folder


def expected_of(model: ToPMine, source: Path | io.BytesIO) -> tuple[pl.DataFrame, Corpus, int]:
    """All in one go, as it could be done before there were workers."""
    corpus = Corpus.read(source, **model.corpus_.rules.to_json())
    partition, inferred = model.infer(corpus)
    return pl.concat(documents_with_topics(partition, inferred)), corpus, inferred.n_skipped


def inferred(
    model: ToPMine,
    source: Path,
    n_workers: int,
    start: Callable[[], Any] | None = None,
    batch_bytes: int = 50,
    **options: Any,
) -> tuple[pl.DataFrame, Inference]:
    reading = Reading(source, batch_bytes=batch_bytes)
    stretches = None if n_workers == 1 else stretches_of(reading, n_workers)
    found = Inference(model, reading, stretches, **options)
    frames = list(found.frames(start or (lambda: local_engine(1, n_workers)), options.get("progress", told)))
    return pl.concat(frames), found


def told(stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
    assert (stage, unit) == (inference.STAGE, "bytes")
    assert total is not None and 0 <= done <= total


@pytest.fixture(autouse=True)
def small_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inference, "STRETCH_BYTES", 700)


@pytest.mark.parametrize(
    ("n_workers", "batch_bytes", "stretch_bytes"),
    [(1, 50, 700), (1, 1 << 20, 700), (2, 50, 1 << 20), (3, 50, 1 << 20), (3, 200, 150), (3, 1 << 20, 700)],
)
def test_as_in_one_go(
    model: ToPMine,
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    n_workers: int,
    batch_bytes: int,
    stretch_bytes: int,
) -> None:
    monkeypatch.setattr(inference, "STRETCH_BYTES", stretch_bytes)
    expected, corpus, n_unknown = expected_of(model, source)
    folder = tmp_path / "results[1]*"  # no pattern of several files
    folder.mkdir()
    frame, inference_ = inferred(model, source, n_workers, batch_bytes=batch_bytes, folder=folder)
    assert_frame_equal(frame, expected)
    assert not list(folder.iterdir())
    found = inference_.found
    assert asdict(found.origin) == asdict(corpus.origin)
    assert (found.n_documents, found.n_tokens, found.n_unknown) == (len(corpus), corpus.n_tokens, n_unknown)
    assert found.n_without_tokens == 6


def first_columns(documents: pl.DataFrame) -> pl.DataFrame:
    return documents.select("id")


def test_a_model_of_words_and_workers_that_give_documents_their_shape(source: Path, tmp_path: Path) -> None:
    words = model_of(tmp_path / "model", phrases=False)
    expected = expected_of(words, source)[0]
    assert_frame_equal(inferred(words, source, 3)[0], expected)
    assert_frame_equal(inferred(words, source, 3, shape=first_columns)[0], expected.select("id"))


def test_what_can_be_read_only_once(model: ToPMine) -> None:
    content = "\n".join(NEW).encode()
    expected, _, _ = expected_of(model, io.BytesIO(content))
    progress: list[tuple[Any, ...]] = []
    frames = Inference(model, Reading(io.BytesIO(content), batch_bytes=30)).frames(
        lambda: local_engine(1), lambda *report: progress.append(report)
    )
    assert_frame_equal(pl.concat(frames), expected)
    assert progress[-1] == (inference.STAGE, 5, None, "documents")
    with pytest.raises(InputError, match="workers cannot read it; give a file or a folder"):
        stretches_of(Reading(io.BytesIO(content)), 2)


# ------------------------------------------------------------------------------------------- errors


def message_of(work: Callable[[], Any]) -> str:
    with pytest.raises(InputError) as raised:
        work()
    return str(raised.value)


@pytest.mark.parametrize("n_workers", [1, 3])
@pytest.mark.parametrize("harm", [{2: "{"}, {5: "[]", 3: "{"}, {0: "{", 6: "{"}, {6: "[]"}], ids=str)
def test_the_first_error_in_the_source_is_raised(
    model: ToPMine, source: Path, n_workers: int, harm: dict[int, str]
) -> None:
    for number, line in harm.items():
        with (source / f"{number}.jsonl").open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    expected = message_of(lambda: expected_of(model, source))
    assert message_of(lambda: inferred(model, source, n_workers)) == expected
    assert f"{min(harm)}.jsonl" in expected


@pytest.mark.parametrize("n_workers", [1, 3])
@pytest.mark.parametrize("content", ["", "\n \n", "the\nof\n", "!\n", "\n"])
def test_nothing_to_infer(model: ToPMine, tmp_path: Path, n_workers: int, content: str) -> None:
    path = tmp_path / "new.txt"
    path.write_text(content, encoding="utf-8")
    expected = message_of(lambda: expected_of(model, path))
    assert message_of(lambda: inferred(model, path, n_workers)) == expected


# ------------------------------------------------------------------------------------- lost workers


class Losing(LocalWorkers):
    """Loses a worker after so many batches; then everything it had kept is gone."""

    def __init__(self, n_workers: int, n_batches: int, closed: list[int]) -> None:
        super().__init__(1, n_workers)
        self.n_batches, self._closed = n_batches, closed

    def here(self, kept: Any) -> list[Any]:
        if self.n_batches == 0:
            raise WorkerLost("the worker on 127.0.0.3 is gone")
        self.n_batches -= 1
        return super().here(kept)

    def close(self) -> None:
        self._closed.append(len(self.threads))


@pytest.mark.parametrize("stretch_bytes", [700, 1 << 20])
def test_what_a_lost_worker_had_is_done_by_others(
    model: ToPMine, source: Path, monkeypatch: pytest.MonkeyPatch, stretch_bytes: int
) -> None:
    """Whenever it is lost: nothing is missing, nothing is written twice."""
    monkeypatch.setattr(inference, "STRETCH_BYTES", stretch_bytes)
    expected, corpus, n_unknown = expected_of(model, source)
    for n_batches in (0, 1, 5, 11):
        closed: list[int] = []
        engines: Iterator[Engine] = iter(
            [Losing(3, n_batches, closed), Losing(2, n_batches, closed), local_engine(1, 2)]
        )
        frame, found = inferred(model, source, 3, lambda engines=engines: next(engines))
        assert_frame_equal(frame, expected)
        assert asdict(found.found.origin) == asdict(corpus.origin)
        assert (found.found.n_documents, found.found.n_unknown) == (len(corpus), n_unknown)
        assert closed[0] == 3


def test_batches_that_have_come_are_not_done_again(
    model: ToPMine, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []
    infer = ToPMine.infer

    def watched(self: ToPMine, texts: Any, **options: Any) -> Any:
        done.append(len(texts))
        return infer(self, texts, **options)

    monkeypatch.setattr(ToPMine, "infer", watched)
    inferred(model, source, 3)
    n_batches = len(done)
    done.clear()
    engines = iter([Losing(3, 10, []), local_engine(1, 2)])
    inferred(model, source, 3, lambda: next(engines))
    assert len(done) <= n_batches + 3 * inference.AHEAD


def test_workers_that_are_lost_again_and_again(model: ToPMine, source: Path) -> None:
    closed: list[int] = []
    message = message_of(lambda: inferred(model, source, 3, lambda: Losing(3, 0, closed)))
    assert message.startswith("the worker on 127.0.0.3 is gone; that was the 5th time in a row")
    assert closed == [3] * MAX_LOSSES


def test_workers_are_let_go_when_nobody_wants_more(model: ToPMine, source: Path) -> None:
    closed: list[int] = []
    reading = Reading(source, batch_bytes=50)
    frames = Inference(model, reading, stretches_of(reading, 3)).frames(lambda: Losing(3, 99, closed))
    next(frames)
    frames.close()  # type: ignore[attr-defined]
    assert closed == [3]
