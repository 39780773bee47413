"""Replies of a site to the programs of a team, valid and invalid."""

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from sevenbag.contest.client.connection import ServerAddress
from sevenbag.contest.client.contest_client import SiteClient, TeamAssignment
from sevenbag.errors import CommandRejectedError, InputError, ProtocolError, ServerUnreachableError

TEAM, PASSWORD = "Team ä & b", "p&ss=%"


class Answers:
    """A site.

    Attributes:
        status: of its answers.
        body: likewise.
        asked: path and contents of the last request.
    """

    def __init__(self) -> None:
        self.status = 200
        self.body: object = {}
        self.asked: tuple[str, dict[str, Any]] = ("", {})
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                told = {key: values[0] for key, values in parse_qs(parts.query).items()}
                self._answer(parts.path, told)

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["Content-Length"]))
                self._answer(self.path, json.loads(data))

            def _answer(self, path: str, told: dict[str, Any]) -> None:
                outer.asked = (path, told)
                body = outer.body
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(outer.status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def answers() -> Iterator[Answers]:
    site = Answers()
    yield site
    site.stop()


def task(answers: Answers) -> TeamAssignment:
    return asyncio.run(SiteClient(answers.url + "/", TEAM, PASSWORD).fetch_assignment())


def test_assignment_of_a_team(answers: Answers) -> None:
    answers.body = {
        "status": "playing",
        "match_token": "t",
        "server_ip": "10.0.0.1",
        "internal_ip": "192.168.0.1",
        "command_port": 7001,
        "state_port": 7002,
        "opponent": "Beta",
        "new": [1],
    }
    assert task(answers) == TeamAssignment(
        "playing", "t", ServerAddress("10.0.0.1", 7001, 7002), "Beta"
    )
    assert answers.asked == ("/scheduler/current_match", {"team_name": TEAM, "password": PASSWORD})


@pytest.mark.parametrize("status", ["waiting", "finished"])
def test_status_without_a_match(answers: Answers, status: str) -> None:
    answers.body = {"status": status, "match_token": "", "server_ip": ""}
    assert task(answers).status == status


def test_reply_of_the_contest_of_2012(answers: Answers) -> None:
    answers.body = {
        "status": "success",
        "team_name": TEAM,
        "server_ip": "10.0.0.1",
        "match_token": "t",
        "internal_ip": "192.168.0.1",
    }
    made = asyncio.run(SiteClient(answers.url, TEAM, PASSWORD).create_test_match())
    assert made == TeamAssignment("playing", "t", ServerAddress("10.0.0.1"))
    assert answers.asked == (
        "/scheduler/create_unauthenticated_test_match",
        {"team_name": TEAM, "password": PASSWORD},
    )


@pytest.mark.parametrize("status", [200, 401, 403])
def test_rejection_by_the_site(answers: Answers, status: int) -> None:
    answers.status = status
    answers.body = {"status": "failed", "reason": "bad team or password"}
    for ask in ("fetch_assignment", "create_test_match"):
        with pytest.raises(CommandRejectedError, match="bad team or password"):
            asyncio.run(getattr(SiteClient(answers.url, TEAM, PASSWORD), ask)())


@pytest.mark.parametrize(
    ("status", "body", "error", "words"),
    [
        (429, b"", ServerUnreachableError, "cannot answer now"),
        (503, b"<html>", ServerUnreachableError, "cannot answer now"),
        (404, b"<html>", CommandRejectedError, "404"),
        (200, b"<html>", ProtocolError, "invalid reply"),
        (200, {"status": "playing"}, ProtocolError, "no server"),
        (200, {"status": 7}, ProtocolError, "invalid reply"),
        (200, {"status": "playing", "command_port": 99999}, ProtocolError, "invalid reply"),
        (200, b"[" * 100_000, ProtocolError, "invalid reply"),
    ],
)
def test_invalid_replies(
    answers: Answers, status: int, body: object, error: type[Exception], words: str
) -> None:
    answers.status, answers.body = status, body
    with pytest.raises(error, match=words) as caught:
        task(answers)
    assert PASSWORD not in str(caught.value)
    assert caught.value.__cause__ is None


def test_site_does_not_answer(answers: Answers) -> None:
    answers.stop()
    site = SiteClient(answers.url, TEAM, PASSWORD)
    answers.__init__()  # type: ignore[misc]  # another one, for the fixture to stop
    with pytest.raises(ServerUnreachableError, match="does not answer"):
        asyncio.run(site.create_test_match())


@pytest.mark.parametrize("url", ["", "ftp://x", "http://", "127.0.0.1:80", "file:///etc/passwd"])
def test_invalid_site_urls(url: str) -> None:
    with pytest.raises(InputError, match="invalid site"):
        SiteClient(url, TEAM, PASSWORD)
