"""Harness of the checks of Triangle engines: starts an engine, requests moves, judges them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from sevenbag.bots.external.bot_channel import ChannelLauncher
from sevenbag.bots.external.process import find_error_line
from sevenbag.checks.harness import ConformanceHarness
from sevenbag.checks.practice_games import TrianglePracticeGame
from sevenbag.checks.recorded_connection import CheckEndedError, RecordedConnection
from sevenbag.errors import PlacementError, ProtocolError
from sevenbag.game.position import apply_placement
from sevenbag.protocols.json_lines import MAX_LINE_BYTES, Deviation, Severity, message_type
from sevenbag.protocols.triangle.messages import (
    KEY_ALIASES,
    KEY_NAMES,
    TriangleMove,
    find_deviations,
)
from sevenbag.protocols.triangle.triangle_keys import KEYS_BY_NAME, read_expected_rows, resolve_keys

if TYPE_CHECKING:
    from sevenbag._kernel import Placement

Json = dict[str, Any]

_MAX_EMPTY_ANSWERS: Final = 20
_MAX_FALLEN_ROWS: Final = 3
"""Rows that a piece may fall before its keys arrive."""
_SILENT_CHECKS: Final = frozenset(
    {
        *("answer", "game", "garbage", "state-before-play", "multiple-bags"),
        *("charging-spelling", "fractions", "null-data"),
    }
)
"""Checks in which an engine has no reason to write to standard error."""


class TriangleHarness(ConformanceHarness):
    """Checks of one Triangle engine.

    Attributes:
        empty_environment_launcher: starts the engine with an empty environment, if possible.
        sends_boards: True if the engine has sent the board that it expects, in ``data.board``.
    """

    protocol = "Triangle"
    safe_line_bytes = MAX_LINE_BYTES
    empty_environment_launcher: ChannelLauncher | None = None
    sends_boards = False

    def find_deviations(self, message: Json) -> list[Deviation]:
        """Return deviations of an engine's message; hosts ignore other types."""
        kind = message_type(message)
        if kind in {"info", "move"}:
            return find_deviations(message)
        problem = f"expected 'info' or 'move', got {kind!r}"
        return [Deviation("type", problem, "published text", "warning")]

    @contextlib.asynccontextmanager
    async def start_bot(
        self, launcher: ChannelLauncher | None = None
    ) -> AsyncGenerator[RecordedConnection]:
        """Start an engine, end it afterwards and report its standard error."""
        async with super().start_bot(launcher) as connection:
            failure = None
            try:
                yield connection
            except CheckEndedError as error:
                failure = error
            if self._current.clause.id in _SILENT_CHECKS:
                self._check_stderr(connection, clause="stderr", lines=0)
            if failure is not None:
                raise failure

    @contextlib.asynccontextmanager
    async def start_game(
        self, game: TrianglePracticeGame, launcher: ChannelLauncher | None = None, **changes: object
    ) -> AsyncGenerator[RecordedConnection]:
        """Start an engine and send it a config with some fields replaced."""
        async with self.start_bot(launcher) as connection:
            await connection.send(game.config_message(**changes))
            yield connection

    async def play_turn(
        self,
        connection: RecordedConnection,
        game: TrianglePracticeGame,
        *,
        after: str,
        play_message: Json | None = None,
    ) -> None:
        """Request a move, make it and send the new pieces.

        Raises:
            CheckEndedError: the keys lead elsewhere.
        """
        move = await self._request_move(connection, play_message or game.play_message())
        self._check_keys(game, cast("tuple[str, ...]", move.keys))
        try:
            resolved = resolve_keys(move, game.position, game.rules, aliases=True)
        except ProtocolError as error:
            self.add(str(error), clause="hard-drop", lines=2)
            raise CheckEndedError from None
        except PlacementError as error:
            self.add(f"{after}: {error}")
            raise CheckEndedError from None
        if difference := self._compare_board(game, move, resolved.placement):
            self.add(f"{after}: {difference}")
            raise CheckEndedError
        await connection.send(*game.play(resolved))

    async def play_turns(
        self,
        connection: RecordedConnection,
        game: TrianglePracticeGame,
        count: int,
        *,
        after: str,
        states: bool = False,
    ) -> None:
        """Play up to this number of moves; see `play_turn`.

        Args:
            connection: connection to the engine.
            game: game that decides where the keys lead.
            count: maximum number of moves.
            after: preceding event, for findings.
            states: send a state before each request.
        """
        for _ in range(count):
            if game.is_lost:
                return
            if states:
                await connection.send(game.state_message())
            await self.play_turn(connection, game, after=after)

    def check_exit(self, connection: RecordedConnection, cause: str) -> None:
        """Report output on standard error at the exit; hosts ignore the exit code."""
        self._check_stderr(connection, f" at {cause}", severity="warning", lines=2)

    def _check_stderr(
        self,
        connection: RecordedConnection,
        when: str = "",
        *,
        clause: str = "",
        severity: Severity | None = None,
        lines: int,
    ) -> None:
        if output := connection.channel.stderr.strip():
            message = f"output on standard error{when}: {find_error_line(output)[:120]}"
            self.add(message, clause=clause, severity=severity, lines=lines)

    async def _request_move(
        self, connection: RecordedConnection, play_message: Json
    ) -> TriangleMove:
        """Return the answer; repeat the request after an empty one, as hosts do."""
        for _ in range(_MAX_EMPTY_ANSWERS):
            await self.expect_silence(connection, "without a pending play", 0)
            started = time.monotonic()
            await connection.send(play_message)
            answer = await connection.receive("move")
            self.check_answer_time(started)
            keys: object = answer.get("keys")
            if not isinstance(keys, list):
                self.add("move without a list of keys", severity="error", lines=2)
                raise CheckEndedError
            if keys:
                names = tuple(str(key) for key in cast("list[object]", keys))
                return TriangleMove(keys=names, data=answer.get("data"))
            self.add("move without keys", clause="empty-answer", lines=2)
        message = f"no keys in {_MAX_EMPTY_ANSWERS} moves for the same piece"
        self.add(message, severity="error", lines=2)
        raise CheckEndedError

    def _check_keys(self, game: TrianglePracticeGame, keys: Sequence[str]) -> None:
        for key in keys:
            if key not in KEY_NAMES:
                name = KEY_ALIASES.get(key)
                message = (
                    f"invalid key: expected {name or 'a key of Triangle.js'}, got {key[:40]!r}"
                )
                self.add(message, clause="keys", lines=2)
            elif key in {"dasLeft", "dasRight"}:
                message = f"expected {key.replace('das', 'move')}, got the slower {key}"
                self.add(message, clause="das", lines=2)
        if (fallen := _count_safe_rows(game, keys)) is not None:
            rows = "row" if fallen == 1 else "rows"
            message = f"keys lead elsewhere after the piece has fallen {fallen} {rows}"
            self.add(message, clause="gravity", lines=2)

    def _compare_board(
        self, game: TrianglePracticeGame, move: TriangleMove, placement: Placement
    ) -> str:
        """Return the difference from the board that the engine expects; empty without one."""
        expected = read_expected_rows(move)
        if expected is None:
            return ""
        self.sends_boards = True
        board = apply_placement(game.position, placement, game.rules).board
        for y, row in enumerate(expected[: board.rows]):
            if row != board.row(y):
                actual, sent = (_format_row(cells, board.width) for cells in (board.row(y), row))
                return f"row {y} after the move: expected {actual}, got {sent} in data.board"
        return ""


def _count_safe_rows(game: TrianglePracticeGame, keys: Sequence[str]) -> int | None:
    """Return the rows that a piece falls until its keys lead elsewhere; None if they never do."""
    position, rules = game.position, game.rules
    known = [KEYS_BY_NAME[key] for key in keys if key in KEYS_BY_NAME]
    if "hold" in keys or not position.queue or len(known) < len(keys):
        return None
    board, pieces, spawn = position.board, rules.pieces, rules.spawn
    first = None
    for fallen in range(_MAX_FALLEN_ROWS + 1):
        start = (spawn.x, spawn.y - fallen)
        end = board.apply_keys(position.queue[0], known, pieces.kicks, spawn=start)
        first = end if fallen == 0 else first
        if first is None or end is None:
            return None
        if not end.same_cells(first):
            return fallen
    return None


def _format_row(row: int, width: int) -> str:
    return "".join("X" if row >> x & 1 else "." for x in range(width))
