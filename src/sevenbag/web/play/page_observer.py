"""Events sent to a page during and after its match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from sevenbag._kernel import Spin
from sevenbag.arena.runner.observers import GameObserver
from sevenbag.arena.terminal.game_scene import build_scene
from sevenbag.arena.terminal.live_view import format_player
from sevenbag.game.game_result import GameEnding, PlayerStats

if TYPE_CHECKING:
    from sevenbag.arena.runner.observers import GameStart, PlayedTurn
    from sevenbag.arena.terminal.game_scene import PlayerScene
    from sevenbag.game import Lock
    from sevenbag.game.game_result import GameResult
    from sevenbag.web.play.page_connection import Tunnel

_MOST_TIMES: Final = 60
_CLEARS: Final = ("", "single", "double", "triple", "quad", "five lines")


class Side(msgspec.Struct, frozen=True):
    """A player as it stands. See `sevenbag.arena.terminal.game_scene.PlayerScene`.

    Attributes:
        figures: label and value of what is known, in the order shown.
        times: what the last moves took that were not shown yet, in milliseconds.
        clear: the last clear, in words; empty for none.
        clears: how many there were, so that a new one can be told from the same.
    """

    name: str
    rows: tuple[str, ...]
    hold: str | None
    queue: tuple[str, ...]
    pending: int
    figures: tuple[tuple[str, str], ...]
    times: tuple[float, ...]
    clear: str
    clears: int
    fall: str | None
    won: bool


class Opened(msgspec.Struct, frozen=True, tag_field="event", tag="opened"):
    """The game begins."""

    names: tuple[str, str]
    lines: tuple[str, str]
    rules: str
    seed: int


class Picture(msgspec.Struct, frozen=True, tag_field="event", tag="picture"):
    """The game as it stands."""

    sides: tuple[Side, Side]
    caption: str


class Over(msgspec.Struct, frozen=True, tag_field="event", tag="over"):
    """The game is over.

    Attributes:
        text: who won, and why.
        winner: 0 or 1; None for a draw and for a game that was broken off.
        sides: as it stands then; None for a game that never began.
        replay: where the replay is to be had; None if there is none.
        file: what to call it.
    """

    text: str
    winner: int | None
    sides: tuple[Side, Side] | None = None
    replay: str | None = None
    file: str | None = None


class Refused(msgspec.Struct, frozen=True, tag_field="event", tag="refused"):
    """There is no game, for this reason."""

    reason: str


class View(GameObserver):
    """Shows a game to a page, as often as it can look.

    Attributes:
        result: how the game ended; None before.

    Args:
        tunnel: the way to the page.
    """

    def __init__(self, tunnel: Tunnel) -> None:
        self.result: GameResult | None = None
        self._tunnel = tunnel
        self._opening: GameStart | None = None
        self._stats = (_NOTHING, _NOTHING)
        self._times: tuple[list[float], list[float]] = ([], [])
        self._clears = ["", ""]
        self._counts = [0, 0]

    def opened(self, opening: GameStart) -> None:
        """Tell who plays what."""
        self._opening = opening
        first, second = (
            _sayable(format_player(*each)).strip()
            for each in zip(opening.names, opening.specs, opening.limits, strict=True)
        )
        names = (_sayable(opening.names[0]), _sayable(opening.names[1]))
        self._tunnel.tell(Opened(names, (first, second), opening.rules.name, opening.seed))
        self._tunnel.show(self._picture)

    def turned(self, turn: PlayedTurn) -> None:
        """Remember what the page would miss, and let it look."""
        self._stats = turn.stats
        for player, lock in enumerate(turn.locks):
            if lock is None:
                continue
            times = self._times[player]
            times.append(round(turn.seconds[player] * 1000, 3))
            del times[:-_MOST_TIMES]
            if lock.lines or lock.spin != Spin.NONE:
                self._clears[player] = clear_in_words(lock)
                self._counts[player] += 1
        self._tunnel.show(self._picture)

    def closed(self, result: GameResult) -> None:
        """Keep the result; whoever plays the game tells it."""
        self.result = result
        self._stats = result.stats

    def over(self, why_unfinished: str, replay: str | None) -> Over:
        """What the page is told at the end.

        Args:
            why_unfinished: why the game was broken off, if it was.
            replay: where its replay is to be had.
        """
        result, opening = self.result, self._opening
        if result is None or opening is None:
            return Over(f"unfinished: {why_unfinished}", None)
        text = str(result)
        if result.ending is GameEnding.INTERRUPTED:
            pieces = max(each.pieces for each in result.stats)
            text = f"unfinished: {why_unfinished} ({pieces} pieces)"
        return Over(
            _sayable(text),
            result.winner,
            self._sides(result),
            replay,
            f"match-{opening.seed}.replay" if replay else None,
        )

    # --- helpers --------------------------------------------------------------------------------

    def _picture(self) -> Picture:
        opening = self._opening
        assert opening is not None
        caption = f"turn {opening.versus.turn} · rules {opening.rules.name} · seed {opening.seed}"
        return Picture(self._sides(None), caption)

    def _sides(self, result: GameResult | None) -> tuple[Side, Side]:
        opening = self._opening
        assert opening is not None
        scene = build_scene(
            opening.versus, opening.names, self._stats, seed=opening.seed, result=result
        )
        first, second = (self._side(player, each) for player, each in enumerate(scene.players))
        return first, second

    def _side(self, player: int, scene: PlayerScene) -> Side:
        times = tuple(self._times[player])
        self._times[player].clear()
        return Side(
            _sayable(scene.name),
            scene.rows,
            scene.hold,
            scene.queue,
            scene.pending,
            scene.figures,
            times,
            self._clears[player],
            self._counts[player],
            scene.fall,
            scene.won,
        )


def clear_in_words(lock: Lock) -> str:
    """What a lock did, as players call it."""
    words: list[str] = []
    if lock.spin != Spin.NONE:
        words.append("mini " if lock.spin == Spin.MINI else "")
        words[-1] += f"{lock.placement.piece.name}-spin"
    if lock.lines:
        words.append(_CLEARS[min(lock.lines, len(_CLEARS) - 1)])
    told = " ".join(words)
    if lock.perfect_clear:
        told += ", perfect clear"
    return f"{told}, +{lock.attack}" if lock.attack else told


# --- helpers ------------------------------------------------------------------------------------

_NOTHING: Final = PlayerStats(0, 0, 0, 0.0, 0.0)


def _sayable(text: str) -> str:
    """What UTF-8 can hold of it."""
    return text.encode("utf-8", "replace").decode("utf-8")
