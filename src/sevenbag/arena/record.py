"""Watches a game and makes a replay of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sevenbag.arena.watch import Watcher
from sevenbag.formats import replay

if TYPE_CHECKING:
    from sevenbag.arena.result import Fall, PlayerStats, Result
    from sevenbag.arena.watch import Opening, Turn


class Recorder(Watcher):
    """Keeps what a replay needs.

    Attributes:
        replay: the replay, once the game is over or broken off; None before.

    Args:
        times: whether to keep thinking times; with them no two replays are the same.
        infos: whether to keep what bots say of their search; likewise, where they speak of time.
    """

    def __init__(self, *, times: bool = False, infos: bool = False) -> None:
        self.replay: replay.Replay | None = None
        self._times = times
        self._infos = infos
        self._header: replay.Header | None = None
        self._turns: list[replay.Turn] = []

    def opened(self, opening: Opening) -> None:
        """Keep what the game starts from."""
        first, second = (_player(opening, seat) for seat in (0, 1))
        time: replay.Time | None = None
        if opening.real_time is not None:
            time = "frames" if opening.real_time.frames else "real time"
        adjudication = None
        if opening.lead is not None or opening.double != "draw":
            adjudication = replay.Adjudication(opening.lead, opening.double)
        self._header = replay.Header(
            format=replay.FORMAT,
            version=replay.version_of(time, opening.opening, adjudication),
            seed=opening.seed,
            players=(first, second),
            frames_per_turn=opening.frames_per_turn,
            pieces=opening.max_pieces,
            rules=opening.rules.to_dict(),
            time=time,
            opening=opening.opening,
            adjudication=adjudication,
        )
        self._turns = []
        self.replay = None

    def turned(self, turn: Turn) -> None:
        """Keep what was placed."""
        times = infos = None
        if self._times:
            times = (_time(turn, 0), _time(turn, 1))
        if self._infos:
            infos = (_info(turn, 0), _info(turn, 1))
            infos = None if infos == (None, None) else infos
        self._turns.append(replay.Turn(turn.placements, times, turn.frame, infos))

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


_MOST: Final = 1e18
"""No figure of a bot's is kept that is larger."""


def _player(opening: Opening, seat: int) -> replay.Player:
    limits, clock, timing = opening.limits[seat], opening.clocks[seat], opening.real_time
    return replay.Player(
        name=_text(opening.names[seat])[:200],
        spec=_text(opening.specs[seat])[:1000] or None,
        nodes=limits.nodes,
        milliseconds=limits.milliseconds,
        clock=None if clock is None else replay.Clock(clock.bank, clock.increment),
        pps=None if timing is None else timing.pps[seat],
    )


def _time(turn: Turn, seat: int) -> float | None:
    return None if turn.placements[seat] is None else _milliseconds(turn.seconds[seat])


def _info(turn: Turn, seat: int) -> replay.Info | None:
    info = turn.infos[seat]
    if info is None or turn.placements[seat] is None:
        return None
    extra: object = info.extra
    said = _text(extra)[:1000] if isinstance(extra, str) else None
    return replay.Info(_figure(info.nodes), _figure(info.nps), _figure(info.depth), said)


def _figure(value: object) -> float | None:
    """What a file can hold of a figure; bots say what they like."""
    if not isinstance(value, int | float) or not -_MOST <= value <= _MOST:
        return None
    return value


def _text(text: str) -> str:
    """What a file in UTF-8 can hold of a text; a command line may have other bytes in it."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _fall(fall: Fall | None) -> replay.Fall | None:
    return None if fall is None else replay.Fall(fall.reason.value, fall.detail)


def _score(stats: PlayerStats) -> replay.Score:
    return replay.Score(stats.pieces, stats.lines, stats.attack)


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 3)
