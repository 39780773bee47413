"""A contest of eight teams, from registration to the final, as it is held: by real processes.

A person who organises it uses the site's own forms; teams' clients are real programs; one of two
game servers is killed on the way. What came of it is then counted again from what the site exports.
"""

import csv
import io
import os
import re
import signal
import subprocess
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.cli.run import TRACES, alive, descendants, loopback, sevenbag, start, wait_until
from tests.web.contest.visitor import Visitor

PASSWORD = "correct horse battery"
TEAMS = {
    "Ada": "beam:nodes=60",
    "Bits and Pieces": "beam:nodes=60",
    "Cellar": "beam:nodes=30",
    "Drop": "random:seed=1",
    "Épée": "random:seed=2",
    "Four": "random:seed=3",
    "Garbage In": "random:seed=4",
    "Hold": "random:seed=5",
}
CONTEST = f"""
[site]
title = "Spring"
port = 0

[server]
bind = "{loopback(1)}"
shutdown_mode = "abort"

[match]
games = 3
game_seconds = 0.3
match_seconds = 30
first_pause_seconds = 0.05
pause_seconds = 0.05
linger_seconds = 5

[game]
gravity_ms = [50]
"""


class Contest:
    """`sevenbag contest serve`, running in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "contest.toml").write_text(CONTEST, "utf-8")
        (folder / "password").write_text(PASSWORD + "\n", "utf-8")
        self.process = start("contest", "serve", "--game-servers", "2", folder=folder)
        self.lines: list[str] = []
        self.log: list[str] = []
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        for stream, lines in ((self.process.stdout, self.lines), (self.process.stderr, self.log)):
            threading.Thread(target=self._read, args=(stream, lines), daemon=True).start()
        self.clients: dict[str, subprocess.Popen[str]] = {}

    def wait_until_ready(self) -> None:
        self.address = self.said(r"site: (\S+)")
        self.said(r"(`sevenbag contest admin`)")
        self.link = urlsplit(sevenbag("contest", "admin", folder=self.folder).stdout.strip())

    @staticmethod
    def _read(stream: io.TextIOBase, lines: list[str]) -> None:
        lines.extend(iter(stream.readline, ""))

    def said(self, pattern: str) -> str:
        found: list[str] = []

        def look() -> bool:
            found[:] = [m[1] for line in list(self.lines) if (m := re.search(pattern, line))]
            return bool(found)

        wait_until(look)
        return found[0]

    def join(self) -> None:
        for team, bot in TEAMS.items():
            self.clients[team] = start(
                *("join", self.address, "--team", team, "--bot", bot),
                *("--password-file", "password", "--moves-per-second", "60"),
                folder=self.folder,
            )

    def game_servers(self) -> list[int]:
        """Their process numbers."""
        return [
            pid
            for pid in descendants(self.process.pid)
            if b"game-server" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        ]

    def end(self) -> None:
        for process in (*self.clients.values(), self.process):
            process.kill()
            process.communicate()


@pytest.fixture
def contest(tmp_path: Path) -> Iterator[Contest]:
    running = Contest(tmp_path)
    try:
        running.wait_until_ready()
        yield running
    finally:
        running.end()


@pytest.mark.slow
@pytest.mark.faults
def test_a_contest_of_eight_teams_and_a_game_server_that_is_killed(contest: Contest) -> None:
    teams = Visitor(contest.address)
    for team in TEAMS:
        done = teams.send("/register", name=team, password=PASSWORD, password_again=PASSWORD)
        assert done.status == 303, done.words
        teams.cookies.clear()
    organiser = Visitor(contest.address)
    done = organiser.send(
        contest.link.path, name="Olga", password=PASSWORD, password_again=PASSWORD
    )
    assert done.status == 303, done.words
    done = organiser.send(
        "/admin/contests/new",
        *(("team", team) for team in TEAMS),
        name="Spring 2026",
        ranking="yes",
        bracket="yes",
        qualifiers="0",
        seed="7",
    )
    assert done.status == 303, done.words
    page = done.location
    assert page is not None
    contest.join()
    done = organiser.send(page, action=f"{page}/start")
    assert done.status == 303, done.words

    def games() -> list[dict[str, str]]:
        answer = sevenbag("contest", "export", "--settings", "contest.toml", folder=contest.folder)
        assert answer.returncode == 0, answer.stderr
        return list(csv.DictReader(io.StringIO(answer.stdout)))

    # Matches without a game have a row, too.
    wait_until(lambda: sum(bool(row["game"]) for row in games()) >= 6)
    victim = contest.game_servers()[0]
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: not alive(victim))
    contest.said(r"game server \d (was ended by SIGKILL); restarting in")

    for team, client in contest.clients.items():
        out, error = client.communicate(timeout=600)
        assert client.returncode == 0, (team, out, error)
        assert not any(trace in out + error for trace in TRACES)

    assert "finished" in organiser.get(page).words
    champion = counted_again(games())
    assert champion in organiser.get(page).words
    assert champion in Visitor(contest.address).get("/bracket").words

    contest.process.send_signal(signal.SIGINT)
    assert contest.process.wait(120) == 130
    log = "".join(contest.log)
    assert not any(trace in log for trace in TRACES)
    assert PASSWORD not in log + "".join(contest.lines)
    for file in contest.folder.glob("contest.db*"):
        assert PASSWORD.encode() not in file.read_bytes()


def counted_again(games: list[dict[str, str]]) -> str:
    """Determine the champion from the games alone; assert that none is missing or repeated."""
    matches: dict[str, list[dict[str, str]]] = defaultdict(list)
    for game in games:
        if game["game"]:
            matches[game["slot"]].append(game)
    # 28 meetings of eight teams, then seven ties.
    assert len(matches) == 28 + 7
    winners: dict[str, str] = {}
    for name, played in matches.items():
        assert [int(game["game"]) for game in played] == list(range(1, len(played) + 1)), name
        won = Counter(game["winner"] for game in played)
        sides = {played[0]["team 1"], played[0]["team 2"]}
        assert set(won) <= sides
        assert max(won.values()) == 2, "the first to win more than half of three games"
        winners[name] = won.most_common(1)[0][0]
    meetings = Counter(
        frozenset((played[0]["team 1"], played[0]["team 2"]))
        for slot, played in matches.items()
        if slot.startswith("ranking/")
    )
    assert len(meetings) == 28
    assert set(meetings.values()) == {1}
    left = set(TEAMS)
    ties = [(slot, played) for slot, played in matches.items() if slot.startswith("bracket/")]
    assert len(ties) == 7
    for name, played in sorted(ties, key=lambda tie: int(tie[0].split("/")[1])):
        sides = {played[0]["team 1"], played[0]["team 2"]}
        assert sides <= left, f"{name} is played by who is out"
        left -= sides - {winners[name]}
    assert len(left) == 1
    return left.pop()
