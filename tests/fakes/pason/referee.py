"""Referee of a match's state channel, written from the contest's text.

A slow and plain second implementation: it plays every message along, so that a board, a score, a
drawn piece or a garbage row that does not follow from what was shown before is a foul. The choices
that the text leaves open are the default ones: garbage enters when the receiver's piece locks,
a clear counts by the level before it.
"""

import json
from typing import Any, TypeAlias

from tests.protocols.pason.table import CELLS

ROWS, COLUMNS = 20, 10

POINTS = (0, 100, 200, 500, 800)
SENT = (0, 0, 1, 2, 4)

Board: TypeAlias = list[list[int]]
Piece: TypeAlias = dict[str, Any]


class FoulError(AssertionError):
    """The server broke a rule of the game or of the wire."""


class Referee:
    """Reads all messages of one match.

    Attributes:
        games: of every finished game its name, scores and winner.
        ended: whether MatchEnd has come.
        told: messages read.
        pieces: pieces locked by each team.
        rows: rows cleared by each team.
        garbage: garbage rows that came to each team.
    """

    def __init__(
        self,
        token: str,
        teams: tuple[str, str],
        *,
        level_points: tuple[int, ...],
        level_factors: tuple[int, ...],
    ) -> None:
        self.token, self.teams = token, teams
        self._level_points, self._level_factors = level_points, level_factors
        self.games: list[tuple[str, dict[str, int], str]] = []
        self.ended = False
        self.told = 0
        self.pieces = dict.fromkeys(teams, 0)
        self.rows = dict.fromkeys(teams, 0)
        self.garbage = dict.fromkeys(teams, 0)
        self._sequence = -1
        self._numbers: set[tuple[str, int]] = set()
        self._last_text = ""
        self._game: str | None = None
        self._begin()

    def read(self, frames: list[bytes]) -> str:
        """Judge one message and return its ``comm_type``."""
        try:
            return self._read(frames)
        except FoulError as foul:
            shown = frames[1][:700].decode(errors="replace") if len(frames) > 1 else frames
            raise FoulError(f"{foul}\n  message: {shown}\n  before: {self._last_text}") from None
        finally:
            self._last_text = frames[-1][:700].decode(errors="replace")

    def _read(self, frames: list[bytes]) -> str:
        _must(len(frames) == 2, f"{len(frames)} frames")
        _must(frames[0] == self.token.encode(), f"envelope {frames[0]!r}")
        _must(not self.ended, "a message after MatchEnd")
        message = json.loads(frames[1].decode("utf-8"))
        self.told += 1
        kind: str = message["comm_type"]
        if kind == "MatchEnd":
            _fields(message, "comm_type match_name match_token status")
            _must(message["status"] == "ENDED", "status is not ENDED")
            _must(message["match_token"] == self.token, "match_token of another match")
            self.ended = True
            return kind
        _must({"sequence", "timestamp", "game_name"} <= set(message), "a field is missing")
        _must(type(message["sequence"]) is int, "sequence is no integer")
        _must(message["sequence"] > self._sequence, "the sequence does not rise")
        self._sequence = message["sequence"]
        _must(type(message["timestamp"]) is float, "timestamp is no float")
        if self._game is None:
            self._game = message["game_name"]
            _must(kind == "GameBoardState", "a game that does not begin with its boards")
            _must(self._game not in [name for name, _, _ in self.games], "a name used before")
        _must(message["game_name"] == self._game, "the game's name changes")
        match kind:
            case "GameBoardState":
                _fields(message, "comm_type game_name sequence timestamp states")
                self._boards(message["states"])
            case "GamePieceState":
                _fields(message, "comm_type game_name sequence timestamp states queue")
                self._pieces(message["states"], message["queue"])
            case "GameEnd":
                _fields(message, "comm_type game_name sequence timestamp scores winner match_token")
                self._end(message)
            case _:
                raise FoulError(f"comm_type {kind}")
        return kind

    def _begin(self) -> None:
        self._game = None
        self._board = {team: _empty() for team in self.teams}
        self._piece: dict[str, Piece | None] = dict.fromkeys(self.teams)
        self._locked = dict.fromkeys(self.teams, True)
        self._queue: list[str] | None = None
        self._pending = dict.fromkeys(self.teams, 0)
        self._scores = {(0, 0)}

    def _boards(self, states: dict[str, Any]) -> None:
        _must(set(states) == set(self.teams), "states of other teams")
        cleared = dict.fromkeys(self.teams, 0)
        settled: dict[str, tuple[Board, Board, bool]] = {}
        for team, state in states.items():
            _fields(state, "board_state piece_number cleared_rows")
            _must(type(state["piece_number"]) is int, "piece_number is no integer")
            board = _decoded(state["board_state"])
            # Only cleared_rows shows a lock that leaves the board unchanged.
            if board == self._board[team] and not state["cleared_rows"]:
                continue
            piece = self._piece[team]
            _must(piece is not None, f"the board of {team} changes, which has no piece")
            assert piece is not None
            _must(not self._locked[team], f"the board of {team} changes twice for one piece")
            after, rows, over = _locked(self._board[team], piece)
            _must(state["cleared_rows"] == rows, f"cleared_rows of {team} should be {rows}")
            cleared[team] = len(rows)
            settled[team] = after, board, over
            self._board[team] = board
            self._locked[team] = True
            self.pieces[team] += 1
            self.rows[team] += len(rows)
        for team, (after, board, over) in settled.items():
            # Two locks in one time step have either order; a lost board takes no garbage.
            late = SENT[cleared[self._other(team)]]
            fair = {0} if over else {self._pending[team], self._pending[team] + late}
            counts = [count for count in fair if _has_risen(after, board, count)]
            _must(bool(counts), f"{team}'s board is not {after} with {fair} rows of garbage")
            self._pending[team] -= counts[0]
            self.garbage[team] += counts[0]
        for team, count in cleared.items():
            self._pending[self._other(team)] += SENT[count]
        self._count(cleared)

    def _other(self, team: str) -> str:
        return self.teams[team == self.teams[0]]

    def _count(self, cleared: dict[str, int]) -> None:
        first, second = (cleared[team] for team in self.teams)
        orders = [(first, second, 0), (first, second, 1)] if first and second else []
        orders = orders or [(first, second, 0)]
        scores = set()
        for a, b in self._scores:
            for one, two, order in orders:
                now = [a, b]
                for seat in (order, 1 - order):
                    now[seat] += POINTS[(one, two)[seat]] * self._factor(max(now))
                scores.add((now[0], now[1]))
        self._scores = scores

    def _factor(self, best: int) -> int:
        level = sum(best >= points for points in self._level_points)
        return self._level_factors[min(level, len(self._level_factors) - 1)]

    def _pieces(self, states: dict[str, Any], queue: list[str]) -> None:
        _must(set(states) == set(self.teams), "states of other teams")
        _must(len(queue) == 5 and set(queue) <= set(CELLS), f"queue {queue}")
        fresh = []
        for team, piece in states.items():
            before = self._piece[team]
            if piece is None:
                _must(self._locked[team], f"{team} has lost its piece, and its board is the same")
            else:
                _fields(piece, "orient piece number row col")
                for name in ("orient", "number", "row", "col"):
                    _must(type(piece[name]) is int, f"{name} is no integer")
                _must(piece["orient"] in range(len(CELLS[piece["piece"]])), "no such orientation")
                if before is None or before["number"] != piece["number"]:
                    self._is_fresh(team, piece)
                    fresh.append(piece["piece"])
                    self._locked[team] = False
                else:
                    _must(not self._locked[team], f"{team} still has a piece that has locked")
                    _must(_is_one_move(before, piece), f"{team}: {before} -> {piece}")
                _must(_fits(self._board[team], piece), f"{team}'s piece overlaps or is outside")
            self._piece[team] = piece
        if self._queue is not None:
            _must(sorted(self._queue[: len(fresh)]) == sorted(fresh), "pieces not of the queue")
            kept = 5 - len(fresh)
            _must(queue[:kept] == self._queue[len(fresh) :], f"queue was {self._queue}")
        self._queue = queue

    def _is_fresh(self, team: str, piece: Piece) -> None:
        _must(self._locked[team], f"{team}'s next piece is shown before its board")
        number = piece["number"]
        _must(number != -1 and (team, number) not in self._numbers, f"number {number} again")
        self._numbers.add((team, number))
        where = piece["row"], piece["col"], piece["orient"]
        _must(where == (0, 5, 0), f"{team}'s piece enters at {where}")

    def _end(self, message: dict[str, Any]) -> None:
        scores, winner = message["scores"], message["winner"]
        _must(set(scores) == set(self.teams), "scores of other teams")
        _must(message["match_token"] == self.token, "match_token of another match")
        shown = scores[self.teams[0]], scores[self.teams[1]]
        _must(shown in self._scores, f"scores {shown}, by what was shown {self._scores}")
        _must(winner in self.teams, f"the winner is {winner}")
        loser = self._other(winner)
        if scores[winner] < scores[loser]:
            top = self._board[loser][0] + self._board[loser][1]
            _must(any(top), f"{loser} has more points, and its stack is not at the top")
        self.games.append((message["game_name"], scores, winner))
        self._begin()


def _must(fair: bool, text: str) -> None:
    if not fair:
        raise FoulError(text)


def _fields(message: dict[str, Any], names: str) -> None:
    _must(set(message) == set(names.split()), f"fields {sorted(message)}, not {names}")


def _empty() -> Board:
    return [[0] * COLUMNS for _ in range(ROWS)]


def _decoded(digits: str) -> Board:
    _must(len(digits) == 50 and set(digits) <= set("0123456789abcdef"), f"board {digits!r}")
    bits = "".join(f"{int(digit, 16):04b}" for digit in digits)
    return [[int(bit) for bit in bits[row * 10 : row * 10 + 10]] for row in range(ROWS)]


def _cells(piece: Piece) -> list[tuple[int, int]]:
    offsets = CELLS[piece["piece"]][piece["orient"]]
    return [(piece["row"] + row, piece["col"] + column) for row, column in offsets]


def _fits(board: Board, piece: Piece) -> bool:
    return all(
        0 <= column < COLUMNS and row < ROWS and (row < 0 or not board[row][column])
        for row, column in _cells(piece)
    )


def _locked(board: Board, piece: Piece) -> tuple[Board, list[int], bool]:
    """Return the board after a drop, the cleared rows, and True if the game is lost."""
    piece = dict(piece)
    while _fits(board, piece | {"row": piece["row"] + 1}):
        piece["row"] += 1
    after = [list(row) for row in board]
    for row, column in _cells(piece):
        if row >= 0:
            after[row][column] = 1
    if any(row < 0 for row, _ in _cells(piece)):
        return after, [], True
    full = [row for row in range(ROWS) if all(after[row])]
    kept = [row for row in after if not all(row)]
    return [[0] * COLUMNS for _ in full] + kept, full, False


def _has_risen(before: Board, board: Board, count: int) -> bool:
    """Return True if a board is another one above a number of garbage rows, none full."""
    seen = min(count, ROWS)
    return before[seen:] == board[: ROWS - seen] and not any(
        all(row) for row in board[ROWS - seen :]
    )


def _is_one_move(before: Piece, after: Piece) -> bool:
    if before["piece"] != after["piece"]:
        return False
    turns = len(CELLS[before["piece"]])
    turn = (after["orient"] - before["orient"]) % turns
    down, aside = after["row"] - before["row"], abs(after["col"] - before["col"])
    # Repeated, or one step or move later.
    return (down, aside, turn) in {(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, turns - 1)}
