"""How a command's function becomes a command: groups of options spread out, earlier spellings accepted."""

from __future__ import annotations

import functools
import inspect
import math
import os
import sys
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from pathlib import PurePath
from typing import Any, cast, get_type_hints

import typer
from typer.core import TyperCommand

from topminer._parameters import MOST_SEED

FORMATS = ("table", "markdown", "csv", "json")  # of results
INPUT_FORMATS = ("txt", "csv", "tsv", "jsonl", "parquet")
# Options that had other names once, by the names of their parameters.
EARLIER = {
    "n_words": ["--words"],
    "n_phrases": ["--phrases", "--top"],
    "lam": ["--relevance"],
    "significance": ["--threshold"],
    "repeats": ["--seeds"],
    "input_format": ["--format"],  # but where --format is that of the result
}
_NUMERIC = (int, float, int | None, float | None)


class Command(TyperCommand):
    """A command that also takes the earlier spellings of its options, which its help does not show."""

    def make_parser(self, ctx: Any) -> Any:
        """Return a parser that knows them."""
        parser = super().make_parser(ctx)
        taken = {name for param in self.params for name in [*param.opts, *param.secondary_opts]}
        for param in self.params:
            if names := [name for name in EARLIER.get(param.name or "", ()) if name not in taken]:
                parser.add_option(obj=cast(Any, param), opts=names, dest=param.name, nargs=param.nargs)
        return parser

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments, and find out which format is meant by --format."""
        rest = super().parse_args(ctx, args)
        if "format" in ctx.params and not ctx.resilient_parsing:
            _settle_formats(ctx.params)
        return rest


def _settle_formats(given: dict[str, Any]) -> None:
    """Set the format of the result, and that of the input where ``--format`` names one, as it once did.

    ``csv`` can be either. It is the result's, unless the corpus has no name that tells its format.
    """
    format = given["format"]
    if format in INPUT_FORMATS and given.get("input_format", "") is None:
        if format not in FORMATS:
            given |= {"input_format": format, "format": "table"}
        elif not _tells_format(given["corpus"]):
            given |= {"input_format": format, "format": "table"}
            if not given["quiet"]:
                print("Read as csv. --input-format names the format of a corpus.", file=sys.stderr)
    if given.get("json"):
        given["format"] = "json"
    if given["format"] not in FORMATS:
        raise typer.BadParameter(
            f"{format!r} is not one of table, markdown, csv or json", param_hint="'--format'"
        )


def _tells_format(corpus: str) -> bool:
    """Whether the format of a corpus can be told from its name, or is that of the files in a folder.

    >>> _tells_format("papers.csv.gz"), _tells_format("-")
    (True, False)
    """
    named = any(ending[1:].lower() in (*INPUT_FORMATS, "ndjson") for ending in PurePath(corpus).suffixes)
    return named or os.path.isdir(corpus)


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """Give ``command`` a flat signature: parameters that are groups of options become their fields."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if is_dataclass(hint) and isinstance(hint, type)}
    flat: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if group := groups.get(parameter.name):
            annotation_of = get_type_hints(group, include_extras=True)
            flat += [_keyword(each.name, annotation_of[each.name], each.default) for each in fields(group)]
        else:
            flat.append(_keyword(parameter.name, hints[parameter.name], parameter.default))

    @functools.wraps(command)
    def flattened(**values: Any) -> None:
        gathered = {
            name: group(**{field.name: values.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**values, **gathered)

    flattened.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    flattened.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return flattened


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    for option in getattr(annotation, "__metadata__", ()):
        if annotation.__origin__ in _NUMERIC and option.callback is None:
            option.callback = _checked
    if default is MISSING:  # a field that must be given
        default = inspect.Parameter.empty
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _checked(value: int | float | None) -> int | float | None:
    """Refuse what Typer's min and max let pass: no number, or one that no 64 bits can hold."""
    if isinstance(value, float) and math.isnan(value):
        raise typer.BadParameter("nan is not a number")
    if isinstance(value, int) and abs(value) > MOST_SEED:
        raise typer.BadParameter(f"the number is too large: at most {MOST_SEED:,} can be given")
    return value
