"""Events sent to a page during and after its match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from sevenbag._kernel import Spin
from sevenbag.arena.runner.observers import GameObserver, GameStart, PlayedTurn
from sevenbag.arena.terminal.game_scene import PlayerScene, build_scene
from sevenbag.arena.terminal.live_view import format_player
from sevenbag.errors import printable
from sevenbag.game import LockResult
from sevenbag.game.game_result import GameEnding, GameResult

if TYPE_CHECKING:
    from sevenbag.web.play.page_connection import PageConnection

_MAX_THINK_TIMES: Final = 60
_CLEAR_NAMES: Final = ("", "single", "double", "triple", "quad", "five lines")


class PlayerPanel(msgspec.Struct, frozen=True):
    """State of a player. See `sevenbag.arena.terminal.game_scene.PlayerScene`.

    Attributes:
        statistics: labels and values, in the order of display.
        think_times: times in milliseconds of the moves since the last update.
        clear_text: description of the last clear; empty for none.
        clear_count: number of clears, to tell equal ones apart.
        loss: reason of the loss; None without one.
    """

    name: str
    rows: tuple[str, ...]
    hold: str | None
    queue: tuple[str, ...]
    pending: int
    statistics: tuple[tuple[str, str], ...]
    think_times: tuple[float, ...]
    clear_text: str
    clear_count: int
    loss: str | None
    is_winner: bool


class MatchStartedEvent(msgspec.Struct, frozen=True, tag_field="event", tag="match_started"):
    """The game begins."""

    names: tuple[str, str]
    descriptions: tuple[str, str]
    rules: str
    seed: int


class MatchStateEvent(msgspec.Struct, frozen=True, tag_field="event", tag="match_state"):
    """State of the game."""

    players: tuple[PlayerPanel, PlayerPanel]
    caption: str


class MatchFinishedEvent(msgspec.Struct, frozen=True, tag_field="event", tag="match_finished"):
    """The game is over.

    Attributes:
        summary: winner and reason.
        winner: 0 or 1; None for a draw or an aborted game.
        players: final state; None for a game that did not begin.
        replay_url: URL of the replay; None without one.
    """

    summary: str
    winner: int | None
    players: tuple[PlayerPanel, PlayerPanel] | None = None
    replay_url: str | None = None
    file_name: str | None = None


class MatchRejectedEvent(msgspec.Struct, frozen=True, tag_field="event", tag="match_rejected"):
    """The request was rejected."""

    reason: str


class PageObserver(GameObserver):
    """Observer that shows a game to a page, as often as the page can take updates.

    Attributes:
        result: result of the game; None before its end.
    """

    def __init__(self, connection: PageConnection) -> None:
        self.result: GameResult | None = None
        self._connection = connection
        self._start: GameStart | None = None
        self._think_times: tuple[list[float], list[float]] = ([], [])
        self._clear_texts = ["", ""]
        self._clear_counts = [0, 0]

    def game_started(self, start: GameStart) -> None:
        """Send the players, and schedule the first update."""
        self._start = start
        first, second = (
            printable(format_player(*each)).strip()
            for each in zip(start.names, start.config.specs, start.limits, strict=True)
        )
        names = (printable(start.names[0]), printable(start.names[1]))
        self._connection.send_event(
            MatchStartedEvent(names, (first, second), start.config.rules.name, start.config.seed)
        )
        self._connection.schedule_update(self._build_state)

    def turn_played(self, turn: PlayedTurn) -> None:
        """Record think times and clears, and schedule an update."""
        for player, lock in enumerate(turn.locks):
            if lock is None:
                continue
            times = self._think_times[player]
            times.append(round(turn.answer_seconds[player] * 1000, 3))
            del times[:-_MAX_THINK_TIMES]
            if lock.lines or lock.spin != Spin.NONE:
                self._clear_texts[player] = describe_clear(lock)
                self._clear_counts[player] += 1
        self._connection.schedule_update(self._build_state)

    def game_ended(self, result: GameResult) -> None:
        """Record the result."""
        self.result = result

    def finished_event(self, abort_reason: str, replay_url: str | None) -> MatchFinishedEvent:
        """Return the last event; the reason counts only if the game was aborted."""
        result, start = self.result, self._start
        if result is None or start is None:
            return MatchFinishedEvent(f"unfinished: {abort_reason}", None)
        summary = str(result)
        if result.ending is GameEnding.INTERRUPTED:
            pieces = max(each.pieces for each in result.stats)
            summary = f"unfinished: {abort_reason} ({pieces} pieces)"
        return MatchFinishedEvent(
            printable(summary),
            result.winner,
            self._build_panels(start, result),
            replay_url,
            f"match-{start.config.seed}.replay" if replay_url else None,
        )

    def _build_state(self) -> MatchStateEvent:
        start = self._start
        assert start is not None
        caption = (
            f"turn {start.game.turn} · rules {start.config.rules.name} · seed {start.config.seed}"
        )
        return MatchStateEvent(self._build_panels(start, None), caption)

    def _build_panels(
        self, start: GameStart, result: GameResult | None
    ) -> tuple[PlayerPanel, PlayerPanel]:
        stats = result.stats if result else start.read_stats()
        scene = build_scene(start.game, start.names, stats, seed=start.config.seed, result=result)
        first, second = (
            self._build_panel(player, each) for player, each in enumerate(scene.players)
        )
        return first, second

    def _build_panel(self, player: int, scene: PlayerScene) -> PlayerPanel:
        think_times = tuple(self._think_times[player])
        self._think_times[player].clear()
        return PlayerPanel(
            name=printable(scene.name),
            rows=scene.rows,
            hold=scene.hold,
            queue=scene.queue,
            pending=scene.pending,
            statistics=scene.statistics,
            think_times=think_times,
            clear_text=self._clear_texts[player],
            clear_count=self._clear_counts[player],
            loss=scene.loss,
            is_winner=scene.won,
        )


def describe_clear(lock: LockResult) -> str:
    """Return spin, lines and attack of a lock in the terms of the game."""
    words: list[str] = []
    if lock.spin != Spin.NONE:
        mini = "mini " if lock.spin == Spin.MINI else ""
        words.append(f"{mini}{lock.placement.piece.name}-spin")
    if lock.lines:
        words.append(_CLEAR_NAMES[min(lock.lines, len(_CLEAR_NAMES) - 1)])
    text = " ".join(words)
    if lock.perfect_clear:
        text += ", perfect clear"
    return f"{text}, +{lock.attack}" if lock.attack else text
