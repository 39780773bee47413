"""Where engines are checked: starts them, tells them rooms, asks, and looks at what comes of it."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any, Final, cast

from sevenbag.bots.check.finding import Report
from sevenbag.bots.check.notebook import Notebook
from sevenbag.bots.check.session import GoneError, Session
from sevenbag.bots.check.triangle.clauses import OF_ENGINES
from sevenbag.bots.external.process import find_error_line
from sevenbag.errors import BotError, BotStartError, PlacementError, ProtocolError
from sevenbag.game.position import after_placement
from sevenbag.protocols.json_lines import MAX_LINE_BYTES, Deviation, message_type
from sevenbag.protocols.triangle.messages import (
    KEY_ALIASES,
    KEY_NAMES,
    TriangleMove,
    find_deviations,
)
from sevenbag.protocols.triangle.triangle_keys import KEYS_BY_NAME, read_expected_rows, resolve_keys

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from sevenbag._kernel import Placement
    from sevenbag.bots.check.lab import CheckSettings
    from sevenbag.bots.check.triangle.room import Room
    from sevenbag.bots.external.bot_channel import ChannelLauncher
    from sevenbag.protocols.json_lines import Severity

Json = dict[str, Any]

_MOST_EMPTY: Final = 20
"""Times that an engine that presses nothing is asked again."""
_ORDINARY: Final = frozenset(
    {"answer", "game", "garbage", "states", "joined", "spelling", "numbers", "null-data"}
)
"""Checks in which there is nothing to be said to anybody."""
_ROWS_FALLEN: Final = 3
"""How far a piece may well have fallen when its keys come."""


class EngineLab(Notebook):
    """The engine that is checked, and all that is known of it.

    Attributes:
        settings: how patient it is.
        session: the present conversation, or the last one.
        barren: starts it with nothing in its environment, if that can be.
        expects: whether it has said in ``data.board`` which board it expects.
    """

    def __init__(
        self,
        launch: ChannelLauncher,
        barren: ChannelLauncher | None,
        subject: str,
        settings: CheckSettings,
    ) -> None:
        """Nothing is started yet."""
        super().__init__(OF_ENGINES.values(), Report(subject, protocol="Triangle"))
        self.settings = settings
        self.session: Session | None = None
        self.expects = False
        self.barren = barren
        self._launch = launch

    # --- bringing an engine to where a check begins ---------------------------------------------

    @contextlib.asynccontextmanager
    async def launched(self, *, barren: bool = False) -> AsyncGenerator[Session]:
        """An engine that was just started, and is ended afterwards.

        Raises:
            GoneError: it cannot be started.
        """
        launch = self.barren if barren and self.barren is not None else self._launch
        try:
            channel = await launch("the engine")
        except BotStartError as error:
            raise GoneError(str(error).removeprefix("the engine: ")) from None
        session = Session(
            channel,
            seconds=self.settings.seconds,
            departed=self.note_departure,
            oddity=self.note_oddity,
            judge=_find_deviations,
            farewell=b"",
            longest=MAX_LINE_BYTES,
        )
        self.session = session
        try:
            yield session
            if self._current.clause.id in _ORDINARY and (words := session.channel.stderr.strip()):
                what = f"wrote to standard error: {find_error_line(words)[:120]}"
                self.find("warning", what, clause="stderr")
        finally:
            with contextlib.suppress(BotError):
                await session.close()

    @contextlib.asynccontextmanager
    async def playing(
        self, room: Room, *, barren: bool = False, **changes: object
    ) -> AsyncGenerator[Session]:
        """An engine that was told a room."""
        async with self.launched(barren=barren) as session:
            await session.hear("info", seconds=self.settings.start_seconds)
            await session.say(room.config(**changes))
            yield session

    # --- asking ---------------------------------------------------------------------------------

    async def turn(
        self,
        session: Session,
        room: Room,
        *,
        after: str,
        severity: Severity = "error",
        question: Json | None = None,
    ) -> bool:
        """Ask for a move and make it, tell the new pieces; False if that is not possible.

        Args:
            session: with the engine.
            room: the game.
            after: what has happened, for findings.
            severity: of a board that is not the expected one.
            question: instead of the usual one.
        """
        move = await self._ask(session, room.question() if question is None else question)
        if move is None:
            return False
        self._look_at_keys(session, room, move)
        try:
            made = resolve_keys(move, room.position, room.rules, aliases=True)
        except ProtocolError as error:
            self.find("error", str(error), session, clause="one-lock", lines=2)
            return False
        except PlacementError as error:
            self.find(severity, f"{after}: {error}", session)
            return False
        if (stray := self._stray(room, move, made.placement)) is not None:
            self.find(severity, f"{after}: {stray}", session)
            return False
        for message in room.lock(made):
            await session.say(message)
        return True

    async def turns(
        self,
        session: Session,
        room: Room,
        count: int,
        *,
        after: str,
        severity: Severity = "error",
        states: bool = False,
    ) -> bool:
        """Some moves, one after another; whether all of them were made."""
        for _ in range(count):
            if room.is_lost:
                return True
            if states:
                await session.say(room.state())
            if not await self.turn(session, room, after=after, severity=severity):
                return False
        return True

    # --- helpers --------------------------------------------------------------------------------

    async def _ask(self, session: Session, question: Json) -> TriangleMove | None:
        """The answer; an engine that presses nothing is asked again, as hosts do."""
        for number in range(_MOST_EMPTY):
            for message in await session.overhear(0):
                what = f"said {message.get('type')!r} where nobody had asked"
                self.find("error", what, session, clause="unasked", lines=3)
            began = time.monotonic()
            await session.say(question)
            answer = await session.hear("move")
            if time.monotonic() - began > self.settings.quick_seconds:
                slow = f"answered later than {self.settings.quick_seconds * 1000:g} ms"
                self.find("warning", slow, session, clause="quick", lines=2)
            keys: object = answer.get("keys")
            if not isinstance(keys, list):
                self.find("error", "its move has no keys", session, lines=2)
                return None
            if keys:
                names = [str(key) for key in cast("list[object]", keys)]
                return TriangleMove(keys=tuple(names), data=answer.get("data"))
            if number == 0:
                self.find("warning", "a move without keys", session, clause="empty", lines=2)
        self.find("error", "presses no key, however often it is asked", session, lines=2)
        return None

    def _look_at_keys(self, session: Session, room: Room, move: TriangleMove) -> None:
        keys = cast("tuple[str, ...]", move.keys)
        for key in keys:
            if key not in KEY_NAMES:
                meant = f"; hosts call it {KEY_ALIASES[key]}" if key in KEY_ALIASES else ""
                what = f"presses {key[:40]!r}, which is no key{meant}"
                self.find("error", what, session, clause="keys", lines=2)
            elif key in {"dasLeft", "dasRight"}:
                what = f"presses {key}, where {key.replace('das', 'move')} does it at once"
                self.find("warning", what, session, clause="das", lines=2)
        if (fallen := _rows_astray(room, keys)) is not None:
            rows = "a row" if fallen == 1 else f"{fallen} rows"
            what = f"its keys lead elsewhere once the piece has fallen {rows}"
            self.find("warning", what, session, clause="gravity", lines=2)

    def _stray(self, room: Room, move: TriangleMove, placement: Placement) -> str | None:
        """What is wrong with the board that the engine expects, if it says which."""
        expected = read_expected_rows(move)
        if expected is None:
            return None
        self.expects = True
        board = after_placement(room.position, placement, room.rules).board
        for y, row in enumerate(expected[: board.rows]):
            if row != board.row(y):
                seen, meant = (_drawn(cells, board.width) for cells in (board.row(y), row))
                return f"row {y} is {seen} behind its move, and it expects {meant}"
        return None


def _find_deviations(content: object) -> list[Deviation]:
    kind = message_type(content)
    if kind in {"info", "move"}:
        return find_deviations(content)
    problem = f"expected 'info' or 'move', got {kind!r}, which hosts ignore"
    return [Deviation("type", problem, "published text", "warning")]


def _rows_astray(room: Room, keys: Sequence[str]) -> int | None:
    """How far a piece has to fall at least, of a few rows, for its keys to lead elsewhere."""
    position, rules = room.position, room.rules
    known = [KEYS_BY_NAME[key] for key in keys if key in KEYS_BY_NAME]
    if "hold" in keys or len(position.queue) < 1 or len(known) < len(keys):
        return None
    board, pieces, spawn = position.board, rules.pieces, rules.spawn
    ends = [
        board.follow(position.queue[0], known, pieces.kicks, spawn=(spawn.x, spawn.y - fallen))
        for fallen in range(_ROWS_FALLEN + 1)
    ]
    for fallen, end in enumerate(ends):
        if ends[0] is None or end is None:
            # There it cannot be.
            return None
        if not end.same_cells(ends[0]):
            return fallen
    return None


def _drawn(row: int, width: int) -> str:
    return "".join("X" if row >> x & 1 else "." for x in range(width))
