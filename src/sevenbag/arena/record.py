"""Watches a game and makes a replay of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sevenbag.arena.watch import Watcher
from sevenbag.formats import replay

if TYPE_CHECKING:
    from sevenbag.arena.result import Fall, PlayerStats, Result
    from sevenbag.arena.watch import Opening, Turn
    from sevenbag.bots.bot import Limits


class Recorder(Watcher):
    """Keeps what a replay needs.

    Attributes:
        replay: the replay, once the game is over or broken off; None before.

    Args:
        times: whether to keep thinking times; with them no two replays are the same.
    """

    def __init__(self, *, times: bool = False) -> None:
        self.replay: replay.Replay | None = None
        self._times = times
        self._header: replay.Header | None = None
        self._turns: list[replay.Turn] = []

    def opened(self, opening: Opening) -> None:
        """Keep what the game starts from."""
        first, second = (
            _player(name, spec, limits)
            for name, spec, limits in zip(opening.names, opening.specs, opening.limits, strict=True)
        )
        self._header = replay.Header(
            format=replay.FORMAT,
            version=replay.version_of(),
            seed=opening.seed,
            players=(first, second),
            frames_per_turn=opening.frames_per_turn,
            pieces=opening.max_pieces,
            rules=opening.rules.to_dict(),
        )
        self._turns = []
        self.replay = None

    def turned(self, turn: Turn) -> None:
        """Keep both placements."""
        times = None
        if self._times:
            times = (_milliseconds(turn.seconds[0]), _milliseconds(turn.seconds[1]))
        self._turns.append(replay.Turn(turn.placements, times))

    def closed(self, result: Result) -> None:
        """Put the replay together."""
        if self._header is not None:
            self.replay = replay.Replay(self._header, tuple(self._turns), outcome_of(result))


def outcome_of(result: Result) -> replay.Outcome:
    """A result as replays keep it: without times."""
    return replay.Outcome(
        finished=result.ending != "interrupted",
        winner=result.winner,
        ending=result.ending.value,
        falls=(_fall(result.falls[0]), _fall(result.falls[1])),
        score=(_score(result.stats[0]), _score(result.stats[1])),
    )


# --- helpers ------------------------------------------------------------------------------------


def _player(name: str, spec: str, limits: Limits) -> replay.Player:
    return replay.Player(
        name=_text(name)[:200],
        spec=_text(spec)[:1000] or None,
        nodes=limits.nodes,
        milliseconds=limits.milliseconds,
    )


def _text(text: str) -> str:
    """What a file in UTF-8 can hold of a text; a command line may have other bytes in it."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _fall(fall: Fall | None) -> replay.Fall | None:
    return None if fall is None else replay.Fall(fall.reason.value, fall.detail)


def _score(stats: PlayerStats) -> replay.Score:
    return replay.Score(stats.pieces, stats.lines, stats.attack)


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 3)
