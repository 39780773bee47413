"""Results of a game: the winner, the reasons of losses, statistics of players."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Literal


class LossReason(enum.StrEnum):
    """Reason of a loss: a top-out, a resignation or a fault of the bot."""

    BLOCK_OUT = "block out"
    LOCK_OUT = "lock out"
    GARBAGE_OUT = "garbage out"
    RESIGNATION = "resignation"
    FORFEIT = "forfeit"
    ILLEGAL = "illegal move"
    TIMEOUT = "timeout"
    CRASH = "crash"
    INVALID_MESSAGE = "rubbish"
    NO_START = "no start"

    @property
    def is_top_out(self) -> bool:
        """Return True if the player topped out."""
        return self in _TOP_OUTS

    @property
    def is_fault(self) -> bool:
        """Return True if the bot failed. A resignation is not a fault."""
        return not self.is_top_out and self is not LossReason.RESIGNATION


_TOP_OUTS = frozenset({LossReason.BLOCK_OUT, LossReason.LOCK_OUT, LossReason.GARBAGE_OUT})


class GameEnding(enum.StrEnum):
    """Reason of the end of a game."""

    LOSS = "fall"
    """A player lost; if both lost at once, the game is a draw."""
    PIECES = "pieces"
    """The piece limit; more attack wins."""
    LEAD = "lead"
    """A player reached the lead in attack that decides the game."""
    INTERRUPTED = "interrupted"
    """Interrupted from outside; the game has no winner."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Reason of a loss, with the message of the error if there was one."""

    reason: LossReason
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.reason} ({self.detail})" if self.detail else str(self.reason)


@dataclass(frozen=True, slots=True)
class PlayerStats:
    """Statistics of a player at the end of a game.

    Attributes:
        attack: lines of attack made, including those that cancelled garbage.
        thinking_seconds: total duration of the bot's answers; None if not measured.
        elapsed_seconds: duration of the game, waiting included; None if not measured.
        clock_seconds: seconds left on the clock; None without a clock.
    """

    pieces: int
    lines: int
    attack: int
    thinking_seconds: float | None = None
    elapsed_seconds: float | None = None
    clock_seconds: float | None = None

    @property
    def app(self) -> float:
        """Attack per piece."""
        return self.attack / self.pieces if self.pieces else 0.0

    @property
    def pps(self) -> float | None:
        """Pieces per second."""
        seconds = self.elapsed_seconds
        return None if seconds is None else self.pieces / max(seconds, 1e-9)

    @property
    def thinking_ms_per_piece(self) -> float | None:
        """Mean thinking time of a piece."""
        seconds = self.thinking_seconds
        return None if seconds is None else seconds * 1000 / max(self.pieces, 1)


@dataclass(frozen=True, slots=True)
class GameResult:
    """Result of a game.

    Attributes:
        winner: 0 or 1; None for a draw or an interrupted game.
        losses: loss of each player; None if the player did not lose.
        started: True for each bot that became ready for the game.
    """

    names: tuple[str, str]
    winner: int | None
    ending: GameEnding
    losses: tuple[Loss | None, Loss | None]
    stats: tuple[PlayerStats, PlayerStats]
    started: tuple[bool, bool] = (True, True)

    def __str__(self) -> str:
        return f"{self._verdict()} ({max(each.pieces for each in self.stats)} pieces)"

    def _verdict(self) -> str:
        if self.ending is GameEnding.INTERRUPTED:
            return "unfinished"
        attack = "{} to {} lines of attack".format(
            *sorted((each.attack for each in self.stats), reverse=True)
        )
        if self.ending is GameEnding.PIECES:
            return self._headline() + f": {attack} at the piece limit"
        if self.ending is GameEnding.LEAD:
            return self._headline() + f": {attack}, a lead that decides"
        first, second = self.losses
        if first is not None and second is not None:
            if self.winner is not None:
                return self._headline() + f": {attack} as both topped out"
            if first.reason.is_fault or second.reason.is_fault:
                how = "by double fault"
            elif first.reason.is_top_out and second.reason.is_top_out:
                how = "as both topped out"
            else:
                how = "as both lost"
            return f"draw {how}: {self.names[0]}: {first}; {self.names[1]}: {second}"
        loser = 0 if first is not None else 1
        return f"{self._headline()}: {self.names[loser]} lost by {self.losses[loser]}"

    def _headline(self) -> str:
        return "draw" if self.winner is None else f"{self.names[self.winner]} wins"


def decide_winner(
    ending: GameEnding,
    losses: tuple[Loss | None, Loss | None],
    stats: tuple[PlayerStats, PlayerStats],
    double: Literal["draw", "attack"] = "draw",
) -> int | None:
    """Return the winner under the arena's rules.

    The player who has not lost wins; at the piece limit and by lead, the player with more attack.
    After a double top-out the game is a draw, or by `double` more attack wins; if a player resigned
    or failed instead, the game is a draw.
    """
    if ending is GameEnding.INTERRUPTED:
        return None
    if ending in {GameEnding.PIECES, GameEnding.LEAD}:
        return _more_attack(stats)
    first, second = losses
    if first is not None and second is not None:
        topped_out = first.reason.is_top_out and second.reason.is_top_out
        return _more_attack(stats) if double == "attack" and topped_out else None
    return 1 if first is not None else 0


def _more_attack(stats: tuple[PlayerStats, PlayerStats]) -> int | None:
    difference = stats[0].attack - stats[1].attack
    return None if difference == 0 else int(difference < 0)
