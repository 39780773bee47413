"""Run a custom engine for Triangle hosts over standard input and output.

`run_engine` does all input and output. `TriangleEngine` is the same without I/O: lines in, lines
out, and a function that chooses the move.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import UNSET

from sevenbag._kernel import Placement
from sevenbag.bots.serving.adapter import OutputClosedError
from sevenbag.bots.serving.stdio_server import reserve_stdout, write_line
from sevenbag.errors import ProtocolError
from sevenbag.game.position import Position, apply_placement
from sevenbag.game.rules import Rules
from sevenbag.protocols import bot_actions
from sevenbag.protocols.json_lines import LineSplitter
from sevenbag.protocols.triangle import messages as triangle
from sevenbag.protocols.triangle import triangle_connections
from sevenbag.protocols.triangle.messages import decode, encode

if TYPE_CHECKING:
    from sevenbag._kernel import Board, Piece


def run_engine(
    choose: ChooseMove, *, name: str, version: str, author: str, data: object = UNSET
) -> None:
    """Serve one host until it closes the input or sends SIGINT; then return.

    Prints of the engine go to standard error: standard output belongs to the host.

    Args:
        choose: chooses a move.
        name: name of the engine.
        version: version of the engine.
        author: author of the engine.
        data: data for the host, sent with the introduction.
    """
    engine = TriangleEngine(choose, name=name, version=version, author=author, data=data, log=_log)
    splitter = LineSplitter()
    # Hosts end bots by SIGINT, which is ignored at first in background processes.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt, OutputClosedError), reserve_stdout() as output:
        write_line(output, engine.introduce())
        while received := os.read(0, 1 << 16):
            for line in splitter.feed(received):
                if line is None:
                    _log("serve.line_ignored reason=too_long")
                else:
                    write_line(output, engine.receive(line))


@dataclass(frozen=True)
class EngineTurn:
    """The position and the messages at a question.

    Attributes:
        position: known position; the first piece of the queue is the current one.
        config: the host's ``config`` with its data.
        state: the host's last ``state`` with its data, if any.
        play: the question with its data.
        pieces: ``pieces`` messages since the last turn, with their data.
    """

    position: Position
    rules: Rules
    config: triangle.TriangleConfig
    state: triangle.TriangleState | None
    play: triangle.TrianglePlay
    pieces: tuple[triangle.TrianglePieces, ...]
    _placements: tuple[Placement, ...]

    @property
    def board(self) -> Board:
        """Filled and empty cells."""
        return self.position.board

    @property
    def current(self) -> Piece:
        """The piece to be placed."""
        return self.position.queue[0]

    @property
    def hold(self) -> Piece | None:
        """The hold piece."""
        return self.position.hold

    @property
    def queue(self) -> tuple[Piece, ...]:
        """The pieces after the current one."""
        return self.position.queue[1:]

    def placements(self) -> list[Placement]:
        """Return every move, of the current piece and then of the hold piece; never empty."""
        return list(self._placements)

    def after(self, placement: Placement) -> Position:
        """Return the position after a move if no garbage enters."""
        return apply_placement(self.position, placement, self.rules)


@dataclass(frozen=True, slots=True)
class EngineReply:
    """A choice with data of the author, which is sent to the host with the keys."""

    placement: Placement
    data: object


ChooseMove: TypeAlias = Callable[[EngineTurn], Placement | EngineReply]
"""Chooses one of `EngineTurn.placements`."""


class TriangleEngine:
    """One connection to one host, without I/O.

    It always answers: if the choice is invalid or raises, it sends another move and logs the
    reason.

    Args:
        log: receives log lines; the others are those of `run_engine`.
    """

    def __init__(
        self,
        choose: ChooseMove,
        *,
        name: str,
        version: str,
        author: str,
        data: object = UNSET,
        log: Callable[[str], None] | None = None,
    ) -> None:
        self._choose = choose
        self._info = triangle.TriangleInfo(name=name, version=version, author=author, data=data)
        self._log: Callable[[str], None] = log or (lambda _: None)
        self._connection = triangle_connections.TriangleBotConnection()
        self._config: triangle.TriangleConfig | None = None
        self._state: triangle.TriangleState | None = None
        self._pieces: list[triangle.TrianglePieces] = []

    def introduce(self) -> bytes:
        """Return the first message, one line with its end."""
        return encode(self._info)

    def receive(self, line: bytes | str) -> bytes:
        """Return the answer to a line: nothing, or one line with its end."""
        play = triangle.TrianglePlay()
        try:
            message = decode(line)
        except ProtocolError as error:
            self._report("serve.message_invalid", type=error.kind, error=error)
            todo = self._connection.receive_invalid(error.kind)
        else:
            if message is None:
                if line.strip():
                    self._report("serve.line_ignored", reason="not_a_message", line=line[:60])
                return b""
            if isinstance(message, triangle.TriangleConfig):
                self._config, self._state = message, None
            elif isinstance(message, triangle.TriangleState):
                self._state = message
            elif isinstance(message, triangle.TrianglePieces):
                self._pieces.append(message)
                del self._pieces[:-_MAX_KEPT_MESSAGES]
            elif isinstance(message, triangle.TrianglePlay):
                play = message
            todo = self._connection.receive(message)
        return b"".join(self._execute(action, play) for action in todo)

    def _report(self, event: str, **fields: object) -> None:
        self._log(str(bot_actions.LogAction(event, fields)))

    def _execute(self, action: bot_actions.BotAction, play: triangle.TrianglePlay) -> bytes:
        match action:
            case bot_actions.SendAction(message):
                return encode(message)
            case bot_actions.SuggestAction():
                return b"".join(self._execute(each, play) for each in self._answer(play))
            case bot_actions.LogAction():
                self._log(str(action))
            case _:
                pass
        return b""

    def _answer(self, play: triangle.TrianglePlay) -> list[bot_actions.BotAction]:
        side, moves = self._connection, tuple(self._connection.placements())
        if self._config is None or not moves:
            return side.answer(())
        assert side.position is not None
        assert side.rules is not None
        turn = EngineTurn(
            side.position, side.rules, self._config, self._state, play, tuple(self._pieces), moves
        )
        self._pieces.clear()
        try:
            choice = self._choose(turn)
        except Exception as error:  # noqa: BLE001 - an author's function may raise anything
            self._report("serve.bot_failed", error=f"{type(error).__name__}: {error}")
            return side.answer(())
        reply = choice if isinstance(choice, EngineReply) else EngineReply(choice, UNSET)
        if not any(reply.placement.same_cells(each) for each in moves):
            self._report("serve.move_invalid", move=reply.placement)
        return side.answer((reply.placement,), data=reply.data)


_MAX_KEPT_MESSAGES: Final = 64


def _log(text: str) -> None:
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)
