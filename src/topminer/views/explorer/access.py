"""Who may ask the explorer, and what every answer says to the browser.

Without a token only this machine is served, under its own names: a page elsewhere that has its name point
here (DNS rebinding) is turned away. With a token everybody is served who has it. What changes something must
be JSON and come from the explorer's own page, by what browsers say in ``Origin`` and ``Sec-Fetch-Site``.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Collection, Mapping
from contextlib import suppress
from html import escape
from ipaddress import ip_address
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
MOST_BYTES = 1 << 20  # of a request's body
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::[0-9]*)?")
_SAFE = {"GET", "HEAD", "OPTIONS"}
_PAGE = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>{what}</title><h1>{what}</h1><p>{why}</p></html>"
)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host of this name.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return host.lower() == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def headers_for(policy: str) -> dict[str, str]:
    """What every answer says to the browser; ``policy`` is what the page may load and run."""
    return {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }


class _NoBody(Exception):
    """There is no whole body: it is too large, or the client has gone."""


class Guard:
    """Lets requests through to an app, or not.

    Parameters
    ----------
    app : ASGI app
        What is guarded.
    token : str or None
        What a visitor must show; None: nothing, but the request must be for one of ``hosts``.
    hosts : collection of str
        Names under which this machine is served, without ports.
    headers : mapping
        Headers of every answer that does not have its own.
    """

    def __init__(
        self, app: ASGIApp, *, token: str | None, hosts: Collection[str], headers: Mapping[str, str]
    ) -> None:
        self.app, self.headers = app, headers
        self._token = None if token is None else token.encode()
        self._hosts = {host.lower().strip("[]") for host in hosts}
        # Cookies know no ports: those of two explorers on one machine must not be one.
        digest = hashlib.sha256(self._token or b"").hexdigest()[:8]
        self.cookie = f"topminer-{digest}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have the app do it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # nothing here speaks WebSocket: the server refuses it
        body = _Body(receive)

        async def say(message: Message) -> None:
            if message["type"] == "http.response.start":
                told = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    told.setdefault(name, value)
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, say)
            return

        async def say_unless_too_large(message: Message) -> None:
            if not body.is_too_large:
                await say(message)

        with suppress(_NoBody):
            await self.app(scope, body.receive, say_unless_too_large)
        if body.is_too_large:
            await _too_large()(scope, receive, say)

    def _refusal(self, scope: Scope) -> Response | None:
        """What to answer instead of the app, if anything."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if self._token is None:
            if len(hosts) != 1 or _name_of(hosts[0]) not in self._hosts:
                return JSONResponse({"detail": "this host name is not served here"}, 421)
        else:
            offered = parse_qs(scope["query_string"].decode("latin-1")).get("token")
            if offered and scope["path"] == "/" and scope["method"] == "GET":
                return self._welcome(offered[-1]) or _unauthorized(headers)
            if not self._has_token(headers):
                return _unauthorized(headers)
        if scope["method"] not in _SAFE:
            if headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
                return JSONResponse({"detail": "expected application/json"}, 415)
            if not (_is_own_origin(headers.getlist("origin"), hosts) and _is_same_site(headers)):
                return JSONResponse({"detail": "only the explorer's own page may change something"}, 403)
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or len(length) > 9 or int(length) > MOST_BYTES:
            return _too_large()
        return None

    def _welcome(self, offered: str) -> Response | None:
        """Remember who came with the right token, and take it out of the address."""
        if not self._is_token(offered.encode("utf-8", "replace")):
            return None
        assert self._token is not None
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self.cookie, self._token.decode(), httponly=True, samesite="strict")
        return answer

    def _has_token(self, headers: Headers) -> bool:
        kind, _, shown = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return self._is_token(shown.strip().encode("latin-1"))
        # By hand: whatever odd cookies others on this machine have set must not hide ours.
        crumbs = (crumb.partition("=") for line in headers.getlist("cookie") for crumb in line.split(";"))
        return any(
            self._is_token(value.strip().encode("latin-1"))
            for name, _, value in crumbs
            if name.strip() == self.cookie
        )

    def _is_token(self, shown: bytes) -> bool:
        return self._token is not None and secrets.compare_digest(shown, self._token)


def _name_of(host: str) -> str:
    """The name in a Host header, without the port."""
    found = _HOST.fullmatch(host)
    return found[1].strip("[]").lower() if found else ""


def _is_own_origin(origins: list[str], hosts: list[str]) -> bool:
    if not origins:
        return True
    try:
        return len(origins) == len(hosts) == 1 and urlsplit(origins[0]).netloc.lower() == hosts[0].lower()
    except ValueError:
        return False


def _is_same_site(headers: Headers) -> bool:
    """Whether the browser, if it is one, says that the request comes from the explorer's own page.

    Browsers set ``Sec-Fetch-Site`` on every request and no page can change it. They may leave ``Origin`` out.
    """
    return {each.strip().lower() for each in headers.getlist("sec-fetch-site")} <= {"same-origin", "none"}


def _unauthorized(headers: Headers) -> Response:
    why = "open the address that topminer serve printed, with its token"
    challenge = {"WWW-Authenticate": "Bearer"}
    if "text/html" in headers.get("accept", ""):
        page = _PAGE.format(what="This explorer asks for a token", why=escape(f"To come in, {why}."))
        return HTMLResponse(page, 401, challenge)
    return JSONResponse({"detail": f"this explorer asks for a token: {why}"}, 401, challenge)


def _too_large() -> Response:
    # The rest of the body is not read: the connection is of no more use.
    return JSONResponse({"detail": f"more than {MOST_BYTES:,} bytes"}, 413, {"Connection": "close"})


class _Body:
    """A request's body, given up when it grows too large. All of it comes before an answer begins."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._n_bytes = 0
        self._is_whole = False

    @property
    def is_too_large(self) -> bool:
        return self._n_bytes > MOST_BYTES

    async def receive(self) -> Message:
        """The next part of it."""
        message = await self._receive()
        self._n_bytes += len(message.get("body", b""))
        if self.is_too_large or (message["type"] == "http.disconnect" and not self._is_whole):
            raise _NoBody
        self._is_whole = not message.get("more_body", False)
        return message
