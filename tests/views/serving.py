"""A real server in a thread of this process, on 127.0.0.1, whose clock can be put forward."""

import asyncio
import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from topminer.views.explorer.server import LimitedProtocol, Limits, server_of

PATIENCE = 60  # seconds after which a test that hangs fails


class Served:
    """A running server: its port, its connections and its clock."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._ahead = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None
        self.server = server_of(self._with_clock, limits)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self._socket]})

    def start(self) -> None:
        self._thread.start()
        wait_until(lambda: self.server.started)

    def stop(self) -> None:
        """Stop as after a signal; whoever is still connected must not prevent it."""
        self.server.should_exit = True
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    async def _with_clock(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            self._loop = asyncio.get_running_loop()
            self._loop.time = lambda: time.monotonic() + self._ahead  # type: ignore[method-assign]
        await self._app(scope, receive, send)

    def put_clock_forward(self, seconds: float) -> None:
        """Let the server believe that time has passed, and wait until all timers that are due have run."""

        async def forward() -> None:
            self._ahead += seconds
            # Due timers run in the next turn of the loop, and what they close is closed in the turn after it.
            for _ in range(5):
                await asyncio.sleep(0)

        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(forward(), self._loop).result(PATIENCE)

    def connections(self) -> list[LimitedProtocol]:
        # A copy: the server's thread changes the set.
        return [
            each for each in list(self.server.server_state.connections) if isinstance(each, LimitedProtocol)
        ]

    def wait_for_connections(self, n: int) -> None:
        wait_until(lambda: len(self.server.server_state.connections) == n)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def ask(
        self, path: str = "/", method: str = "GET", body: Any = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Ask with a connection of its own; underscores in names of headers stand for hyphens."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()


@contextmanager
def running(app: ASGIApp, limits: Limits | None = None) -> Iterator[Served]:
    served = Served(app, limits or Limits())
    served.start()
    try:
        yield served
    finally:
        served.stop()


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.002)


def is_closed(client: socket.socket) -> bool:
    """Whether the server ends the connection; what it sends before is left out."""
    try:
        while client.recv(1 << 16):
            pass
    except ConnectionError:
        pass
    return True


def answer_on(client: socket.socket) -> tuple[int, bytes]:
    """The next answer on a connection: its status and its body."""
    answer = http.client.HTTPResponse(client)
    answer.begin()
    return answer.status, answer.read()
