"""Two players in real time whose pieces fall: placements become keys, frame by frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sevenbag._kernel import Button, FrameRules, Handling
from sevenbag.errors import PlacementError, RulesError, check_integer
from sevenbag.game.frame_versus import FrameVersus
from sevenbag.game.game import LARGEST_SEED, LAST_FRAME
from sevenbag.game.rules import Rules, rules_argument
from sevenbag.game.versus import Versus

if TYPE_CHECKING:
    from sevenbag._kernel import Lock, Placement
    from sevenbag.game.frames import FrameGame


class KeyedVersus(Versus):
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

    by_itself: bool
    """Whether what locked last was not placed, but had lain for too long."""

    def __init__(self, rules: Rules | str = "tetrio-league", seed: int = 0) -> None:
        rules = rules_argument(rules)
        check_integer("seed", seed, LARGEST_SEED)
        self._rules = rules
        self._seed = seed
        # Nobody has to wait after a lock by time: who places is told of it.
        handling = Handling(soft_drop=_AT_ONCE, safe_lock=False)
        self._match = FrameVersus(rules, seed, time=_TIME, handlings=(handling, handling))
        self.by_itself = False

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
        check_integer("frame", frame, LAST_FRAME)
        if frame < self.frame:
            raise RulesError(f"frame is {frame}, must be at least {self.frame}: it has passed")
        if self.over:
            raise PlacementError("the game is over: no move can be played")
        games = self.players
        placed = [game.stats.pieces for game in games]
        while self.frame < frame and [game.stats.pieces for game in games] == placed:
            self._match.end_frame()
        self.by_itself = [game.stats.pieces for game in games] != placed
        if not self.by_itself:
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
