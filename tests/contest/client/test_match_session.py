"""Sessions with servers that are silent, die, restart, or lose messages."""

import asyncio
import dataclasses
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from sevenbag.bots.bot import Limits
from sevenbag.contest.client.connection import ServerAddress, SessionTimeouts
from sevenbag.contest.client.contest_client import (
    JoinOptions,
    MatchReport,
    TeamAssignment,
    play_all_matches,
    play_match,
)
from sevenbag.contest.game.pason_game import MoveOutcome
from sevenbag.contest.game.pason_match import ContestMatch
from sevenbag.contest.settings import ContestRules, GameRules, MatchRules
from sevenbag.errors import CommandRejectedError, ContestError, ServerUnreachableError
from sevenbag.protocols.pason.messages import GameMove
from tests.contest.client.simulated import simulate
from tests.contest.client.small_server import PASSWORDS, QUICK, TEAMS, SmallServer, refusal

Json = dict[str, Any]

HASTY = SessionTimeouts(answer=0.3, server=0.8, state=0.3, silence=1.2)
LONG = ContestRules(
    game=GameRules(gravity_ms=(1_000,)),
    match=MatchRules(
        games=999,
        match_seconds=600,
        first_pause_seconds=0.05,
        pause_seconds=0.05,
        repeat_seconds=0.1,
    ),
)


def manner(seat: int, *, bot: str = "random:seed=3", mps: float = 0.0) -> JoinOptions:
    return JoinOptions(
        team=TEAMS[seat],
        password=PASSWORDS[seat],
        bot=bot,
        moves_per_second=mps,
        limits=Limits(),
        timeouts=HASTY,
    )


def match(
    server: SmallServer, *, bot: str = "random:seed=3", other: str | None = None, mps: float = 0.0
) -> list[MatchReport]:
    """Play the match of a server between two bots in simulated time."""

    async def run() -> list[MatchReport]:
        both = (
            play_match(server.address, server.token, manner(seat, bot=name, mps=mps), said)
            for seat, name in enumerate((bot, other or bot))
        )
        return list(await asyncio.gather(*both))

    lines: list[str] = []
    said = lines.append
    return simulate(run(), server)


def test_bots_lose_hardly_a_piece() -> None:
    server = SmallServer()
    played = match(server, bot="beam:nodes=150")
    for each in played:
        missed, pieces = each.missed_pieces
        assert pieces > 50
        assert missed <= pieces // 50
        assert not each.failure


@pytest.mark.parametrize("seat", [0, 1])
def test_beam_beats_random_play(seat: int) -> None:
    bots = ["random:seed=3", "random:seed=3"]
    bots[seat] = "beam:nodes=60"
    played = match(SmallServer(), bot=bots[0], other=bots[1])
    # Games won by each team itself, and by the other; the third is not needed.
    assert played[seat].result.games == (2, 0)
    assert played[1 - seat].result.games == (0, 2)


def test_lost_match_end() -> None:
    class Forgetful(SmallServer):
        def envelope(self, token: str, state: Json) -> list[bytes] | None:
            return None if state["comm_type"] == "MatchEnd" else super().envelope(token, state)

    server = Forgetful()
    played = match(server)
    told = server.matches[server.token].result
    assert told is not None
    assert [each.result.end_heard for each in played] == [False, False]
    assert played[0].result.games == told.games


def test_server_without_an_error_for_ended_matches() -> None:
    class Foreign(SmallServer):
        def envelope(self, token: str, state: Json) -> list[bytes] | None:
            return None if state["comm_type"] == "MatchEnd" else super().envelope(token, state)

        def follow(self, data: bytes) -> Json:
            reply = super().follow(data)
            over = self.matches[self.token].result is not None
            return {"comm_type": "ErrorResp", "error": "-7", "message": "no"} if over else reply

    assert [each.result.end_heard for each in match(Foreign())] == [False, False]


def test_server_that_dies_in_a_match() -> None:
    class Mortal(SmallServer):
        def advance(self) -> None:
            super().advance()
            if len(self.moves) >= 20:
                self.stop()

    with pytest.raises(ServerUnreachableError, match="does not answer on its command channel"):
        match(Mortal(LONG), mps=20)


def test_silent_state_channel() -> None:
    class Mute(SmallServer):
        states = 0

        def envelope(self, token: str, state: Json) -> list[bytes] | None:
            self.states += 1
            return super().envelope(token, state) if self.states < 20 else None

    with pytest.raises(ServerUnreachableError, match="sends no states"):
        match(Mute(LONG))


def test_lost_answers() -> None:
    """A socket that waits in vain is replaced, and the piece is looked at before it is moved on."""

    class Swallowing(SmallServer):
        replies = 0

        def answer(self, reply: Json) -> bytes | None:
            self.replies += 1
            return None if self.replies in {5, 40} else super().answer(reply)

    server = Swallowing()
    played = match(server)
    assert all(each.result.end_heard for each in played)
    assert not any(each.failure for each in played)


def test_rare_states() -> None:
    """With ten states per second regardless of moves, pieces are fewer and still on target."""

    class Lazy(SmallServer):
        told_at = 0.0

        def say(self, match: ContestMatch, state: Json) -> list[Json]:
            now = time.monotonic()
            if state["comm_type"] == "GamePieceState":
                if now - self.told_at < 0.1:
                    return []
                self.told_at = now
            return super().say(match, state)

    rules = ContestRules(
        game=LONG.game, match=msgspec.structs.replace(LONG.match, games=1, game_seconds=1.5)
    )
    server = Lazy(rules)
    played = match(server)
    assert set(server.verdicts) <= {MoveOutcome.DONE, MoveOutcome.GAME_OVER, MoveOutcome.NO_PIECE}
    for each in played:
        missed, pieces = each.missed_pieces
        assert pieces >= 3
        assert missed <= 1


def test_invalid_answers_and_states() -> None:
    class Babbling(SmallServer):
        count = 0

        def answer(self, reply: Json) -> bytes | None:
            self.count += 1
            return b"\xff{" if self.count == 10 else super().answer(reply)

        def envelope(self, token: str, state: Json) -> list[bytes] | None:
            self.count += 1
            if self.count % 7 == 0:
                return [token.encode(), b'{"comm_type": "GameBoardState", "states": 7}']
            if self.count % 11 == 0 and state["comm_type"] == "GameBoardState":
                state["states"][TEAMS[0]]["board_state"] = "zz"
            return super().envelope(token, state)

    class Never(Babbling):
        def envelope(self, token: str, state: Json) -> list[bytes] | None:
            # The end itself must arrive.
            if state["comm_type"] in {"GameEnd", "MatchEnd"}:
                return SmallServer.envelope(self, token, state)
            return super().envelope(token, state)

    assert all(each.result.end_heard for each in match(Never()))


def test_moves_rejected_as_too_many_are_repeated() -> None:
    class Strict(SmallServer):
        count = 0

        def move(self, command: GameMove) -> Json:
            self.count += 1
            return (
                refusal("too many moves", "slow") if self.count % 5 == 0 else super().move(command)
            )

    server = Strict()
    played = match(server)
    assert all(each.result.end_heard for each in played)
    assert all(each.missed_pieces[0] <= each.missed_pieces[1] // 5 for each in played)


def test_restarted_server() -> None:
    class Restarted(SmallServer):
        count = 0

        def follow(self, data: bytes) -> Json:
            self.count += 1
            if self.count == 30:
                self._clients.clear()
            return super().follow(data)

    assert all(each.result.end_heard for each in match(Restarted()))


def test_rejected_moves() -> None:
    class Strict(SmallServer):
        def move(self, command: GameMove) -> Json:
            return refusal("unknown move", "there are no moves here")

    with pytest.raises(CommandRejectedError, match="there are no moves here"):
        match(Strict())


class Notice:
    """Site with scripted answers."""

    url = "the site"

    def __init__(self, task: Callable[[], TeamAssignment]) -> None:
        self._task = task

    async def fetch_assignment(self) -> TeamAssignment:
        return self._task()


def test_match_that_moves_to_another_server() -> None:
    """One server dies during a match; the site has the new address."""

    class Mortal(SmallServer):
        def advance(self) -> None:
            super().advance()
            if len(self.moves) >= 100:
                self.stop()

    first = Mortal(LONG)
    second = SmallServer(QUICK)
    second.matches[first.token] = second.matches.pop(second.token)
    lines: list[str] = []

    def task() -> TeamAssignment:
        if second.matches[first.token].result is not None:
            return TeamAssignment("finished")
        address: ServerAddress = second.address if first.is_stopped else first.address
        return TeamAssignment("playing", first.token, address)

    async def run() -> list[list[MatchReport]]:
        site: Any = Notice(task)
        return list(
            await asyncio.gather(
                *(play_all_matches(site, manner(s, mps=300), lines.append) for s in (0, 1))
            )
        )

    both = simulate(run(), first, second)
    for played in both:
        assert len(played) == 1
        assert sum(played[0].result.games) >= 2
    assert any("for the next server of the match" in line for line in lines)


def test_site_without_a_match() -> None:
    site: Any = Notice(lambda: TeamAssignment("waiting"))
    with pytest.raises(ServerUnreachableError, match=r"has had no match for 0\.1 s"):
        asyncio.run(play_all_matches(site, manner(0), lambda _: None, wait_seconds=0.1))


def test_unavailable_site_is_reported_once_and_polled(monkeypatch: pytest.MonkeyPatch) -> None:
    """An unreachable site is not reported as a site without a match."""
    monkeypatch.setattr("sevenbag.contest.client.contest_client._FIRST_PAUSE", 0.01)
    silent = ServerUnreachableError("the site does not answer: no route")
    waiting = TeamAssignment("waiting")
    enough = CommandRejectedError("failed", "enough")
    answers: Iterator[TeamAssignment | ContestError]
    answers = iter((silent, silent, waiting, waiting, silent, enough))
    lines: list[str] = []

    def task() -> TeamAssignment:
        answer = next(answers)
        if isinstance(answer, TeamAssignment):
            return answer
        raise answer

    site: Any = Notice(task)
    patient = dataclasses.replace(manner(0), timeouts=SessionTimeouts())
    with pytest.raises(CommandRejectedError, match="enough"):
        asyncio.run(play_all_matches(site, patient, lines.append))
    away = "the site does not answer: no route; asking again"
    assert lines == [away, f"{TEAMS[0]} waits for its next match", away]
