"""A match in the terminal, as it is played, from nothing but its state channel.

Servers of sevenbag also tell level, points and lines in mid-game, under a topic of their own; other
servers do not, and then these are not shown.
"""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Final

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
    parse_server_address,
    resolve_host,
)
from sevenbag.contest.client.match_view import MatchView
from sevenbag.contest.game.cell_tracker import EMPTY, CellTracker
from sevenbag.contest.game.match_results import describe_ending
from sevenbag.contest.game.state_encoder import (
    STATISTICS_TOPIC,
    GameStatistics,
    MatchStatistics,
    decode_statistics,
)
from sevenbag.errors import ProtocolError, ServerUnreachableError, printable
from sevenbag.protocols.pason.messages import (
    GameBoardState,
    GameEnd,
    GamePieceState,
    MatchEnd,
    decode_state,
)
from sevenbag.protocols.pason.pason_conversion import HEIGHT, SHAPES, WIDTH

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.contest.game.state_encoder import StatisticsMessage
    from sevenbag.protocols.pason.messages import PieceState, State


async def watch_match(
    server: str,
    token: str,
    console: Console | None = None,
    *,
    silence_seconds: float = 330.0,
) -> None:
    """Show a match until it ends; in a terminal drawn, elsewhere told in a line a game.

    Args:
        server: such as ``pason://127.0.0.1``.
        token: names the match.
        console: where; None for standard output.
        silence_seconds: how long to wait for a word of it.

    Raises:
        InputError: the server's address is none.
        ServerUnreachableError: nothing was heard of the match for so long.
    """
    address = parse_server_address(server)
    await resolve_host(address, silence_seconds)
    console = console or Console()
    scene = MatchScreen()
    say = _printer(console)
    # Of a match that there is none of nobody says so: all that is known is that nothing comes.
    waiting = f"waiting for the match on {address}"
    if not console.is_terminal:
        say(waiting)
        await _follow(address, token, scene, silence_seconds, told=lambda: None, say=say)
        return
    with Live(
        Text(waiting, style=LABEL_STYLE), console=console, screen=True, auto_refresh=False
    ) as live:

        def draw() -> None:
            width, height = console.size
            live.update(Text("\n").join(scene.lines(width, height)), refresh=True)

        await _follow(address, token, scene, silence_seconds, told=draw, say=lambda _: None)
    say(scene.summary)


class MatchScreen:
    """What is to be seen of a match.

    Attributes:
        view: what the state channel has told.
        figures: level, points and lines of the game, where the server tells them.
    """

    def __init__(self) -> None:
        self.view = MatchView()
        self.figures: GameStatistics | None = None
        self._painters: dict[str, CellTracker] = {}
        self._seen: dict[str, PieceState] = {}

    def handle_message(self, message: State | StatisticsMessage) -> None:
        """Take the next message.

        Raises:
            ProtocolError: a board in it is none.
        """
        self.view.handle_message(message)
        match message:
            case GameStatistics():
                self.figures = message
            case GameBoardState():
                for team, board in self.view.boards.items():
                    painter = self._painters.setdefault(team, CellTracker())
                    painter.update(board, self._seen.get(team))
            case GamePieceState():
                self._seen |= {team: piece for team, piece in message.states.items() if piece}
            case GameEnd():
                self._painters.clear()
                self._seen.clear()
                self.figures = None
            case MatchEnd() | MatchStatistics():
                pass

    @property
    def summary(self) -> str:
        """The match in a line."""
        teams = self._teams
        if not teams:
            return "the match is over" if self.view.ended else "nothing was heard of the match"
        wins, points = self.view.wins, self.view.points
        sides = " : ".join(
            f"{team} {wins.get(team, 0)} games, {points.get(team, 0)} points" for team in teams
        )
        if self.view.ended is None:
            return sides
        result = self.view.result
        if result is None:
            return f"{sides} (ended)"
        return f"{sides} ({result.winner or 'nobody'} wins: {describe_ending(result.ending)})"

    def lines(self, width: int, height: int) -> list[Text]:
        """The scene for a terminal of this size."""
        large = width >= _LARGE_WIDTH and height >= HEIGHT + _AROUND
        title = Text(self.view.game_name or "between games", style=VALUE_STYLE)
        if self.figures is not None:
            title.append(f"   level {self.figures.level}", style=LABEL_STYLE)
        sides = [self._side(team, large=large) for team in self._teams[:2]]
        middle = [Text("next", style=LABEL_STYLE)]
        for letter in self.view.queue[:_MOST_NEXT]:
            if letter in SHAPES:
                middle += render_piece(letter, large=large)
                middle += [Text()] if large else []
        columns = [sides[0], middle, *sides[1:]] if sides else [middle]
        drawn = [title, *join_columns(*columns), Text(self._games_line(), style=FAINT_STYLE)]
        return [clip_to_width(line, width) for line in drawn[:height]]

    # --- helpers --------------------------------------------------------------------------------

    @property
    def _teams(self) -> list[str]:
        view = self.view
        return sorted({**view.boards, **view.pieces, **view.points})

    def _side(self, team: str, *, large: bool) -> list[Text]:
        width = WIDTH * 2 if large else WIDTH
        rows = self._rows(team)
        board = [render_row(row) for row in rows] if large else list(render_half_rows(rows[::-1]))
        name = clip_to_width(Text(printable(team), style=VALUE_STYLE), width)
        figures = self.figures
        told = f"won {self.view.wins.get(team, 0)}"
        if figures is not None:
            told += f"  {figures.scores.get(team, 0)} points"
        return [
            name,
            *board,
            clip_to_width(Text(told, style=WINNER_STYLE if large else LABEL_STYLE), width),
        ]

    def _rows(self, team: str) -> list[str]:
        """Letters of the cells, the top row first, with the falling piece."""
        painter = self._painters.get(team)
        rows = [list(row) for row in (painter.rows if painter else [EMPTY * WIDTH] * HEIGHT)]
        piece = self.view.pieces.get(team)
        if piece is not None:
            ring = SHAPES[piece.piece]
            for down, right in ring[piece.orient % len(ring)]:
                row, column = piece.row + down, piece.col + right
                if 0 <= row < HEIGHT and 0 <= column < WIDTH:
                    rows[row][column] = piece.piece
        return ["".join(row) for row in rows]

    def _games_line(self) -> str:
        games = self.view.games
        if not games:
            return ""
        last = games[-1]
        scores = " : ".join(f"{printable(team)} {n}" for team, n in last.scores.items())
        return f"{printable(last.game_name)}: {printable(last.winner)} won ({scores})"


# --- helpers ------------------------------------------------------------------------------------

_FRAME_SECONDS: Final = 1 / 20

_LARGE_WIDTH: Final = 2 * (2 * WIDTH) + 10

_AROUND: Final = 4

_MOST_NEXT: Final = 5

_FIGURES: Final = STATISTICS_TOPIC.encode()


async def _follow(  # noqa: PLR0917  # what, from where, to whom
    address: ServerAddress,
    token: str,
    scene: MatchScreen,
    silence_seconds: float,
    told: Callable[[], None],
    say: Callable[[str], None],
) -> None:
    """Hear until the match ends."""
    context = zmq.Context()
    topics = (token.encode(), _FIGURES + token.encode())
    channel = ClientSocket(context, zmq.SUB, address.state_endpoint, topics)
    drawn_at = 0.0
    heard_at = time.monotonic()
    try:
        while scene.view.ended is None:
            await channel.wait(heard_at + silence_seconds - time.monotonic())
            if not channel.received:
                raise ServerUnreachableError(
                    f"nothing was heard of the match on {address} for {silence_seconds:g} s; "
                    "is it the right token?"
                )
            heard_at = time.monotonic()
            while channel.received:
                _take(channel.received.popleft(), scene, say)
            if heard_at - drawn_at >= _FRAME_SECONDS or scene.view.ended is not None:
                drawn_at = heard_at
                told()
        say(scene.summary)
    finally:
        channel.close()
        context.destroy(linger=0)


def _take(frames: list[bytes], scene: MatchScreen, say: Callable[[str], None]) -> None:
    with contextlib.suppress(ProtocolError):
        if frames[0].startswith(_FIGURES):
            scene.handle_message(decode_statistics(frames[-1]))
            return
        message = decode_state(frames[-1])
        scene.handle_message(message)
        if isinstance(message, GameEnd):
            scores = " : ".join(f"{team} {points}" for team, points in message.scores.items())
            say(f"{message.game_name}: {message.winner} wins ({scores})")


def _printer(console: Console) -> Callable[[str], None]:
    return lambda line: console.print(
        printable(line), markup=False, highlight=False, soft_wrap=True
    )
