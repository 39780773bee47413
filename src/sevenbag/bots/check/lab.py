"""Where bots are checked: starts them, brings them to where a check begins, notes what is found."""

from __future__ import annotations

import contextlib
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from sevenbag.bots.check.clauses import OF_BOTS
from sevenbag.bots.check.finding import Report
from sevenbag.bots.check.notebook import Notebook
from sevenbag.bots.check.session import GoneError, RubbishError, Session, SilentError
from sevenbag.errors import BotError, BotStartError, PlacementError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from sevenbag._kernel import Placement
    from sevenbag.bots.check.table import Table
    from sevenbag.bots.external.bot_channel import ChannelLauncher
    from sevenbag.protocols.json_lines import Severity

Json = dict[str, Any]

SEVEN_BAG: Final[Json] = {"type": "rules", "randomizer": "seven_bag"}
_RETRY: Final = 0.05


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """How patient a check is, and how long.

    Attributes:
        start_seconds: for info and ready.
        seconds: for an answer.
        quick_seconds: an answer that takes longer is called slow.
        quit_seconds: to leave.
        pieces: of the game that is played.
        only: which checks are made besides the first three; empty for all.
    """

    start_seconds: float = 10.0
    seconds: float = 5.0
    quick_seconds: float = 0.5
    quit_seconds: float = 1.0
    pieces: int = 40
    only: tuple[str, ...] = ()


class Lab(Notebook):
    """The bot that is checked, and all that is known of it.

    Attributes:
        settings: how patient it is.
        features: what the bot announced.
        session: the present conversation, or the last one.
    """

    def __init__(self, launch: ChannelLauncher, subject: str, settings: CheckSettings) -> None:
        """Nothing is started yet."""
        super().__init__(OF_BOTS.values(), Report(subject))
        self.settings = settings
        self.features: tuple[str, ...] = ()
        self.session: Session | None = None
        self._launch = launch

    # --- bringing a bot to where a check begins -------------------------------------------------

    @contextlib.asynccontextmanager
    async def launched(self) -> AsyncGenerator[Session]:
        """A bot that was just started, and is ended afterwards.

        Raises:
            GoneError: it cannot be started.
        """
        try:
            channel = await self._launch("the bot")
        except BotStartError as error:
            raise GoneError(str(error).removeprefix("the bot: ")) from None
        session = Session(
            channel,
            seconds=self.settings.seconds,
            departed=self.note_departure,
            oddity=self.note_oddity,
        )
        self.session = session
        try:
            yield session
        finally:
            with contextlib.suppress(BotError):
                await session.close()

    @contextlib.asynccontextmanager
    async def ready(self, rules: Json = SEVEN_BAG) -> AsyncGenerator[Session]:
        """A bot that is ready for these rules."""
        async with self.launched() as session:
            await session.hear("info", seconds=self.settings.start_seconds)
            await session.say(rules)
            await session.hear("ready", seconds=self.settings.start_seconds)
            yield session

    @contextlib.asynccontextmanager
    async def started(self, table: Table, **changes: object) -> AsyncGenerator[Session]:
        """A bot that was put before a position."""
        async with self.ready() as session:
            await session.say(table.start(**changes))
            yield session

    # --- asking ---------------------------------------------------------------------------------

    async def ask(self, session: Session, *, more: Json | None = None) -> list[Any]:
        """What the bot suggests; it is asked again while it knows no move and time is left."""
        ends = time.monotonic() + self.settings.seconds
        again = False
        while True:
            began = time.monotonic()
            await session.say({"type": "suggest", **(more or {})})
            answer = await session.hear("suggestion")
            took = time.monotonic() - began
            if took > self.settings.quick_seconds:
                slow = "answered later than " + f"{self.settings.quick_seconds * 1000:g} ms"
                self.find("warning", slow, session, clause="quick", lines=2)
            moves: object = answer.get("moves")
            if isinstance(moves, list) and moves:
                return cast("list[object]", moves)
            if not again:
                again = True
                empty = "suggested no move when it was first asked, though it is not lost"
                self.find("warning", empty, session, clause="empty", lines=2)
            if time.monotonic() + _RETRY >= ends:
                return []
            await session.overhear(_RETRY)

    async def legal_move(
        self,
        session: Session,
        table: Table,
        *,
        after: str,
        severity: Severity = "error",
        all_pieces: bool = False,
    ) -> Placement | None:
        """The bot's first legal move; None, with a finding, if there is none.

        Args:
            session: with the bot.
            table: what is legal.
            after: what has happened, for the finding.
            severity: of a finding.
            all_pieces: whether every suggested move must be of a piece that can be placed now.
        """
        moves = await self.ask(session)
        if not moves:
            legal = len(table.places())
            self.find(severity, f"{after}: suggests no move, of {legal} legal ones", session)
            return None
        first: Placement | None = None
        why = ""
        for number, move in enumerate(moves if all_pieces else ()):
            try:
                table.read(move)
            except PlacementError as error:
                what = f"{after}: suggests an illegal move: {error}"
                self.find(severity, what, session, part=quote_move(number, move))
                return None
        for move in moves:
            try:
                first = table.judge(move)
                break
            except PlacementError as error:
                why = why or str(error)
        if first is None:
            self.find(severity, f"{after}: suggests no legal move: {why}", session)
        elif why:
            what = f"its first move is not legal, a later one is: {why}"
            self.find("warning", what, session, clause="first-move")
        return first


def quote_move(number: int, move: object) -> str:
    """Format one move of a list for a finding."""
    return f"moves[{number}]: {json.dumps(move, separators=(',', ':'))}"


ENDS: Final = (SilentError, GoneError, RubbishError)
"""What ends a check, and is a finding of it."""
