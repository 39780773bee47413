"""Games without a server, compared with a referee written from the contest's text."""

import json
import random
import uuid
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import pytest

from sevenbag.contest.game.pason_match import ContestMatch
from sevenbag.contest.scheduler_protocol import AssignedPlayer
from sevenbag.contest.settings import ContestRules, GameRules, MatchRules
from sevenbag.protocols.pason.messages import encode
from sevenbag.protocols.pason.pason_conversion import MoveName
from tests.fakes.pason.referee import FoulError, Referee
from tests.properties import cases
from tests.protocols.pason.table import CELLS

MOVES: tuple[MoveName, ...] = ("left", "right", "down", "drop", "lrotate", "rrotate")
TEAMS = ("Home", "Guests")
Message: TypeAlias = dict[str, Any]


class Random:
    """Moves at random."""

    def __init__(self, dice: random.Random, drops: float) -> None:
        self.dice, self.drops = dice, drops

    def see(self, message: Message) -> None:
        pass

    def move(self) -> tuple[MoveName, int | None] | None:
        if self.dice.random() < self.drops:
            return "drop", None
        return self.dice.choice(MOVES[:3] + MOVES[4:]), None


class Careful:
    """Keeps the board flat, so that rows are cleared and sent; searches columns only."""

    def __init__(self, dice: random.Random, team: str) -> None:
        self.dice, self.team = dice, team
        self.board = [[0] * 10 for _ in range(20)]
        self.number = -1
        self.moves: list[MoveName] = []

    def see(self, message: Message) -> None:
        if message["comm_type"] == "GameBoardState":
            digits = message["states"][self.team]["board_state"]
            bits = "".join(f"{int(digit, 16):04b}" for digit in digits)
            self.board = [[int(bit) for bit in bits[row * 10 :][:10]] for row in range(20)]
        elif message["comm_type"] == "GamePieceState":
            piece = message["states"][self.team]
            if piece is not None and piece["number"] != self.number:
                self.number = piece["number"]
                self.moves = self.planned(piece["piece"])

    def move(self) -> tuple[MoveName, int | None] | None:
        if not self.moves or self.dice.random() < 0.3:
            return None
        return self.moves.pop(0), self.number

    def planned(self, kind: str) -> list[MoveName]:
        least = 1e9
        best: list[MoveName] = ["drop"]
        for turn, offsets in enumerate(CELLS[kind]):
            for column in range(10):
                if any(not 0 <= column + aside < 10 for _, aside in offsets):
                    continue
                row = 1
                while self.has_room(offsets, row + 1, column):
                    row += 1
                cost = self.cost(offsets, row, column)
                if cost < least:
                    shift: MoveName = "left" if column < 5 else "right"
                    least = cost
                    turns: list[MoveName] = ["lrotate"] * turn
                    shifts: list[MoveName] = [shift] * abs(column - 5)
                    best = ["down", *turns, *shifts, "drop"]
        return best

    def has_room(self, offsets: list[tuple[int, int]], row: int, column: int) -> bool:
        cells = [(row + down, column + aside) for down, aside in offsets]
        return all(down < 20 and (down < 0 or not self.board[down][at]) for down, at in cells)

    def cost(self, offsets: list[tuple[int, int]], row: int, column: int) -> float:
        board = [list(line) for line in self.board]
        for down, aside in offsets:
            board[max(row + down, 0)][column + aside] = 1
        board = [line for line in board if not all(line)]
        cost = self.dice.random() * 0.01
        for at in range(10):
            filled = [number for number, line in enumerate(board) if line[at]]
            if filled:
                height = len(board) - filled[0]
                cost += height * height * 0.1 + 4 * (height - len(filled))
        return cost


def played(
    seed: int,
    rules: GameRules,
    players: Sequence[Random | Careful],
    spoil: Callable[[Message], Message | None] = lambda message: message,
) -> Referee:
    """Play a match with random time steps and return its referee."""
    dice = random.Random(seed)
    token = str(uuid.UUID(int=dice.getrandbits(128), version=4))
    times = MatchRules(games=3, game_seconds=25, pause_seconds=1, repeat_seconds=0.7)
    seats = (AssignedPlayer(team=TEAMS[0]), AssignedPlayer(team=TEAMS[1]))
    match = ContestMatch(
        token, "a match", seats, ContestRules(game=rules, match=times), seed, lambda: 1.5
    )
    referee = Referee(
        token, TEAMS, level_points=rules.level_points, level_factors=rules.level_factors
    )
    now = 100.0
    for seat in (0, 1):
        match.connect(1 if seat else 0, now)
    while not referee.ended:
        match.advance(now)
        for seat, player in enumerate(players):
            move = player.move()
            if move is not None:
                match.move(1 if seat else 0, *move, now)
        for finished in match.take_finished_games():
            match.confirm_stored(finished.result.number, now)
        for state in match.take_messages():
            message = spoil(json.loads(encode(state)))
            if message is not None:
                referee.read([token.encode(), json.dumps(message).encode()])
                for player in players:
                    player.see(message)
        now += dice.random() * 0.08
    assert match.result is not None
    won = [[winner for _, _, winner in referee.games].count(team) for team in TEAMS]
    assert list(match.result.games) == won
    return referee


@pytest.mark.parametrize("drops", [0.0, 0.1, 0.6])
def test_random_games(drops: float) -> None:
    rules = GameRules(gravity_ms=(120, 60, 30), level_points=(300, 900), level_factors=(1, 3, 7))
    pieces = 0
    for seed in range(cases(20)):
        dice = random.Random(seed)
        referee = played(seed, rules, [Random(dice, drops), Random(dice, drops)])
        pieces += sum(referee.pieces.values())
    assert pieces > cases(500)


GARBAGE = GameRules(gravity_ms=(400, 200), level_points=(1_000, 3_000), level_factors=(1, 2, 4))


def careful_ones(seed: int) -> list[Careful]:
    dice = random.Random(seed)
    return [Careful(dice, team) for team in TEAMS]


def test_games_with_garbage() -> None:
    """Both teams clear and send rows; each received row was sent."""
    rows = garbage = 0
    for seed in range(cases(6)):
        referee = played(seed, GARBAGE, careful_ones(seed))
        rows += sum(referee.rows.values())
        garbage += sum(referee.garbage.values())
    assert rows > cases(100)
    assert garbage > cases(20)


class Once:
    """Spoils the first message that it can spoil."""

    def __init__(self, spoil: Callable[[Message], Message | None]) -> None:
        self.spoil = spoil
        self.done = False

    def __call__(self, message: Message) -> Message | None:
        if self.done:
            return message
        before = json.dumps(message)
        spoiled = self.spoil(message)
        self.done = json.dumps(spoiled) != before
        return spoiled


def mine(message: Message, kind: str) -> Message:
    """Return the first team's state in a message of this kind; otherwise an empty one."""
    state = message["states"][TEAMS[0]] if message["comm_type"] == kind else None
    return state or {}


def row_taken_away(message: Message) -> Message:
    state = mine(message, "GameBoardState")
    if state.get("board_state", "").endswith("ff"):
        state["board_state"] = "00000" + state["board_state"][:45]
    return message


def cell_too_many(message: Message) -> Message:
    state = mine(message, "GameBoardState")
    if state and state["board_state"].startswith("00000"):
        state["board_state"] = "1" + state["board_state"][1:]
    return message


def clear_untold(message: Message) -> Message:
    state = mine(message, "GameBoardState")
    if state:
        state["cleared_rows"] = []
    return message


def board_left_out(message: Message) -> Message | None:
    return None if "f" in mine(message, "GameBoardState").get("board_state", "") else message


def two_steps(message: Message) -> Message:
    state = mine(message, "GamePieceState")
    if 2 < state.get("row", 0) < 8:
        state["row"] += 1
    return message


def other_piece(message: Message) -> Message:
    state = mine(message, "GamePieceState")
    if state.get("number", 0) > 10 and state["piece"] not in {"O", "S"} and state["row"] == 0:
        state["piece"] = "O"
    return message


def old_number(message: Message) -> Message:
    state = mine(message, "GamePieceState")
    if state.get("number", 0) > 20:
        state["number"] = 1
    return message


def queue_in_disorder(message: Message) -> Message:
    if message["comm_type"] == "GamePieceState" and message["sequence"] > 50:
        message["queue"].reverse()
    return message


def point_too_many(message: Message) -> Message:
    if message["comm_type"] == "GameEnd":
        message["scores"][TEAMS[0]] += 1
    return message


def field_too_many(message: Message) -> Message:
    return message | {"level": 1}


def field_missing(message: Message) -> Message:
    return {key: value for key, value in message.items() if key != "timestamp"}


def number_as_text(message: Message) -> Message:
    return message | {"sequence": str(message["sequence"])}


def digits_in_upper_case(message: Message) -> Message:
    state = mine(message, "GameBoardState")
    if state:
        state["board_state"] = state["board_state"].upper()
    return message


def other_team(message: Message) -> Message:
    if "states" in message:
        message["states"]["Others"] = message["states"].pop(TEAMS[1])
    return message


def spawn_turned(message: Message) -> Message:
    state = mine(message, "GamePieceState")
    if state.get("row") == 0 and state["piece"] in "LJT":
        state["orient"] = 1
    return message


def full_row_from_below(message: Message) -> Message:
    state = mine(message, "GameBoardState")
    if state.get("piece_number", 0) > 10:
        # The top nibbles are empty, so a row fits at the bottom.
        board = int(state["board_state"], 16)
        state["board_state"] = f"{(board << 10 | 0x3FF) & ((1 << 200) - 1):050x}"
    return message


def cells_at_the_start(message: Message) -> Message:
    state = mine(message, "GameBoardState")
    if state:
        state["board_state"] = f"{int(state['board_state'], 16) | 1:050x}"
    return message


def winner_swapped(message: Message) -> Message:
    if message["comm_type"] == "GameEnd":
        scores = message["scores"]
        message["winner"] = min(TEAMS, key=lambda team: scores[team])
    return message


def token_of_another_match(message: Message) -> Message:
    return message | {"match_token": "other"} if message["comm_type"] == "GameEnd" else message


def status_over(message: Message) -> Message:
    return message | {"status": "OVER"} if message["comm_type"] == "MatchEnd" else message


@pytest.mark.parametrize(
    "spoil",
    [
        row_taken_away,
        cell_too_many,
        clear_untold,
        board_left_out,
        two_steps,
        other_piece,
        old_number,
        queue_in_disorder,
        point_too_many,
        field_too_many,
        field_missing,
        number_as_text,
        digits_in_upper_case,
        other_team,
        spawn_turned,
        full_row_from_below,
        cells_at_the_start,
        winner_swapped,
        token_of_another_match,
        status_over,
    ],
)
def test_referee_detects(spoil: Callable[[Message], Message | None]) -> None:
    """A spoiled message is a foul, in it or in a later one."""
    once = Once(spoil)
    with pytest.raises(FoulError):
        played(1, GARBAGE, careful_ones(1), once)
    assert once.done


def test_referee_detects_messages_after_the_end() -> None:
    referee = Referee("token", TEAMS, level_points=(), level_factors=(1,))
    end = {"comm_type": "MatchEnd", "match_name": "", "match_token": "token", "status": "ENDED"}
    frames = [b"token", json.dumps(end).encode()]
    for wrong in ([*frames, b""], frames[1:], [b"other", frames[1]]):
        with pytest.raises(FoulError):
            referee.read(wrong)
    assert referee.read(frames) == "MatchEnd"
    with pytest.raises(FoulError, match="after MatchEnd"):
        referee.read(frames)
