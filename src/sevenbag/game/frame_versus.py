"""Players against each other in real time, frame by frame, over a network that takes its time.

>>> from sevenbag.game.frame_versus import FrameVersus
>>> from sevenbag.game.frame_game import Button
>>> match = FrameVersus("tetrio-league", seed=1, latency=5)
>>> match.players[0].press(Button.HARD_DROP, 0.2)
>>> match.end_frame()
>>> match.frame, [player.stats.pieces for player in match.players]
(1, [1, 0])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag._kernel import Button, FrameRules, Handling
from sevenbag.errors import PlacementError, RulesError, check_integer
from sevenbag.game.frame_game import FrameGame
from sevenbag.game.game import MAX_FRAME, MAX_SEED_VALUE
from sevenbag.game.rules import Rules, resolve_rules
from sevenbag.game.versus import Versus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Lock, Placement

MAX_PLAYERS: Final = 100

MAX_LATENCY: Final = 600
"""Frames; ten seconds."""


class FrameVersus:
    """A game of two or more who get the same pieces, each with a keyboard of its own.

    Whoever drives it presses the keys of `players` and ends the frame, sixty times a second or as
    quickly as the machine can. An attack is announced to those it goes to `latency` frames after
    the frame in which it was made, and sets out as long after that, when word of its arrival has
    come back. What crosses on the way cancels out, as in TETR.IO.

    Everybody attacks everybody else that is not out, unless `FrameGame.target` is told otherwise.
    The game is over when all but one are out.

    Args:
        rules: the rules, or the name of a preset.
        seed: decides pieces and holes; the same for all.
        time: the rules of time.
        handlings: a keyboard for each player; there are as many players as these, two without.
        latency: frames that a message takes, 0 to 600.

    Raises:
        RulesError: as `FrameGame`; also fewer than 2 or more than 100 players, or no such latency.
    """

    def __init__(
        self,
        rules: Rules | str = "tetrio-league",
        seed: int = 0,
        *,
        time: FrameRules | None = None,
        handlings: Sequence[Handling | None] = (None, None),
        latency: int = 0,
    ) -> None:
        rules = resolve_rules(rules)
        if not 2 <= len(handlings) <= MAX_PLAYERS:
            raise RulesError(f"{len(handlings)} players, must be 2 to {MAX_PLAYERS}")
        check_integer("latency", latency, MAX_LATENCY)
        self._players = tuple(
            FrameGame(rules, seed=seed, frame_rules=time, handling=handling)
            for handling in handlings
        )
        self._latency = latency
        self._frame = 0
        self._under_way: dict[int, list[_Message]] = {}
        self._aim()

    @property
    def rules(self) -> Rules:
        """The rules it is played by."""
        return self._players[0].rules

    @property
    def players(self) -> tuple[FrameGame, ...]:
        """All sides, by number."""
        return self._players

    @property
    def frame(self) -> int:
        """Frames that have ended."""
        return self._frame

    @property
    def remaining(self) -> tuple[int, ...]:
        """The numbers of those who are not out."""
        return tuple(number for number, player in enumerate(self._players) if not player.over)

    @property
    def over(self) -> bool:
        """Whether no more than one is left."""
        return len(self.remaining) <= 1

    @property
    def winner(self) -> int | None:
        """The one who is left; None while the game goes on, and if the last went out together."""
        left = self.remaining
        return left[0] if len(left) == 1 else None

    def end_frame(self) -> None:
        """The frame ends for everybody; then messages arrive that are due."""
        left = self.remaining
        for number, player in enumerate(self._players):
            player.end_frame()
            for target, count, lines, acknowledged, _, _ in player.take_sent_attacks():
                message = _Message(number, target, count, lines, acknowledged)
                self._post(message, self._latency)
        self._frame += 1
        for message in self._under_way.pop(self._frame, ()):
            self._deliver(message)
        if self.remaining != left:
            self._aim()

    # --- helpers --------------------------------------------------------------------------------

    def _post(self, message: _Message, frames: int) -> None:
        self._under_way.setdefault(self._frame + 1 + frames, []).append(message)

    def _deliver(self, message: _Message) -> None:
        if not 0 <= message.target < len(self._players):
            return
        player = self._players[message.target]
        if message.announced:
            player.confirm(message.sender, message.number)
            return
        player.announce(message.sender, message.number, message.lines, message.acknowledged)
        message.announced = True
        if self._latency:
            # One frame is counted by whoever posts at the end of a frame; this one has begun.
            self._post(message, self._latency - 1)
        else:
            player.confirm(message.sender, message.number)

    def _aim(self) -> None:
        """Everybody who is left attacks the others who are."""
        left = self.remaining
        for number, player in enumerate(self._players):
            player.set_targets([other for other in left if other != number])


@dataclass(slots=True)
class _Message:
    sender: int
    target: int
    number: int
    lines: int
    acknowledged: int
    announced: bool = False


class GravityVersus(Versus):
    """A versus game that has the face of every other, and is played frame by frame.

    Pieces fall and lock by themselves while nobody places them, at TETR.IO's usual pace: gravity of
    0.02 rows a frame, which grows after two minutes, half a second until a piece locks. Attacks
    arrive with the next frame; those made in the same frame cancel out.

    Args:
        rules: the rules, or the name of a preset.
        seed: decides pieces and holes; the same for both.

    Raises:
        RulesError: as `FrameVersus`.
    """

    locked_by_itself: bool
    """Whether what locked last was not placed, but had lain for too long."""

    def __init__(self, rules: Rules | str = "tetrio-league", seed: int = 0) -> None:
        rules = resolve_rules(rules)
        check_integer("seed", seed, MAX_SEED_VALUE)
        self._rules = rules
        self._seed = seed
        # Nobody has to wait after a lock by time: who places is told of it.
        handling = Handling(soft_drop=_AT_ONCE, safe_lock=False)
        self._match = FrameVersus(rules, seed, time=_TIME, handlings=(handling, handling))
        self.locked_by_itself = False

    @property
    def players(self) -> tuple[FrameGame, FrameGame]:
        """Both sides as they stand."""
        first, second = self._match.players
        return first, second

    @property
    def turn(self) -> int:
        """There are none: 0."""
        return 0

    @property
    def frame(self) -> int:
        """Frames that have passed."""
        return self._match.frame

    @property
    def over(self) -> bool:
        """Whether somebody is out."""
        return self._match.over

    @property
    def winner(self) -> int | None:
        """0 or 1; None while the game goes on, and if both went out together."""
        return self._match.winner

    def play(
        self,
        first: Placement,
        second: Placement,
        *,
        holds: tuple[bool | None, bool | None] = (None, None),
    ) -> tuple[Lock, Lock]:
        """There are no turns in such a game.

        Raises:
            PlacementError: always.
        """
        del first, second, holds
        raise PlacementError("frame by frame, players do not take turns: lock_at places pieces")

    def lock_at(
        self, frame: int, first: Placement | None = None, second: Placement | None = None
    ) -> tuple[Lock | None, Lock | None]:
        """Let time pass up to a frame; then press the keys of placements.

        If a piece locks by itself before, that is all that happens: `by_itself` and `frame` tell. A
        piece that has sunk past the way to its placement is dropped where it is.

        Args:
            frame: when, not before what has passed.
            first: the first player's placement; None if it places nothing then.
            second: the second player's.

        Raises:
            PlacementError: the game is over, or somebody else's piece is to be placed.
            RulesError: the frame is not within a day, or has passed.
        """
        check_integer("frame", frame, MAX_FRAME)
        if frame < self.frame:
            raise RulesError(f"frame is {frame}, must be at least {self.frame}: it has passed")
        if self.over:
            raise PlacementError("the game is over: no move can be played")
        games = self.players
        placed = [game.stats.pieces for game in games]
        while self.frame < frame and [game.stats.pieces for game in games] == placed:
            self._match.end_frame()
        self.locked_by_itself = [game.stats.pieces for game in games] != placed
        if not self.locked_by_itself:
            for game, placement in zip(games, (first, second), strict=True):
                if placement is not None:
                    _place(game, placement)
        one, two = (
            game.last_lock if game.stats.pieces > count else None
            for game, count in zip(games, placed, strict=True)
        )
        return one, two

    def copy(self) -> Versus:
        """Such a game cannot be copied.

        Raises:
            PlacementError: always.
        """
        raise PlacementError("a game frame by frame cannot be copied")


# --- helpers ------------------------------------------------------------------------------------


_AT_ONCE = 41.0

_TIME = FrameRules(gravity=0.02, gravity_growth=0.0035, gravity_margin=7200)


def _place(game: FrameGame, placement: Placement) -> None:
    judged = game.judge(placement)
    try:
        game.place(judged)
    except PlacementError:
        if judged.piece != game.current:
            _tap(game, Button.HOLD)
        _tap(game, Button.HARD_DROP)


def _tap(game: FrameGame, button: Button) -> None:
    game.press(button)
    game.release(button)
