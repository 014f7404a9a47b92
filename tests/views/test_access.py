"""Who is let in, and what answers say."""

from typing import Any

import pytest
from fastapi import FastAPI, Request
from web import TestClient

from topminer.views.explorer.access import HEADERS, LOOPBACK, Guard, is_loopback

TOKEN = "a-token-of-some-length"
JSON = {"content-type": "application/json"}


async def echo(request: Request) -> dict[str, int]:
    return {"size": len(await request.body())}


def client(token: str | None = None, host: str = "127.0.0.1:8000") -> TestClient:
    app = FastAPI(openapi_url=None)
    for path in ("/", "/openapi.json"):
        app.add_api_route(path, echo, methods=["GET", "PUT", "POST"])
    app.add_middleware(Guard, token=token, hosts={*LOOPBACK, "my-host"}, headers=HEADERS)
    return TestClient(app, base_url=f"http://{host}", follow_redirects=False)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8000", "localhost", "LOCALHOST:1", "[::1]:8000", "my-host:80", "My-Host"]
)
def test_own_names_are_served(host: str) -> None:
    assert client().get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", ""),
        *("127.0.0.1@evil.example", "[::1", "[::1].evil", "192.168.0.7", "0.0.0.0", "my-host, evil"),
    ],
)
def test_other_names_are_not(host: str) -> None:
    answer = client().get("/", headers={"host": host})
    assert answer.status_code == 421
    assert list(answer.json()) == ["detail"]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        *(("localhost", True), ("127.0.0.1", True), ("127.1.2.3", True), ("::1", True), ("LocalHost", True)),
        *(("0.0.0.0", False), ("::", False), ("example.org", False), ("", False), ("localhost.org", False)),
    ],
)
def test_which_hosts_only_this_machine_can_reach(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_every_answer_says_what_the_browser_may_do() -> None:
    open_one, closed = client(), client(TOKEN)
    answers = [
        open_one.get("/"),
        open_one.get("/nothing"),
        open_one.get("/", headers={"host": "evil"}),
        open_one.post("/", content="x"),
        closed.get("/"),
        closed.get(f"/?token={TOKEN}"),
    ]
    assert [answer.status_code for answer in answers] == [200, 404, 421, 415, 401, 303]
    for answer in answers:
        assert answer.headers.items() >= {name.lower(): value for name, value in HEADERS.items()}.items()


# ------------------------------------------------------------------------ tokens


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer wrong-token-of-some-kind"},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": "Bearer"},
        {"authorization": "Bearer \xff".encode("latin-1")},
        {"cookie": "topminer-00000000=" + TOKEN},
        {"cookie": "=;;==\xff".encode("latin-1")},
        {"cookie": f"x=topminer-00000000={TOKEN}; {TOKEN}"},
    ],
)
def test_nothing_is_told_without_the_token(headers: dict[str, Any]) -> None:
    for path in ("/", "/openapi.json", "/nothing"):
        answer = client(TOKEN).get(path, headers=headers)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert "token" in answer.json()["detail"]


def test_a_browser_gets_a_page_instead() -> None:
    answer = client(TOKEN).get("/", headers={"accept": "text/html,*/*"})
    assert answer.status_code == 401
    assert answer.text.startswith("<!doctype html>")
    assert TOKEN not in answer.text


def test_the_token_in_a_header() -> None:
    for host in ("127.0.0.1", "my.server.example"):
        answer = client(TOKEN, host).get("/openapi.json", headers={"authorization": f"bearer {TOKEN}"})
        assert answer.status_code == 200


def test_the_token_in_the_address_becomes_a_cookie() -> None:
    visitor = client(TOKEN)
    answer = visitor.get("/", params={"token": TOKEN})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert visitor.get("/").status_code == 200
    assert visitor.get("/openapi.json").status_code == 200
    (own,) = visitor.cookies.jar
    odd = f'a={{"b": 1}}; "; =; {own.name}={own.value}; c'
    assert client(TOKEN).get("/", headers={"cookie": odd}).status_code == 200
    other = client("another-token-altogether")
    other.cookies = visitor.cookies
    assert other.get("/").status_code == 401


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], TOKEN + "x", "\ud83d\ude00", "%ff"])
def test_a_wrong_token_in_the_address(token: str) -> None:
    visitor = client(TOKEN)
    answer = visitor.get("/", params={"token": token.encode("utf-16", "surrogatepass").decode("utf-16")})
    assert answer.status_code == 401
    assert not visitor.cookies


def test_the_token_in_the_address_opens_the_page_only() -> None:
    visitor = client(TOKEN)
    assert visitor.get("/openapi.json", params={"token": TOKEN}).status_code == 401
    assert visitor.put("/", params={"token": TOKEN}, headers=JSON, content="{}").status_code == 401


# ----------------------------------------------------------------------- changes


@pytest.mark.parametrize(
    "kind", [None, "text/plain", "application/x-www-form-urlencoded", "application/jsonx"]
)
def test_what_changes_something_must_be_json(kind: str | None) -> None:
    headers = {} if kind is None else {"content-type": kind}
    assert client().put("/", content="{}", headers=headers).status_code == 415
    own = {"content-type": "Application/JSON; charset=utf-8"}
    assert client().put("/", content="{}", headers=own).is_success


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        *(("http://127.0.0.1:8000", 200), ("http://127.0.0.1", 403), ("http://evil.example", 403)),
        *(("null", 403), ("", 403), ("http://[", 403), ("http://127.0.0.1:8000.evil", 403)),
    ],
)
def test_what_changes_something_must_come_from_the_own_page(origin: str, status: int) -> None:
    answer = client().post("/", content="{}", headers={**JSON, "origin": origin})
    assert answer.status_code == status
    token = {"authorization": f"Bearer {TOKEN}"}
    answer = client(TOKEN).post("/", content="{}", headers={**JSON, **token, "origin": origin})
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("site", "status"),
    [
        *(("same-origin", 200), ("none", 200), ("cross-site", 403), ("same-site", 403)),
        *(("Cross-Site", 403), ("", 403), ("same-origin, cross-site", 403), ("unheard-of", 403)),
    ],
)
def test_a_change_from_another_site_is_refused_even_without_an_origin(site: str, status: int) -> None:
    headers = {**JSON, "sec-fetch-site": site}
    own, token = {"origin": "http://127.0.0.1:8000"}, {"authorization": f"Bearer {TOKEN}"}
    assert client().put("/", content="{}", headers=headers).status_code == status
    assert client().post("/", content="{}", headers=headers | own).status_code == status
    assert client(TOKEN).put("/", content="{}", headers=headers | token).status_code == status
    assert client().get("/", headers=headers).status_code == 200
    both = [*headers.items(), ("sec-fetch-site", "cross-site")]
    assert client().put("/", content="{}", headers=both).status_code == 403


@pytest.mark.parametrize("length", ["-1", "1e3", "9" * 400, "²"])
def test_odd_lengths_are_refused(length: str) -> None:
    headers = {**JSON, "content-length": length.encode("latin-1")}
    assert client().post("/", content=b"{}", headers=headers).status_code == 413
