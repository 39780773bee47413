"""Two players against each other, turn by turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sevenbag import _kernel
from sevenbag.game.game import LARGEST_SEED, Player
from sevenbag.game.rules import Rules, kernel_rules, rules_argument
from sevenbag.game.schema import check_number

if TYPE_CHECKING:
    from sevenbag._kernel import Lock, Placement


class Versus:
    """A game of two players who get the same pieces.

    In a turn both place a piece at the same frame, blind to the other's move; then what they sent
    sets out. A game is over when somebody has topped out; both in the same turn is a draw.

    Args:
        rules: the rules, or the name of a preset.
        seed: decides pieces and holes, as in `Game`; the holes of the two players differ.
        frames_per_turn: 60 / pieces per second; 30 is two a second.

    Raises:
        RulesError: no such preset, or an impossible seed or time.
    """

    def __init__(
        self, rules: Rules | str = "guideline", seed: int = 0, *, frames_per_turn: int = 30
    ) -> None:
        rules = rules_argument(rules)
        check_number("seed", seed, LARGEST_SEED)
        check_number("frames_per_turn", frames_per_turn, 36_000)
        self._rules = rules
        self._seed = seed
        self._kernel = _kernel.Versus(kernel_rules(rules), seed, frames_per_turn)
        self._players = self._look()

    @property
    def rules(self) -> Rules:
        """The rules it is played by."""
        return self._rules

    @property
    def seed(self) -> int:
        """What decides pieces and holes."""
        return self._seed

    @property
    def players(self) -> tuple[Player, Player]:
        """Both sides as they stand."""
        return self._players

    @property
    def turn(self) -> int:
        """Turns played."""
        return self._kernel.turn

    @property
    def frame(self) -> int:
        """When the last turn's pieces locked, in frames of 1/60 s."""
        return self._kernel.frame

    @property
    def over(self) -> bool:
        """Whether somebody has topped out."""
        return self._kernel.over

    @property
    def winner(self) -> int | None:
        """0 or 1; None while the game goes on, and for a draw."""
        return self._kernel.winner

    def play(
        self,
        first: Placement,
        second: Placement,
        *,
        holds: tuple[bool | None, bool | None] = (None, None),
    ) -> tuple[Lock, Lock]:
        """One turn.

        Args:
            first: the first player's placement, see `Player.judge`.
            second: the second player's.
            holds: for each whether it holds; None: it does if it must.

        Raises:
            PlacementError: one of them is not legal, or the game is over. Nothing has changed.
        """
        return self._kernel.play(first, second, *holds)

    def copy(self) -> Versus:
        """A game that goes its own way from here."""
        other = Versus.__new__(Versus)
        other._rules = self._rules
        other._seed = self._seed
        other._kernel = self._kernel.copy()
        other._players = other._look()
        return other

    def svg(self) -> str:
        """A self-contained SVG picture of both sides."""
        from sevenbag.game.picture import players_picture  # noqa: PLC0415  # few games are drawn

        return players_picture(self._players).svg()

    def _repr_svg_(self) -> str:
        """What notebooks show."""
        return self.svg()

    def _look(self) -> tuple[Player, Player]:
        return (
            Player(self._kernel.player(0), self._rules, self._seed),
            Player(self._kernel.player(1), self._rules, self._seed),
        )
