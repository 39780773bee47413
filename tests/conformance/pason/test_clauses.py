"""Each guarantee of docs/pason.md on a real game server, seen through its two channels."""

import contextlib
import json
import random
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any, Self

import pytest

from tests.conformance.pason.test_judged import Careful
from tests.fakes.pason.addresses import COMMAND_PORT, STATE_PORT
from tests.fakes.pason.hosting import Hosted, hosted
from tests.fakes.pason.zmtp import NewPeer
from tests.protocols.pason.table import CELLS, STEP
from tests.protocols.pason.test_docs import table

Json = dict[str, Any]

TEAMS = HOME, GUESTS = "Home", "Guests"
# Pieces move only by commands, so no verdict depends on the speed of the machine.
STILL = {"gravity_ms": (3_600_000,)}
LONG = {"games": 3, "game_seconds": 600, "match_seconds": 3600, "first_pause_seconds": 0.1}
SILENCE = 0.05
HANGS = 120.0
OK = {"comm_type": "GameMoveResp", "resp": "OK"}
COVERED: set[str] = set()


def covers(*clauses: str) -> Callable[[Any], Any]:
    """Declare the clauses that a test covers."""
    COVERED.update(clauses)
    return lambda test: test


class Play:
    """A match with one command connection and one subscription that the referee judges."""

    def __init__(self, server: Hosted, *, connect: bool = True, **rules: Json) -> None:
        rules = {"game": STILL, **rules}
        self.match = server.place(*TEAMS, game=rules["game"], match=LONG | rules.get("match", {}))
        self.referee = self.match.referee()
        self.states = NewPeer(server.host, STATE_PORT, kind="SUB")
        self.states.subscribe(self.match.token)
        self.commands = NewPeer(server.host, COMMAND_PORT, kind="REQ")
        self.tokens: dict[str, str] = {}
        if connect:
            for team in TEAMS:
                self.connect(team)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        with self.states, self.commands:
            if raised[0] is None:
                assert is_silent(self.commands), "a command was answered twice"

    def ask(self, command: Json | bytes) -> Json:
        """Return the answer to a command: one frame with a JSON object."""
        data = command if isinstance(command, bytes) else json.dumps(command).encode()
        answer: Json = json.loads(self.commands.ask(data))
        assert isinstance(answer, dict)
        return answer

    def match_connect(self, team: str, **changes: object) -> Json:
        """Return a team's MatchConnect with some fields replaced."""
        password = self.match.teams[TEAMS.index(team)].password
        command = {"comm_type": "MatchConnect", "match_token": self.match.token}
        return {**command, "team_name": team, "password": password, **changes}

    def connect(self, team: str) -> Json:
        """Connect a team."""
        answer = self.ask(self.match_connect(team))
        self.tokens[team] = answer["client_token"]
        return answer

    def move(self, team: str, move: str, number: int | None = None) -> Json:
        """Send a move."""
        command: Json = {"comm_type": "GameMove", "client_token": self.tokens[team], "move": move}
        return self.ask(command if number is None else {**command, "piece_number": number})

    def read(self) -> Json:
        """Return the next state message."""
        frames = self.states.receive()
        self.referee.read(frames)
        message: Json = json.loads(frames[1])
        return message

    def read_until(self, matches: Callable[[Json], bool]) -> Json:
        """Return the first state message that matches."""
        ends = time.monotonic() + HANGS
        while time.monotonic() < ends:
            if matches(message := self.read()):
                return message
        raise AssertionError("the expected state did not arrive")

    def pieces(self) -> Json:
        """Return both teams' pieces after all commands so far."""
        now = time.time()
        message = self.read_until(
            lambda each: each["comm_type"] == "GamePieceState" and each["timestamp"] >= now
        )
        states: Json = message["states"]
        return states

    def expect_piece(self, team: str, before: Json, expected: Json) -> None:
        """Read until a team's piece has changed, and compare it."""
        message = self.read_until(
            lambda each: (
                each["comm_type"] == "GamePieceState"
                and (each["states"][team] != before or before == expected)
            )
        )
        assert message["states"][team] == expected

    def drop_until_game_end(self, team: str) -> Json:
        """Pile up a team's pieces until it has lost; return GameEnd."""
        ends = time.monotonic() + HANGS
        while time.monotonic() < ends:
            message = self.read()
            if message["comm_type"] == "GameEnd":
                return message
            piece = message["states"][team] if message["comm_type"] == "GamePieceState" else None
            if piece is not None:
                assert self.move(team, "drop", piece["number"]) == OK
        raise AssertionError("the game does not end")


def is_silent(peer: NewPeer) -> bool:
    """Return True if nothing arrives for a moment."""
    peer.socket.settimeout(SILENCE)
    with contextlib.suppress(TimeoutError):
        return not peer.socket.recv(1)
    return True


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    with hosted(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture
def play(server: Hosted) -> Iterator[Play]:
    with Play(server) as play:
        yield play


def test_every_clause_has_a_test() -> None:
    assert set(table("clauses")) == COVERED


@covers("answers", "connect", "ok", "client-token", "connect-again", "extra-fields")
def test_connect(server: Hosted) -> None:
    with Play(server, connect=False) as play:
        answers = [play.connect(team) for team in (HOME, HOME, GUESTS, GUESTS)]
        loose = play.match_connect(HOME, client_version="1.0", extra=[1, None])
        answers.append(play.ask(json.dumps(dict(reversed(loose.items())), indent=3).encode()))
        tokens = [answer.pop("client_token") for answer in answers]
        home, guests = tokens[0], tokens[2]
        assert tokens == [home, home, guests, guests, home]
        assert [str(uuid.UUID(token)) for token in (home, guests)] == [home, guests]
        assert home != guests
        for answer in answers:
            assert answer == {"comm_type": "MatchConnectResp", "resp": "ok"}
        assert play.move(HOME, "left") == OK


def without(command: Json, field: str) -> Json:
    return {key: value for key, value in command.items() if key != field}


UNKNOWN = str(uuid.uuid4())
ERRORS: dict[str, tuple[str, Callable[[Play], Json | bytes]]] = {
    "{": ("malformed", lambda _: b"{"),
    "list": ("malformed", lambda _: b"[]"),
    "string": ("malformed", lambda _: b'"MatchConnect"'),
    "no UTF-8": ("malformed", lambda _: b"\xff\xfe"),
    "empty": ("malformed", lambda _: b""),
    "no match_token": ("malformed", lambda play: without(play.match_connect(HOME), "match_token")),
    "no team_name": ("malformed", lambda play: without(play.match_connect(HOME), "team_name")),
    "no password": ("malformed", lambda play: without(play.match_connect(HOME), "password")),
    "no move": ("malformed", lambda _: {"comm_type": "GameMove", "client_token": UNKNOWN}),
    "GameStart": ("unknown-type", lambda _: {"comm_type": "GameStart"}),
    "match": ("unknown-match", lambda play: play.match_connect(HOME, match_token=UNKNOWN)),
    "team": ("unknown-team", lambda play: play.match_connect(HOME, team_name="home")),
    "password": ("wrong-password", lambda play: play.match_connect(HOME, password=UNKNOWN)),
    "client": (
        "unknown-client",
        lambda _: {"comm_type": "GameMove", "client_token": UNKNOWN, "move": "left"},
    ),
    "move": (
        "unknown-move",
        lambda play: {"comm_type": "GameMove", "client_token": play.tokens[HOME], "move": "hold"},
    ),
}
MESSAGES = {"malformed": "malformed message", "unknown-client": "unknown client token"}


@covers("error-form", "usable-after-error", *(clause for clause, _ in ERRORS.values()))
def test_errors(play: Play) -> None:
    for name, (clause, command) in ERRORS.items():
        answer = play.ask(command(play))
        assert answer["comm_type"] == "ErrorResp", name
        expected = MESSAGES.get(clause, clause.replace("-", " ").replace("type", "comm_type"))
        assert answer["error"] == expected, name
        assert isinstance(answer["message"], str), name
        # The socket is as usable as before.
        assert play.connect(HOME)["resp"] == "ok", name


@covers("shifts", "down", "rotations", "blocked", "move-reply", "pieces")
def test_moves(server: Hosted) -> None:
    with Play(server, match={"games": 1_000}) as play:
        kinds = set[str]()
        while not {"O", "I", "T"} <= kinds:
            kinds.add(move_one_piece(play))
            # The board stays low.
            play.drop_until_game_end(HOME)


def move_one_piece(play: Play) -> str:
    """Move a piece by each command and compare it with the table of shapes; return its kind."""
    piece = play.pieces()[HOME]
    ring = len(CELLS[piece["piece"]])
    for move in ("down", "down", "left", "right", *("lrotate", "rrotate", "rrotate") * 2):
        assert play.move(HOME, move, piece["number"]) == OK
        expected = dict(piece)
        if move in STEP:
            expected["orient"] = (piece["orient"] + STEP[move]) % ring
        elif move == "down":
            expected["row"] += 1
        else:
            expected["col"] += {"left": -1, "right": 1}[move]
        play.expect_piece(HOME, piece, expected)
        piece = expected
    for _ in range(12):
        assert play.move(HOME, "left", piece["number"]) == OK
    cells = CELLS[piece["piece"]][piece["orient"]]
    assert play.pieces()[HOME] == {**piece, "col": -min(column for _, column in cells)}
    return str(piece["piece"])


@covers("out-of-date", "no-number")
def test_numbers_of_moves(play: Play) -> None:
    before = play.pieces()[HOME]
    assert play.move(HOME, "left", before["number"] + 1_000_003) == OK
    assert play.pieces()[HOME] == before
    assert play.move(HOME, "left") == OK
    assert play.pieces()[HOME] == {**before, "col": before["col"] - 1}


@covers("independent-pieces")
def test_teams_move_their_own_pieces(play: Play) -> None:
    before = play.pieces()
    play.move(HOME, "left")
    play.move(GUESTS, "right")
    after = play.pieces()
    assert [after[team]["col"] for team in TEAMS] == [4, 6]
    assert [after[team]["number"] for team in TEAMS] == [before[team]["number"] for team in TEAMS]


@covers("drop")
def test_drop(play: Play) -> None:
    number = play.pieces()[HOME]["number"]
    assert play.move(HOME, "drop", number) == OK

    def is_next(message: Json) -> bool:
        if message["comm_type"] != "GamePieceState":
            return False
        piece = message["states"][HOME]
        assert piece is not None, "no piece for a while after a drop"
        return bool(piece["number"] != number)

    play.read_until(is_next)
    assert play.referee.pieces == {HOME: 1, GUESTS: 0}


@covers("gravity", "gravity-lock")
def test_gravity(server: Hosted) -> None:
    with Play(server, game={"gravity_ms": (20,)}) as play:
        pieces: list[Json | None] = []
        while not pieces or pieces[-1] is not None:
            message = play.read()
            if message["comm_type"] == "GamePieceState":
                pieces.append(message["states"][HOME])
        fallen = [piece for piece in pieces if piece is not None]
        # One piece falls row by row to the floor; then there is none until the next step.
        assert len({piece["number"] for piece in fallen}) == 1
        assert sorted({piece["row"] for piece in fallen}) == list(range(fallen[-1]["row"] + 1))
        assert [piece["row"] for piece in fallen] == sorted(piece["row"] for piece in fallen)
        assert fallen[-1]["row"] >= 17
        number = fallen[0]["number"]
        after = play.read_until(
            lambda each: each["comm_type"] == "GamePieceState" and each["states"][HOME] is not None
        )
        assert after["states"][HOME]["number"] > number


@covers("pause")
def test_pause_before_the_first_game(server: Hosted) -> None:
    with Play(server, connect=False, match={"first_pause_seconds": 0.4}) as play:
        play.connect(HOME)
        assert is_silent(play.states), "a state before the second team has connected"
        play.states.socket.settimeout(HANGS)
        connected = time.time()
        play.connect(GUESTS)
        assert play.read()["timestamp"] - connected > 0.39


@covers("state-repeated")
def test_late_subscribers_receive_the_state(server: Hosted, play: Play) -> None:
    play.pieces()
    with NewPeer(server.host, STATE_PORT, kind="SUB") as late:
        late.subscribe(play.match.token)
        kinds = {json.loads(late.receive()[1])["comm_type"] for _ in range(4)}
    assert kinds == {"GameBoardState", "GamePieceState"}


@covers("envelope", "form", "sequence", "timestamp", "teams", "board-state", "numbers", "order")
@covers("spawn", "queue", "boards", "clears", "garbage", "holes", "scores", "game-end")
def test_games(server: Hosted) -> None:
    """Both teams clear rows until each has received garbage; the referee judges every state."""
    with Play(server, match={"games": 19}) as play:
        players = {team: Careful(random.Random(1), team) for team in TEAMS}
        for player in players.values():
            player.dice.random = lambda: 0.5  # type: ignore[method-assign]
        ends = time.monotonic() + HANGS
        while min(play.referee.garbage.values()) == 0:
            assert time.monotonic() < ends
            message = play.read()
            for team, player in players.items():
                player.see(message)
                while (move := player.move()) is not None:
                    assert play.move(team, *move) == OK
        end = play.drop_until_game_end(GUESTS)
        assert max(end["scores"].values()) > 0


@covers("top-out", "next-game", "match-end", "silence", "commands-after-end")
def test_ends(play: Play) -> None:
    numbers = []
    for loser, winner in ((GUESTS, HOME), (HOME, GUESTS), (GUESTS, HOME)):
        numbers.append(play.pieces()[HOME]["number"])
        assert play.drop_until_game_end(loser)["winner"] == winner
    assert numbers == sorted(set(numbers))
    end = play.read()
    assert (end["comm_type"], end["status"]) == ("MatchEnd", "ENDED")
    assert play.referee.ended
    assert is_silent(play.states), "a message after MatchEnd"
    assert play.move(HOME, "drop")["comm_type"] in {"GameMoveResp", "ErrorResp"}
