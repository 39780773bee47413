"""Show a match in the terminal while it is played, from its state channel.

Level, points and lines during a game come from the statistics of sevenbag's servers; with other
servers they are not shown.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Final

import zmq
from rich.console import Console
from rich.live import Live
from rich.text import Text

from sevenbag.arena.terminal.terminal_screen import (
    FAINT_STYLE,
    LABEL_STYLE,
    VALUE_STYLE,
    WINNER_STYLE,
    clip_to_width,
    join_columns,
    render_half_rows,
    render_piece,
    render_row,
)
from sevenbag.contest.client.connection import (
    ClientSocket,
    ServerAddress,
    decode_state_frames,
    parse_server_address,
    resolve_host,
    state_topics,
)
from sevenbag.contest.client.contest_client import describe_game
from sevenbag.contest.client.match_view import MatchView
from sevenbag.contest.game.cell_tracker import EMPTY, CellTracker
from sevenbag.contest.game.match_results import describe_ending
from sevenbag.contest.game.state_messages import GameStatistics, StatisticsMessage
from sevenbag.errors import ProtocolError, ServerUnreachableError, printable
from sevenbag.protocols.pason.messages import (
    GameBoardState,
    GameEnd,
    GamePieceState,
    PieceState,
    State,
)
from sevenbag.protocols.pason.pason_conversion import HEIGHT, SHAPES, WIDTH


async def watch_match(
    server: str, token: str, console: Console | None = None, *, silence_seconds: float = 330.0
) -> None:
    """Show a match until it ends: drawn in a terminal, otherwise one line for each game.

    Args:
        server: address such as ``pason://127.0.0.1``.
        token: token of the match.
        console: console to write to; None for standard output.
        silence_seconds: maximum time without a message of the match.

    Raises:
        InputError: invalid address of the server.
        ServerUnreachableError: no message of the match in time.
    """
    address = parse_server_address(server)
    await resolve_host(address, silence_seconds)
    console = console or Console()
    screen = MatchScreen()

    def report(line: str) -> None:
        console.print(printable(line), markup=False, highlight=False, soft_wrap=True)

    # Servers do not report an unknown match: it is a match without messages.
    waiting = f"waiting for the match on {address}"
    if not console.is_terminal:
        report(waiting)

        def report_game(message: State | StatisticsMessage) -> None:
            if isinstance(message, GameEnd):
                report(describe_game(message))

        await _follow(address, token, screen, silence_seconds, on_message=report_game)
    else:
        text = Text(waiting, style=LABEL_STYLE)
        with Live(text, console=console, screen=True, auto_refresh=False) as live:

            def draw() -> None:
                width, height = console.size
                live.update(Text("\n").join(screen.render(width, height)), refresh=True)

            await _follow(address, token, screen, silence_seconds, draw=draw)
    report(screen.summary)


class MatchScreen:
    """Picture of a match.

    Attributes:
        statistics: statistics of the current game; None without any from the server.
    """

    def __init__(self) -> None:
        self.view = MatchView()
        self.statistics: GameStatistics | None = None
        self._trackers: dict[str, CellTracker] = {}
        self._pieces: dict[str, PieceState] = {}

    def handle_message(self, message: State | StatisticsMessage) -> None:
        """Process the next message of the state channel.

        Raises:
            ProtocolError: invalid board; the message is ignored.
        """
        self.view.handle_message(message)
        match message:
            case GameStatistics():
                self.statistics = message
            case GameBoardState():
                for team, board in self.view.boards.items():
                    tracker = self._trackers.setdefault(team, CellTracker())
                    tracker.update(board, self._pieces.get(team))
            case GamePieceState():
                self._pieces |= {team: piece for team, piece in message.states.items() if piece}
            case GameEnd():
                self._trackers.clear()
                self._pieces.clear()
                self.statistics = None
            case _:
                pass

    @property
    def summary(self) -> str:
        """Score or result of the match in one line."""
        teams = self._teams
        if not teams:
            return "the match is over" if self.view.ended else "no message of the match"
        wins, points = self.view.wins, self.view.points
        scores = " : ".join(
            f"{team} {wins.get(team, 0)} games, {points.get(team, 0)} points" for team in teams
        )
        if self.view.ended is None:
            return scores
        result = self.view.result
        if result is None:
            return f"{scores} (ended)"
        return f"{scores} ({result.winner or 'nobody'} wins: {describe_ending(result.ending)})"

    def render(self, width: int, height: int) -> list[Text]:
        """Return the lines of the picture for a terminal of this size."""
        large = width >= _MIN_LARGE_WIDTH and height >= HEIGHT + _EXTRA_LINES
        title = Text(self.view.game_name or "between games", style=VALUE_STYLE)
        if self.statistics is not None:
            title.append(f"   level {self.statistics.level}", style=LABEL_STYLE)
        boards = [self._render_team(team, large=large) for team in self._teams[:2]]
        queue = [Text("next", style=LABEL_STYLE)]
        for letter in self.view.queue[:_MAX_QUEUE]:
            if letter in SHAPES:
                queue += render_piece(letter, large=large)
                queue += [Text()] if large else []
        columns = [boards[0], queue, *boards[1:]] if boards else [queue]
        last_game = "".join(describe_game(game) for game in self.view.games[-1:])
        lines = [title, *join_columns(*columns), Text(printable(last_game), style=FAINT_STYLE)]
        return [clip_to_width(line, width) for line in lines[:height]]

    @property
    def _teams(self) -> list[str]:
        view = self.view
        return sorted({**view.boards, **view.pieces, **view.points})

    def _render_team(self, team: str, *, large: bool) -> list[Text]:
        width = WIDTH * 2 if large else WIDTH
        rows = self._rows(team)
        board = [render_row(row) for row in rows] if large else list(render_half_rows(rows[::-1]))
        score = f"won {self.view.wins.get(team, 0)}"
        if self.statistics is not None:
            score += f"  {self.statistics.scores.get(team, 0)} points"
        return [
            clip_to_width(Text(printable(team), style=VALUE_STYLE), width),
            *board,
            clip_to_width(Text(score, style=WINNER_STYLE if large else LABEL_STYLE), width),
        ]

    def _rows(self, team: str) -> list[str]:
        """Return the letters of the cells with the falling piece, the top row first."""
        tracker = self._trackers.get(team)
        rows = [list(row) for row in (tracker.rows if tracker else [EMPTY * WIDTH] * HEIGHT)]
        piece = self.view.pieces.get(team)
        if piece is not None:
            shapes = SHAPES[piece.piece]
            for down, right in shapes[piece.orient % len(shapes)]:
                row, column = piece.row + down, piece.col + right
                if 0 <= row < HEIGHT and 0 <= column < WIDTH:
                    rows[row][column] = piece.piece
        return ["".join(row) for row in rows]


_FRAME_SECONDS: Final = 1 / 20
_MIN_LARGE_WIDTH: Final = 2 * (2 * WIDTH) + 10
_EXTRA_LINES: Final = 4
_MAX_QUEUE: Final = 5


async def _follow(
    address: ServerAddress,
    token: str,
    screen: MatchScreen,
    silence_seconds: float,
    *,
    draw: Callable[[], None] = lambda: None,
    on_message: Callable[[State | StatisticsMessage], None] = lambda _: None,
) -> None:
    """Receive messages until the match ends."""
    context = zmq.Context()
    socket = ClientSocket(context, zmq.SUB, address.state_endpoint, state_topics(token))
    drawn_at = 0.0
    received_at = time.monotonic()
    try:
        while screen.view.ended is None:
            await socket.wait(received_at + silence_seconds - time.monotonic())
            if not socket.received:
                raise ServerUnreachableError(
                    f"no message of the match on {address} for {silence_seconds:g} s; "
                    "check the token"
                )
            received_at = time.monotonic()
            while socket.received:
                with contextlib.suppress(ProtocolError):
                    message = decode_state_frames(socket.received.popleft())
                    screen.handle_message(message)
                    on_message(message)
            if received_at - drawn_at >= _FRAME_SECONDS or screen.view.ended is not None:
                drawn_at = received_at
                draw()
    finally:
        socket.close()
        context.destroy(linger=0)
