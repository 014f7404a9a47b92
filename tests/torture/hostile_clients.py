"""Clients that misbehave. Each is a function of a port that says what the server did wrong, if anything."""

import http.client
import json
import random
import re
import socket
import time
from collections.abc import Callable

from torture.mutations import mutated

Client = Callable[[int], str | None]
SECONDS_TO_END = 60.0  # seconds after which a connection that the server should have ended has failed
PAUSE = 0.2  # seconds between two bytes of a slow client

PATHS = [
    *("/", "/api", "/api/model", "/api/topics", "/api/topics/0", "/api/documents?limit=5", "/openapi.json"),
    *("/api/documents/0?threshold=2", "/api/search?q=data", "/api/concordance?phrase=data", "/nothing"),
]
WRITES = [
    ("PUT", "/api/topics/0/label", {"label": "written from elsewhere"}),
    ("POST", "/api/segment", {"text": "support vector machines"}),
    ("DELETE", "/api/topics/0", {}),
    ("PATCH", "/api/topics/0/label", {"label": "written from elsewhere"}),
]
OWN_WRITES = [
    ("PUT", "/api/topics/1/label", {"label": "written by a client of its own"}),
    ("POST", "/api/segment", {"text": "support vector machines"}),
]
HOSTS = [
    *("evil.example", "127.0.0.1.evil.example", "localhost.evil", "[::1].evil", "", "0.0.0.0", "a b", "\xff"),
]
ELSEWHERE = [
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "http://127.0.0.1.evil.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"},
    {"Content-Type": "text/plain"},
    {"Content-Type": "application/x-www-form-urlencoded"},
]


def any_client(chance: random.Random) -> tuple[str, Client]:
    """A client of some kind, and what to call it."""
    kind = chance.choice([foreign_host, foreign_write, garbage, garbage, slow, slow, silent, deaf])
    return kind.__name__.replace("_", " "), kind(chance)


def foreign_host(chance: random.Random) -> Client:
    """Ask under a name that is not served, as a page elsewhere can by DNS rebinding."""
    path, host = chance.choice(PATHS), chance.choice(HOSTS)

    def ask(port: int) -> str | None:
        status = _status(port, "GET", path, None, {"Host": host})
        return None if status in (400, 421) else f"GET {path} for the host {host!r} gives {status}"

    return ask


def foreign_write(chance: random.Random) -> Client:
    """Write from a page elsewhere."""
    method, path, body = chance.choice(WRITES)
    headers = {"Content-Type": "application/json", **chance.choice(ELSEWHERE)}

    def write(port: int) -> str | None:
        status = _status(port, method, path, json.dumps(body), headers)
        return None if status in (403, 415) else f"{method} {path} with {headers} gives {status}"

    return write


def garbage(chance: random.Random) -> Client:
    """Send a request of which some bytes are changed, left out or repeated."""
    request = _any_request(chance)
    return _sending(mutated(request, request, chance) or b"\n")


def slow(chance: random.Random) -> Client:
    """Send one byte after the other, and never finish."""
    request = _any_request(chance)
    head = request.index(b"\r\n\r\n")
    # What comes at once: nothing, a part of the headers, all but their end, or all of them.
    start = chance.choice([0, chance.randrange(head), head, head + 4])

    def drip(port: int) -> str | None:
        with _connected(port) as client:
            end = time.monotonic() + SECONDS_TO_END
            client.settimeout(PAUSE)
            if not _goes_through(client, request[:start]):
                return None
            for number in range(start, 10**9):
                never_ending = head <= number < head + 4 or number >= len(request)
                byte = b"x" if never_ending else request[number : number + 1]
                if not _goes_through(client, byte) or _is_ended(client):
                    return None
                if time.monotonic() > end:
                    return f"one byte at a time from {start} of {request[:60]!r} on: not ended"
            return None

    return drip


def silent(chance: random.Random) -> Client:
    """Send nothing, or a part of a request, and wait."""
    request = _any_request(chance)
    return _sending(request[: chance.choice([0, 0, 1, chance.randrange(len(request))])])


def deaf(chance: random.Random) -> Client:
    """Ask for much, and read nothing of it for a while."""
    return _sending(_head("GET", "/") * chance.randint(1, 30), read_after=chance.uniform(0, 8))


# -------------------------------------------------------------------------------------------------- sockets


def _connected(port: int) -> socket.socket:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
    client.settimeout(SECONDS_TO_END)
    client.connect(("127.0.0.1", port))
    return client


def _any_request(chance: random.Random) -> bytes:
    if chance.random() < 0.5:
        return _head("GET", chance.choice(PATHS))
    method, path, body = chance.choice(OWN_WRITES)
    content = json.dumps(body).encode()
    if chance.random() < 0.5:
        return _head(method, path, f"Content-Length: {len(content)}") + content
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(content), content)
    return _head(method, path, "Transfer-Encoding: chunked") + chunks


def _head(method: str, path: str, *headers: str) -> bytes:
    first = f"{method} {path} HTTP/1.1"
    lines = [first, "Host: 127.0.0.1", "Content-Type: application/json", *headers, "", ""]
    return "\r\n".join(lines).encode()


def _goes_through(client: socket.socket, sent: bytes) -> bool:
    """Send; whether the connection is still open, as far as can be told."""
    try:
        client.sendall(sent)
    except TimeoutError:
        pass
    except OSError:
        return False
    return True


def _is_ended(client: socket.socket) -> bool:
    """Whether the server has ended the connection; waits for the client's time-out."""
    try:
        return not client.recv(1 << 16)
    except TimeoutError:
        return False
    except OSError:
        return True


def _sending(sent: bytes, read_after: float = 0.0) -> Client:
    """Send, and read after a while, until the server ends the connection."""

    def send(port: int) -> str | None:
        received = b""
        with _connected(port) as client:
            _goes_through(client, sent)
            time.sleep(read_after)
            try:
                while part := client.recv(1 << 16):
                    received = received[-20:] + part
                    if failed := re.search(rb"HTTP/1\.1 5\d\d", received):
                        return f"{sent[:300]!r} gives {failed[0].decode()}"
            except TimeoutError:
                return f"{sent[:300]!r}: not ended"
            except OSError:
                pass
        return None

    return send


def _status(port: int, method: str, path: str, body: str | None, headers: dict[str, str]) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS_TO_END)
    try:
        encoded = {name: value.encode("latin-1") for name, value in headers.items()}
        connection.request(method, path, body, encoded)
        return connection.getresponse().status
    finally:
        connection.close()
