"""Harness of the checks of TBP bots: starts a bot, requests moves, judges them."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from sevenbag.checks.harness import ConformanceHarness
from sevenbag.checks.practice_games import TbpPracticeGame
from sevenbag.checks.recorded_connection import CheckEndedError, RecordedConnection
from sevenbag.errors import PlacementError
from sevenbag.protocols.json_lines import Deviation, Severity
from sevenbag.protocols.tbp.messages import find_deviations

if TYPE_CHECKING:
    from sevenbag._kernel import Placement

Json = dict[str, Any]

SEVEN_BAG_RULES: Final[Json] = {"type": "rules", "randomizer": "seven_bag"}
_RETRY_SECONDS: Final = 0.05


class TbpBotHarness(ConformanceHarness):
    """Checks of one TBP bot."""

    protocol = "TBP"
    safe_line_bytes = 4096  # of every frontend
    quit_message = b'{"type":"quit"}\n'

    def find_deviations(self, message: Json) -> list[Deviation]:
        """Return deviations of a bot's message from the specification."""
        return find_deviations(message)

    @contextlib.asynccontextmanager
    async def start_ready(
        self, rules: Json = SEVEN_BAG_RULES
    ) -> AsyncGenerator[RecordedConnection]:
        """Start a bot and send it rules."""
        async with self.start_bot() as connection:
            await connection.send(rules)
            await connection.receive("ready", seconds=self.settings.start_seconds)
            yield connection

    @contextlib.asynccontextmanager
    async def start_game(
        self, game: TbpPracticeGame, **changes: object
    ) -> AsyncGenerator[RecordedConnection]:
        """Start a bot and send it a position with some fields replaced."""
        async with self.start_ready() as connection:
            await connection.send(game.start_message(**changes))
            yield connection

    async def request_moves(
        self, connection: RecordedConnection, *, more: Json | None = None
    ) -> list[Any]:
        """Return the suggested moves; repeat the request while there are none and time is left."""
        ends = time.monotonic() + self.settings.answer_seconds
        while True:
            started = time.monotonic()
            await connection.send({"type": "suggest", **(more or {})})
            answer = await connection.receive("suggestion")
            self.check_answer_time(started)
            moves: object = answer.get("moves")
            if isinstance(moves, list) and moves:
                return cast("list[object]", moves)
            self.add(
                "suggestion without moves, although the game is not lost",
                clause="empty-answer",
                lines=2,
            )
            if time.monotonic() + _RETRY_SECONDS >= ends:
                return []
            await connection.collect(_RETRY_SECONDS)

    async def request_legal_move(
        self,
        connection: RecordedConnection,
        game: TbpPracticeGame,
        *,
        after: str = "",
        severity: Severity | None = None,
        every_piece: bool = False,
        every_move: bool = False,
    ) -> Placement:
        """Return the bot's first legal move.

        Args:
            connection: connection to the bot.
            game: game that decides which moves are legal.
            after: preceding event, for the finding.
            severity: severity of the finding, if not that of the clause.
            every_piece: require that the pieces of all moves can be placed now.
            every_move: also judge spins and the legality of later moves.

        Raises:
            CheckEndedError: no legal move.
        """
        moves = await self.request_moves(connection)
        when = f"{after}: " if after else ""
        if not moves:
            count = len(game.legal_placements())
            self.add(f"{when}no move, of {count} legal ones", severity=severity)
            raise CheckEndedError
        for number, move in enumerate(moves if every_piece else ()):
            try:
                game.parse_move(move)
            except PlacementError as error:
                part = quote_move(number, move)
                self.add(f"{when}illegal move: {error}", severity=severity, part=part)
                raise CheckEndedError from None
        first, first_error = self._find_first(game, moves, every_move=every_move)
        if first is None:
            self.add(f"{when}no legal move: {first_error}", severity=severity)
            raise CheckEndedError
        if first_error:
            message = f"the first move is illegal, a later one is legal: {first_error}"
            self.add(message, clause="first-move")
        return first

    def check_exit(self, connection: RecordedConnection, cause: str) -> None:
        """Report an exit code other than 0."""
        del cause
        if code := connection.channel.exit_code:
            reason = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
            self.add(f"{reason}, expected exit code 0", severity="note", lines=2)

    def _find_first(
        self, game: TbpPracticeGame, moves: Sequence[object], *, every_move: bool
    ) -> tuple[Placement | None, str]:
        """Return the first legal move and the error of the first move."""
        first: Placement | None = None
        first_error = ""
        for number, move in enumerate(moves):
            try:
                placement = game.find_legal(move)
            except PlacementError as error:
                if first is None:
                    first_error = first_error or str(error)
                else:
                    message = f"illegal move after the first one: {error}"
                    self.add(message, clause="first-move", lines=2, part=quote_move(number, move))
                continue
            first = first or placement
            if not every_move:
                break
            claim = _get_spin(move)
            spin = placement.spin.name.lower()
            # Frontends accept a placement with a spin as one without.
            if claim in {"mini", "full"} and claim != spin:
                message = f"spin {claim} of a placement of {placement.piece.name}, expected {spin}"
                self.add(message, clause="spin", lines=2, part=quote_move(number, move))
        return first, first_error


def _get_spin(move: object) -> object:
    return cast("Json", move).get("spin") if isinstance(move, dict) else None


def quote_move(number: int, move: object) -> str:
    """Format one move of a list for a finding."""
    return f"moves[{number}]: {json.dumps(move, separators=(',', ':'))}"
