"""Configuration of one game: rules, limits, clocks, deadlines and timing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from sevenbag.bots.bot import Limits
from sevenbag.errors import InputError, shown
from sevenbag.game import Rules, Versus
from sevenbag.game.frame_versus import GravityVersus
from sevenbag.game.game_config import DEFAULT_FRAMES_PER_TURN, DoubleTopOut, RealTime, opening_board

_MAX_BANK: Final = 1e9


@dataclass(frozen=True, slots=True)
class GameClock:
    """Clock of a bot for a whole game, as in chess; a bot that uses it up loses.

    The limit of a move is a fortieth of the remaining time, plus the increment.

    Attributes:
        bank: milliseconds at the beginning, above 0.
        increment: milliseconds added after each move.

    Raises:
        InputError: a time is out of range.
    """

    bank: float
    increment: float = 0.0

    def __post_init__(self) -> None:
        """Check the ranges."""
        if not 0 < self.bank <= _MAX_BANK:
            raise InputError(
                f"invalid bank: expected number above 0 to {_MAX_BANK:g}, got {shown(self.bank)}"
            )
        if not 0 <= self.increment <= _MAX_BANK:
            raise InputError(
                f"invalid increment: expected number from 0 to {_MAX_BANK:g},"
                f" got {shown(self.increment)}"
            )


@dataclass(frozen=True, slots=True)
class BotDeadlines:
    """Time limits of a bot for each step, in seconds; a bot's own limits take precedence.

    Attributes:
        prepare: launch and preparation for the rules.
        update: an update of the position.
        suggest: an answer, in addition to the thinking time of its limits.
        stop: the end of a game.
        quit: the end of the bot; a driver kills a program that takes longer.
    """

    prepare: float = 20.0
    update: float = 5.0
    suggest: float = 10.0
    stop: float = 2.0
    quit: float = 10.0


@dataclass(frozen=True, slots=True)
class GameConfig:
    """Configuration of one game: rules, limits and timing.

    Attributes:
        limits: limits of each bot per move.
        specs: specification of each bot, for replays and displays.
        pieces: piece limit of each player, after which more attack wins; None for none.
        frames_per_turn: game time of a turn, in which garbage travels; unused in real time.
        pps: maximum number of turns per second of wall-clock time; None for no maximum.
        deadlines: time limits of each bot for each step.
        clocks: clock of each bot; None for none.
        lead: lead in lines of attack that wins the game; None for none.
        double: result if both players top out at once.
        opening: fumen whose first page is the first board of both; None for an empty board.
        real_time: timing of a game in real time; None for turns.
    """

    rules: Rules
    seed: int
    limits: tuple[Limits, Limits] = (Limits(), Limits())
    specs: tuple[str, str] = ("", "")
    pieces: int | None = None
    frames_per_turn: int = DEFAULT_FRAMES_PER_TURN
    pps: float | None = None
    deadlines: BotDeadlines = field(default_factory=BotDeadlines)
    clocks: tuple[GameClock | None, GameClock | None] = (None, None)
    lead: int | None = None
    double: DoubleTopOut = "draw"
    opening: str | None = None
    real_time: RealTime | None = None

    def new_game(self) -> Versus:
        """Create the game.

        Raises:
            InputError: the opening is invalid, or the rules cannot be played like this.
        """
        opening = self.opening
        if self.real_time is not None and self.real_time.frames:
            if opening is not None:
                raise InputError("invalid opening: expected none with frames")
            return GravityVersus(self.rules, self.seed)
        board = None if opening is None else opening_board(opening, self.rules)
        return Versus(
            self.rules, self.seed, frames_per_turn=self.frames_per_turn, boards=(board, board)
        )
