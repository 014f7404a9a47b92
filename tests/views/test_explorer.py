"""The explorer's API on a small model: what it tells, and what it makes of hostile and of many requests."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
from anyio.from_thread import start_blocking_portal
from directories import bytes_of
from starlette.types import Message
from web import TestClient

from topminer import ToPMine, load
from topminer.cli import main
from topminer.topics.results.own_labels import Labels
from topminer.topics.results.summary import LOWEST, Summary
from topminer.views.explorer.app import create_app
from topminer.views.explorer.docs_page import DOCS_POLICY
from topminer.views.explorer.explorer import LIST_CHARS, MAX_LIMIT, N_REPRESENTATIVE, Explorer
from topminer.views.pages import policy
from topminer.views.report_page.shown import ALWAYS

FRUIT = ["apple", "pear", "plum", "quince", "fresh fruit salad", "<b>cherry & co</b>"]
METAL = ["iron", "zinc", "copper", "cobalt", "heavy metal alloys", "heavy metal alloy"]
RARE = "rare earth"  # too rare for the model's threshold, not for the lowest


def texts() -> list[str]:
    rng = np.random.default_rng(3)
    kinds = [METAL if number % 3 == 2 else FRUIT for number in range(90)]
    told = [", ".join(rng.choice(kind, 12)) + "." for kind in kinds]
    return [*told, *[f"iron, {RARE}"] * 6, "", "Ünïcode 漢字 👩\u200d🔬 pear " + "apple, plum. " * 300]


TEXTS = texts()
LAST = len(TEXTS) - 1


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explorer")
    model = ToPMine(2, significance=4.0, n_sweeps=30, random_state=1).fit(TEXTS)
    model.save(folder / "fruit & <metal>\u202e")
    return folder / "fruit & <metal>\u202e"


@pytest.fixture(scope="module")
def model(saved: Path) -> ToPMine:
    return load(saved)


Serve = Callable[..., TestClient]


@pytest.fixture
def serve(saved: Path, tmp_path: Path) -> Iterator[Serve]:
    """Make a client of an explorer, by default of a copy of the saved model."""
    explorers = []

    def start(directory: Path | None = None, **more: Any) -> TestClient:
        if directory is None:
            directory = tmp_path / saved.name
            if not directory.exists():
                shutil.copytree(saved, directory)
        explorers.append(Explorer(load(directory), directory, title=directory.name))
        app = create_app(explorers[-1], **more)
        return TestClient(app, base_url="http://127.0.0.1:8000", raise_server_exceptions=False)

    yield start
    for explorer in explorers:
        explorer.close()


@pytest.fixture(scope="module")
def client(saved: Path, model: ToPMine) -> Iterator[TestClient]:
    """A client that changes nothing."""
    explorer = Explorer(model, saved, title=saved.name)
    explorer.search("begin", 0, 1)
    assert explorer._index is not None
    explorer._index.wait()
    yield TestClient(create_app(explorer), base_url="http://127.0.0.1:8000", raise_server_exceptions=False)
    explorer.close()


def told(client: TestClient, path: str, **parameters: Any) -> Any:
    answer = client.get(path, params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def phrases_of(document: dict[str, Any]) -> list[str]:
    return [phrase["text"] for phrase in document["phrases"]]


# ------------------------------------------------------------------------- topics


def test_the_page_and_the_model(client: TestClient, saved: Path) -> None:
    answer = client.get("/")
    assert (answer.status_code, answer.headers["content-type"][:9]) == (200, "text/html")
    assert answer.headers["content-security-policy"] == policy(live=True)
    assert f"<title>{saved.name}" not in answer.text
    assert "<b>cherry" not in answer.text
    model = told(client, "/api/model")
    assert (model["title"], model["live"]) == (saved.name, True)
    assert (model["threshold"], model["lowest"]) == (4.0, LOWEST)
    assert model["n_documents"] == len(TEXTS)
    assert "documents" not in model
    assert len(model["topics"]) == 2


def test_topics(client: TestClient, model: ToPMine) -> None:
    topics = told(client, "/api/topics")
    assert [topic["id"] for topic in topics] == [0, 1]
    frequency = {phrase.phrase: phrase.frequency for topic in model.topics(0, 50) for phrase in topic.phrases}
    for topic in topics:
        assert told(client, f"/api/topics/{topic['id']}") == topic
        assert topic["renamed"] is False
        assert topic["documents"] == Summary(model).representative(topic["id"], N_REPRESENTATIVE).tolist()
        for phrase in topic["phrases"]:
            assert list(phrase) == ["phrase", "frequency", "kert", "best", "background"]
    shown = {phrase["phrase"] for topic in topics for phrase in topic["phrases"]}
    assert shown & set(frequency)


def test_topics_and_documents_that_are_not_there(client: TestClient) -> None:
    for answer in (
        client.get("/api/topics/2"),
        client.put("/api/topics/2/label", json={"label": "x"}),
        client.get("/api/documents", params={"topic": 2}),
    ):
        detail = "there is no topic 2; topics are numbered from 0 to 1"
        assert (answer.status_code, answer.json()) == (404, {"detail": detail})
    answer = client.get(f"/api/documents/{len(TEXTS)}")
    detail = f"there is no document {len(TEXTS)}; rows are numbered from 0 to {LAST}"
    assert (answer.status_code, answer.json()) == (404, {"detail": detail})


def test_a_renamed_topic_stays_renamed(serve: Serve) -> None:
    client = serve()
    before = told(client, "/api/topics/1")["label"]
    new = "Metals </script><b> & „mehr“ 漢字"
    answer = client.put("/api/topics/1/label", json={"label": f" {new} "})
    assert answer.json() == {"id": 1, "label": new, "renamed": True}
    assert "Metals </script><b>" not in client.get("/").text
    again = serve()
    assert told(again, "/api/topics/1")["label"] == new
    assert told(again, "/api/model")["topics"][1]["renamed"] is True
    assert told(again, "/api/topics/0")["renamed"] is False
    answer = again.put("/api/topics/1/label", json={"label": ""})
    assert answer.json() == {"id": 1, "label": before, "renamed": False}
    assert told(serve(), "/api/topics/1")["label"] == before


def test_labels_given_elsewhere_are_seen_and_kept(serve: Serve, tmp_path: Path, saved: Path) -> None:
    client, directory = serve(), tmp_path / saved.name
    assert told(client, "/api/topics/0")["renamed"] is False
    assert main(["label", str(directory), "0", "Given by the command", "--quiet"]) == 0
    assert told(client, "/api/topics/0")["label"] == "Given by the command"
    assert "Given by the command" in client.get("/").text
    assert client.put("/api/topics/1/label", json={"label": "Given in the browser"}).status_code == 200
    assert Labels.read(directory).names == {0: "Given by the command", 1: "Given in the browser"}
    assert main(["label", str(directory), "--reset", "--quiet"]) == 0
    assert told(client, "/api/topics/1")["renamed"] is False


def test_damaged_labels_are_told_until_they_are_mended(serve: Serve, tmp_path: Path, saved: Path) -> None:
    client, directory = serve(), tmp_path / saved.name
    (directory / "labels.json").write_text("{")
    for answer in (
        client.get("/"),
        client.get("/api/topics"),
        client.put("/api/topics/0/label", json={"label": "x"}),
    ):
        assert (answer.status_code, answer.json()) == (503, {"detail": "labels.json: damaged: not JSON"})
    assert (directory / "labels.json").read_text() == "{"
    (directory / "labels.json").unlink()
    assert client.get("/api/topics").status_code == 200


def test_topics_of_a_model_that_was_replaced_cannot_be_renamed(
    serve: Serve, tmp_path: Path, saved: Path
) -> None:
    client, directory = serve(), tmp_path / saved.name
    ToPMine(2, n_sweeps=5, random_state=2).fit(TEXTS[:60]).save(directory, overwrite=True)
    assert main(["label", str(directory), "0", "Of the new model", "--quiet"]) == 0
    answer = client.put("/api/topics/0/label", json={"label": "Of the old model"})
    assert (answer.status_code, "replaced" in answer.json()["detail"]) == (409, True)
    assert told(client, "/api/topics/0")["renamed"] is False
    assert Labels.read(directory).names == {0: "Of the new model"}


@pytest.mark.parametrize("label", ["x" * 5000, "x" * 121, "a\0b", "\u202eabc"])
def test_labels_that_are_refused(client: TestClient, label: str) -> None:
    answer = client.put("/api/topics/0/label", json={"label": label})
    assert answer.status_code == 422
    assert "label" in answer.json()["detail"]
    assert told(client, "/api/topics/0")["renamed"] is False


def test_nothing_else_can_be_changed(client: TestClient, saved: Path) -> None:
    paths, before = told(client, "/openapi.json")["paths"], bytes_of(saved)
    writing = {(method.upper(), path) for path, methods in paths.items() for method in set(methods) - {"get"}}
    assert writing == {("PUT", "/api/topics/{id}/label"), ("POST", "/api/segment")}
    for path in [*paths, "/", "/api", "/openapi.json", "/labels.json", "/api/../model.json", "/nothing"]:
        for method in ("HEAD", "OPTIONS", "DELETE", "PATCH", "TRACE", "PUT", "POST", "X"):
            if (method, path) not in {*writing, ("HEAD", "/openapi.json")}:
                answer = client.request(method, path.format(id=0, row=0), json={"label": "x", "text": "x"})
                assert answer.status_code in (404, 405), (method, path)
    assert bytes_of(saved) == before


# ---------------------------------------------------------------------- documents


def test_documents_in_order(client: TestClient, model: ToPMine) -> None:
    found = told(client, "/api/documents", offset=3, limit=4)
    assert found["total"] == len(TEXTS)
    assert [document["row"] for document in found["documents"]] == [3, 4, 5, 6]
    for document in found["documents"]:
        row = document["row"]
        assert (document["text"], document["id"], document["cut"]) == (TEXTS[row], str(row + 1), False)
        shares = model.lda_.doc_topic_[row]
        assert dict(map(tuple, document["topics"])) == pytest.approx(dict(enumerate(shares)), abs=1e-3)
    assert told(client, "/api/documents", offset=len(TEXTS) - 1, limit=5)["documents"][0]["row"] == LAST
    assert told(client, "/api/documents", offset=10**6)["documents"] == []


def test_documents_of_a_topic(client: TestClient, model: ToPMine) -> None:
    found = told(client, "/api/documents", topic=1, limit=5)
    more = told(client, "/api/documents", topic=1, offset=3, limit=2)
    assert found["documents"][3:] == more["documents"]
    assert 0 < found["total"] <= len(TEXTS)
    for document in found["documents"]:
        assert model.lda_.doc_topic_[document["row"]].argmax() == 1


def test_long_texts_are_cut_in_lists_only(client: TestClient) -> None:
    (listed,) = told(client, "/api/documents", offset=LAST, limit=1)["documents"]
    whole = told(client, f"/api/documents/{LAST}")
    assert (listed["cut"], whole["cut"]) == (True, False)
    assert whole["text"] == TEXTS[LAST]
    assert len(listed["text"]) <= LIST_CHARS
    assert TEXTS[LAST].startswith(listed["text"])
    assert max(listed["end"]) <= len(listed["text"])


def test_a_document_has_the_phrases_of_the_model_at_its_threshold(client: TestClient, model: ToPMine) -> None:
    spans = model.partition_.spans().with_columns(topic=model.lda_.clique_topic_)
    for row in (0, 2, 91, LAST - 1, LAST):
        document = told(client, f"/api/documents/{row}", threshold=4)
        own = spans.filter(spans["document"] == row)
        found = [(each["start"], each["end"], each["topic"]) for each in document["phrases"]]
        assert found == own.select("start", "stop", "topic").rows()
        assert all(each["text"] == TEXTS[row][each["start"] : each["end"]] for each in document["phrases"])
    assert "phrases" not in told(client, "/api/documents/0")


def test_lower_thresholds_find_rarer_phrases(client: TestClient) -> None:
    assert phrases_of(told(client, "/api/documents/91", threshold=4)) == ["iron", *RARE.split()]
    assert phrases_of(told(client, "/api/documents/91", threshold=LOWEST)) == ["iron", RARE]
    for threshold in (0, 0.99, -1, "nan", "inf", "x", 1e400, 1e308, ALWAYS * 1.1):
        answer = client.get("/api/documents/91", params={"threshold": threshold})
        assert answer.status_code == 422
        assert "threshold" in answer.json()["detail"]


@pytest.mark.parametrize("path", ["/api/documents?", "/api/search?q=a&", "/api/concordance?phrase=a&"])
def test_odd_pages_are_refused(client: TestClient, path: str) -> None:
    for odd in (f"limit={MAX_LIMIT + 1}", "limit=0", "limit=x", "offset=-1", f"offset={10**30}"):
        answer = client.get(path + odd)
        assert answer.status_code == 422
        assert answer.json()["detail"].startswith(odd.partition("=")[0])


# ------------------------------------------------------------------------- finding


def test_search(client: TestClient) -> None:
    found = told(client, "/api/search", q="zinc heavy", limit=3)
    assert found["total"] == sum("zinc" in text and "heavy" in text for text in TEXTS)
    for document in found["documents"]:
        assert list(document) == ["row", "id", "time", "topics", "excerpt"]
        hits = [piece for piece, is_hit in document["excerpt"] if is_hit]
        assert set(hits) == {"zinc", "heavy"}
        assert "".join(piece for piece, _ in document["excerpt"]).strip("…") in TEXTS[document["row"]]
    assert told(client, "/api/search", q="漢字")["documents"][0]["row"] == LAST
    assert told(client, "/api/search", q="")["total"] == 0


def test_a_search_mines_nothing_and_writes_nothing_beside_the_model(
    serve: Serve, saved: Path, monkeypatch
) -> None:
    monkeypatch.setattr("topminer.topics.results.summary.lowered", lambda *given: 1 / 0)
    before, client = bytes_of(saved), serve(saved)
    while (answer := client.get("/api/search", params={"q": "zinc"})).status_code == 202:
        pass
    assert (answer.status_code, answer.json()["total"] > 0) == (200, True)
    assert client.get("/api/documents/0").status_code == 500
    assert bytes_of(saved) == before


def test_concordance(client: TestClient) -> None:
    found = told(client, "/api/concordance", phrase="Heavy metals alloy", limit=100)
    assert found["total"] == sum(text.count("heavy metal alloy") for text in TEXTS)
    rows = [line["row"] for line in found["lines"]]
    assert rows == sorted(rows)
    for line in found["lines"]:
        assert line["match"] in ("heavy metal alloy", "heavy metal alloys")
        assert line["left"] + line["match"] + line["right"] in TEXTS[line["row"]]
        assert line["topic"] in (0, 1)
    assert told(client, "/api/concordance", phrase="heavy metal alloy", offset=2, limit=3) == {
        "total": found["total"],
        "lines": found["lines"][2:5],
    }
    assert told(client, "/api/concordance", phrase="xylophone") == {"total": 0, "lines": []}


@pytest.mark.parametrize("path", ["/api/search?q=", "/api/concordance?phrase="])
def test_texts_to_look_for_have_a_longest(client: TestClient, path: str) -> None:
    assert client.get(path + "a" * 1000).json()["total"] == 0
    assert client.get(path + "a" * 1001).status_code == 422
    assert client.get(path.partition("?")[0]).status_code == 422
    assert client.get(f"{path}%ff%ed%a0%80").status_code == 200


def test_segment(client: TestClient, model: ToPMine) -> None:
    text = "👩\u200d🔬 Heavy metal alloys, xylophones and rare earth. Zinc!"
    answer = client.post("/api/segment", json={"text": text})
    assert answer.status_code == 200
    document = answer.json()
    assert (document["row"], document["text"], document["time"]) == (-1, text, None)
    words = [text[start:end] for start, end in zip(document["start"], document["end"], strict=True)]
    assert words == ["Heavy", "metal", "alloys", "xylophones", "rare", "earth", "Zinc"]
    strength = dict(zip(words, document["strength"], strict=True))
    assert strength["Heavy"] is None
    assert strength["metal"] >= 4
    assert LOWEST <= strength["earth"] < 4
    topics = dict(zip(words, document["topic"], strict=True))
    assert topics["xylophones"] == -1
    assert topics["Heavy"] == topics["metal"] == topics["alloys"] >= 0
    expected = dict(enumerate(model.transform([text])[0]))
    assert dict(map(tuple, document["topics"])) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("text", ["", " ", "xylophone", "\0", ".,;", "zinc " * 20_000])
def test_any_text_can_be_cut(client: TestClient, text: str) -> None:
    document = client.post("/api/segment", json={"text": text}).json()
    assert document["text"] == text
    assert len(document["start"]) == len(document["topic"]) == len(document["strength"])


def test_too_long_a_text_is_refused(client: TestClient) -> None:
    answer = client.post("/api/segment", json={"text": "x" * 100_001})
    assert (answer.status_code, "100000" in answer.json()["detail"]) == (422, True)
    parts = (b"[" + b" " * 100_000 for _ in range(20))
    answer = client.post("/api/segment", content=parts, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()) == (413, {"detail": "more than 1,048,576 bytes"})
    assert answer.headers["content-security-policy"] == policy(live=True)


# -------------------------------------------------------------------------- hostile

# With blanks between them.
ODD_NUMBERS = """x -1 -0 1.5 1e5 1_0 +1 0x10 ٣ null true nan -nan inf -inf 1e308 1e309 -1e308 1e-320
    %00 1%00 %ff %ed%a0%80 %E2%88%9E 1& [] {}"""
ODD_WORDS = """%00 a%00b %ff %ed%a0%80 \" \"\" ' * a* ^a OR -a + a:b text:zinc ( ) \\ $ rank % %2 %zz
    %E2%80%AE ../../etc/passwd <script>"""
ODD_PATHS = """/api/ // /api/topics/ /api/topics/0/ /api//topics /api/topics/../model /api/topics/0/label
    /%00 /%2e%2e/%2e%2e/etc/passwd /static/..%2f /api/topics/0%2flabel /?token=x"""
LARGE = [str(2**31), str(2**31 + 1), str(2**63), str(2**64), "0" * 5000, "9" * 5000, "a" * 20_000]
NUMBERS = ["", " ", *ODD_NUMBERS.split(), *LARGE]
TEXTS_ASKED = [
    *("", " ", '"""', "NEAR(a b)", "a AND", "NOT a", "{a b}:c", "zinc NEAR/2 iron", "zinc\t iron"),
    *("'; DROP TABLE texts; --", "%F0%9F%98%80" * 1000, "%E6%BC%A2" * 1000, "%CC%81" * 1000),
    *(f'"{"zinc " * 190}"', "zinc " * 200, "a" * 1000, *ODD_WORDS.split()),
]
ASKED = [
    *(f"/api/topics/{number}" for number in NUMBERS),
    *(f"/api/documents/{number}" for number in NUMBERS),
    *(f"/api/documents?topic={number}" for number in NUMBERS),
    *(f"/api/documents/91?threshold={number}" for number in NUMBERS),
    *(
        f"/api/{path}&{name}={number}"
        for path in ("documents?", "search?q=zinc", "concordance?phrase=zinc")
        for name in ("offset", "limit")
        for number in NUMBERS
    ),
    *(f"/api/search?q={text}" for text in TEXTS_ASKED),
    *(f"/api/concordance?phrase={text}" for text in TEXTS_ASKED),
    *ODD_PATHS.split(),
    "/" + "a/" * 3000,
]


def test_no_request_for_something_is_a_bug_of_the_explorer(client: TestClient) -> None:
    for target in ASKED:
        # The client would tidy the target up: it is sent as it is.
        path, _, query = target.partition("?")
        scope = {"path": unquote(path), "raw_path": path.encode(), "query_string": query.encode()}
        status, kind, body = asked(client, scope)
        assert status in (200, 404, 405, 422), (target, body)
        assert "html" in kind or json.loads(body) is not None, target
        if status != 200:
            assert isinstance(json.loads(body)["detail"], str)
            assert len(body) < 1000, target


def asked(client: TestClient, scope: dict[str, Any]) -> tuple[int, str, bytes]:
    """Status, content type and body of the answer to a request that is made of exactly these bytes."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    whole = {"type": "http", "method": "GET", "http_version": "1.1", "scheme": "http", "root_path": ""}
    headers = [(b"host", b"127.0.0.1:8000")]
    # In a thread of its own: a browser that other tests left open keeps this one's event loop running.
    with start_blocking_portal() as portal:
        portal.call(client.app, {**whole, "headers": headers, **scope}, receive, send)
    kind = dict(sent[0]["headers"])[b"content-type"].decode()
    return sent[0]["status"], kind, b"".join(message.get("body", b"") for message in sent[1:])


BODIES = [
    *[b"", b" ", b"{", b"[]", b"null", b"1", b'""', b"{}", b"\xff", b"\x00", b"NaN", b'{"__proto__": 1}'],
    *[b"[" * 100_000, b'{"a":' * 50_000, b"9" * 100_000],
    *[b'{"text": %s, "label": %s}' % (each, each) for each in (b"NaN", b"{}", b"[]", b"1", b"null")],
    *[b'{"text": "\\ud800", "label": "\\ud800"}', b'{"text": "\\u0000", "label": "\\u0000"}'],
    b'{"text": "a", "text": 1, "label": "a", "label": 1}',
    b'\xef\xbb\xbf{"text": "a", "label": "\\u202e"}',
    '{"text": "a", "label": "\0"}'.encode("utf-16"),
    b'{"text": "' + b"x" * 100_001 + b'", "label": ""}',
]


@pytest.mark.parametrize("number", range(len(BODIES)))
def test_no_body_is_a_bug_of_the_explorer(client: TestClient, number: int) -> None:
    json_kind = {"content-type": "application/json"}
    for method, path in (("POST", "/api/segment"), ("PUT", "/api/topics/0/label")):
        answer = client.request(method, path, content=BODIES[number], headers=json_kind)
        assert answer.status_code in (200, 400, 422), answer.text
        if answer.status_code != 200:
            assert isinstance(answer.json()["detail"], str)
            assert len(answer.content) < 1000


# --------------------------------------------------------------------- other models


def test_a_model_without_texts(serve: Serve, model: ToPMine, tmp_path: Path) -> None:
    model.save(tmp_path / "bare", keep_texts=False)
    client = serve(tmp_path / "bare")
    assert client.get("/").status_code == 200
    assert len(told(client, "/api/topics")) == 2
    for path in ("/api/documents", "/api/documents/0", "/api/search?q=zinc", "/api/concordance?phrase=zinc"):
        answer = client.get(path)
        assert (answer.status_code, "without the texts" in answer.json()["detail"]) == (409, True)
    assert client.post("/api/segment", json={"text": "zinc"}).status_code == 200


def test_a_model_of_single_words(serve: Serve, tmp_path: Path) -> None:
    ToPMine(2, phrases=False, n_sweeps=10, random_state=1).fit(TEXTS).save(tmp_path / "words")
    client = serve(tmp_path / "words")
    assert told(client, "/api/model")["threshold"] is None
    document = told(client, "/api/documents/91", threshold=1)
    assert set(document["strength"]) == {None}
    assert phrases_of(document) == ["iron", *RARE.split()]
    assert client.post("/api/segment", json={"text": "zinc"}).status_code == 200


def test_the_index_of_a_large_model_takes_its_time(serve: Serve, monkeypatch) -> None:
    from topminer.views.explorer import search

    monkeypatch.setattr(search.SearchIndex, "_open_or_build", lambda self: None)
    answer = serve().get("/api/search", params={"q": "zinc"})
    assert answer.status_code == 202
    assert answer.json() == {"building": {"done": 0, "total": len(TEXTS)}}


def test_a_bug_is_told_as_one(serve: Serve, monkeypatch) -> None:
    monkeypatch.setattr(Explorer, "topics", lambda self: 1 / 0)
    answer = serve().get("/api/topics")
    assert answer.status_code == 500
    assert "ZeroDivisionError" not in answer.text
    assert answer.headers["content-security-policy"] == policy(live=True)
    assert list(answer.json()) == ["detail"]


# -------------------------------------------------------------------------- at once


def test_many_may_ask_at_once(serve: Serve) -> None:
    client = serve()
    paths = [
        *("/", "/api/model", "/api/topics", "/api/documents?topic=1&limit=3", "/api/search?q=zinc"),
        *("/api/documents/91?threshold=1", "/api/concordance?phrase=zinc"),
    ]

    def ask(number: int) -> tuple[str, int, str]:
        path = paths[number % len(paths)]
        if number % 10 == 9:
            client.put(f"/api/topics/{number // 10 % 2}/label", json={"label": f"label {number}"})
        answer = client.post("/api/segment", json={"text": "zinc"}) if number % 8 == 7 else client.get(path)
        return path, answer.status_code, answer.text

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(70)))
    assert {status for _, status, _ in answers} <= {200, 202}
    assert len({text for path, _, text in answers if "threshold" in path and '"row":91' in text}) == 1
    assert {topic["renamed"] for topic in told(client, "/api/topics")} == {True}
    labels = [topic["label"] for topic in told(client, "/api/topics")]
    assert labels == [topic["label"] for topic in told(serve(), "/api/topics")]


# ---------------------------------------------------------------------------- docs


def test_the_api_is_documented_as_it_is(client: TestClient) -> None:
    schema = told(client, "/openapi.json")
    operations = [each for methods in schema["paths"].values() for each in methods.values()]
    assert all(operation["summary"] and operation["description"] for operation in operations)
    answer = client.get("/api")
    assert answer.headers["content-security-policy"] == DOCS_POLICY
    for path in schema["paths"]:
        assert path in answer.text
    assert "fruit &amp; &lt;metal&gt;·" in answer.text
    assert not re.search(r"<(script|link|img|iframe)|<[^>]+\b(src|style|on\w+)=", answer.text)
    for path in ("/docs", "/redoc"):
        assert client.get(path).status_code == 404
    named = schema["components"]["schemas"]
    assert set(told(client, "/api/model")) == set(named["Model"]["properties"])
    assert set(told(client, "/api/topics/0")) == set(named["Topic"]["properties"])
    assert set(told(client, "/api/documents/0", threshold=2)) == set(named["Document"]["properties"])


def test_who_is_served(serve: Serve) -> None:
    client = serve()
    assert client.get("/api/topics", headers={"host": "evil.example:8000"}).status_code == 421
    evil = {"origin": "http://evil.example"}
    assert client.put("/api/topics/0/label", json={"label": "x"}, headers=evil).status_code == 403
    assert told(client, "/api/topics/0")["renamed"] is False
    client = serve(token="a-token-of-some-length")
    for path in ("/", "/api", "/api/model", "/openapi.json", "/api/documents/0"):
        assert client.get(path).status_code == 401
    client.headers["authorization"] = "Bearer a-token-of-some-length"
    assert told(client, "/api/topics")
    assert client.put("/api/topics/0/label", json={"label": "mine"}).status_code == 200
    for host in ("[::1", "[", "", "a b", "evil.example", "\xff", "a" * 10_000, "x:99999999999"):
        for path in ("/", "/api/topics/0", "/api/topics/0/", "/api", "/nothing"):
            answer = client.get(path, headers={"host": host.encode("latin-1")})
            assert answer.status_code in (200, 404), path
