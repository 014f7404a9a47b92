"""The web server of the explorer: uvicorn, with limits on what clients may do."""

from __future__ import annotations

import logging
import socket

import uvicorn
from starlette.types import ASGIApp

from topminer.views.explorer.connections import Limits, protocol_with

LAST_ANSWERS = 2  # seconds for answers that are under way when the server is to end
BACKLOG = (
    128  # connections that are accepted at once: fewer than may be open, so that none ends before it is read
)


class _Server(uvicorn.Server):
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Answers that are cut off because the server ends are no errors.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)


def server_of(app: ASGIApp, limits: Limits | None = None) -> uvicorn.Server:
    """A server of an app; ``limits`` are the usual ones if left out."""
    limits = limits or Limits()
    config = uvicorn.Config(
        app,
        interface="asgi3",
        proxy_headers=False,  # nothing here depends on what a proxy says of the client
        http=protocol_with(limits),
        ws="none",
        log_level="error",
        access_log=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=limits.idle,
        timeout_graceful_shutdown=LAST_ANSWERS,
        h11_max_incomplete_event_size=limits.header_bytes,
    )
    return _Server(config)
