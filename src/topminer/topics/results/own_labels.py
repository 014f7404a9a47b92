"""The user's own names of topics, kept beside the model in ``labels.json``.

They are not part of the model. The file names the model they were given to, because a later run in the same
directory has other topics. Every change goes through :func:`update_labels`, so that the command line and a
running explorer never undo each other's changes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from topminer import store
from topminer.errors import InputError
from topminer.store.file_lock import locked
from topminer.store.files import parse_json
from topminer.text.printable import unprintable

FILE, MANIFEST, LOCK = "labels.json", "model.json", ".labels.json-lock"
FORMAT = 1
LONGEST = 120  # characters
LOCK_TIMEOUT = 10.0  # seconds to wait for another process that changes labels, which takes milliseconds

_NUMBER = re.compile("0|[1-9][0-9]{0,8}")


class LabelsError(InputError):
    """A file cannot be read or written; ``reason`` says why, without the directory."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.reason = f"{path.name}: {reason}"


@dataclass(frozen=True)
class Labels:
    """The names that the user gave to topics of one model.

    >>> labels = Labels(Path("titles-model"), "model-0123456789abcdef", n_topics=5)
    >>> labels.renamed(3, " Machine   translation").names
    {3: 'Machine translation'}
    """

    directory: Path
    model: str  # the folder of its data, which is named after its contents
    names: Mapping[int, str] = field(default_factory=dict)
    n_topics: int | None = None  # None: not known
    foreign: bool = False  # there are labels here, but of another model

    @classmethod
    def read(cls, directory: Path) -> Labels:
        """Return the labels of the model in ``directory``; none, if there are only another model's."""
        model, n_topics = model_in(directory)
        empty, path = cls(directory, model, {}, n_topics), directory / FILE
        content = _json_in(path)
        if content is None:
            return empty
        if not isinstance(content, dict) or not isinstance(content.get("labels"), dict):
            raise LabelsError(path, "damaged: expected an object with format, model and labels")
        number = content.get("format")
        if type(number) is not int or not 1 <= number <= FORMAT:
            raise LabelsError(path, f"format {number!s:.20}; this topminer reads up to {FORMAT}: update it")
        if content.get("model") != model:
            return replace(empty, foreign=True)
        try:
            names = dict(sorted(_checked(each, empty) for each in content["labels"].items()))
        except InputError as error:
            raise LabelsError(path, f"damaged: {error}") from None
        return replace(empty, names=names)

    def renamed(self, topic: int, text: str) -> Labels:
        """Return the labels with another one for a topic; an empty text restores the automatic label."""
        self.check(topic)
        label = label_of(text)
        others = {number: name for number, name in self.names.items() if number != topic}
        names = dict(sorted([*others.items(), (int(topic), label)])) if label else others
        return replace(self, names=names, foreign=False)

    def cleared(self) -> Labels:
        """Return the labels of the same model without any of the user's own."""
        return replace(self, names={}, foreign=False)

    def check(self, topic: int) -> None:
        """Refuse a topic that the model does not have."""
        if topic < 0 or (self.n_topics is not None and topic >= self.n_topics):
            last = "on" if self.n_topics is None else f"to {self.n_topics - 1:,}"
            raise InputError(f"there is no topic {topic}; topics are numbered from 0 {last}")

    def _write(self) -> None:
        """Write the labels beside the model, completely or not at all; without any, remove the file."""
        path = self.directory / FILE
        try:
            if self.names:
                labels = {str(topic): name for topic, name in self.names.items()}
                store.write_json(path, {"format": FORMAT, "model": self.model, "labels": labels})
            else:
                path.unlink(missing_ok=True)
        except InputError as error:
            raise LabelsError(path, str(error).removeprefix(f"{path}: ")) from None


def update_labels(directory: Path, change: Callable[[Labels], Labels]) -> Labels:
    """Read the labels in ``directory``, write what ``change`` makes of them, and return it.

    A lock keeps other processes and threads from writing in between, so that no change is lost.
    """
    path = directory / FILE
    Labels.read(directory)  # refuse a directory without a model before a lock file is put there
    try:
        with locked(directory / LOCK, LOCK_TIMEOUT):
            before = Labels.read(directory)
            after = change(before)
            if after != before:
                after._write()
            return after
    except TimeoutError:
        raise LabelsError(path, "another process has been changing it for too long; try again") from None
    except OSError as error:
        raise LabelsError(path, f"cannot be written: {_reason(error)}") from None


def label_of(text: str) -> str:
    """Return a text as a label, on one line; refuse one that is too long, invisible, or unprintable."""
    label = " ".join(text.split())
    if (odd := unprintable(label)) is not None:
        raise InputError(
            f"a label must be without control characters and marks of direction, not with U+{ord(odd):04X}"
        )
    if len(label) > LONGEST:
        raise InputError(f"a label must have at most {LONGEST} characters, not {len(label):,}")
    if label and all(unicodedata.category(char)[0] in "CMZ" for char in label):
        raise InputError("a label must have a letter, a digit or a sign that can be seen")
    return label


def _checked(entry: tuple[str, Any], labels: Labels) -> tuple[int, str]:
    """Return a topic and its label, read from a file."""
    number, text = entry
    if not _NUMBER.fullmatch(number):
        raise InputError(f"expected the number of a topic, not {number[:20]!r}")
    labels.check(int(number))
    if not isinstance(text, str) or not text or len(text) > LONGEST or label_of(text) != text:
        raise InputError(f"the label of topic {number} is not one that topminer wrote")
    return int(number), text


def model_in(directory: Path) -> tuple[str, int | None]:
    """Return the name of the model's data, and its number of topics if the manifest has it."""
    path = directory / MANIFEST
    manifest = _json_in(path)
    if manifest is None:
        raise LabelsError(directory, f"no model here (there is no {MANIFEST})")
    data = manifest.get("data") if isinstance(manifest, dict) else None
    if not isinstance(data, str):
        raise LabelsError(path, "not written by topminer: expected the manifest of a model")
    try:
        n_topics = manifest["facts"]["parameters"]["n_topics"]
    except (LookupError, TypeError):
        n_topics = None
    return data, n_topics if type(n_topics) is int else None


def _json_in(path: Path) -> Any:
    """Return what a JSON file holds; None if there is no file."""
    try:
        return parse_json(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LabelsError(path, _reason(error)) from None
    except ValueError as error:
        raise LabelsError(path, f"damaged: {error}") from None


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
