"""Real processes that are killed: the site, game servers in mid-game and between games."""

import resource
import socket
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest

from sevenbag.contest.bracket import ContestPlan
from sevenbag.contest.passwords import hash_password
from sevenbag.contest.scheduler_protocol import GameFinished, decode_server_message
from sevenbag.contest.settings import ContestRules, GameRules, MatchRules
from sevenbag.contest.store import MatchRow, Store
from tests.cli.run import TRACES, loopback, start, wait_until
from tests.contest.scheduler.teams import PASSWORD, TEAMS, ReactiveTeam, has_come

pytestmark = pytest.mark.faults

HOST = loopback(1)
SERVER = loopback(2)
OTHER_SERVER = loopback(3)
HTTP_PORT = 8081
COMMANDS = f"tcp://{SERVER}:5557"
GAMES = 35
RULES = ContestRules(
    game=GameRules(gravity_ms=(50,)),
    match=MatchRules(games=GAMES, game_seconds=0.2, first_pause_seconds=0.05, pause_seconds=0.05),
)
RESTARTED = ContestRules(
    game=GameRules(gravity_ms=(100,)),
    match=MatchRules(
        games=15,
        game_seconds=0.7,
        match_seconds=3_600,
        # Long enough that no team forfeits during the test.
        connect_seconds=3_600,
        first_pause_seconds=0.05,
        pause_seconds=0.3,
        repeat_seconds=0.2,
        states_per_second=20,
    ),
)


class Processes:
    """A site without game servers, and a game server, each a process.

    Attributes:
        grace: seconds that a match waits for its server, for sites started afterwards.
    """

    def __init__(self, folder: Path, *, grace: int = 5) -> None:
        self.folder = folder
        self.grace = grace
        with socket.create_server((HOST, 0)) as free:
            self.port = free.getsockname()[1]
        self.said: list[str] = []
        self._readers: list[threading.Thread] = []
        self._processes: list[subprocess.Popen[str]] = []
        self.site = self.start_site()
        self.server = self.start_server()

    def start_site(self) -> subprocess.Popen[str]:
        return self._start(
            *("contest", "serve", "--game-servers", "0", "--set", f"site.host={HOST}"),
            *("--set", f"site.port={self.port}", "--set", f"site.grace_seconds={self.grace}"),
        )

    def start_server(self, name: str = "one", host: str = SERVER) -> subprocess.Popen[str]:
        wait_until((self.folder / "contest.secret").exists)
        return self._start(
            *("contest", "game-server", "--set", f"server.bind={host}"),
            *("--set", f"server.http_port={HTTP_PORT}"),
            *("--set", f"server.name={name}", "--set", "server.secret_file=contest.secret"),
            *("--set", f"server.scheduler=http://{HOST}:{self.port}"),
        )

    def _start(self, *words: str) -> subprocess.Popen[str]:
        process = start(*words, folder=self.folder)
        self._processes.append(process)
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            reader = threading.Thread(target=self.said.extend, args=(stream,))
            reader.start()
            self._readers.append(reader)
        return process

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            kill(process)
        for reader in self._readers:
            reader.join()
        for process in self._processes:
            process.communicate()


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()


def placed_match(store: Store) -> MatchRow:
    """Wait until the match is assigned."""
    wait_until(lambda: [row.state for row in store.matches.list()] == ["placed"])
    return store.matches.list()[0]


def spooled(folder: Path) -> list[GameFinished]:
    """Return results that the scheduler has not stored."""
    found = []
    for path in sorted((folder / "spool" / "one").glob("*.game")):
        done = decode_server_message(path.read_bytes())
        assert isinstance(done, GameFinished)
        found.append(done)
    return found


def connect(token: str) -> None:
    """Connect both teams, which then do nothing: games end by the clock."""
    for team in TEAMS:
        # The store knows the place before the game server does.
        wait_until(lambda team=team: has_come(COMMANDS, token, team))  # type: ignore[misc]


def trouble() -> str:
    """Return why the game server is not ready; empty if it is ready."""
    try:
        with urllib.request.urlopen(f"http://{SERVER}:{HTTP_PORT}/ready") as response:
            assert response.status == 200
            return ""
    except urllib.error.HTTPError as error:
        return error.read().decode()


@pytest.fixture
def store(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Store]:
    with Store(f"sqlite:///{tmp_path}/contest.db") as store:
        teams = [store.teams.add(name, hash_password(PASSWORD)).id for name in TEAMS]
        rules = getattr(request, "param", RULES)
        row = store.contests.add("Cup", rules, ContestPlan(ranking=False), teams)
        assert store.contests.set_state(row, "running") is not None
        yield store


def test_every_finished_game_survives_the_death_of_both(tmp_path: Path, store: Store) -> None:
    with Processes(tmp_path) as running:
        match = placed_match(store)
        connect(match.token)
        wait_until(lambda: len(store.matches.list_game_results(match.token)) >= 2)

        kill(running.site)
        wait_until(lambda: len(spooled(tmp_path)) >= 3)
        kill(running.server)
        before = store.matches.list_game_results(match.token)
        left = spooled(tmp_path)
        assert left[0].result.number <= len(before) + 1
        survivors = {game.number: game for game in before}
        survivors.update({done.result.number: done.result for done in left})
        assert sorted(survivors) == list(range(1, len(survivors) + 1))
        assert len(survivors) < GAMES // 2

        running.site = running.start_site()
        running.server = running.start_server()
        wait_until(lambda: len(store.matches.list_game_results(match.token)) >= len(survivors))
        placed = match.placed
        assert placed is not None
        wait_until(lambda: (store.matches.get(match.token).placed or 0) > placed)
        wait_until(lambda: store.matches.get(match.token).state == "placed")
        connect(match.token)
        wait_until(lambda: store.matches.get(match.token).state == "done")
        wait_until(lambda: not spooled(tmp_path))
        wait_until(lambda: store.contests.get(1).state == "finished")
    games = store.matches.list_game_results(match.token)
    assert [game.number for game in games] == list(range(1, len(games) + 1))
    assert list(games[: len(survivors)]) == [survivors[number] for number in sorted(survivors)]
    assert all(store.matches.read_replay(match.id, game.number) for game in games)
    result = store.matches.get(match.token).result
    assert result is not None
    assert result.ending == "majority of games"
    assert max(result.games) == GAMES // 2 + 1
    assert not [line for line in running.said if any(trace in line for trace in TRACES)]
    assert not [line for line in running.said if PASSWORD in line]


@pytest.mark.parametrize("store", [RESTARTED], indirect=True)
def test_clients_that_only_respond_to_states_survive_server_restarts(
    tmp_path: Path, store: Store
) -> None:
    with Processes(tmp_path, grace=60) as running:
        match = placed_match(store)
        running.start_server("another", OTHER_SERVER)
        wait_until(lambda: has_come(COMMANDS, match.token, TEAMS[0]))

        def kept() -> int:
            return len(store.matches.list_game_results(match.token))

        hosts = SERVER, OTHER_SERVER
        with (
            ReactiveTeam(hosts, match.token, TEAMS[0]) as red,
            ReactiveTeam(hosts, match.token, TEAMS[1]) as blue,
        ):
            # During a game; the other server has capacity, but the teams are on this one.
            wait_until(lambda: "Game 2" in red.games)
            kill(running.server)
            running.server = running.start_server()
            wait_until(lambda: len(red.ends) >= 2)
            assert not any(team.moves[OTHER_SERVER] for team in (red, blue))

            # Between two games.
            ends = len(red.ends)
            wait_until(lambda: len(red.ends) > ends)
            kill(running.server)
            before = kept()
            running.server = running.start_server()
            wait_until(lambda: kept() > before)

            # The server stays down: the match continues on the other one.
            kill(running.site)
            running.grace = 1
            running.site = running.start_site()
            kill(running.server)
            wait_until(lambda: store.matches.get(match.token).state == "done")
            teams = red, blue
            wait_until(lambda: all(team.told[-1]["comm_type"] == "MatchEnd" for team in teams))
    result = store.matches.get(match.token).result
    assert result is not None
    assert result.ending == "majority of games"
    games = store.matches.list_game_results(match.token)
    by_name = {game.game_name: game for game in games}
    assert list(by_name) == [f"Game {number}" for number in range(1, len(games) + 1)]
    for team in (red, blue):
        assert team.moves[OTHER_SERVER]
        assert [end["comm_type"] for end in team.told].count("MatchEnd") == 1
        for end in team.ends:
            game = by_name[end["game_name"]]
            assert end["winner"] == TEAMS[game.winner]
            assert tuple(end["scores"][name] for name in TEAMS) == game.scores
    assert not [line for line in running.said if any(trace in line for trace in TRACES)]


@pytest.mark.parametrize("store", [RESTARTED], indirect=True)
def test_full_disk_loses_no_published_game(tmp_path: Path, store: Store) -> None:
    unlimited = resource.RLIM_INFINITY, resource.RLIM_INFINITY

    def fill_disk(full: bool) -> None:
        limits = (0, resource.RLIM_INFINITY) if full else unlimited
        resource.prlimit(running.server.pid, resource.RLIMIT_FSIZE, limits)

    with Processes(tmp_path) as running:
        match = placed_match(store)
        wait_until(lambda: has_come(COMMANDS, match.token, TEAMS[0]))
        with (
            ReactiveTeam([SERVER], match.token, TEAMS[0]) as red,
            ReactiveTeam([SERVER], match.token, TEAMS[1]) as blue,
        ):
            # The disk is full: the database stores each game, and the match continues.
            fill_disk(True)
            wait_until(lambda: len(red.ends) >= 2)
            assert not spooled(tmp_path)

            # The site is down, too: the match waits.
            kill(running.site)
            wait_until(lambda: "results not stored: 1" in trouble())
            kept = store.matches.list_game_results(match.token)
            assert {end["game_name"] for end in red.ends} <= {game.game_name for game in kept}

            # The disk has space again: the match continues.
            heard = len(red.ends)
            fill_disk(False)
            wait_until(lambda: len(red.ends) > heard)
            assert spooled(tmp_path)

            # The disk is full again, and the server is killed.
            fill_disk(True)
            wait_until(lambda: "results not stored: 1" in trouble())
            kill(running.server)
            running.site = running.start_site()
            running.server = running.start_server()
            wait_until(lambda: store.matches.get(match.token).state == "done")
            teams = red, blue
            wait_until(lambda: all(team.told[-1]["comm_type"] == "MatchEnd" for team in teams))
    by_name = {game.game_name: game for game in store.matches.list_game_results(match.token)}
    for team in (red, blue):
        for end in team.ends:
            game = by_name[end["game_name"]]
            assert end["winner"] == TEAMS[game.winner]
            assert tuple(end["scores"][name] for name in TEAMS) == game.scores
    assert not [line for line in running.said if any(trace in line for trace in TRACES)]
