"""A driver that makes any program that speaks TBP a `Bot`."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET

from sevenbag.bots.bot import Limits, Position, SearchInfo, Suggestion, printable_name
from sevenbag.bots.external.bot_channel import ChannelLauncher
from sevenbag.bots.external.driver import STALE_ANSWER_TIMEOUT, ExternalBot, loop_time
from sevenbag.bots.external.position_tracker import (
    PositionTracker,
    filter_moves,
    find_position_change,
)
from sevenbag.bots.external.tbp_profile import (
    OFFICIAL_PROFILE,
    WORKER_PROFILE,
    TbpProfile,
    find_profile,
    override_profile,
)
from sevenbag.errors import (
    BotDiedError,
    BotForfeitError,
    BotStartError,
    BotTimeoutError,
    PlacementError,
)
from sevenbag.game import Rules
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp import tbp_conversion
from sevenbag.protocols.tbp.messages import decode
from sevenbag.protocols.tbp.tbp_connections import TbpEvent, TbpFrontendConnection, TbpStage

if TYPE_CHECKING:
    from sevenbag._kernel import Piece, Placement


class TbpDriver(ExternalBot):
    """A program that speaks TBP over its standard input and output, or over another channel.

    TBP has no limits: a bot searches from the moment it receives a position until it is asked. So
    with a limit in milliseconds the question is sent when that time has passed. A limit of nodes
    has to be part of the command.

    Attributes:
        profile: chosen profile, else the profile for the announced name.

    Args:
        command: program and arguments; this and the arguments not listed as for `ExternalBot`.
        profile: profile; None selects it by the announced name.
        options: values that override those of the profile, by name.
        worker: the bot is a Web Worker; some profiles apply only to those.

    Raises:
        SpecError: an option is unknown or has an invalid value.
    """

    protocol = "tbp"

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        name: str | None = None,
        profile: TbpProfile | None = None,
        options: Mapping[str, str] | None = None,
        folder: Path | None = None,
        log: Path | None = None,
        launcher: ChannelLauncher | None = None,
        worker: bool = False,
    ) -> None:
        super().__init__(command, name=name, folder=folder, log=log, launcher=launcher)
        self._chosen_profile = profile
        self._worker = worker
        self._options = options or {}
        self.profile = self._apply_options(profile or self._default_profile)
        self._connection = TbpFrontendConnection()
        self._randomizer: tbp.RandomizerName = "unknown"
        self._game: _GameState | None = None
        self._pending: tuple[int, ...] = ()
        self._opponents: tuple[Position, ...] = ()
        self._restart_process = False

    def effective_limits(self, limits: Limits) -> Limits:
        """Return the time limit, which passes before the question; TBP has no limit of nodes."""
        return Limits(milliseconds=limits.milliseconds)

    @property
    def wants_opponents(self) -> bool:
        """Return True if the profile has the opponents."""
        return self.profile.opponents

    @property
    def info(self) -> tbp.TbpInfo | None:
        """The bot's ``info`` message."""
        return self._connection.info

    async def start(self, position: Position) -> None:
        """Send the position; the bot starts to search."""
        self._pending = position.pending
        if self._restart_process and self._rules is not None:
            self._restart_process = False
            await self.quit()
            await self.prepare(self._rules)
        if not await self._send_as_garbage(position):
            await self._send_start(position)

    async def suggest(self, limits: Limits) -> Suggestion:
        """Ask for moves, and ask again while the answer is empty and time is left."""
        await self._send_pending_updates()
        await self._wait_for_thinking(limits)
        game = self._require_game()
        ends = loop_time() + self.profile.move_seconds
        answer = await self._read_available_answer() or game.unrequested_answer
        # Some bots answer without a move before they have searched. An empty answer is a
        # resignation, as the text has it, only when the time is over.
        once = self.profile.suggest_plays or self._connection.suggests_unasked
        retries = 0 if once else self.profile.retries
        while answer is None or not answer.moves:
            if answer is not None:
                pause = self.profile.retry_ms / 1000
                if not retries or loop_time() + pause >= ends:
                    break
                retries -= 1
                await asyncio.sleep(pause)
            if self._connection.may_ask:
                game.question_count += 1
                await self._send(tbp.TbpSuggest())
            answer = await self._receive_suggestion()
        game.suggested = answer.moves
        if self._connection.suggests_unasked:
            # The bot sends this answer only once.
            game.unrequested_answer = answer
        return Suggestion(self._accept_moves(answer.moves), _search_info(answer))

    async def play(self, placement: Placement) -> None:
        """Send the move that was made."""
        game = self._require_game()
        profile = self.profile
        move = self._find_suggested(placement)
        count_pieces = profile.restart == "hold" or profile.pieces_after_first_hold < 2
        first_hold = count_pieces and game.tracker.is_first_hold(placement)
        high = self._is_above_view(game.tracker, placement)
        if not game.start_pending:
            # The previous move may be incomplete.
            await self._send_pending_updates()
        game.tracker.play(placement)
        own = bool(game.suggested) and _is_same(game.suggested[0], placement)
        game.suggested = ()
        game.unrequested_answer = None
        game.pieces_left = profile.pieces_after_first_hold if first_hold else None
        if high or self._needs_start(own=own, first_hold=first_hold):
            game.start_pending = True
        elif profile.order == "new_piece":
            game.pending_play = tbp.TbpPlay(move)
        else:
            await self._send_update(tbp.TbpPlay(move))
        game.question_count = 0

    async def new_piece(self, piece: Piece) -> None:
        """Send the piece that joined the queue."""
        game = self._require_game()
        game.tracker.add_piece(piece)
        if game.pieces_left is not None:
            game.pieces_left -= 1
        if game.start_pending or (game.pieces_left is not None and game.pieces_left < 0):
            return
        await self._send(tbp.TbpNewPiece(tbp_conversion.format_piece(piece)))

    async def garbage(self, pending: tuple[int, ...]) -> None:
        """Send the pending garbage if the profile has it."""
        self._pending = pending
        await self._send_pending_updates()

    async def opponents(self, positions: tuple[Position, ...]) -> None:
        """Store the other players' positions for the next move if the profile has them."""
        self._opponents = positions

    async def stop(self) -> None:
        """Send the end of the game."""
        self._forget_position()
        if self._connection.stage is TbpStage.CALCULATING:
            await self._send(tbp.TbpStop())
        self._restart_process = self.profile.process == "new"

    def _phase_timeouts(self) -> tuple[float, float, float]:
        profile = self.profile
        answer = profile.wait_ms / 1000 + profile.move_seconds
        return answer, profile.info_seconds + profile.ready_seconds, profile.quit_seconds

    def _check_rules(self, rules: Rules) -> None:
        tbp_conversion.check_rules(rules)

    def _decode(self, line: bytes) -> tbp.TbpMessage | None:
        return decode(line, ignore_extensions=True)

    async def _agree(self, rules: Rules) -> None:
        self._randomizer = tbp_conversion.format_randomizer(rules)
        if (needed := self.profile.min_queue) > (seen := rules.pieces.previews + 1):
            raise BotStartError(
                self.name, f"needs {needed} pieces in view; these rules show {seen}"
            )
        await self._send(self._create_rules_message())
        event, _ = await self._receive_event(
            TbpEvent.READY, self.profile.ready_seconds, "no answer to the rules"
        )
        if event is TbpEvent.REFUSED:
            reason = self._connection.error_reason
            raise BotStartError(self.name, f"does not play these rules ({reason})")

    async def _launch(self) -> None:
        await self._open_channel()
        self._forget_position()
        self.profile = self._apply_options(self._chosen_profile or self._default_profile)
        event, _ = await self._receive_event(
            TbpEvent.INTRODUCED, self.profile.info_seconds, "no info"
        )
        if event is TbpEvent.REFUSED or self._connection.info is None:
            raise BotStartError(self.name, f"does not play ({self._connection.error_reason})")
        announced = self._connection.info.name
        known = None
        if self._chosen_profile is None:
            known = find_profile(printable_name(announced), worker=self._worker)
        if known is not None:
            self.profile = self._apply_options(known)
        self._connection.spaced = self.profile.json == "spaced"
        self._set_announced_name(announced)

    async def _close(self) -> None:
        connection, self._connection = self._connection, TbpFrontendConnection()
        if self._channel is None:
            return
        last_message = b""
        if connection.stage is TbpStage.CALCULATING:
            # A game that is aborted, as after a forfeit, still has to be ended.
            last_message = connection.send(tbp.TbpStop())
        last_message += connection.send(tbp.TbpQuit())
        await self._close_channel(last_message, self.profile.quit_seconds)

    def _create_rules_message(self) -> tbp.TbpRules:
        features = self._connection.features
        garbage = self.profile.garbage and tbp.GARBAGE in features
        nodes = self.profile.min_nodes if tbp.MIN_NODES in features else 0
        return tbp.TbpRules(
            self._randomizer if self.profile.randomizer else UNSET,
            "general" if garbage else UNSET,
            nodes or UNSET,
        )

    @property
    def _default_profile(self) -> TbpProfile:
        """Return the profile used until the bot has sent ``info``."""
        return WORKER_PROFILE if self._worker else OFFICIAL_PROFILE

    def _apply_options(self, profile: TbpProfile) -> TbpProfile:
        return override_profile(profile, self._options)

    async def _send_start(self, position: Position) -> None:
        """Send `start` in any stage."""
        self._require_channel()
        if self._connection.pending_answers:
            await self._settle_answers()
        self._game = _GameState(PositionTracker(position))
        message = tbp_conversion.format_start(
            position,
            self._randomizer if self.profile.randomizer else "unknown",
            back_to_back_count=self.profile.back_to_back == "count",
            hide_colors=self.profile.cells == "garbage",
            visible_rows=self.profile.rows,
        )
        if not self.profile.randomizer:
            message = msgspec.structs.replace(message, randomizer=UNSET)
        await self._send_update(message)
        self._game.ask_after = loop_time() + self.profile.wait_ms / 1000

    async def _send_update(self, message: tbp.TbpStart | tbp.TbpPlay) -> None:
        """Send a position or a move, after which the bot searches."""
        if self.profile.opponents and self._opponents:
            others = tuple(tbp_conversion.format_opponent(each) for each in self._opponents)
            message = msgspec.structs.replace(message, opponents=others)
        if self.profile.meter:
            message = msgspec.structs.replace(message, meter=sum(self._pending))
        await self._send(message)
        self._require_game().thinking_since = loop_time()

    async def _send_as_garbage(self, position: Position) -> bool:
        """Send the change to a position as moves and garbage; return True if that was possible."""
        self._require_channel()
        game = self._game
        if not self._connection.accepts_garbage or game is None or game.start_pending:
            return False
        moves: list[Placement] = []
        for move in game.suggested:
            with contextlib.suppress(PlacementError):
                moves.append(tbp_conversion.parse_move(move))
        change = find_position_change(game.tracker.position, moves, position)
        if change is None:
            return False
        await self.play(change.placement)
        for piece in change.new_pieces:
            await self.new_piece(piece)
        if self._require_game().start_pending:
            return False
        await self._send_pending_updates()
        await self._send(tbp.TbpGarbage(change.garbage))
        game.tracker = PositionTracker(position)
        return True

    async def _send_pending_updates(self) -> None:
        """Send the messages that waited for the rest of a move."""
        game = self._game
        if game is None:
            return
        if game.start_pending:
            await self._send_start(game.tracker.position)
        elif game.pending_play is not None:
            message, game.pending_play = game.pending_play, None
            await self._send_update(message)

    def _needs_start(self, *, own: bool, first_hold: bool) -> bool:
        """Return True if the bot receives this move as a new position."""
        profile, game = self.profile, self._require_game()
        return (
            game.start_pending
            or profile.restart == "move"
            or (profile.restart == "hold" and first_hold)
            or (not profile.follows_play and not own)
            or (profile.suggest_plays and game.question_count != 1)
        )

    def _is_above_view(self, tracker: PositionTracker, placement: Placement) -> bool:
        """Return True if the stack or the move is above the rows that the bot sees."""
        rows = self.profile.restart_above
        if rows >= tbp_conversion.ROWS:
            return False
        return tracker.position.board.height > rows or any(y >= rows for _, y in placement.cells)

    async def _wait_for_thinking(self, limits: Limits) -> None:
        game = self._require_game()
        ask_at = game.ask_after
        if limits.milliseconds is not None and self.profile.thinks == "always":
            ask_at = max(ask_at, game.thinking_since + limits.milliseconds / 1000)
        if ask_at > loop_time():
            await asyncio.sleep(ask_at - loop_time())
        asked = game.question_count and not self._connection.pending_answers
        if self.profile.suggest_plays and asked:
            # The bot has played its own move, so its position is wrong.
            await self._send_start(game.tracker.position)

    def _accept_moves(self, moves: tuple[tbp.TbpMove, ...]) -> tuple[Placement, ...]:
        """Convert the moves and drop those that are not acceptable; forfeit if none is left."""
        assert self._rules is not None
        try:
            placements, misdrops = filter_moves(
                moves, self.profile, self._rules, self._require_game().tracker
            )
        except PlacementError as error:
            raise BotForfeitError(self.name, f"no acceptable move: {error}") from None
        self.misdrops += misdrops
        return placements

    async def _receive_event(
        self, awaited: TbpEvent, seconds: float | None = None, what: str = ""
    ) -> tuple[TbpEvent, tbp.TbpMessage]:
        """Wait for an event, or for an error of the bot."""
        event = TbpEvent.IGNORED

        def accept(message: tbp.TbpMessage) -> bool:
            nonlocal event
            event = self._connection.receive(message)
            return event in {awaited, TbpEvent.REFUSED}

        message: tbp.TbpMessage = await self._receive_until(accept, seconds, what)
        return event, message

    async def _receive_suggestion(self) -> tbp.TbpSuggestion:
        """Wait for the answer to a question; an error of the bot is a forfeit."""
        _, message = await self._receive_event(TbpEvent.SUGGESTED)
        if not isinstance(message, tbp.TbpSuggestion):
            raise self._create_forfeit()
        return message

    async def _read_available_answer(self) -> tbp.TbpSuggestion | None:
        """Read the messages that arrived before the question; drop late answers.

        An answer is current only if a cancelled call has asked about this position before.
        """
        answer: tbp.TbpSuggestion | None = None
        for message in await self._receive_available():
            event = self._connection.receive(message)
            if event is TbpEvent.SUGGESTED and isinstance(message, tbp.TbpSuggestion):
                answer = message
        if self._connection.stage is TbpStage.REFUSED:
            raise self._create_forfeit()
        return answer

    async def _settle_answers(self) -> None:
        """Wait for stale answers, so that they are not taken for the next one.

        Many bots never send them. Then only a new process is safe.
        """

        def accept(message: tbp.TbpMessage) -> bool:
            self._connection.receive(message)
            return not self._connection.pending_answers

        try:
            await self._receive_until(accept, STALE_ANSWER_TIMEOUT, "no answer to suggest")
        except BotTimeoutError:
            if self._rules is not None:
                await self.quit()
                await self.prepare(self._rules)

    async def _send(self, message: tbp.TbpFrontendMessage) -> None:
        await self._require_channel().send(self._connection.send(message))

    def _create_forfeit(self) -> BotForfeitError:
        return BotForfeitError(self.name, f"sent error ({self._connection.error_reason})")

    def _require_game(self) -> _GameState:
        self._require_channel()
        if self._game is None:
            raise BotDiedError(self.name, "is in no game")
        return self._game

    def _forget_position(self) -> None:
        self._game = None

    def _find_suggested(self, placement: Placement) -> tbp.TbpMove:
        """Return the move in the bot's own form if it suggested it; some bots compare that."""
        move = tbp_conversion.format_move(placement)
        if self.profile.play == "canonical":
            return move
        suggested = self._require_game().suggested
        own = next((m for m in suggested if _is_same(m, placement)), move)
        return tbp.TbpMove(own.location, move.spin)


@dataclass(slots=True)
class _GameState:
    """State of one game since its last ``start``."""

    tracker: PositionTracker
    suggested: tuple[tbp.TbpMove, ...] = ()
    unrequested_answer: tbp.TbpSuggestion | None = None
    question_count: int = 0
    pending_play: tbp.TbpPlay | None = None
    start_pending: bool = False
    pieces_left: int | None = None
    thinking_since: float = 0.0
    ask_after: float = 0.0


def _is_same(move: tbp.TbpMove, placement: Placement) -> bool:
    try:
        return tbp_conversion.parse_move(move).same_cells(placement)
    except PlacementError:
        return False


def _search_info(answer: tbp.TbpSuggestion) -> SearchInfo:
    info = answer.move_info
    if not isinstance(info, tbp.TbpMoveInfo):
        return SearchInfo()
    return SearchInfo(info.nodes, info.nps, info.depth, info.extra)
