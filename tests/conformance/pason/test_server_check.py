"""The check of contest servers: nothing where there is no fault, and each planted one is found."""

from __future__ import annotations

import asyncio
import copy
import time
from typing import TYPE_CHECKING, Any, Final

import msgspec
import pytest

from sevenbag.contest.client.connection import ServerAddress
from sevenbag.contest.game.pason_game import MoveOutcome
from sevenbag.contest.settings import ContestRules, GameRules, MatchRules
from sevenbag.errors import ServerUnreachableError
from sevenbag.protocols.pason.messages import GameMove, MatchConnect
from sevenbag.protocols.pason.pason_conversion import FULL_ROW
from tests.conformance.pason.server_check import CLAUSES, Side, Timing, check_server
from tests.contest.client.simulated import simulate
from tests.contest.client.small_server import PASSWORDS, QUICK, TEAMS, SmallServer, refusal

if TYPE_CHECKING:
    from sevenbag.checks.harness import ConformanceReport
    from sevenbag.contest.game.pason_match import ContestMatch
    from sevenbag.protocols.pason.pason_conversion import MoveName

Json = dict[str, Any]

SIDES = (Side(TEAMS[0], PASSWORDS[0]), Side(TEAMS[1], PASSWORDS[1]))
TIMING = Timing(answer=1.0, begin=5.0, settle=0.6, quiet=0.08, step=1.5, pause=0.05, whole=60.0)
"""In simulated time."""
PATIENT = Timing(answer=120, begin=120, settle=120, quiet=0.08, step=120, pause=0.05)
"""For a real server without a fault: nothing is waited for in vain."""
A, B = TEAMS


CALM = ContestRules(
    # A piece takes longer to fall to the floor than the check waits for what a move does.
    game=GameRules(gravity_ms=(80,)),
    match=QUICK.match,
)


class Faulty(SmallServer):
    """A server with faults, each named after the clause that it breaks."""

    def __init__(self, faults: set[str]) -> None:
        super().__init__(_with_rules(CALM, faults))
        self.faults = faults
        self.answers_each = 2 if "answers" in faults else 1
        self._let_in: set[str] = set()
        self._held: Json | None = None
        self._games = 0
        self._said = 0
        self._numbers: dict[str, int] = {}

    def has(self, fault: str) -> bool:
        return fault in self.faults

    # --- commands -------------------------------------------------------------------------------

    def follow(self, data: bytes) -> Json:
        done = {"comm_type": "GameMoveResp", "resp": "OK"}
        if self.has("extra-fields") and b"client_version" in data:
            return refusal("malformed message", "unknown field")
        reply = super().follow(data)
        if reply["comm_type"] == "ErrorResp":
            reply = self._refusal(reply, done)
        elif reply["comm_type"] == "GameMoveResp" and self.has("move-reply"):
            reply["resp"] = "ok"
        return reply

    def _refusal(self, reply: Json, done: Json) -> Json:
        accepted = {
            "malformed message": "malformed",
            "unknown comm_type": "unknown-type",
            "unknown client token": "unknown-client",
            "unknown move": "unknown-move",
        }
        let_in = {
            "unknown match": "unknown-match",
            "unknown team": "unknown-team",
            "wrong password": "wrong-password",
        }
        error = reply["error"]
        if self.has(accepted.get(error, "?")):
            return done
        if self.has(let_in.get(error, "?")):
            return {"comm_type": "MatchConnectResp", "resp": "ok", "client_token": "1"}
        if self.has("error-form"):
            del reply["message"]
        return reply

    def let_in(self, command: MatchConnect) -> Json:
        reply = super().let_in(command)
        if reply["comm_type"] != "MatchConnectResp":
            return reply
        again = command.team_name in self._let_in
        self._let_in.add(command.team_name)
        if self.has("connect-again") and again:
            return refusal("server is ending", "it is here already")
        if self.has("connect"):
            reply["comm_type"] = "MatchConnect"
        if self.has("ok"):
            reply["resp"] = "OK"
        if self.has("client-token"):
            self._clients[command.team_name] = self._clients[reply["client_token"]]
            reply["client_token"] = command.team_name
        return reply

    def answer(self, reply: Json) -> bytes | None:
        over = self.matches[self.token].result is not None
        return None if over and self.has("after-end") else super().answer(reply)

    def move(self, command: GameMove) -> Json:
        done = len(self.verdicts)
        reply = super().move(command)
        new = self.verdicts[done:]
        if self.has("blocked") and new == [MoveOutcome.COLLIDES]:
            return refusal("unknown move", "there is something in the way")
        return reply

    def obey(self, match: ContestMatch, seat: int, command: GameMove) -> None:
        move, number = command.move, command.piece_number
        swaps: dict[str, tuple[MoveName, MoveName]] = {
            "shifts": ("left", "right"),
            "rotations": ("lrotate", "rrotate"),
        }
        for fault, pair in swaps.items():
            if self.has(fault) and move in pair:
                move = pair[1 - pair.index(move)]
        if self.has("down") and move == "down":
            return
        if self.has("no-number") and number is None:
            return
        if self.has("out-of-date") or self.has("numbers"):
            number = None
        changed = GameMove(client_token="", move=move, piece_number=number)
        if self.has("seats") and move in {"left", "right"}:
            super().obey(match, 1 - seat, GameMove(client_token="", move=command.move))
        super().obey(match, seat, changed)

    # --- states ---------------------------------------------------------------------------------

    def say(self, match: ContestMatch, state: Json) -> list[Json]:
        if self.has("holes") and match.game is not None:
            match.game._garbage_row = lambda: FULL_ROW  # type: ignore[method-assign]
        kind = state["comm_type"]
        states = {
            "GameBoardState": self._boards,
            "GamePieceState": self._pieces,
            "GameEnd": self._game_end,
            "MatchEnd": self._match_end,
        }[kind](state)
        for each in states:
            self._tamper(each)
        return states

    def _tamper(self, state: Json) -> None:
        if "sequence" in state:
            # There may be more messages than the match told.
            self._said += 1
            state["sequence"] = self._said
            if self.has("sequence"):
                state["sequence"] = str(self._said)
        if self.has("timestamp") and "timestamp" in state:
            state["timestamp"] = 0.0

    def _boards(self, state: Json) -> list[Json]:
        for team, told in state["states"].items():
            if self.has("board-state"):
                told["board_state"] = told["board_state"].upper()
            if self.has("boards") and team == A:
                board = int(told["board_state"], 16)
                told["board_state"] = f"{board & (board - 1):050x}"
            if self.has("form"):
                told["piece_number"] = None
            if self.has("clears"):
                told["cleared_rows"] = []
        if self.has("next-game") and self._games == 1 and self._held is None:
            self._held = {}
            state["states"][A]["board_state"] = f"{1:050x}"
        if self.has("order"):
            self._held = state
            return []
        return [state]

    def _pieces(self, state: Json) -> list[Json]:
        pieces: dict[str, Json | None] = state["states"]
        told = [state]
        mine, theirs = pieces[A], pieces[B]
        if self.has("queue"):
            state["queue"].reverse()
        if self.has("pieces") and mine is not None and mine["row"] > 2:
            mine["orient"] = 4
        if self.has("numbers") and mine is not None and theirs is not None:
            mine["number"] %= 7
        if self.has("gravity-lock") and None in (mine, theirs):
            return []
        if self.has("gravity") and theirs is not None and theirs["row"] % 2:
            return []
        if self.has("drop") and mine is not None:
            fresh = self._numbers.get(A) not in {None, mine["number"]}
            self._numbers[A] = mine["number"]
            if fresh:
                void = copy.deepcopy(state)
                void["states"][A] = None
                told = [void, state]
        if self._held:
            told, self._held = [*told, self._held], None
        return told

    def _game_end(self, state: Json) -> list[Json]:
        self._games += 1
        if self.has("teams"):
            state["scores"] = {TEAMS[0].upper(): 0, **state["scores"]}
        if self.has("top-out"):
            state["winner"] = TEAMS[1 - TEAMS.index(state["winner"])]
        if self.has("game-end"):
            state["match_token"] = "another"
        if self.has("scores"):
            state["scores"] = {team: points + 50 for team, points in state["scores"].items()}
        return [state]

    def _match_end(self, state: Json) -> list[Json]:
        if self.has("match-end"):
            state["status"] = "OVER"
        more = {"comm_type": "GameEnd", "game_name": "x", "timestamp": time.time(), "winner": A}
        more |= {"scores": {A: 0, B: 0}, "match_token": self.token, "sequence": 0}
        return [state, more] if self.has("silence") else [state]

    def envelope(self, token: str, state: Json) -> list[bytes] | None:
        frames = super().envelope(token, state)
        return [*(frames or ()), b""] if self.has("envelope") else frames


def _with_rules(rules: ContestRules, faults: set[str]) -> ContestRules:
    game: Json = {}
    match: Json = {}
    if "pause" in faults:
        match["first_pause_seconds"] = 0.0
    if "spawn" in faults:
        game["spawn_orientation"] = 1
    if "garbage" in faults:
        game["sends"] = (0, 0, 0, 0, 0)
    if "repeat" in faults:
        game["gravity_ms"] = (60_000,)
        match["repeat_seconds"] = 60.0
    return ContestRules(
        game=msgspec.structs.replace(rules.game, **game),
        match=msgspec.structs.replace(rules.match, **match),
    )


def checked(
    server: SmallServer, sides: tuple[Side, Side] = SIDES, timing: Timing = TIMING
) -> ConformanceReport:
    """Check a server in simulated time."""
    return simulate(check_server(server.address, server.token, sides, timing), server)


def found(report: ConformanceReport) -> dict[str, str]:
    return {finding.clause.id: finding.message for finding in report.findings}


GROUPS: Final[list[tuple[set[str], set[str]]]] = [
    ({"connect"}, set()),
    (
        {"ok", "client-token", "malformed", "unknown-match", "wrong-password", "error-form"}
        | {"garbage"},
        set(),
    ),
    (
        {"unknown-type", "unknown-team", "unknown-client", "unknown-move", "form", "silence"}
        | {"no-number"},
        set(),
    ),
    (
        {"extra-fields", "connect-again", "move-reply", "blocked", "pause", "envelope"}
        | {"sequence", "timestamp", "match-end"},
        set(),
    ),
    ({"board-state", "clears", "game-end", "gravity-lock"}, set()),
    ({"teams", "spawn", "scores", "down", "queue", "rotations", "top-out"}, set()),
    ({"out-of-date", "after-end"}, {"answers"}),
    ({"answers"}, {"connect", "usable", "unknown-move"}),
    ({"usable"}, {"connect"}),
    ({"pieces"}, {"blocked", "rotations", "order", "garbage", "boards", "clears"}),
    ({"shifts"}, {"blocked", "no-number"}),
    ({"seats"}, {"pieces", "boards", "blocked", "shifts"}),
    (
        {"gravity"},
        {"gravity-lock", "down", "repeat", "boards", "spawn", "shifts", "drop", "pieces"},
    ),
    ({"boards"}, {"pieces", "order", "garbage", "clears"}),
    ({"holes"}, {"boards", "pieces", "garbage", "clears"}),
    ({"numbers"}, {"out-of-date", "order", "queue", "boards"}),
    ({"order"}, {"boards", "garbage", "scores", "pieces", "clears"}),
    ({"drop"}, {"queue"}),
    ({"repeat"}, {"gravity", "gravity-lock"}),
    ({"next-game"}, {"boards", "pieces", "garbage"}),
]
"""Faults that one server has together, and the clauses that these break, or seem to break, too."""


def test_a_server_without_a_fault() -> None:
    """Over real sockets, in real time."""
    with SmallServer() as server:
        report = asyncio.run(check_server(server.address, server.token, SIDES, PATIENT))
    assert not found(report)
    assert not [check.clause.id for check in report.results if check.skip_reason]


@pytest.mark.parametrize(
    "game",
    [
        GameRules(gravity_ms=(60,), garbage_when="instant", full_garbage_row="repair"),
        GameRules(gravity_ms=(60,), garbage_when="step", garbage_overlap="lock", queue="bag"),
        GameRules(gravity_ms=(60,), blocked_spawn="lift", rotate_above_top=False),
        GameRules(gravity_ms=(60,), down_on_floor="lock", garbage_out="cut", level_points=(100,)),
    ],
    ids=["instant", "step", "lift", "lock"],
)
def test_whatever_the_open_points_are(game: GameRules) -> None:
    """Where the contest's text takes no side, the check does not either."""
    server = SmallServer(ContestRules(game=game, match=QUICK.match), seed=3)
    report = checked(server)
    assert found(report) == {}


@pytest.mark.parametrize(
    ("faults", "more"), GROUPS, ids=[",".join(sorted(faults)) for faults, _ in GROUPS]
)
def test_every_fault_is_found(faults: set[str], more: set[str]) -> None:
    server = Unusable() if faults == {"usable"} else Faulty(faults)
    clauses = set(found(checked(server)))
    assert faults <= clauses
    assert clauses <= faults | more


class Unusable(SmallServer):
    """Its sockets are out of step after errors."""

    errors = 0

    def follow(self, data: bytes) -> Json:
        reply = super().follow(data)
        self.errors += reply["comm_type"] == "ErrorResp"
        return reply if self.errors == 0 or reply["comm_type"] == "ErrorResp" else {"late": True}


def test_every_clause_has_a_fault() -> None:
    assert set().union(*(faults for faults, _ in GROUPS)) == set(CLAUSES)
    assert len(CLAUSES) >= 25


def test_a_match_against_somebody_else() -> None:
    """As test matches are: the other side is the server's, and what needs both is left out."""

    class House(SmallServer):
        def let_in(self, command: MatchConnect) -> Json:
            reply = super().let_in(command)
            if reply["comm_type"] == "MatchConnectResp":
                super().let_in(
                    MatchConnect(match_token=self.token, team_name=B, password=PASSWORDS[1])
                )
            return reply

    report = checked(House(), (SIDES[0], Side(B, None)))
    assert not found(report)
    skipped = {check.clause.id for check in report.results if check.skip_reason}
    assert {"pause", "seats"} <= skipped <= {"pause", "seats", "garbage", "holes"}


def test_wrong_words_of_our_own_end_the_check() -> None:
    report = checked(SmallServer(), (Side(A, "wrong"), SIDES[1]))
    assert found(report)["connect"].startswith("MatchConnect is answered by 'ErrorResp'")
    skipped = [check.skip_reason for check in report.results if check.skip_reason]
    assert any("is not let in: wrong password" in why for why in skipped)
    assert "wrong" not in "".join(
        line for each in report.findings for line in each.lines if ">" in line
    )


def test_a_server_that_goes_ends_the_check() -> None:
    class Mortal(SmallServer):
        count = 0

        def answer(self, reply: Json) -> bytes | None:
            self.count += 1
            if self.count == 8:
                self._ends.set()
            return super().answer(reply)

    report = checked(Mortal())
    assert "answers" in found(report)
    assert len([check for check in report.results if check.skip_reason]) > 10


def test_no_host() -> None:
    address = ServerAddress("no-such-host.invalid")
    with pytest.raises(ServerUnreachableError, match="cannot resolve host"):
        asyncio.run(check_server(address, "t", SIDES, TIMING))


def test_slow_matches_are_left_in_time() -> None:
    short = Timing(answer=1.0, begin=5.0, settle=0.05, step=0.5, whole=0.6)
    server = SmallServer(ContestRules(match=MatchRules(first_pause_seconds=0.3)))
    report = checked(server, timing=short)
    assert any("the check has taken 0.6 s" in check.skip_reason for check in report.results)
