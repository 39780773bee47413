"""Drives any program that speaks TBP, as a bot like others."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.bots.bot import Bot, Limits, MoveInfo, Suggestion
from sevenbag.bots.process import LineProcess, split_command
from sevenbag.errors import (
    BotDiedError,
    BotForfeitError,
    BotProtocolError,
    BotStartError,
    BotTimeoutError,
    PlacementError,
    ProtocolError,
)
from sevenbag.protocols.tbp import convert
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp.frontend_side import Event, FrontendSide, Stage
from sevenbag.protocols.tbp.wire import decode, encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Piece, Placement
    from sevenbag.bots.bot import Position
    from sevenbag.game import Rules

_RETRY: Final = 0.05
"""Seconds until a bot that knew no move is asked again."""
_MOST_SKIPPED: Final = 1000
"""Lines in a row that are no messages, before a bot is given up."""
_SETTLE: Final = 1.0
"""Seconds for an answer that is owed from another game, before the bot is started afresh."""
_LONGEST_NAME: Final = 40


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds that a bot may take.

    Attributes:
        info: to introduce itself after launch.
        ready: to answer the rules.
        move: to answer when it is asked for moves.
        quit: to leave by itself when told to, before it is killed.
    """

    info: float = 10.0
    ready: float = 10.0
    move: float = 5.0
    quit: float = 1.0


class TbpBot(Bot):
    """A program that speaks TBP over its standard input and output.

    TBP has no words for limits: a bot thinks from the moment it knows a position until it is
    asked. So with a limit in milliseconds it is asked only when that time has passed; a limit of
    nodes cannot be told, and has to be part of the command.

    Attributes:
        name: the name given, else what the bot calls itself, else its program.
        skipped: lines it printed that are no messages.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        name: str | None = None,
        deadlines: Deadlines | None = None,
        folder: Path | None = None,
        log: Path | None = None,
    ) -> None:
        """Nothing runs before `prepare`.

        Args:
            command: program and arguments; a text is split as a shell would split it.
            name: what to call the bot.
            deadlines: how long it may take.
            folder: its working folder; ours by default.
            log: a file to which its standard error is appended.

        Raises:
            BotStartError: the command is empty, or its quotes do not match.
        """
        self._command = split_command(command, name or "tbp")
        self._named = name is not None
        self.name = name or Path(self._command[0]).name or self._command[0]
        self.skipped = 0
        self._last_skipped = b""
        self._deadlines = deadlines or Deadlines()
        self._folder = folder
        self._log = log
        self._process: LineProcess | None = None
        self._side = FrontendSide()
        self._rules: Rules | None = None
        self._randomizer: tbp.RandomizerName = "unknown"
        self._suggested: tuple[tbp.Move, ...] = ()
        self._thinks_since = 0.0

    protocol = "tbp"

    def effective(self, limits: Limits) -> Limits:
        """The time, which passes before the bot is asked; nodes cannot be told."""
        return Limits(milliseconds=limits.milliseconds)

    @property
    def info(self) -> tbp.Info | None:
        """How the bot introduced itself."""
        return self._side.info

    @property
    def pid(self) -> int | None:
        """Number of its process and process group; None when none runs."""
        return self._process.pid if self._process is not None else None

    @property
    def stderr(self) -> str:
        """The last of what it wrote to its standard error."""
        return self._process.stderr if self._process is not None else ""

    # --- the life of a bot ----------------------------------------------------------------------

    async def prepare(self, rules: Rules) -> None:
        """Launch it, hear who it is, agree on the rules."""
        if rules.board.width != convert.WIDTH:
            raise BotStartError(
                self.name,
                f"TBP knows boards {convert.WIDTH} wide only; these rules have {rules.board.width}",
            )
        self._rules = rules
        self._randomizer = convert.randomizer_of(rules)
        try:
            await self._agree()
        except BotDiedError as error:
            await self.quit()
            raise BotStartError(self.name, _words(error)) from error
        except BaseException:
            # Who is not ready is of no use; nothing of it stays.
            await self.quit()
            raise

    async def start(self, position: Position) -> None:
        """Tell the position; the bot begins to think."""
        self._running()
        if self._side.owed:
            await self._settle()
        self._suggested = ()
        await self._send(self._side.start(convert.start_of(position, self._randomizer)))
        self._thinks_since = _now()

    async def suggest(self, limits: Limits) -> Suggestion:
        """Ask for moves, and again while the bot knows none and time is left."""
        if limits.milliseconds is not None:
            await asyncio.sleep(self._thinks_since + limits.milliseconds / 1000 - _now())
        ends = _now() + self._deadlines.move
        answer = await self._waiting_answer()
        # Some answer without a move before they have thought at all. Only when the time is over
        # there is nothing left but the text's reading, that they give up.
        while answer is None or not answer.moves:
            if answer is not None:
                if _now() + _RETRY >= ends:
                    break
                await asyncio.sleep(_RETRY)
            question = self._side.suggest()
            if question is not None:
                await self._send(question)
            answer = await self._answer(ends)
        self._suggested = answer.moves
        return Suggestion(self._placements(answer.moves), _move_info(answer))

    async def play(self, placement: Placement) -> None:
        """Tell the move that was made."""
        self._running()
        await self._send(self._side.play(self._as_suggested(placement)))
        self._suggested = ()
        self._thinks_since = _now()

    async def new_piece(self, piece: Piece) -> None:
        """Tell the piece that joined the queue."""
        self._running()
        await self._send(self._side.new_piece(convert.letter_of(piece)))

    async def stop(self) -> None:
        """Tell that the game is over."""
        if self._side.stage is Stage.CALCULATING:
            await self._send(self._side.stop())

    async def quit(self) -> None:
        """Tell it to quit, and see that nothing of it is left."""
        process, self._process = self._process, None
        if process is not None:
            await process.close(encode(self._side.quit()), self._deadlines.quit)

    # --- helpers --------------------------------------------------------------------------------

    async def _agree(self) -> None:
        if self._process is None or not self._process.running:
            await self._launch()
        await self._send(self._side.rules(tbp.Rules(self._randomizer)))
        event, _ = await self._event(self._deadlines.ready, "no answer to the rules", Event.READY)
        if event is Event.REFUSED:
            raise BotStartError(self.name, f"does not play these rules ({self._side.reason})")

    async def _launch(self) -> None:
        await self.quit()
        self._side = FrontendSide()
        self._process = await LineProcess.launch(
            self._command, name=self.name, folder=self._folder, log=self._log
        )
        event, _ = await self._event(self._deadlines.info, "no info", Event.INTRODUCED)
        if event is Event.REFUSED:
            raise BotStartError(self.name, f"does not play ({self._side.reason})")
        introduced = _printable(self._side.info.name) if self._side.info is not None else ""
        if introduced and not self._named:
            self.name = self._process.name = introduced

    async def _settle(self) -> None:
        """Wait for an answer that nobody wants any more, lest it be taken for the next one.

        Many never send it. A fresh process is the only way to be sure then.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_SETTLE):
                while self._side.owed:
                    await self._receive()
        if self._side.owed and self._rules is not None:
            await self.quit()
            await self.prepare(self._rules)

    async def _send(self, message: tbp.FromFrontend) -> None:
        await self._running().send(encode(message))

    async def _answer(self, ends: float) -> tbp.Suggestion:
        event, message = await self._event(ends - _now(), "no answer to suggest", Event.SUGGESTED)
        if event is Event.REFUSED or not isinstance(message, tbp.Suggestion):
            raise self._given_up()
        return message

    async def _event(self, seconds: float, what: str, awaited: Event) -> tuple[Event, tbp.Message]:
        """The awaited event, or a refusal.

        Args:
            seconds: how long to wait for it.
            what: what is to be said if nothing comes.
            awaited: the event.

        Raises:
            BotTimeoutError: neither came in time.
        """
        skipped = self.skipped
        try:
            async with asyncio.timeout(seconds):
                while True:
                    event, message = await self._receive()
                    if event is awaited or event is Event.REFUSED:
                        return event, message
        except TimeoutError:
            hints = [f"{what} within {self._allowed(awaited):g} s", *self._hints(skipped)]
            if awaited is not Event.SUGGESTED:
                hints.append("is its output flushed?")
            raise BotTimeoutError(self.name, "; ".join(hints)) from None

    def _hints(self, skipped: int) -> list[str]:
        """What came instead of what was awaited; so many lines had been passed over before."""
        hints: list[str] = []
        lines = self.skipped - skipped
        if lines:
            what = "line that is no message" if lines == 1 else "lines that are no messages"
            hints.append(f"passed over {lines} {what}, such as {_quoted(self._last_skipped)}")
        begun = self._running().unfinished()
        if begun:
            hints.append(f"{begun} bytes came without a line end")
        return hints

    def _allowed(self, awaited: Event) -> float:
        deadlines = self._deadlines
        if awaited is Event.INTRODUCED:
            return deadlines.info
        return deadlines.ready if awaited is Event.READY else deadlines.move

    async def _receive(self) -> tuple[Event, tbp.Message]:
        """What the next message means. Lines that hold none are passed over, but not for ever."""
        line = b""
        for _ in range(_MOST_SKIPPED):
            line = await self._running().receive()
            message = self._decoded(line)
            if message is not None:
                return self._side.receive(message), message
        raise BotProtocolError(
            self.name,
            f"printed {_MOST_SKIPPED} lines that are no messages, such as {_quoted(line)}",
        )

    async def _waiting_answer(self) -> tbp.Suggestion | None:
        """Hear what was said before we ask: late or double answers, chatter. That is dropped.

        It is an answer for us only if this position was asked for before, and whoever asked then
        was cancelled.
        """
        answer: tbp.Suggestion | None = None
        for line in await self._running().take_waiting():
            message = self._decoded(line)
            if message is None:
                continue
            event = self._side.receive(message)
            if event is Event.SUGGESTED and isinstance(message, tbp.Suggestion):
                answer = message
        if self._side.stage is Stage.REFUSED:
            raise self._given_up()
        return answer

    def _decoded(self, line: bytes) -> tbp.Message | None:
        try:
            message = decode(line)
        except ProtocolError as error:
            raise BotProtocolError(self.name, str(error)) from error
        if message is None and line.strip():
            self.skipped += 1
            self._last_skipped = line
        return message

    def _given_up(self) -> BotForfeitError:
        return BotForfeitError(self.name, f"says that it cannot play ({self._side.reason})")

    def _running(self) -> LineProcess:
        if self._process is None:
            raise BotDiedError(self.name, "is not running")
        return self._process

    def _placements(self, moves: tuple[tbp.Move, ...]) -> tuple[Placement, ...]:
        """The moves in our words; those far outside any board are left out.

        Raises:
            BotForfeitError: all of them are.
        """
        placements: list[Placement] = []
        why = ""
        for move in moves:
            try:
                placements.append(convert.placement_of(move))
            except PlacementError as error:
                why = why or str(error)
        if moves and not placements:
            raise BotForfeitError(self.name, f"suggested no move on the board: {why}")
        return tuple(placements)

    def _as_suggested(self, placement: Placement) -> tbp.Move:
        """The move in the very form that the bot used, if it was its own; some compare that."""
        move = convert.move_of(placement)
        for own in self._suggested:
            with contextlib.suppress(PlacementError):
                if convert.placement_of(own).same_cells(placement):
                    return tbp.Move(own.location, move.spin)
        return move


def _now() -> float:
    return asyncio.get_running_loop().time()


def _move_info(answer: tbp.Suggestion) -> MoveInfo:
    info = answer.move_info
    if not isinstance(info, tbp.MoveInfo):
        return MoveInfo()
    return MoveInfo(info.nodes, info.nps, info.depth, info.extra)


def _printable(name: str) -> str:
    """A name fit for a screen: foreign text is not to move its cursor."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return plain[:_LONGEST_NAME]


def _quoted(line: bytes) -> str:
    text = line[:60].decode("utf-8", "replace")
    return repr(text) + ("..." if len(line) > 60 else "")


def _words(error: BotDiedError) -> str:
    return str(error).removeprefix(f"{error.bot}: ")
