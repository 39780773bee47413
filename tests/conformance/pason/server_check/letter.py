"""State messages by the letter: which fields there are, of which types, in which form."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any, Final, cast

from sevenbag.protocols.pason.pason_conversion import SHAPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sevenbag.protocols.json_lines import Severity

Json = dict[str, Any]
Fault = tuple[str, "Severity", str]
"""Clause, how bad it is, what is there."""


def faults(message: Json, token: str, teams: tuple[str, str]) -> Iterator[Fault]:
    """All that is not by the letter in a state message."""
    kind = message.get("comm_type")
    check = _CHECKS.get(kind) if isinstance(kind, str) else None
    if check is None:
        yield "form", "error", f"comm_type is {kind!r}, must be one of {', '.join(_CHECKS)}"
        return
    for field, wanted in _FIELDS[cast("str", kind)].items():
        if field not in message:
            yield "form", "error", f"{kind} has no {field}"
        elif not wanted(message[field]):
            clause = "sequence" if field == "sequence" else "form"
            yield clause, "error", f"{kind}.{field} is {_shown(message[field])}"
    if _is_number(message.get("timestamp")) and abs(message["timestamp"] - time.time()) > _APART:
        yield "timestamp", "warning", f"timestamp is {message['timestamp']}, which is not now"
    yield from check(message, token, teams)


# --- helpers ------------------------------------------------------------------------------------

_APART: Final = 86_400.0
"""Seconds; clocks of contests' machines are what they are."""
_HEX: Final = re.compile(r"[0-9a-f]{50}", re.ASCII)


def _board_faults(message: Json, token: str, teams: tuple[str, str]) -> Iterator[Fault]:
    del token
    states = message.get("states")
    if not isinstance(states, dict):
        return
    yield from _team_faults("states", cast("Json", states), teams)
    for state in cast("dict[str, object]", states).values():
        if not isinstance(state, dict):
            yield "form", "error", f"a team's board is {_shown(state)}, must be an object"
            continue
        told = cast("Json", state)
        board = told.get("board_state")
        if not isinstance(board, str) or not _HEX.fullmatch(board):
            yield "board-state", "error", f"board_state is {_shown(board)}"
        rows: object = told.get("cleared_rows")
        if not _is_list_of_integers(rows):
            yield "form", "error", f"cleared_rows is {_shown(rows)}, must be a list of integers"
        if not _is_integer(told.get("piece_number")):
            number = _shown(told.get("piece_number"))
            yield "form", "error", f"piece_number of a board is {number}, must be an integer"


def _piece_faults(message: Json, token: str, teams: tuple[str, str]) -> Iterator[Fault]:
    del token
    states = message.get("states")
    if isinstance(states, dict):
        yield from _team_faults("states", cast("Json", states), teams)
        for state in cast("dict[str, object]", states).values():
            if state is not None and state != -1:
                yield from _one_piece(state)
    queue = message.get("queue")
    if isinstance(queue, list):
        letters = cast("list[object]", queue)
        for letter in letters:
            if letter not in SHAPES:
                yield "form", "error", f"the queue has {_shown(letter)}, must have pieces' letters"
        if len(letters) != _USUAL_QUEUE:
            what = f"the queue shows {len(letters)} pieces; a client of 2012 takes 5 for granted"
            yield "form", "warning" if len(letters) > _USUAL_QUEUE else "note", what


def _one_piece(state: object) -> Iterator[Fault]:
    if not isinstance(state, dict):
        yield "form", "error", f"a team's piece is {_shown(state)}, must be an object or null"
        return
    piece = cast("Json", state)
    for field in ("orient", "number", "row", "col"):
        if not _is_integer(piece.get(field)):
            yield "form", "error", f"{field} of a piece is {_shown(piece.get(field))}"
            return
    letter = piece.get("piece")
    if letter not in SHAPES:
        yield "form", "error", f"a piece is {_shown(letter)}, must be one of O I S Z L J T"
    elif not 0 <= piece["orient"] < len(SHAPES[letter]):
        yield "pieces", "error", f"{letter} has no orientation {piece['orient']}"
    if piece["number"] == -1:
        yield "numbers", "error", "a piece has the number -1, which is for none"


def _game_end_faults(message: Json, token: str, teams: tuple[str, str]) -> Iterator[Fault]:
    scores = message.get("scores")
    if isinstance(scores, dict):
        told = cast("Json", scores)
        yield from _team_faults("scores", told, teams)
        for points in told.values():
            if not _is_integer(points):
                yield "game-end", "error", f"points are {_shown(points)}, must be an integer"
    winner = message.get("winner")
    if isinstance(winner, str) and winner not in teams:
        yield "game-end", "error", f"winner is {_shown(winner)}, which is neither team's name"
    if isinstance(message.get("match_token"), str) and message["match_token"] != token:
        yield "game-end", "error", "match_token is another one"


def _match_end_faults(message: Json, token: str, teams: tuple[str, str]) -> Iterator[Fault]:
    del teams
    if message.get("status") != "ENDED":
        yield "match-end", "error", f"status is {_shown(message.get('status'))}, must be 'ENDED'"
    if message.get("match_token") != token:
        yield "match-end", "error", "match_token is another one"


def _team_faults(field: str, states: Json, teams: tuple[str, str]) -> Iterator[Fault]:
    if set(states) != set(teams):
        names = ", ".join(map(repr, states))
        yield "teams", "error", f"{field} has {names or 'nobody'}, must have both teams' names"


_USUAL_QUEUE: Final = 5

_CHECKS: Final[dict[str, Callable[[Json, str, tuple[str, str]], Iterator[Fault]]]] = {
    "GameBoardState": _board_faults,
    "GamePieceState": _piece_faults,
    "GameEnd": _game_end_faults,
    "MatchEnd": _match_end_faults,
}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_list_of_integers(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_integer, cast("list[object]", value)))


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


_IN_GAME: Final = {"game_name": _is_text, "sequence": _is_integer, "timestamp": _is_number}
_FIELDS: Final[dict[str, dict[str, Callable[[object], bool]]]] = {
    "GameBoardState": {**_IN_GAME, "states": _is_object},
    "GamePieceState": {**_IN_GAME, "states": _is_object, "queue": _is_list},
    "GameEnd": {**_IN_GAME, "scores": _is_object, "winner": _is_text, "match_token": _is_text},
    "MatchEnd": {"match_name": _is_text, "match_token": _is_text, "status": _is_text},
}


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "..."
