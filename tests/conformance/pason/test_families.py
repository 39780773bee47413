"""Clients of 2012 in several languages play whole matches on the game server.

None of them knows anything of ours: they were written from the contest's text. A referee who knows
the game from the same text judges every message that they are sent.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.pason import programs
from tests.fakes.pason.hosting import Hosted, Match, Witness, hosted, run
from tests.fakes.pason.referee import Referee


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    with hosted(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(scope="module")
def planner(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return programs.planner(tmp_path_factory.mktemp("planner"))


@pytest.fixture(scope="module")
def stepper(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return programs.stepper(tmp_path_factory.mktemp("stepper"))


@pytest.fixture(scope="module")
def stub(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return programs.stub(tmp_path_factory.mktemp("stub"))


def agree(server: Hosted, match: Match, referee: Referee) -> dict[str, Any]:
    """Compare the stored result of a match with the published one."""
    result = server.result(match)
    names = [team.name for team in match.teams]
    kept = [
        (game["game_name"], dict(zip(names, game["scores"], strict=True)), names[game["winner"]])
        for game in server.games(match)
    ]
    assert kept == referee.games
    won = Counter(winner for _, _, winner in referee.games)
    assert result["games"] == [won[name] for name in names]
    assert result["points"] == [sum(game[1][name] for game in kept) for name in names]
    # More games, else more points, else a coin.
    ranks = list(zip(result["games"], result["points"], strict=True))
    assert ranks[result["winner"]] == max(ranks)
    return result


def play(
    server: Hosted, match: Match, first: list[str], second: list[str]
) -> tuple[Referee, list[str]]:
    """Run both clients to their end; return the referee and their output."""
    with (
        Witness(server, match) as witness,
        run(first, server, match, 0) as one,
        run(second, server, match, 1) as other,
    ):
        referee = witness.watch()
        return referee, [one.ends_well(), other.ends_well()]


@pytest.mark.peers
class TestCompiled:
    def test_cplusplus_against_java(
        self, server: Hosted, planner: list[str], stepper: list[str]
    ) -> None:
        match = server.place("Falling Stars", "Kaffee & Kuchen")
        referee, (planned, stepped) = play(server, match, planner, stepper)
        result = agree(server, match, referee)
        assert result["winner"] == 0, "who plans is better than who steps"
        # It prints the winner of each game.
        scores = [
            [int(word) for word in line.split()[-3:-1]]
            for line in planned.splitlines()
            if line.startswith("game ")
        ]
        assert scores == [
            [game[1]["Falling Stars"], game[1]["Kaffee & Kuchen"]] for game in referee.games
        ]
        # It subscribes after the reply; the state is repeated until it arrives.
        heard = [json.loads(line)["comm_type"] for line in stepped.splitlines() if line[0] == "{"]
        ends = Counter(heard)
        assert (ends["GameEnd"], ends["MatchEnd"]) == (len(referee.games), 1)
        assert referee.pieces["Kaffee & Kuchen"] >= 1

    def test_rotation_directions(self, server: Hosted, planner: list[str], stub: list[str]) -> None:
        # With the rotations the wrong way round, or another table of pieces, a client of this kind
        # was dead after 60 pieces with 10 rows.
        match = server.place(match={"game_seconds": 600}, game={"gravity_ms": [60_000]})
        with (
            Witness(server, match) as witness,
            run(planner, server, match, 0) as client,
            run(stub, server, match, 1) as other,
        ):
            assert "client_token" in other.ends_well()
            # Some five a piece.
            referee = witness.watch(messages=2_000)
            server.call_off(match)
            witness.watch()
            client.ends_well()
        assert referee.pieces["Home"] > 150
        assert 0.36 < referee.rows["Home"] / referee.pieces["Home"] < 0.42

    def test_two_at_full_speed(self, server: Hosted, planner: list[str]) -> None:
        match = server.place(match={"game_seconds": 600})
        with (
            Witness(server, match) as witness,
            run(planner, server, match, 0) as one,
            run(planner, server, match, 1) as other,
        ):
            referee = witness.watch(messages=4_000)
            server.call_off(match)
            witness.watch()
            one.ends_well()
            other.ends_well()
        assert all(referee.garbage.values()), "both have sent rows"
        assert sum(referee.rows.values()) > 50

    def test_the_library_of_2012(self, server: Hosted, planner: list[str], tmp_path: Path) -> None:
        match = server.place()
        referee, printed = play(server, match, programs.planner_of_2012(tmp_path), planner)
        agree(server, match, referee)
        assert all(int(text.split()[-1]) > 20 for text in printed)

    def test_written_to_the_text(self, server: Hosted, planner: list[str]) -> None:
        """With ``ok`` instead of ``OK`` the strict client sends one move per piece."""
        match = server.place(match={"move_reply": "ok", "games": 1})
        referee, printed = play(server, match, planner, planner)
        for text in printed:
            pieces, _, moves = map(int, text.splitlines()[-1].split()[-3:])
            assert moves == pieces
        agree(server, match, referee)


class TestRandomPlayer:
    @pytest.mark.peers
    def test_slow_reader_receives_the_end(self, server: Hosted, planner: list[str]) -> None:
        match = server.place(
            "Ünïcode 落ちる", 'Tom & "Jerry" \\ Co', match={"games": 1, "game_seconds": 0.5}
        )
        with (
            Witness(server, match) as witness,
            run(planner, server, match, 0) as strong,
            run(programs.odd_player("random_moves"), server, match, 1) as slow,
        ):
            referee = witness.watch()
            strong.ends_well()
            seen = json.loads(slow.ends_well(60))
        # It subscribed late and has lost no message since.
        assert seen["messages"] > 0.8 * referee.told
        assert seen["sent"] == seen["messages"] - 1
        agree(server, match, referee)

    def test_two_clients_of_the_family(self, server: Hosted) -> None:
        match = server.place(match={"games": 1})
        player = programs.odd_player("random_moves")
        with (
            Witness(server, match) as witness,
            run(player, server, match, 0) as one,
            run(player, server, match, 1) as other,
        ):
            referee = witness.watch()
            one.ends_well()
            other.ends_well()
        agree(server, match, referee)


class TestHabits:
    def play(self, server: Hosted, *habits: str, **rules: Any) -> tuple[Referee, list[Any]]:
        match = server.place(match={"games": 1, "game_seconds": 3} | rules)
        players = [programs.odd_player(habit) for habit in habits]
        referee, printed = play(server, match, players[0], players[1])
        agree(server, match, referee)
        seen = [json.loads(text) for text in printed]
        assert all(one["games"] == 1 for one in seen if "leaver" not in habits)
        return referee, seen

    def test_connects_a_dozen_times_and_reads_frames(self, server: Hosted) -> None:
        referee, (eager, frames) = self.play(server, "eager", "frames")
        assert eager["replies"] == ["ok"] * 12
        assert not eager["errors"]
        assert frames["skipped"] == frames["messages"], "a token before each message"
        # The faster client may top out before the other one moves.
        assert sum(referee.pieces.values()) >= 5

    @pytest.mark.slow
    def test_two_threads_and_guesses(self, server: Hosted) -> None:
        referee, (threads, guesser) = self.play(server, "threads", "guesser")
        assert guesser["errors"] == ["wrong password", "unknown match", "unknown client token"]
        assert not threads["errors"]
        assert sum(referee.pieces.values()) >= 5

    @pytest.mark.slow
    @pytest.mark.parametrize("tolerant", [False, True])
    def test_numbers_as_strings(self, server: Hosted, tolerant: bool) -> None:
        _, (strings, _) = self.play(
            server, "strings", "leaver", text_numbers=tolerant, game_seconds=1
        )
        assert strings["sent"] >= 3
        assert bool(strings["applied"]) is tolerant

    @pytest.mark.slow
    def test_two_sprinters(self, server: Hosted) -> None:
        referee, (one, other) = self.play(server, "sprinter", "sprinter", game_seconds=1)
        assert not one["errors"] + other["errors"]
        assert min(one["sent"], other["sent"]) > 10
        assert referee.told > 20

    @pytest.mark.slow
    def test_both_leave(self, server: Hosted) -> None:
        """Gravity continues until one board tops out."""
        match = server.place(game={"gravity_ms": [2]}, match={"games": 3, "game_seconds": 60})
        leaver = programs.odd_player("leaver")
        referee, _ = play(server, match, leaver, leaver)
        agree(server, match, referee)
        assert {game["ending"] for game in server.games(match)} == {"top out"}
        assert min(referee.pieces.values()) > 10
