"""Drives any program that speaks TBP, as a bot like others."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import UNSET

from sevenbag.bots.bot import Bot, Limits, MoveInfo, Suggestion, printable_name
from sevenbag.bots.external.bot_channel import LONGEST_LAUNCH
from sevenbag.bots.external.dialogue import Dialogue
from sevenbag.bots.external.position_tracker import Track, read_moves, what_happened
from sevenbag.bots.external.process import command_name, launch_process, split_command
from sevenbag.bots.external.tbp_profile import OFFICIAL, WORKER, Profile, profile_of, with_flags
from sevenbag.errors import (
    BotDiedError,
    BotForfeitError,
    BotStartError,
    PlacementError,
    RulesError,
)
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp import tbp_conversion
from sevenbag.protocols.tbp.frontend_side import TbpEvent, TbpFrontendConnection, TbpStage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sevenbag._kernel import Piece, Placement
    from sevenbag.bots.bot import Position, Step
    from sevenbag.bots.external.bot_channel import Launch
    from sevenbag.game import Rules

_SETTLE: Final = 1.0
"""Seconds for an answer that is owed from another game, before the bot is started afresh."""
_LEEWAY: Final = 5.0
"""Extra seconds for callers, so that the more specific timeout of the driver comes first."""


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds that a bot may take; None: what its profile says.

    Attributes:
        info: to introduce itself after launch.
        ready: to answer the rules.
        move: to answer when it is asked for moves.
        quit: to leave by itself when told to, before it is killed.
    """

    info: float | None = None
    ready: float | None = None
    move: float | None = None
    quit: float | None = None


class TbpBot(Bot):
    """A program that speaks TBP over its standard input and output, or over another channel.

    TBP has no words for limits: a bot thinks from the moment it knows a position until it is
    asked. So with a limit in milliseconds it is asked only when that time has passed; a limit of
    nodes cannot be told, and has to be part of the command.

    Attributes:
        name: the name given, else what the bot calls itself, else its program.
        profile: how it is spoken to: as chosen, else as is known of bots that call themselves so.
        launch: opens a channel to it.
        skipped: lines it printed that are no messages.
        strayed: moves whose inputs led elsewhere than they lay.
    """

    protocol = "tbp"

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        name: str | None = None,
        profile: Profile | None = None,
        flags: Mapping[str, str] | None = None,
        deadlines: Deadlines | None = None,
        folder: Path | None = None,
        log: Path | None = None,
        launch: Launch | None = None,
        worker: bool = False,
    ) -> None:
        """Nothing runs before `prepare`.

        Args:
            command: program and arguments; a text is split as a shell would split it.
            name: what to call the bot.
            profile: how to speak to it; None: by what it calls itself.
            flags: values of the profile, by name, that hold whatever it says.
            deadlines: how long it may take.
            folder: its working folder; ours by default.
            log: a file to which its standard error is appended.
            launch: opens another channel than a process of this command.
            worker: whether the bot is a Web Worker; some profiles apply only to those.

        Raises:
            BotStartError: the command is empty, or its quotes do not match.
            SpecError: there is no such flag, or it cannot have that value.
        """
        words = split_command(command, name or "tbp")
        self._named = name is not None
        self.name = name or command_name(words)
        self.launch = launch or launch_process(words, folder=folder, log=log)
        self._chosen = profile
        self._worker = worker
        self._flags = flags or {}
        self._deadlines = deadlines or Deadlines()
        self.profile = self._profiled(profile or self._unknown)
        self.strayed = 0
        self._dialogue: Dialogue | None = None
        self._rules: Rules | None = None
        self._randomizer: tbp.RandomizerName = "unknown"
        self._track: Track | None = None
        self._suggested: tuple[tbp.TbpMove, ...] = ()
        self._unasked: tbp.TbpSuggestion | None = None
        self._questions = 0
        self._pending: tuple[int, ...] = ()
        self._opponents: tuple[Position, ...] = ()
        self._play_due: tbp.TbpPlay | None = None
        self._start_due = False
        self._pieces_due: int | None = None
        self._afresh = False
        self._thinks_since = 0.0
        self._asked_from = 0.0

    def effective(self, limits: Limits) -> Limits:
        """The time, which passes before the bot is asked; nodes cannot be told."""
        return Limits(milliseconds=limits.milliseconds)

    def least_seconds(self, step: Step) -> float:
        """Return the time limit of the profile; a position may require a new process."""
        ready = LONGEST_LAUNCH + self._seconds("info") + self._seconds("ready")
        seconds = {
            "prepare": ready,
            "tell": _SETTLE + self._seconds("quit") + ready,
            "suggest": self.profile.wait_ms / 1000 + self._seconds("move"),
            "stop": 0.0,
            "quit": self._seconds("quit"),
        }
        return seconds[step] + _LEEWAY

    @property
    def info(self) -> tbp.TbpInfo | None:
        """How the bot introduced itself."""
        return self._side.info

    @property
    def pid(self) -> int | None:
        """Number of its process and process group; None when none runs."""
        return self._dialogue.channel.pid if self._dialogue is not None else None

    @property
    def stderr(self) -> str:
        """The last of what it wrote to its standard error."""
        return self._dialogue.channel.stderr if self._dialogue is not None else ""

    @property
    def skipped(self) -> int:
        """Lines it printed that are no messages."""
        return self._dialogue.skipped if self._dialogue is not None else 0

    # --- the life of a bot ----------------------------------------------------------------------

    async def prepare(self, rules: Rules) -> None:
        """Launch it, hear who it is, agree on the rules."""
        try:
            tbp_conversion.check_rules(rules)
        except RulesError as error:
            raise BotStartError(self.name, str(error)) from None
        self._rules = rules
        self._randomizer = tbp_conversion.format_randomizer(rules)
        try:
            await self._agree(rules)
        except BotDiedError as error:
            await self.quit()
            raise BotStartError(self.name, _words(error)) from error
        except BaseException:
            # Who is not ready is of no use; nothing of it stays.
            await self.quit()
            raise

    async def start(self, position: Position) -> None:
        """Tell the position; the bot begins to think."""
        self._pending = position.pending
        if self._afresh and self._rules is not None:
            self._afresh = False
            await self.quit()
            await self.prepare(self._rules)
        if not await self._told_as_garbage(position):
            await self._start(position)

    async def suggest(self, limits: Limits) -> Suggestion:
        """Ask for moves, and again while the bot knows none and time is left."""
        await self._catch_up()
        await self._let_think(limits)
        allowed = self._seconds("move")
        ends = _now() + allowed
        answer = await self._talk().waiting_answer() or self._unasked
        # Some answer without a move before they have thought at all. Only when the time is over
        # there is nothing left but the text's reading, that they give up.
        once = self.profile.suggest_advances or self._side.suggests_unasked
        retries = 0 if once else self.profile.retries
        while answer is None or not answer.moves:
            if answer is not None:
                pause = self.profile.retry_ms / 1000
                if not retries or _now() + pause >= ends:
                    break
                retries -= 1
                await asyncio.sleep(pause)
            question = self._side.suggest()
            if question is not None:
                self._questions += 1
                await self._talk().send(question)
            answer = await self._talk().suggestion(ends - _now(), allowed)
        self._suggested = answer.moves
        if self._side.suggests_unasked:
            # It will not say this again.
            self._unasked = answer
        return Suggestion(self._read(answer.moves), _move_info(answer))

    async def play(self, placement: Placement) -> None:
        """Tell the move that was made."""
        track = self._followed()
        move = self._as_suggested(placement)
        first_hold = self._minds_holds() and track.held_first(placement)
        high = self._is_high(track, placement)
        await self._leave_behind()
        track.played(placement)
        own = bool(self._suggested) and self._is_same(self._suggested[0], placement)
        self._suggested = ()
        self._unasked = None
        self._pieces_due = self.profile.pieces_after_first_hold if first_hold else None
        if high or self._starts_anew(own=own, first_hold=first_hold):
            self._start_due = True
        elif self.profile.order == "new_piece":
            self._play_due = tbp.TbpPlay(move)
        else:
            await self._play(tbp.TbpPlay(move))
        self._questions = 0

    async def new_piece(self, piece: Piece) -> None:
        """Tell the piece that joined the queue."""
        self._followed().joined(piece)
        if self._pieces_due is not None:
            self._pieces_due -= 1
        if self._start_due or (self._pieces_due is not None and self._pieces_due < 0):
            return
        await self._talk().send(self._side.new_piece(tbp_conversion.format_piece(piece)))

    async def garbage(self, pending: tuple[int, ...]) -> None:
        """Tell what waits, if its profile has it so."""
        self._pending = pending
        await self._catch_up()

    async def opponents(self, positions: tuple[Position, ...]) -> None:
        """Tell how the others stand with the next move, if its profile has it so."""
        self._opponents = positions

    async def stop(self) -> None:
        """Tell that the game is over."""
        self._forget()
        if self._side.stage is TbpStage.CALCULATING:
            await self._talk().send(self._side.stop())
        self._afresh = self.profile.process == "new"

    async def quit(self) -> None:
        """Tell it to quit, and see that nothing of it is left."""
        dialogue, self._dialogue = self._dialogue, None
        self._forget()
        if dialogue is None:
            return
        farewell = b""
        if dialogue.side.stage is TbpStage.CALCULATING:
            # Whoever ends a game in the middle, as after a forfeit, ends it nevertheless.
            farewell = dialogue.written(dialogue.side.stop())
        farewell += dialogue.written(dialogue.side.quit())
        await dialogue.channel.close(farewell, self._seconds("quit"))

    # --- agreeing -------------------------------------------------------------------------------

    async def _agree(self, rules: Rules) -> None:
        if self._dialogue is None or not self._dialogue.channel.running:
            await self._launch()
        if (needed := self.profile.least_queue) > (seen := rules.pieces.previews + 1):
            raise BotStartError(
                self.name, f"needs {needed} pieces in view; these rules show {seen}"
            )
        await self._talk().send(self._side.rules(self._rules_message()))
        if await self._talk().readiness(self._seconds("ready")) is TbpEvent.REFUSED:
            raise BotStartError(self.name, f"does not play these rules ({self._side.error_reason})")

    async def _launch(self) -> None:
        await self.quit()
        self.profile = self._profiled(self._chosen or self._unknown)
        channel = await self.launch(self.name)
        self._dialogue = Dialogue(channel, spaced=self.profile.json == "spaced")
        if await self._dialogue.introduction(self._seconds("info")) is TbpEvent.REFUSED:
            raise BotStartError(self.name, f"does not play ({self._side.error_reason})")
        introduced = printable_name(self._side.info.name) if self._side.info is not None else ""
        known = profile_of(introduced, worker=self._worker) if self._chosen is None else None
        if known is not None:
            self.profile = self._profiled(known)
            self._dialogue.spaced = self.profile.json == "spaced"
        if introduced and not self._named:
            self.name = channel.name = introduced

    def _rules_message(self) -> tbp.TbpRules:
        features = self._side.features
        garbage = self.profile.garbage and tbp.GARBAGE in features
        nodes = self.profile.min_nodes if tbp.MIN_NODES in features else 0
        return tbp.TbpRules(
            self._randomizer if self.profile.randomizer else UNSET,
            "general" if garbage else UNSET,
            nodes or UNSET,
        )

    @property
    def _unknown(self) -> Profile:
        """Return the profile used until the bot has sent ``info``."""
        return WORKER if self._worker else OFFICIAL

    def _profiled(self, profile: Profile) -> Profile:
        return with_flags(profile, self._flags)

    # --- telling --------------------------------------------------------------------------------

    async def _start(self, position: Position) -> None:
        """Send `start`, whatever was said before."""
        if self._talk().side.pending_answers:
            await self._settle()
        self._forget()
        self._track = Track(position)
        message = tbp_conversion.format_start(
            position,
            self._randomizer if self.profile.randomizer else "unknown",
            back_to_back_count=self.profile.back_to_back == "count",
            hide_colors=self.profile.cells == "garbage",
            visible_rows=self.profile.rows,
        )
        if not self.profile.randomizer:
            message = msgspec.structs.replace(message, randomizer=UNSET)
        opponents, meter = self._versus()
        message = msgspec.structs.replace(message, opponents=opponents, meter=meter)
        await self._talk().send(self._side.start(message))
        self._thinks_since = _now()
        self._asked_from = self._thinks_since + self.profile.wait_ms / 1000

    async def _play(self, message: tbp.TbpPlay) -> None:
        opponents, meter = self._versus()
        message = msgspec.structs.replace(message, opponents=opponents, meter=meter)
        await self._talk().send(self._side.play(message))
        self._thinks_since = _now()

    async def _told_as_garbage(self, position: Position) -> bool:
        """Whether a position could be told as what led to it, to a bot that then thinks on."""
        dialogue, track = self._talk(), self._track
        if not dialogue.side.accepts_garbage or track is None or self._has_to_start():
            return False
        moves: list[Placement] = []
        for move in self._suggested:
            with contextlib.suppress(PlacementError):
                moves.append(tbp_conversion.parse_move(move))
        happened = what_happened(track.position, moves, position)
        if happened is None:
            return False
        await self.play(happened.placement)
        for piece in happened.new_pieces:
            await self.new_piece(piece)
        if self._has_to_start():
            return False
        await self._catch_up()
        await dialogue.send(self._side.garbage(happened.garbage))
        self._track = Track(position)
        return True

    async def _catch_up(self) -> None:
        """Say what was held back until all of a move was known."""
        if self._start_due:
            await self._start(self._followed().position)
        elif self._play_due is not None:
            due, self._play_due = self._play_due, None
            await self._play(due)

    async def _leave_behind(self) -> None:
        """Before a move that follows one of which not all was told."""
        if not self._start_due:
            await self._catch_up()

    def _versus(
        self,
    ) -> tuple[tuple[tbp.TbpOpponent, ...] | msgspec.UnsetType, int | msgspec.UnsetType]:
        others = tuple(tbp_conversion.format_opponent(each) for each in self._opponents)
        return (
            others if self.profile.opponents and others else UNSET,
            sum(self._pending) if self.profile.meter else UNSET,
        )

    def _starts_anew(self, *, own: bool, first_hold: bool) -> bool:
        """Whether the bot hears of a move by the position behind it."""
        profile = self.profile
        return (
            self._start_due
            or profile.restart == "move"
            or (profile.restart == "hold" and first_hold)
            or (not profile.trusts_play and not own)
            or (profile.suggest_advances and self._questions != 1)
        )

    def _is_high(self, track: Track, placement: Placement) -> bool:
        """Return whether the stack or the move is above the rows that the bot sees."""
        rows = self.profile.restart_above
        if rows >= tbp_conversion.ROWS:
            return False
        return track.position.board.height > rows or any(y >= rows for _, y in placement.cells)

    def _has_to_start(self) -> bool:
        return self._start_due

    def _minds_holds(self) -> bool:
        return self.profile.restart == "hold" or self.profile.pieces_after_first_hold < 2

    # --- asking ---------------------------------------------------------------------------------

    async def _let_think(self, limits: Limits) -> None:
        due = self._asked_from
        if limits.milliseconds is not None and self.profile.thinks == "always":
            due = max(due, self._thinks_since + limits.milliseconds / 1000)
        await asyncio.sleep(due - _now())
        if self.profile.suggest_advances and self._questions and not self._side.pending_answers:
            # It has gone on by its own move; there it is of no use to us.
            self._questions = 0
            await self._start(self._followed().position)

    def _read(self, moves: tuple[tbp.TbpMove, ...]) -> tuple[Placement, ...]:
        """The moves in our words; those that cannot count are left out.

        Raises:
            BotForfeitError: none of them can.
        """
        assert self._rules is not None
        try:
            read = read_moves(moves, self.profile, self._rules, self._followed())
        except PlacementError as error:
            raise BotForfeitError(self.name, f"suggested no move that can count: {error}") from None
        self.strayed += read.strayed
        return read.placements

    async def _settle(self) -> None:
        """Wait for an answer that nobody wants any more, lest it be taken for the next one.

        Many never send it. A fresh process is the only way to be sure then.
        """
        if not await self._talk().settle(_SETTLE) and self._rules is not None:
            await self.quit()
            await self.prepare(self._rules)

    # --- helpers --------------------------------------------------------------------------------

    @property
    def _side(self) -> TbpFrontendConnection:
        return self._dialogue.side if self._dialogue is not None else _NOBODY

    def _talk(self) -> Dialogue:
        if self._dialogue is None:
            raise BotDiedError(self.name, "is not running")
        return self._dialogue

    def _followed(self) -> Track:
        self._talk()
        if self._track is None:
            raise BotDiedError(self.name, "is in no game")
        return self._track

    def _forget(self) -> None:
        self._track = None
        self._suggested = ()
        self._unasked = None
        self._questions = 0
        self._play_due = None
        self._start_due = False
        self._pieces_due = None

    def _seconds(self, what: str) -> float:
        asked: float | None = getattr(self._deadlines, what)
        return getattr(self.profile, f"{what}_seconds") if asked is None else asked

    def _as_suggested(self, placement: Placement) -> tbp.TbpMove:
        """The move in the very form that the bot used, if it was its own; some compare that."""
        move = tbp_conversion.format_move(placement)
        if self.profile.play == "canonical":
            return move
        own = next((m for m in self._suggested if self._is_same(m, placement)), move)
        return tbp.TbpMove(own.location, move.spin)

    def _is_same(self, move: tbp.TbpMove, placement: Placement) -> bool:
        try:
            return tbp_conversion.parse_move(move).same_cells(placement)
        except PlacementError:
            return False


_NOBODY: Final = TbpFrontendConnection()


def _now() -> float:
    return asyncio.get_running_loop().time()


def _move_info(answer: tbp.TbpSuggestion) -> MoveInfo:
    info = answer.move_info
    if not isinstance(info, tbp.TbpMoveInfo):
        return MoveInfo()
    return MoveInfo(info.nodes, info.nps, info.depth, info.extra)


def _words(error: BotDiedError) -> str:
    return str(error).removeprefix(f"{error.bot}: ")
