"""The web server of the explorer: uvicorn, with limits on how long and how many clients may be connected.

uvicorn closes a connection that is idle after an answer, but waits without limit for the rest of a request,
and for a client that does not read its answer. The protocol here gives each of these waits a time limit:

- ``headers``: from the connection, or from the last answer, to the end of a request's headers;
- ``body``: from the end of the headers to the end of the body;
- ``reading``: a client must read a part of its answer every so often.

While the explorer itself works on an answer there is no limit. A limit counts from the start of its wait:
sending one byte a second does not extend it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from dataclasses import dataclass
from typing import Literal

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

LAST_ANSWERS = 2  # seconds for answers that are under way when the server is to end
BACKLOG = 128  # connections accepted at once: fewer than may be open, so that none ends before it is read
Wait = Literal["headers", "body", "reading"]


@dataclass(frozen=True)
class Limits:
    """How long clients may take, in seconds, and how much they may hold."""

    headers: float = 10.0  # a browser sends them at once
    body: float = 30.0  # the largest one, 1 MiB, at 300 kbit/s
    reading: float = 20.0  # in this time a client must read ``least_read`` bytes of its answer
    least_read: int = 1 << 16  # 3 kB/s: less than the slowest phone network gives
    idle: int = 5  # between an answer and the next request; browsers simply connect again
    n_connections: int = 200  # a browser opens six; well below the usual 1,024 open files of a process
    header_bytes: int = 1 << 15  # a search for 1,000 characters, each of 12 bytes in a URL, and some cookies


def server_of(app: ASGIApp, limits: Limits | None = None) -> uvicorn.Server:
    """Return a server of an app, with the usual limits if none are given."""
    limits = limits or Limits()
    config = uvicorn.Config(
        app,
        interface="asgi3",
        proxy_headers=False,  # nothing here depends on what a proxy says of the client
        http=type("Protocol", (LimitedProtocol,), {"limits": limits}),
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


class _Server(uvicorn.Server):
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Answers that are cut off because the server ends are no errors.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 by uvicorn, which closes the connections of clients that take too long."""

    limits = Limits()
    wait: Wait | None = None  # what the client has to do; None: the explorer works on an answer
    since = 0.0  # start of the wait, in the loop's time
    _timer: asyncio.TimerHandle | None = None
    _unread = 0  # bytes of answers that the client had not read when the wait began

    # ------------------------------------------------------------------- what uvicorn and asyncio call

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for headers; if there are too many connections, end one."""
        super().connection_made(transport)
        self._update()
        if len(self.connections) > self.limits.n_connections:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        """Take what the client sends."""
        super().data_received(data)
        self._update()

    def on_response_complete(self) -> None:
        """Go on after an answer."""
        super().on_response_complete()
        self._update()

    def pause_writing(self) -> None:
        """Begin to wait for the client to read."""
        super().pause_writing()
        self._update()

    def resume_writing(self) -> None:
        """Go on after the client has read."""
        super().resume_writing()
        self._update()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers."""
        self._stop_timer()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def timeout_keep_alive_handler(self) -> None:
        """End an idle connection, even if its client never reads the last answer."""
        if self._current_wait() == "headers":
            self._end()

    def shutdown(self) -> None:
        """End the connection if its client is waited for; let the server finish an answer otherwise."""
        if self._current_wait() is None:
            super().shutdown()
        else:
            self._end()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, unless an answer is under way already."""
        if self.cycle is not None:
            self.cycle.disconnected = True  # whatever the app still has to say has no place any more
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._answer(400, msg)
        else:
            self._end()

    # -------------------------------------------------------------------------------------- waiting

    def _current_wait(self) -> Wait | None:
        is_answered = self.cycle is None or self.cycle.response_complete
        if self.transport.get_write_buffer_size() and (is_answered or self.flow.write_paused):
            return "reading"
        if self.conn.their_state is h11.SEND_BODY:
            return "body"
        return "headers" if self.conn.their_state is h11.IDLE and is_answered else None

    def _update(self) -> None:
        """Start a time limit if another wait has begun."""
        wait = self._current_wait()
        if wait != self.wait:
            self._start(wait)

    def _start(self, wait: Wait | None) -> None:
        self._stop_timer()
        self.wait, self.since = wait, self.loop.time()
        self._unread = self.transport.get_write_buffer_size()
        if wait is not None:
            self._timer = self.loop.call_later(getattr(self.limits, wait), self._time_is_over)

    def _time_is_over(self) -> None:
        self._timer = None
        wait = self._current_wait()
        n_read = self._unread - self.transport.get_write_buffer_size()
        # asyncio does not report that the client has read all of its answer: the wait may have changed.
        if wait != self.wait or (wait == "reading" and n_read >= self.limits.least_read):
            self._start(wait)
        else:
            self._end()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # --------------------------------------------------------------------------------------- ending

    def _end(self) -> None:
        """End the connection now, without waiting until the client has read what was sent."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def _make_room(self) -> None:
        """End the connection that has waited longest for its client, or else refuse this one.

        A client with a request sends it at once. So those that have waited longest are those that send
        nothing, and however many there are, others get their answers. Clients that read an answer come last.
        """
        others = (each for each in self.connections if isinstance(each, LimitedProtocol) and each is not self)
        waiting = [each for each in others if each.wait and not each.transport.is_closing()]
        if waiting:
            min(waiting, key=lambda each: (each.wait == "reading", each.since))._end()
        else:
            self._answer(503, "too many connections; try again")

    def _answer(self, status: int, detail: str) -> None:
        """Answer without the app, and end the connection."""
        body = json.dumps({"detail": detail}).encode()
        headers = [
            ("content-type", "application/json"),
            ("content-length", str(len(body))),
            ("connection", "close"),
        ]
        answer = h11.Response(status_code=status, headers=headers)
        for event in (answer, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
