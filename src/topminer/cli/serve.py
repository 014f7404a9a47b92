"""``topminer serve``: a model in the browser."""

from __future__ import annotations

import os
import re
import secrets
import socket
import webbrowser
from contextlib import closing
from pathlib import Path
from typing import Annotated

from topminer.cli.command import spread
from topminer.cli.options import RunOptions, argument, flag, number, option
from topminer.errors import InputError

EXAMPLES = [
    "topminer serve titles-model",
    "topminer serve titles-model --port 0 --open",
    "topminer serve titles-model --host 0.0.0.0 --token auto",
]
SHORTEST_TOKEN = 16  # characters


@spread
def serve(
    directory: Annotated[Path, argument("A model directory.", metavar="DIR")],
    run: RunOptions,
    host: Annotated[
        str,
        option("Where to listen. Anything but this machine's own 127.0.0.1 needs a token.", metavar="NAME"),
    ] = "127.0.0.1",
    port: Annotated[int, number("The port; 0: any that is free.", min=0, max=65535)] = 8000,
    token: Annotated[
        str | None,
        option(
            "What visitors must know: 16 characters or more, or auto, which makes one and tells it.",
            metavar="TOKEN|auto",
            envvar="TOPMINER_TOKEN",
            show_envvar=False,
        ),
    ] = None,
    open: Annotated[bool, flag("Open the browser as well.", "--open")] = False,
) -> None:
    """Explore a model in the browser.

    Its topics, phrases and documents, with a search, contexts of any phrase, and texts of your own.
    Only this machine is served unless you say otherwise. Nothing can be changed but the labels of topics.
    The page /api describes the API. Ctrl-C ends it.
    """
    from topminer.cli.session import Session

    _check_installed()
    checked = _checked_token(token, host, run.quiet)
    session = Session(run)
    with closing(_listening(host, port)) as sock:
        from topminer.views.explorer.access import LOOPBACK
        from topminer.views.explorer.app import create_app
        from topminer.views.explorer.explorer import Explorer
        from topminer.views.explorer.server import server_of

        with session.progress() as progress:
            progress("Preparing the page", 0, None, "")
            explorer = Explorer(session.model(directory), directory)
            explorer.page()
        with closing(explorer):
            address = _address(host, sock.getsockname()[1])
            secret = f"?token={checked}" if checked else ""
            shown = address + (secret if token == "auto" else "")
            session.say(f"{explorer.title} at {shown} (Ctrl-C ends it)")
            if open:
                webbrowser.open(address + secret)
            app = create_app(explorer, token=checked, hosts={*LOOPBACK, host})
            server_of(app).run(sockets=[sock])


def _check_installed() -> None:
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError:
        raise InputError("topminer serve needs FastAPI and uvicorn: pip install 'topminer[serve]'") from None


def _checked_token(token: str | None, host: str, quiet: bool) -> str | None:
    from topminer.views.explorer.access import is_loopback

    if token is None:
        if not is_loopback(host):
            raise InputError(
                f"--host {host} can be reached from other machines: it needs a --token (auto makes one)"
            )
        return None
    if token == "auto":
        if quiet:
            raise InputError("--token auto is of no use with --quiet, which does not tell it")
        return secrets.token_urlsafe(24)
    if len(token) < SHORTEST_TOKEN or not re.fullmatch(r"[A-Za-z0-9._~-]+", token):
        raise InputError(
            f"--token must be auto, or at least {SHORTEST_TOKEN} characters: letters A to Z, digits, - . _ ~"
        )
    return token


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens: a port that is taken is refused before the model is loaded."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, place = found[0]
        sock = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise InputError(f"--host {host}: {getattr(error, 'strerror', None) or error}") from None
    try:
        if os.name == "posix":  # elsewhere it would take a port that is in use
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(place)
        sock.listen(128)
    except OSError as error:
        sock.close()
        raise InputError(f"--port {port} on {host}: {error.strerror or error}; --port 0 takes any") from None
    return sock


def _address(host: str, port: int) -> str:
    """Return the address to type into a browser."""
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()  # what listens everywhere has no address of its own
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
