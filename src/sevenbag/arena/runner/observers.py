"""Observers of a game: the interface, and the recorder of replays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag.formats import replay

if TYPE_CHECKING:
    from sevenbag._kernel import Placement
    from sevenbag.arena.runner.bot_session import GameClock
    from sevenbag.bots.bot import Limits, SearchInfo
    from sevenbag.game import Lock, Rules, Versus
    from sevenbag.game.game_config import DoubleTopOut, RealTime
    from sevenbag.game.game_result import GameResult, Loss, PlayerStats


@dataclass(frozen=True, slots=True)
class GameStart:
    """A game as it begins.

    Attributes:
        names: the players, told apart even where both bots call themselves the same.
        rules: the rules.
        seed: seed of pieces and garbage.
        specs: by which specification each bot was called for; empty where there was none.
        limits: what each bot may spend on a move; only limits that really hold for it.
        pieces: the piece limit; None for none.
        frames_per_turn: game time of a turn.
        game: the game itself, live.
        opening: a fumen, on the field of whose first page both begin; None for an empty board.
        lead: the lead in attack that ends the game; None for none.
        double: what both topping out at once is.
        clocks: the time that each bot has for all its moves.
        real_time: how time passes where players do not take turns; None: they do.
    """

    names: tuple[str, str]
    rules: Rules
    seed: int
    specs: tuple[str, str]
    limits: tuple[Limits, Limits]
    pieces: int | None
    frames_per_turn: int
    game: Versus
    opening: str | None = None
    lead: int | None = None
    double: DoubleTopOut = "draw"
    clocks: tuple[GameClock | None, GameClock | None] = (None, None)
    real_time: RealTime | None = None


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """A turn that was played; in real time, what locked at one frame.

    Attributes:
        number: from 1.
        placements: what each player placed; in real time None for one who placed nothing then.
        locks: what came of it; None as in `placements`.
        answer_seconds: duration of each bot's answer; meaningless if it placed nothing.
        move_infos: what each bot said of its search, where it said something.
        stats: what each player has done so far.
        frame: when it was, in frames; None where players take turns.
    """

    number: int
    placements: tuple[Placement | None, Placement | None]
    locks: tuple[Lock | None, Lock | None]
    answer_seconds: tuple[float, float]
    move_infos: tuple[SearchInfo | None, SearchInfo | None]
    stats: tuple[PlayerStats, PlayerStats]
    frame: int | None = None


class GameObserver:
    """Does nothing; override what is of interest. An exception ends the game."""

    def game_started(self, opening: GameStart) -> None:
        """The first turn is next, or the end, where a bot did not get ready."""

    def turn_played(self, turn: PlayedTurn) -> None:
        """A turn was played."""

    def game_ended(self, result: GameResult) -> None:
        """The game is over, or was broken off."""


class ReplayRecorder(GameObserver):
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

    def game_started(self, opening: GameStart) -> None:
        """Keep what the game starts from."""
        first, second = (_encode_player(opening, session) for session in (0, 1))
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
            pieces=opening.pieces,
            rules=opening.rules.to_dict(),
            time=time,
            opening=opening.opening,
            adjudication=adjudication,
        )
        self._turns = []
        self.replay = None

    def turn_played(self, turn: PlayedTurn) -> None:
        """Keep what was placed."""
        times = infos = None
        if self._times:
            times = (_encode_timing(turn, 0), _encode_timing(turn, 1))
        if self._infos:
            infos = (_encode_info(turn, 0), _encode_info(turn, 1))
            infos = None if infos == (None, None) else infos
        self._turns.append(replay.Turn(turn.placements, times, turn.frame, infos))

    def game_ended(self, result: GameResult) -> None:
        """Put the replay together."""
        if self._header is not None:
            self.replay = replay.Replay(self._header, tuple(self._turns), encode_result(result))


def encode_result(result: GameResult) -> replay.Outcome:
    """A result as replays keep it: without times."""
    return replay.Outcome(
        finished=result.ending != "interrupted",
        winner=result.winner,
        ending=result.ending.value,
        falls=(_encode_loss(result.losses[0]), _encode_loss(result.losses[1])),
        score=(_encode_score(result.stats[0]), _encode_score(result.stats[1])),
    )


_MAX_NUMBER: Final = 1e18
"""No figure of a bot's is kept that is larger."""


def _encode_player(opening: GameStart, session: int) -> replay.Player:
    limits, clock, timing = opening.limits[session], opening.clocks[session], opening.real_time
    return replay.Player(
        name=_replace_surrogates(opening.names[session])[:200],
        spec=_replace_surrogates(opening.specs[session])[:1000] or None,
        nodes=limits.nodes,
        milliseconds=limits.milliseconds,
        clock=None if clock is None else replay.Clock(clock.bank, clock.increment),
        pps=None if timing is None else timing.pps[session],
    )


def _encode_timing(turn: PlayedTurn, session: int) -> float | None:
    return None if turn.placements[session] is None else _milliseconds(turn.answer_seconds[session])


def _encode_info(turn: PlayedTurn, session: int) -> replay.Info | None:
    info = turn.move_infos[session]
    if info is None or turn.placements[session] is None:
        return None
    extra: object = info.extra
    said = _replace_surrogates(extra)[:1000] if isinstance(extra, str) else None
    return replay.Info(_bounded(info.nodes), _bounded(info.nps), _bounded(info.depth), said)


def _bounded(value: object) -> float | None:
    """Return a number within the bounds of the file format; bots may send any."""
    if not isinstance(value, int | float) or not -_MAX_NUMBER <= value <= _MAX_NUMBER:
        return None
    return value


def _replace_surrogates(text: str) -> str:
    """Replace surrogates, which UTF-8 cannot encode; command lines may contain them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _encode_loss(loss: Loss | None) -> replay.Fall | None:
    return None if loss is None else replay.Fall(loss.reason.value, loss.detail)


def _encode_score(stats: PlayerStats) -> replay.Score:
    return replay.Score(stats.pieces, stats.lines, stats.attack)


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 3)
