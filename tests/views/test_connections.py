"""Clients that are silent, slow, hostile or too many, against a real server on this machine."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Annotated, Any

import pytest
from fastapi import Body, FastAPI
from serving import Served, answer_on, is_closed, running, wait_until
from starlette.responses import PlainTextResponse, Response

from topminer.views.explorer.access import LOOPBACK, MAX_BYTES, Guard
from topminer.views.explorer.server import Limits

# The clock is put forward by hours: how fast this machine is makes no difference.
LONG = Limits(headers=10_000, body=20_000, reading=30_000, idle=50_000)
LARGE = 1 << 25  # bytes: more than the buffers of the operating system take


class App:
    """Echoes, sends much, or works until it is told to end."""

    def __init__(self) -> None:
        self.working, self.go_on = threading.Semaphore(0), threading.Event()
        app = FastAPI()
        app.add_api_route("/", self.echo, methods=["GET", "PUT", "POST", "DELETE"])
        app.add_api_route("/large", self.large)
        app.add_api_route("/work", self.work)
        self.asgi = Guard(app, token=None, hosts=LOOPBACK, headers={})

    def echo(self, sent: Annotated[Any, Body()] = None) -> dict[str, int]:
        return {"size": len(json.dumps(sent))}

    def large(self) -> Response:
        return PlainTextResponse("x" * LARGE)

    def work(self) -> Response:
        self.working.release()
        assert self.go_on.wait(60)
        return PlainTextResponse("done")


@pytest.fixture(autouse=True)
def nothing_is_logged(capsys, caplog) -> Iterator[None]:
    """Whatever clients do, no traceback and no warning reaches the terminal."""
    yield
    assert capsys.readouterr() == ("", "")
    assert caplog.records == []


@pytest.fixture
def app() -> App:
    return App()


@contextmanager
def silent(served: Served, n: int) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(served.connect()) for _ in range(n)]


def head(*lines: str) -> bytes:
    return "\r\n".join([*lines, "Host: 127.0.0.1", "Content-Type: application/json", "", ""]).encode()


# ------------------------------------------------------------------------------------------ silent and slow


def test_clients_that_send_nothing_are_closed_and_others_are_answered(app: App) -> None:
    with running(app.asgi, LONG) as served, silent(served, 20) as clients:
        served.wait_for_connections(20)
        assert served.ask()[0] == 200
        served.put_clock_forward(LONG.headers)
        assert all(is_closed(client) for client in clients)
        served.wait_for_connections(0)
        assert served.ask()[0] == 200


def test_three_hundred_silent_clients_do_not_keep_others_out(app: App) -> None:
    with running(app.asgi) as served, silent(served, 300):
        wait_until(lambda: len(served.connections()) >= 100)
        for _ in range(20):
            assert served.ask()[0] == 200
        wait_until(lambda: len(served.connections()) <= Limits().n_connections)


@pytest.mark.parametrize("in_time", [True, False])
def test_sending_headers_byte_by_byte_does_not_extend_the_limit(app: App, in_time: bool) -> None:
    with running(app.asgi, LONG) as served, served.connect() as slow:
        served.wait_for_connections(1)
        for byte in b"GET / HTTP/1.1":
            slow.send(bytes([byte]))
            served.put_clock_forward(LONG.headers / 20)
        assert len(served.connections()) == 1  # seven tenths of the time are over
        if in_time:
            slow.sendall(b"\r\nHost: 127.0.0.1\r\n\r\n")
            assert answer_on(slow)[0] == 200
        else:
            served.put_clock_forward(LONG.headers * 0.31)
            assert is_closed(slow)


@pytest.mark.parametrize("origin", ["http://127.0.0.1", "null"])  # of the own page, and one that is refused
@pytest.mark.parametrize("length", ["Content-Length: 100", "Transfer-Encoding: chunked"])
def test_a_body_that_never_ends_is_closed(app: App, length: str, origin: str) -> None:
    with running(app.asgi, LONG) as served, served.connect() as slow:
        slow.sendall(head("POST / HTTP/1.1", length, f"Origin: {origin}") + b"1\r\nx\r\n")
        wait_until(lambda: [each.wait for each in served.connections()] == ["body"])
        served.put_clock_forward(LONG.body * 0.6)
        slow.sendall(b"1\r\nx\r\n")
        assert len(served.connections()) == 1
        served.put_clock_forward(LONG.body * 0.6)
        assert is_closed(slow)
        assert served.ask()[0] == 200


def test_the_next_request_on_a_connection_has_limits_of_its_own(app: App) -> None:
    with running(app.asgi, LONG) as served, served.connect() as client:
        for _ in range(4):
            client.sendall(head("GET / HTTP/1.1"))
            assert answer_on(client)[0] == 200
            served.put_clock_forward(LONG.headers * 0.6)
        served.put_clock_forward(LONG.headers)
        assert is_closed(client)


def test_an_idle_connection_is_closed(app: App) -> None:
    with running(app.asgi, Limits(headers=1e6, idle=1000)) as served, served.connect() as client:
        client.sendall(head("GET / HTTP/1.1"))
        assert answer_on(client)[0] == 200
        wait_until(lambda: served.connections()[0].wait == "headers")
        served.put_clock_forward(1000)
        assert is_closed(client)


# --------------------------------------------------------------------------------------- reading and working


def asks_for_much(served: Served) -> socket.socket:
    """A client whose answer does not fit into any buffer, and which has read none of it."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.settimeout(60)
    client.connect(("127.0.0.1", served.port))
    client.sendall(head("GET /large HTTP/1.1"))
    wait_until(lambda: any(each.wait == "reading" for each in served.connections()))
    return client


@pytest.mark.parametrize("more", [b"", head("GET / HTTP/1.1"), b"no HTTP\r\n\r\n"])
def test_a_client_that_does_not_read_its_answer_is_closed(app: App, more: bytes) -> None:
    with running(app.asgi, LONG) as served, asks_for_much(served) as client:
        client.sendall(more)
        served.put_clock_forward(LONG.idle)
        served.put_clock_forward(LONG.reading)
        served.wait_for_connections(0)
        assert served.ask()[0] == 200


def test_a_client_that_reads_slowly_gets_all_of_its_answer(app: App) -> None:
    with running(app.asgi, LONG) as served, asks_for_much(served) as client:
        (connection,) = served.connections()
        n_read = 0
        for _ in range(5):
            unread = connection.transport.get_write_buffer_size()
            while connection.transport.get_write_buffer_size() > unread - LONG.least_read:
                n_read += len(client.recv(1 << 14))
            served.put_clock_forward(LONG.reading)
        while n_read < LARGE:
            n_read += len(client.recv(1 << 20))
        wait_until(lambda: connection.transport.get_write_buffer_size() == 0)


def test_work_has_no_limit(app: App) -> None:
    with running(app.asgi, LONG) as served, served.connect() as client:
        client.sendall(head("GET /work HTTP/1.1"))
        assert app.working.acquire(timeout=60)
        served.put_clock_forward(10 * LONG.reading)
        app.go_on.set()
        assert answer_on(client)[0] == 200


def test_the_server_ends_whoever_is_still_connected(app: App) -> None:
    with ExitStack() as clients:
        with running(app.asgi, LONG) as served:
            clients.enter_context(silent(served, 3))
            half, much, idle = served.connect(), asks_for_much(served), served.connect()
            for client in (half, much, idle):
                clients.enter_context(client)
            half.sendall(head("POST / HTTP/1.1", "Content-Length: 9") + b"x")
            idle.sendall(head("GET / HTTP/1.1"))
            assert answer_on(idle)[0] == 200
            wait_until(lambda: "body" in {each.wait for each in served.connections()})
        assert all(is_closed(client) for client in (half, much, idle))


def test_the_server_ends_though_it_is_at_work(app: App) -> None:
    with ExitStack() as stack:
        stack.callback(app.go_on.set)
        with running(app.asgi) as served:
            client = stack.enter_context(served.connect())
            client.sendall(head("GET /work HTTP/1.1"))
            assert app.working.acquire(timeout=60)
            served.server.config.timeout_graceful_shutdown = 0
            served.server.should_exit = True
            wait_until(lambda: not served.server.server_state.tasks)
            app.go_on.set()  # a thread cannot be cancelled
        assert is_closed(client)


# -------------------------------------------------------------------------------------------------- too many


def test_of_too_many_the_one_that_has_waited_longest_is_closed(app: App) -> None:
    with running(app.asgi, Limits(n_connections=3)) as served, ExitStack() as stack:
        clients = []
        for n in range(1, 4):
            clients.append(stack.enter_context(served.connect()))
            served.wait_for_connections(n)
        assert served.ask()[0] == 200
        assert is_closed(clients[0])
        for client in clients[1:]:
            client.sendall(head("GET / HTTP/1.1"))
            assert answer_on(client)[0] == 200


def test_when_all_are_at_work_one_more_is_told_so(app: App) -> None:
    with running(app.asgi, Limits(n_connections=3)) as served, silent(served, 3) as clients:
        for client in clients:
            client.sendall(head("GET /work HTTP/1.1"))
            assert app.working.acquire(timeout=60)
        with served.connect() as refused:
            status, body = answer_on(refused)
            assert (status, json.loads(body)) == (503, {"detail": "too many connections; try again"})
        app.go_on.set()
        assert [answer_on(client)[0] for client in clients] == [200] * 3
        assert served.ask()[0] == 200


# --------------------------------------------------------------------------------------------------- hostile


@pytest.mark.parametrize(
    "sent",
    [
        b"no HTTP\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 20 + b"\r\n\r\n",  # TLS
        b"GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"x" * (Limits().header_bytes + 1000),
        b"GET /" + b"x" * (Limits().header_bytes + 1000),
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_no_http_is_refused_as_json(app: App, sent: bytes) -> None:
    with running(app.asgi) as served, served.connect() as client:
        client.sendall(sent)
        status, body = answer_on(client)
        assert (status, list(json.loads(body))) == (400, ["detail"])
        assert is_closed(client)


@pytest.mark.parametrize("origin", ["http://127.0.0.1", "null"])
def test_a_body_that_turns_into_garbage_is_no_bug(app: App, origin: str) -> None:
    chunked = head("POST / HTTP/1.1", "Transfer-Encoding: chunked", f"Origin: {origin}")
    with running(app.asgi) as served:
        for first, second in (
            (chunked + b"xyz\r\n", b""),
            (chunked, b"xyz\r\n"),
            (chunked + b"1\r\n", b"xyz"),
        ):
            with served.connect() as client:
                client.sendall(first)
                if second:
                    wait_until(lambda: "body" in {each.wait for each in served.connections()})
                    client.sendall(second)
                assert is_closed(client)
        assert served.ask()[0] == 200


def test_an_upgrade_to_another_protocol_is_not_made(app: App) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Key": "x" * 24}
    with running(app.asgi) as served:
        assert served.ask(**upgrade)[0] == 200
        assert served.ask("127.0.0.1:80", "CONNECT")[0] == 415


def test_large_bodies_are_refused_however_they_come(app: App) -> None:
    kind = {"Content_Type": "application/json"}
    with running(app.asgi) as served:
        largest = json.dumps("x" * (MAX_BYTES - 2)).encode()
        assert json.loads(served.ask("/", "POST", largest, **kind)[2]) == {"size": MAX_BYTES}
        with served.connect() as client:
            client.sendall(head("POST / HTTP/1.1", f"Content-Length: {MAX_BYTES + 1}"))
            assert answer_on(client)[0] == 413
            assert is_closed(client)
        with served.connect() as client:
            client.sendall(head("POST / HTTP/1.1", "Transfer-Encoding: chunked"))
            part = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
            for _ in range(MAX_BYTES // 0x10000):
                client.sendall(part)
            client.sendall(b"1\r\nx\r\n")
            assert answer_on(client)[0] == 413
            assert is_closed(client)
