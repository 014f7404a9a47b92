"""The explorer on the web: a FastAPI app over :class:`Explorer`, and the one place for errors."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response

from topminer.errors import InputError
from topminer.topics.results.own_labels import LabelsError
from topminer.views.explorer import answers
from topminer.views.explorer.access import HEADERS, LOOPBACK, Guard
from topminer.views.explorer.docs_page import DOCS_POLICY, docs_page
from topminer.views.explorer.explorer import Explorer
from topminer.views.explorer.search import Unavailable
from topminer.views.pages import policy

_PROBLEMS = {
    401: "There is no token, or a wrong one.",
    404: "There is no such topic or document.",
    409: "The model has no texts, or was replaced by another one.",
    421: "This host name is not served.",
    422: "A value is outside its domain.",
    503: "The index cannot be made, labels.json is damaged, or too many are connected.",
}
_PROBLEMS_OF_BODIES = {
    400: "The body is not JSON.",
    403: "The request comes from another site.",
    413: "The body is too large.",
    415: "The body is not said to be JSON.",
}

_ERRORS = (InputError, Unavailable, RequestValidationError, Exception)


def create_app(explorer: Explorer, *, token: str | None = None, hosts: Collection[str] = LOOPBACK) -> FastAPI:
    """Return the explorer as an ASGI app.

    Visitors must show ``token``. If it is None, their requests must be for one of ``hosts``.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        explorer.close()

    headers = {"Content-Security-Policy": policy(live=True), **HEADERS}

    async def refuse(request: Request, error: Exception) -> Response:
        status, detail = _problem(error)
        return JSONResponse({"detail": detail}, status, headers)  # answers with status 500 pass no guard

    app = FastAPI(
        title="topminer explorer",
        version=version("topminer"),
        description=f"The topics, phrases and documents of the model {explorer.title}.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # a redirect would repeat the Host header, which may be anything
        lifespan=lifespan,
        responses=_documented(_PROBLEMS),
        exception_handlers=dict.fromkeys(_ERRORS, refuse),
    )
    app.add_middleware(Guard, token=token, hosts=hosts, headers=headers)
    _add_pages(app, explorer)
    _add_api(app, explorer)
    return app


def _add_pages(app: FastAPI, explorer: Explorer) -> None:
    @app.get("/", include_in_schema=False)
    def page() -> HTMLResponse:
        return HTMLResponse(explorer.page())

    @app.get("/api", include_in_schema=False)
    def api() -> HTMLResponse:
        return HTMLResponse(docs_page(app.openapi()), headers={"Content-Security-Policy": DOCS_POLICY})

    @app.get("/api/model", summary="The model as a whole", response_model=answers.Model)
    def model() -> Response:
        """All that the page shows but documents: facts, topics, and phrases, which topics refer to."""
        data = json.dumps(explorer.overview(), ensure_ascii=False, allow_nan=False)
        return Response(data.encode(), media_type="application/json")


def _add_api(app: FastAPI, explorer: Explorer) -> None:
    """Add a route for each method of the explorer that answers a request."""
    for method, path, summary, model, answer in (
        ("GET", "/api/topics", "All topics", list[answers.Topic], explorer.topics),
        ("GET", "/api/topics/{id}", "One topic", answers.Topic, explorer.topic),
        ("PUT", "/api/topics/{id}/label", "Rename a topic", answers.Label, explorer.rename),
        ("GET", "/api/documents", "Documents", answers.Documents, explorer.documents),
        ("GET", "/api/documents/{row}", "One document", answers.Document, explorer.document),
        ("GET", "/api/search", "Search in the texts", answers.Results, explorer.search),
        ("GET", "/api/concordance", "A phrase in its contexts", answers.Lines, explorer.concordance),
        ("POST", "/api/segment", "Cut a text of your own", answers.Document, explorer.segment),
    ):
        responses = {} if method == "GET" else _documented(_PROBLEMS_OF_BODIES)
        if path == "/api/search":
            responses[202] = {"model": answers.StillBuilding, "description": "The index is being made."}
        app.add_api_route(
            path,
            answer,
            methods=[method],
            summary=summary,
            response_model=model,
            response_model_exclude_unset=True,
            responses=responses,
        )


def _documented(problems: dict[int, str]) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": answers.Problem, "description": text} for status, text in problems.items()}


def _problem(error: Exception) -> tuple[int, str]:
    """Return the status of an error, and what is said about it."""
    match error:
        case LabelsError():
            return 503, error.reason  # without the path
        case Unavailable():
            return 503, str(error)
        case InputError():
            return 422, str(error)
        case RequestValidationError():
            return 422, _nonsense(error)
        case _:
            return 500, "something went wrong in the explorer; its terminal tells more"


def _nonsense(error: RequestValidationError) -> str:
    """Say what does not fit. The values themselves are not repeated, because they may be anything."""
    said = []
    for each in error.errors():
        place = ".".join(str(part) for part in each["loc"][1:] if isinstance(part, str))
        said.append(f"{place}: {each['msg']}" if place else str(each["msg"]))
    return "; ".join(said).encode("utf-8", "replace").decode()
