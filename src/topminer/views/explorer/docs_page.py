"""The API's documentation: one plain page made from its OpenAPI schema, which loads and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

DOCS_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_STYLE = """
:root { color-scheme: light dark; }
body { margin: 2rem auto; padding: 0 1.5rem; max-width: 54rem; font: 1rem/1.5 system-ui, sans-serif; }
h2 { margin-top: 2.5rem; font-size: 1.15rem; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th { text-align: left; font-weight: normal; opacity: 0.7; }
th, td { padding: 0.25rem 1.2rem 0.25rem 0; vertical-align: top; border-bottom: 1px solid #8884; }
"""
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>{title}</h1>
<p>{description} <a href="/">The page</a> · <a href="/openapi.json">The schema</a></p>
<main>
{operations}
<h2>Objects</h2>
{objects}
</main>
</body>
</html>
"""
Schema = Mapping[str, Any]


def docs_page(schema: Schema) -> str:
    """The page that documents an API."""
    info = schema["info"]
    operations = "\n".join(
        _operation(method, path, each)
        for path, methods in schema["paths"].items()
        for method, each in methods.items()
    )
    named = schema.get("components", {}).get("schemas", {})
    objects = "\n".join(_object(name, each) for name, each in sorted(named.items()) if "properties" in each)
    return _PAGE.format(
        title=escape(f"{info['title']}: API"),
        description=escape(info.get("description", "")),
        style=_STYLE,
        operations=operations,
        objects=objects,
    )


def _operation(method: str, path: str, operation: Schema) -> str:
    parameters = [
        (each["name"], _type(each["schema"]), each.get("description", ""))
        for each in operation.get("parameters", [])
    ]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body:
        parameters.append(("body", _type(body["schema"]), "JSON"))
    told = [
        (status, ", ".join(_told(answer)), answer.get("description", ""))
        for status, answer in sorted(operation["responses"].items())
    ]
    name, summary = f"{method.upper()} {path}", operation.get("summary", "")
    title = f"<h2><code>{escape(name)}</code> {escape(summary)}</h2>"
    text = f"<p>{escape(operation.get('description', ''))}</p>"
    asked = _table(("parameter", "type", ""), parameters) if parameters else ""
    return title + text + asked + _table(("status", "answer", ""), told)


def _told(answer: Schema) -> Iterator[str]:
    for content in answer.get("content", {}).values():
        yield _type(content.get("schema", {}))


def _object(name: str, schema: Schema) -> str:
    rows = [(field, _type(each), each.get("description", "")) for field, each in schema["properties"].items()]
    title = f'<h3 id="{escape(name)}"><code>{escape(name)}</code></h3>'
    return f"{title}<p>{escape(schema.get('description', ''))}</p>" + _table(("field", "type", ""), rows)


def _type(schema: Schema) -> str:
    """A type in a few words: ``Topic[]``, ``number or null``."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    if schema.get("type") == "array":
        if "prefixItems" in schema:
            return "[" + ", ".join(_type(each) for each in schema["prefixItems"]) + "]"
        return f"{_type(schema.get('items', {}))}[]"
    return str(schema.get("type", "any"))


def _table(header: tuple[str, ...], rows: list[tuple[str, str, str]]) -> str:
    head = "".join(f"<th>{escape(each)}</th>" for each in header)
    body = "".join(
        f"<tr><td><code>{escape(name)}</code></td><td><code>{escape(kind)}</code></td><td>{escape(text)}</td></tr>"
        for name, kind, text in rows
    )
    return f'<div class="scroll"><table><tr>{head}</tr>{body}</table></div>'
