"""Topics of new documents, on several workers.

The source is split into stretches. A worker reads a stretch batch by batch, and returns the frames to be
written. The driver passes them on in the order of the source. Frames that arrive before their turn are kept
in temporary files, so memory stays bounded, and no worker waits for another. When a worker is lost, another
one goes on with its stretch, from the first batch that did not arrive.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from topminer.engines.contract import Engine, Placed, WorkerLost
from topminer.errors import InputError
from topminer.progress import Progress, silent
from topminer.run.inference_worker import Found, InferenceWorker, Model, Result, Shape, as_it_is
from topminer.run.losses import Losses
from topminer.text.provenance import Origin
from topminer.text.reading.reader import Reading

STAGE = "Inferring topics"
BATCH_BYTES = 2 << 20  # of text; the documents do not depend on it
STRETCH_BYTES = 64 << 20  # of the source
AHEAD = 2  # batches that each worker is asked for before the first has arrived


def stretches_of(reading: Reading, n_workers: int) -> list[Reading]:
    """Split a source into stretches. All workers must see it."""
    if reading.bytes_total is None:
        raise InputError(f"{reading.name}: workers cannot read it; give a file or a folder that they all see")
    reading.settle()
    return reading.split(max(n_workers, -(-reading.bytes_total // STRETCH_BYTES)))


@dataclass
class _Stretch:
    """A stretch of the source, and how much of it is done."""

    number: int
    reading: Reading
    found: Found
    n_batches: int = 0  # that have arrived
    bytes_read: int = 0
    is_done: bool = False
    early: deque[Path] = field(default_factory=deque)  # files of frames that arrived before their turn


class Inference:
    """The topics of a source's documents: iterate over :meth:`frames`; then `found` has the totals.

    Without the stretches of :func:`stretches_of` the source is read as a whole; it may be standard input.
    ``shape`` turns documents into what is to be written, on the workers. Early frames are kept in ``folder``;
    None is the system's folder for temporary files.
    """

    def __init__(
        self,
        model: Model,
        reading: Reading,
        stretches: list[Reading] | None = None,
        *,
        shape: Shape = as_it_is,
        folder: Path | None = None,
    ) -> None:
        self._model, self._reading, self._shape, self._folder = model, reading, shape, folder
        self._nothing = Found(Origin(name=reading.name))
        self._stretches = [_Stretch(i, each, self._nothing) for i, each in enumerate(stretches or [reading])]
        self._turn = 0  # the stretch whose documents are passed on
        self._error: InputError | None = None

    @property
    def found(self) -> Found:
        """The totals so far."""
        return sum((each.found for each in self._stretches), self._nothing)

    def frames(self, start: Callable[[], Engine], progress: Progress = silent) -> Iterator[pl.DataFrame]:
        """Yield what is to be written, in the order of the source.

        ``start`` returns an engine, and another one after a worker was lost.
        """
        losses = Losses()
        with TemporaryDirectory(prefix=".topminer-", dir=self._folder) as folder:
            while not all(stretch.is_done for stretch in self._stretches):
                engine = start()
                try:
                    for stretch, frames in self._results(engine):
                        losses.forget()
                        self._report(progress)
                        yield from self._in_order(stretch, frames, Path(folder))
                except WorkerLost as lost:
                    losses.count(lost)
                finally:
                    engine.close()
        self._check()

    def _results(self, engine: Engine) -> Iterator[tuple[_Stretch, list[pl.DataFrame]]]:
        """Yield the results of all workers, which work at the same time."""
        model = engine.share(self._model)
        placed = engine.place(InferenceWorker, [(model, self._shape, threads) for threads in engine.threads])
        todo = deque(stretch for stretch in self._stretches if not stretch.is_done)
        at_work = [self._results_of(worker, placed, todo) for worker in range(len(engine.threads))]
        while at_work:
            for results in list(at_work):
                try:
                    found = next(results)
                except StopIteration:
                    at_work.remove(results)
                    continue
                if found is not None:
                    yield found

    def _results_of(
        self, worker: int, placed: Placed, todo: deque[_Stretch]
    ) -> Iterator[tuple[_Stretch, list[pl.DataFrame]] | None]:
        """Yield the results of one worker, and None when it has begun a stretch.

        The worker is asked for some batches ahead, so that it is busy while the first one is written.
        """
        while todo:
            stretch = todo.popleft()
            if not stretch.is_done:
                placed.keep_on(worker, "start", stretch.reading, stretch.n_batches)
                ahead = deque(placed.keep_on(worker, "more") for _ in range(AHEAD))
                yield None
            while not stretch.is_done:
                [result] = placed.engine.here([ahead.popleft()])
                self._note(stretch, result)
                ahead.append(placed.keep_on(worker, "more"))
                yield stretch, result.frames

    def _note(self, stretch: _Stretch, result: Result) -> None:
        stretch.found += result.found
        stretch.bytes_read, stretch.is_done = result.bytes_read, result.is_last
        stretch.n_batches += not result.is_last
        if result.error is not None:
            self._error = result.error
            for later in self._stretches[stretch.number :]:
                later.is_done = True  # nothing after an error counts; an earlier stretch may have another

    def _in_order(
        self, stretch: _Stretch, frames: list[pl.DataFrame], folder: Path
    ) -> Iterator[pl.DataFrame]:
        """Yield frames whose turn it is, and keep the others in files."""
        if stretch.number == self._turn:
            yield from frames
        else:
            for number, frame in enumerate(frames):
                path = folder / f"{stretch.number}-{stretch.n_batches}-{number}.arrow"
                frame.write_ipc(path, compression="lz4")
                stretch.early.append(path)
        while self._turn < len(self._stretches) - 1 and self._stretches[self._turn].is_done:
            self._turn += 1
            early = self._stretches[self._turn].early
            while early:
                path = early.popleft()
                yield pl.scan_ipc(path, glob=False).collect()
                path.unlink()

    def _report(self, progress: Progress) -> None:
        n_documents = sum(each.found.n_documents for each in self._stretches)
        total = self._reading.bytes_total
        if total is None:
            progress(STAGE, n_documents, None, "documents")
        else:
            n_bytes = sum(each.bytes_read for each in self._stretches)
            progress(STAGE, n_bytes, total, "bytes", f"{n_documents:,} documents")

    def _check(self) -> None:
        """Raise the error that reading the whole source at once would have raised."""
        found, reading = self.found, self._reading
        if self._error is not None:
            raise self._error
        if not found.n_documents:
            reading.skipped.blank_documents = found.origin.n_blank_documents
            reading.bytes_read = sum(each.bytes_read for each in self._stretches)
            raise reading.nothing()
        if not found.n_tokens:
            raise found.origin.nothing_kept(found.n_documents)
