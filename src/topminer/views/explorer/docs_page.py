"""The API's documentation: one plain page made from its OpenAPI schema, which loads and runs nothing."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from topminer.text.printable import printable

_STYLE = (files(__package__) / "api.css").read_text(encoding="utf-8")
_HASH = b64encode(sha256(_STYLE.encode()).digest()).decode()
DOCS_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
Schema = Mapping[str, Any]
Rows = list[tuple[str, str, str]]  # a name, a type and a description


def docs_page(schema: Schema) -> str:
    """Return the page that documents an API."""
    environment = Environment(autoescape=True, trim_blocks=True)
    template = environment.from_string((files(__package__) / "api.html").read_text(encoding="utf-8"))
    named = sorted(schema["components"]["schemas"].items())
    objects = [(name, each["description"], _rows(each)) for name, each in named if "properties" in each]
    return template.render(
        title=schema["info"]["title"],
        description=printable(schema["info"]["description"]),  # names the model, which may be called anything
        operations=_operations(schema),
        objects=objects,
        style=Markup(_STYLE),
    )


def _operations(schema: Schema) -> Iterator[tuple[str, Schema, Rows, Rows]]:
    """Each operation under its name, with its parameters and its answers."""
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            parameters = [
                (each["name"], _type(each["schema"]), each["description"])
                for each in operation.get("parameters", [])
            ]
            if "requestBody" in operation:
                parameters.append(("body", _content(operation["requestBody"]), "JSON"))
            answers = [
                (status, _content(answer), answer["description"])
                for status, answer in sorted(operation["responses"].items())
            ]
            yield f"{method.upper()} {path}", operation, parameters, answers


def _rows(schema: Schema) -> Rows:
    return [(name, _type(each), each.get("description", "")) for name, each in schema["properties"].items()]


def _content(message: Schema) -> str:
    return _type(message["content"]["application/json"]["schema"])


def _type(schema: Schema) -> str:
    """Return a type in a few words: ``Topic[]``, ``number or null``."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    if schema.get("type") == "array":
        if "prefixItems" in schema:
            return "[" + ", ".join(_type(each) for each in schema["prefixItems"]) + "]"
        return f"{_type(schema.get('items', {}))}[]"
    return str(schema.get("type", "any"))
