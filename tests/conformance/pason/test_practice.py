"""A team of 2012 practises: a URL creates a test match that its client plays.

The whole contest runs as its organiser would start it. The team knows its name, its password and
the site's address.
"""

import json
import re
import signal
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.run import sevenbag, start, wait_until
from tests.fakes.pason import programs
from tests.fakes.pason.addresses import free_address
from tests.fakes.pason.hosting import Client

pytestmark = pytest.mark.slow

TEAM = "Falling Stars & Co"
PASSWORD = "pa55 w0rd/with?signs=&%"
SETTINGS = """
[site]
port = 0

[server]
bind = "{address}"
shutdown_mode = "abort"

[test_match]
games = 1
game_seconds = 3
first_pause_seconds = 0.4
"""


class Site:
    """`sevenbag contest serve`, as an organiser runs it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.game_server = free_address()
        (folder / "contest.toml").write_text(SETTINGS.format(address=self.game_server))
        self.process: subprocess.Popen[str] = start("contest", "serve", folder=folder)
        self.lines: list[str] = []
        self._ears = [
            threading.Thread(target=self._hear, args=[stream], daemon=True)
            for stream in (self.process.stdout, self.process.stderr)
        ]
        for ear in self._ears:
            ear.start()
        wait_until(lambda: bool(self._url()) or self.process.poll() is not None)
        self.url = self._url()

    def call(self, **query: str) -> dict[str, Any]:
        """Request a test match by the URL of 2012."""
        words = urllib.parse.urlencode(query, quote_via=urllib.parse.quote)
        url = f"{self.url}/scheduler/create_unauthenticated_test_match?{words}"
        with urllib.request.urlopen(url, timeout=120) as reply:
            assert reply.status == 200
            assert reply.headers.get_content_type() == "application/json"
            told: dict[str, Any] = json.load(reply)
            return told

    def end(self) -> None:
        """Terminate it as a service manager does and read the rest of its output."""
        self.process.terminate()
        assert self.process.wait(120) == 128 + signal.SIGTERM, self.lines[-10:]
        for ear in self._ears:
            ear.join()

    def _url(self) -> str:
        found = re.search(r"site: (http://\S+)", "\n".join(self.lines))
        return found[1].rstrip("/") if found else ""

    def _hear(self, stream: Any) -> None:
        with stream:
            for line in stream:
                self.lines.append(line)  # they are looked at meanwhile


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("contest")
    password = tmp_path_factory.mktemp("secret") / "password"
    password.write_text(PASSWORD + "\n")
    site = Site(folder)
    try:
        words = ("--team", TEAM, "--password-file", password)
        registered = sevenbag("contest", "register", *words, folder=folder)
        assert registered.returncode == 0, registered.stderr
        yield site
    finally:
        site.end()


@pytest.fixture(scope="module")
def planner(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return programs.planner(tmp_path_factory.mktemp("planner"))


@pytest.mark.peers
def test_a_team_practises(site: Site, planner: list[str]) -> None:
    # A game server may still be connecting to the site.
    wait_until(lambda: site.call(team_name=TEAM, password=PASSWORD)["status"] == "success")
    reply = site.call(team_name=TEAM, password=PASSWORD)
    assert set(reply) == {"status", "team_name", "server_ip", "internal_ip", "match_token"}
    assert reply["team_name"] == TEAM
    # One client uses this field if present; the others know only the first.
    assert reply["server_ip"] == reply["internal_ip"] == site.game_server
    command = [*planner, reply["internal_ip"], reply["match_token"], TEAM, PASSWORD]
    with Client(command) as client:
        printed = client.ends_well()
    assert "winner" in printed
    pieces, _, moves = map(int, printed.splitlines()[-1].split()[-3:])
    # The number depends on the machine.
    assert moves >= pieces > 0


@pytest.mark.parametrize(
    "query",
    [
        {"team_name": TEAM, "password": PASSWORD + "?"},
        {"team_name": "Nobody", "password": PASSWORD},
        {"team_name": TEAM},
        {},
    ],
)
def test_rejected_requests(site: Site, query: dict[str, str]) -> None:
    reply = site.call(**query)
    assert set(reply) == {"status", "reason"}
    assert reply["status"] == "failed"
    assert reply["reason"]
    assert PASSWORD not in reply["reason"]


def test_password_is_not_written(site: Site) -> None:
    """No file and no output contains the password, plain or quoted for a URL."""
    written = {PASSWORD, urllib.parse.quote(PASSWORD), urllib.parse.quote_plus(PASSWORD)}
    written |= {json.dumps(PASSWORD).strip('"'), PASSWORD.replace("&", "&amp;"), "pa55"}
    files = [path for path in site.folder.rglob("*") if path.is_file()]
    assert any(path.suffix.startswith(".db") for path in files)
    for secret in written:
        assert not [path for path in files if secret.encode() in path.read_bytes()]
        assert not [line for line in site.lines if secret in line]
