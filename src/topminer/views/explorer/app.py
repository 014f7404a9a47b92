"""The explorer on the web: a FastAPI app over :class:`Explorer`."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import FastAPI, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response

from topminer.errors import InputError
from topminer.views.explorer import answers
from topminer.views.explorer.access import LOOPBACK, Guard, headers_for
from topminer.views.explorer.docs_page import DOCS_POLICY, docs_page
from topminer.views.explorer.explorer import Explorer, NoTexts, Replaced, Unknown
from topminer.views.explorer.search import Unavailable
from topminer.views.pages import policy
from topminer.views.report.shown import ALWAYS

MOST_AT_A_TIME = 100
_FAR = 2**31  # no list is longer

TopicNumber = Annotated[int, Path(ge=0, le=_FAR, description="The topic's number.")]
Row = Annotated[int, Path(ge=0, le=_FAR, description="The document's place in the corpus, from 0.")]
Offset = Annotated[int, Query(ge=0, le=_FAR, description="How many to pass over.")]
Limit = Annotated[int, Query(ge=1, le=MOST_AT_A_TIME, description="How many to tell at most.")]
Asked = Annotated[
    str, Query(max_length=1_000, description='Words, the last of which may go on; "…": side by side.')
]


def _problems(descriptions: dict[int, str]) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": answers.Problem, "description": told} for status, told in descriptions.items()}


_PROBLEMS = _problems(
    {
        401: "There is no token, or a wrong one.",
        404: "There is no such topic or document.",
        409: "The model has no texts, or was replaced by another one.",
        421: "This host name is not served.",
        422: "A value is outside its domain.",
        503: "The index cannot be made, labels.json is damaged, or too many are connected.",
    }
)
_PROBLEMS_OF_BODIES = _problems(
    {
        400: "The body is not JSON.",
        403: "The request comes from another site.",
        413: "The body is too large.",
        415: "The body is not said to be JSON.",
    }
)
_STATUS = {Unknown: 404, NoTexts: 409, Replaced: 409, InputError: 422, Unavailable: 503}


def create_app(explorer: Explorer, *, token: str | None = None, hosts: Collection[str] = LOOPBACK) -> FastAPI:
    """The explorer as an ASGI app.

    Parameters
    ----------
    explorer : Explorer
        What is told.
    token : str or None
        What visitors must show; None: nothing, but requests must be for one of ``hosts``.
    hosts : collection of str
        The names under which this machine may be asked without a token.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        explorer.close()

    app = FastAPI(
        title="topminer explorer",
        version=version("topminer"),
        description=f"The topics, phrases and documents of the model {explorer.title}.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # a redirect would repeat the Host header, which may be anything
        lifespan=lifespan,
        responses=_PROBLEMS,
    )
    _add_pages(app, explorer)
    _add_topics(app, explorer)
    _add_documents(app, explorer)
    for kind, status in _STATUS.items():
        app.add_exception_handler(kind, _refusing(status))
    app.add_exception_handler(RequestValidationError, _refuse_nonsense)
    headers = headers_for(policy(live=True))
    app.add_exception_handler(Exception, _owning_up(headers))
    app.add_middleware(Guard, token=token, hosts=hosts, headers=headers)
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
        told = json.dumps(explorer.overview(), ensure_ascii=False, allow_nan=False)
        return Response(told.encode(), media_type="application/json")


def _add_topics(app: FastAPI, explorer: Explorer) -> None:
    @app.get("/api/topics", summary="All topics")
    def topics() -> list[answers.Topic]:
        """Topics, the heaviest first, with their words and phrases."""
        return [answers.Topic(**topic) for topic in explorer.topics()]

    @app.get("/api/topics/{id}", summary="One topic")
    def topic(id: TopicNumber) -> answers.Topic:
        """A topic with its words and phrases."""
        return answers.Topic(**explorer.topic(id))

    @app.put("/api/topics/{id}/label", summary="Rename a topic", responses=_PROBLEMS_OF_BODIES)
    def rename(id: TopicNumber, new: answers.NewLabel) -> answers.Label:
        """Give a topic a label of your own, which stays with the model."""
        return answers.Label(**explorer.rename(id, new.label))


def _add_documents(app: FastAPI, explorer: Explorer) -> None:
    @app.get("/api/documents", summary="Documents", response_model_exclude_unset=True)
    def documents(
        topic: Annotated[
            int | None, Query(ge=0, le=_FAR, description="Only those that have this topic.")
        ] = None,
        offset: Offset = 0,
        limit: Limit = 10,
    ) -> answers.Documents:
        """Documents in order, or those of a topic, the most representative first. Long texts are cut."""
        return answers.Documents(**explorer.documents(topic, offset, limit))

    @app.get("/api/documents/{row}", summary="One document", response_model_exclude_unset=True)
    def document(
        row: Row,
        threshold: Annotated[
            float | None,
            Query(ge=0, le=ALWAYS, allow_inf_nan=False, description="Cut into phrases at it."),
        ] = None,
    ) -> answers.Document:
        """A document, its topics, its kept tokens, and how strongly these hold together."""
        return answers.Document(**explorer.document(row, threshold))

    @app.get(
        "/api/search",
        summary="Search in the texts",
        response_model=answers.Results,
        responses={202: {"model": answers.StillBuilding, "description": "The index is being made."}},
    )
    def search(q: Asked, offset: Offset = 0, limit: Limit = 10) -> Any:
        """Documents that have all the words, the best first."""
        found = explorer.search(q, offset, limit)
        return JSONResponse(found, 202) if "building" in found else found

    @app.get("/api/concordance", summary="A phrase in its contexts")
    def concordance(
        phrase: Annotated[str, Query(max_length=1_000, description="Its words, in any form.")],
        offset: Offset = 0,
        limit: Limit = 20,
    ) -> answers.Lines:
        """Every place where the words of a phrase stand side by side, in the corpus's order."""
        return answers.Lines(**explorer.concordance(phrase, offset, limit))

    @app.post(
        "/api/segment",
        summary="Cut a text of your own",
        response_model_exclude_unset=True,
        responses=_PROBLEMS_OF_BODIES,
    )
    def segment(new: answers.NewText) -> answers.Document:
        """A text that is not in the corpus, with its phrases and the topics that the model sees in it."""
        return answers.Document(**explorer.segment(new.text))


def _refusing(status: int) -> Any:
    def refuse(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, status)

    return refuse


def _refuse_nonsense(request: Request, error: Exception) -> JSONResponse:
    """Say what does not fit; what was given is not repeated, it may be anything."""
    assert isinstance(error, RequestValidationError)
    told = []
    for each in error.errors():
        place = ".".join(str(part) for part in each["loc"][1:] if isinstance(part, str))
        told.append(f"{place}: {each['msg']}" if place else str(each["msg"]))
    return JSONResponse({"detail": "; ".join(told).encode("utf-8", "replace").decode()}, 422)


def _owning_up(headers: dict[str, str]) -> Any:
    def own_up(request: Request, error: Exception) -> JSONResponse:
        told = {"detail": "something went wrong in the explorer; its terminal tells more"}
        return JSONResponse(told, 500, headers)  # this answer does not pass the guard

    return own_up
