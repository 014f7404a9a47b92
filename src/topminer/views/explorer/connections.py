"""Limits on connections to the explorer: how long a client may take, and how many may be connected.

uvicorn closes a connection that is idle after an answer, but waits without limit for the rest of a request,
and for a client that does not read its answer. The protocol here gives each of these *waits* a time limit:

- for headers: from the connection, or from the last answer, to the end of a request's headers;
- for the body: from the end of the headers to the end of the body;
- for the client to read: a client must read a part of its answer every so often.

While the explorer itself works on an answer there is no limit. A limit counts from the start of its wait:
sending one byte a second does not extend it.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from enum import Enum
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


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


class Wait(Enum):
    """What the server waits for; ``WORK``: for nothing, it is at work on an answer."""

    HEADERS = "headers"
    BODY = "body"
    READING = "reading"
    WORK = "work"


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 by uvicorn, which closes the connections of clients that take too long."""

    limits = Limits()
    wait = Wait.WORK
    since = 0.0  # start of the wait, in the loop's time
    _timer: asyncio.TimerHandle | None = None
    _unread = 0  # bytes of answers that the client had not read when the wait began

    # ------------------------------------------------------------------- what uvicorn and asyncio call

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for headers; if there are too many connections, end one."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > self.limits.n_connections:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        """Take what the client sends, and see what is awaited now."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """See what is awaited after an answer."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_timer()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def timeout_keep_alive_handler(self) -> None:
        """End an idle connection, even if its client never reads the last answer."""
        if self._now() is Wait.HEADERS:
            self._end()

    def shutdown(self) -> None:
        """End the connection if its client is waited for; let the server finish an answer otherwise."""
        if self._now() is Wait.WORK:
            super().shutdown()
        else:
            self._end()

    def pause_writing(self) -> None:
        """Begin to wait for the client to read."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """See what is awaited now that the client has read."""
        super().resume_writing()
        self._watch()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, unless an answer is under way already."""
        if self.cycle is not None:
            self.cycle.disconnected = True  # whatever the app still has to say has no place any more
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._answer(400, msg)
        else:
            self._end()

    # -------------------------------------------------------------------------------------- waiting

    def _now(self) -> Wait:
        """What is awaited at this moment."""
        is_answered = self.cycle is None or self.cycle.response_complete
        if self.transport.get_write_buffer_size() and (is_answered or self.flow.write_paused):
            return Wait.READING
        if self.conn.their_state is h11.SEND_BODY:
            return Wait.BODY
        return Wait.HEADERS if self.conn.their_state is h11.IDLE and is_answered else Wait.WORK

    def _watch(self) -> None:
        """Start a time limit if something else is awaited than before."""
        now = self._now()
        if now is not self.wait:
            self._start(now)

    def _start(self, wait: Wait) -> None:
        self._stop_timer()
        self.wait, self.since = wait, self.loop.time()
        self._unread = self.transport.get_write_buffer_size()
        seconds = {
            Wait.HEADERS: self.limits.headers,
            Wait.BODY: self.limits.body,
            Wait.READING: self.limits.reading,
        }
        if wait in seconds:
            self._timer = self.loop.call_later(seconds[wait], self._time_is_over)

    def _time_is_over(self) -> None:
        self._timer = None
        now = self._now()
        read = self._unread - self.transport.get_write_buffer_size()
        # asyncio does not report that the client has read all of its answer: the wait may have changed.
        if now is not self.wait or (now is Wait.READING and read >= self.limits.least_read):
            self._start(now)
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
        waiting = [
            each
            for each in self.connections
            if isinstance(each, LimitedProtocol)
            and each is not self
            and each.wait is not Wait.WORK
            and not each.transport.is_closing()
        ]
        if waiting:
            min(waiting, key=lambda each: (each.wait is Wait.READING, each.since))._end()
        else:
            self._answer(503, "too many connections; try again")

    def _answer(self, status: int, detail: str) -> None:
        """Answer without the app, and end the connection."""
        body = json.dumps({"detail": detail}).encode()
        headers: list[tuple[str, Any]] = [
            ("content-type", "application/json"),
            ("content-length", str(len(body))),
            ("connection", "close"),
        ]
        for event in (
            h11.Response(status_code=status, headers=headers),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def protocol_with(limits: Limits) -> type[LimitedProtocol]:
    """The protocol with these limits."""
    return type("Protocol", (LimitedProtocol,), {"limits": limits})
