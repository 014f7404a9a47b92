"""Requests to the explorer: valid and invalid ones made from its OpenAPI document, and hostile clients.

Requests run in waves, all of a wave at the same time. The seed and the number of a request determine its
content; the order in which the requests of a wave arrive is up to the network.
"""

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from torture.explorer_server import Server
from torture.hostile_clients import SECONDS_TO_END, Client, any_client
from torture.specimens import Specimens
from torture.trials import Trials

NAME = "explorer: schemathesis and hostile clients"
WANTED = 2_000
SHORT = 25
N_AT_ONCE = 25  # requests of a wave; generated cases are drawn so many at a time, too
HOSTILE_SHARE = 0.3
ATTEMPTS = 3  # of a polite client: on a busy machine it may be too slow for the server's short limits

Wave = list[tuple[int, str, Client]]


def torture(trials: Trials) -> None:
    """Send waves of requests to one server, which must answer all along and end by itself."""
    model = Specimens(trials.folder.parent / "specimens").model("few")
    with Server(model, trials.folder / "log") as server, ThreadPoolExecutor(N_AT_ONCE) as pool:
        cases = _Cases(server.port, trials.seed)
        wave: Wave = []
        for chance in trials:
            hostile = chance.random() < HOSTILE_SHARE
            wave.append((trials.number, *(any_client(chance) if hostile else cases.client(trials.number))))
            if len(wave) == N_AT_ONCE:
                _send(trials, server, pool, wave)
                wave = []
        _send(trials, server, pool, wave)
        open_at_the_end = [pool.submit(any_client(random.Random(i))[1], server.port) for i in range(10)]
        if complaint := server.end():
            trials.failed(complaint)
        for each in open_at_the_end:
            each.exception()  # whatever it saw: the server was ending


def _send(trials: Trials, server: Server, pool: ThreadPoolExecutor, wave: Wave) -> None:
    """Send a wave, note what went wrong, and see that the server still answers."""
    sent = [(number, name, pool.submit(client, server.port)) for number, name, client in wave]
    for number, name, future in sent:
        error = future.exception()
        complaint = f"{type(error).__name__}: {error}" if error else future.result()
        if complaint:
            trials.failed(f"{name}: {complaint[:2000]}", number)
    if complaint := _answers(server.port):
        trials.failed(f"after its wave: {complaint}: {server.logged()}")


def _answers(port: int) -> str | None:
    import requests

    try:
        answer = _asked_again(
            lambda: requests.get(f"http://127.0.0.1:{port}/api/topics", timeout=SECONDS_TO_END)
        )
    except requests.RequestException as error:
        return f"the server does not answer any more: {error}"
    if answer.status_code != 200:
        return f"the server answers {answer.status_code}"
    written = [topic["label"] for topic in answer.json() if topic["label"] == "written from elsewhere"]
    return "a topic was renamed from elsewhere" if written else None


class _Cases:
    """Requests that schemathesis makes from the server's OpenAPI document: the same for the same number."""

    def __init__(self, port: int, seed: int) -> None:
        import schemathesis
        from hypothesis import strategies

        schema = schemathesis.openapi.from_url(f"http://127.0.0.1:{port}/openapi.json")
        modes = schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE
        operations = [found.ok() for found in schema.get_all_operations()]
        self._strategy = strategies.one_of(
            [each.as_strategy(generation_mode=mode) for each in operations for mode in modes]
        )
        self._seed = seed
        self._batch_number, self._batch = -1, list[Any]()

    def client(self, number: int) -> tuple[str, Client]:
        """A client that sends the request of a number and checks its answer."""
        case = self._case(number)
        return case.as_curl_command()[:300], lambda port: _checked(case)

    def _case(self, number: int) -> Any:
        if self._batch_number != number // N_AT_ONCE:
            self._batch_number = number // N_AT_ONCE
            self._batch = self._drawn(random.Random(f"{self._seed} {self._batch_number}").getrandbits(64))
        return self._batch[number % len(self._batch)]

    def _drawn(self, seed: int) -> list[Any]:
        import hypothesis

        drawn = []

        @hypothesis.seed(seed)
        @hypothesis.settings(
            max_examples=N_AT_ONCE,
            phases=[hypothesis.Phase.generate],
            database=None,
            deadline=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(self._strategy)
        def draw(case: Any) -> None:
            drawn.append(case)

        draw()
        return drawn


def _checked(case: Any) -> str | None:
    """Send a request; the answer must be no error of the server, and as the OpenAPI document describes it."""
    from schemathesis import checks
    from schemathesis.core.failures import Failure, FailureGroup
    from schemathesis.specs.openapi import checks as of_openapi

    answer = _asked_again(lambda: case.call(timeout=SECONDS_TO_END))
    try:
        case.validate_response(
            answer,
            checks=[
                checks.not_a_server_error,
                of_openapi.status_code_conformance,
                of_openapi.content_type_conformance,
                of_openapi.response_schema_conformance,
            ],
        )
    except (FailureGroup, Failure) as error:
        return f"{answer.status_code}: {error}"
    return None


def _asked_again(ask: Callable[[], Any]) -> Any:
    """Ask again if the connection breaks."""
    import requests

    for _ in range(ATTEMPTS - 1):
        try:
            return ask()
        except requests.ConnectionError:
            continue
    return ask()
