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
from html import escape
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
MAX_BYTES = 1 << 20  # of a request's body
HEADERS = {  # of every answer, beside the policy of what the page may load and run
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::[0-9]*)?")
_SAFE = {"GET", "HEAD", "OPTIONS"}
_TOO_LARGE = f"more than {MAX_BYTES:,} bytes"
_CLOSE = {"Connection": "close"}  # the rest of the body is not read: the connection is of no more use
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


class Guard:
    """Lets requests through to an app, or refuses them.

    Visitors must show ``token``; if it is None, their requests must be for one of ``hosts`` (names without
    ports). Every answer gets those of ``headers`` that it does not have.
    """

    def __init__(
        self, app: ASGIApp, *, token: str | None, hosts: Collection[str], headers: Mapping[str, str]
    ) -> None:
        self.app, self.headers, self._token = app, headers, token
        self._hosts = {host.lower().strip("[]") for host in hosts}
        # Cookies know no ports: those of two explorers on one machine need different names.
        self.cookie = f"topminer-{hashlib.sha256((token or '').encode()).hexdigest()[:8]}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have the app do it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        if scope["type"] != "http":
            return  # nothing here speaks WebSocket: the server refuses it

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    given.setdefault(name, value)
            await send(message)

        refusal = self._refusal(Request(scope))
        if refusal is not None:
            await refusal(scope, receive, send_with_headers)
        else:
            await self.app(scope, _limited(receive), send_with_headers)

    def _refusal(self, request: Request) -> Response | None:
        """Return what to answer instead of the app, if anything."""
        headers = request.headers
        hosts = headers.getlist("host")
        if self._token is None:
            if len(hosts) != 1 or _name_of(hosts[0]) not in self._hosts:
                return JSONResponse({"detail": "this host name is not served here"}, 421)
        else:
            offered = request.query_params.get("token")
            if offered and request.scope["path"] == "/" and request.method == "GET":
                return self._welcome() if self._is_token(offered) else _unauthorized(headers)
            if not self._is_token(self._shown(request)):
                return _unauthorized(headers)
        if request.method not in _SAFE:
            if headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
                return JSONResponse({"detail": "expected application/json"}, 415)
            if not (_is_own_origin(headers.getlist("origin"), hosts) and _is_same_site(headers)):
                return JSONResponse({"detail": "only the explorer's own page may change something"}, 403)
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or len(length) > 9 or int(length) > MAX_BYTES:
            return JSONResponse({"detail": _TOO_LARGE}, 413, _CLOSE)
        return None

    def _welcome(self) -> Response:
        """Remember a visitor who came with the right token, and take the token out of the address."""
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self.cookie, self._token or "", httponly=True, samesite="strict")
        return answer

    def _shown(self, request: Request) -> str:
        """Return the token that a request shows, in its header or its cookie."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        return token.strip() if kind.lower() == "bearer" else request.cookies.get(self.cookie, "")

    def _is_token(self, shown: str) -> bool:
        expected = (self._token or "").encode()
        return bool(expected) and secrets.compare_digest(shown.encode("utf-8", "replace"), expected)


def _limited(receive: Receive) -> Receive:
    """Return the body of a request, which is refused when it grows too large."""
    n_bytes = 0

    async def limited() -> Message:
        nonlocal n_bytes
        message = await receive()
        n_bytes += len(message.get("body", b""))
        if n_bytes > MAX_BYTES:
            raise HTTPException(413, _TOO_LARGE, _CLOSE)
        return message

    return limited


def _name_of(host: str) -> str:
    """Return the name in a Host header, without the port."""
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
