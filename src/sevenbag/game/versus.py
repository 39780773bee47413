"""Two players against each other: turn by turn, or each in a time of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sevenbag import _kernel
from sevenbag.errors import BoardError, PlacementError, RulesError, check_integer, shown
from sevenbag.game.game import MAX_FRAME, MAX_SEED_VALUE, Player, draw_players
from sevenbag.game.rules import Rules, compile_rules, resolve_rules

if TYPE_CHECKING:
    from sevenbag._kernel import Board, Lock, Placement


class Versus:
    """A game of two players who get the same pieces.

    In a turn both place a piece at the same frame, blind to the other's move; then what they sent
    sets out. In real time (`lock_at`) each places when it is ready. A game is over when somebody
    has topped out; both in the same turn, or at the same frame, is a draw.

    Args:
        rules: the rules, or the name of a preset.
        seed: decides pieces and holes, as in `Game`; the holes of the two players differ.
        frames_per_turn: 60 / pieces per second; 30 is two a second.
        boards: for each player the board to begin on; its cells count as garbage. None: empty.

    Raises:
        RulesError: no such preset, or an impossible seed or time.
        BoardError: a board's size is not that of the rules.
    """

    def __init__(
        self,
        rules: Rules | str = "guideline",
        seed: int = 0,
        *,
        frames_per_turn: int = 30,
        boards: tuple[Board | None, Board | None] = (None, None),
    ) -> None:
        rules = resolve_rules(rules)
        check_integer("seed", seed, MAX_SEED_VALUE)
        check_integer("frames_per_turn", frames_per_turn, 36_000)
        self._rules = rules
        self._seed = seed
        self._kernel = _kernel.Versus(compile_rules(rules), seed, frames_per_turn)
        if not _is_pair(boards):
            raise BoardError(f"invalid boards: expected two boards, got {shown(boards)}")
        for player, board in enumerate(boards):
            if board is not None:
                self._kernel.player(player).start_from(board, 0, 0)
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
        """When the last pieces locked, in frames of 1/60 s."""
        return max(player.frame for player in self._players)

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
        if not _is_pair(holds):
            raise PlacementError(f"invalid holds: expected two values, got {shown(holds)}")
        return self._kernel.play(first, second, *holds)

    def lock_at(
        self, frame: int, first: Placement | None = None, second: Placement | None = None
    ) -> tuple[Lock | None, Lock | None]:
        """In real time: one player locks a piece at a frame, or both do.

        What was sent sets out then, after both have locked. Turns are not counted by this.

        Args:
            frame: not before any lock so far.
            first: the first player's placement; None if it locks nothing now.
            second: the second player's.

        Raises:
            PlacementError: one of them is not legal, or the game is over. Nothing has changed.
            RulesError: the frame is not within a day, or before the last one.
        """
        check_integer("frame", frame, MAX_FRAME)
        if frame < self.frame:
            raise RulesError(f"frame is {frame}, must be at least {self.frame}: it has passed")
        if self.over:
            raise PlacementError("the game is over: no move can be played")
        games = (self._kernel.player(0), self._kernel.player(1))
        judged = [
            None if placement is None else game.judge(placement, None)
            for game, placement in zip(games, (first, second), strict=True)
        ]
        locks = [
            None if placement is None else game.play(placement, None, frame)
            for game, placement in zip(games, judged, strict=True)
        ]
        for player, lock in enumerate(locks):
            for lines in lock.sent if lock is not None else ():
                games[1 - player].receive(lines, frame)
        return locks[0], locks[1]

    def copy(self) -> Versus:
        """A game that goes its own way from here."""
        other = Versus.__new__(Versus)
        other._rules = self._rules
        other._seed = self._seed
        other._kernel = self._kernel.copy()
        other._players = other._look()
        return other

    def __str__(self) -> str:
        """Draw both players, one below the other; see `Player`."""
        return "\n\n".join(
            f"player {number}: {player}" for number, player in enumerate(self._players, start=1)
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._rules.name}, seed {self._seed}, turn {self.turn}>"

    def svg(self) -> str:
        """A self-contained SVG picture of both sides."""
        return draw_players(self._players).svg()

    def _repr_svg_(self) -> str:
        """What notebooks show."""
        return self.svg()

    def _look(self) -> tuple[Player, Player]:
        return (
            Player(self._kernel.player(0), self._rules, self._seed),
            Player(self._kernel.player(1), self._rules, self._seed),
        )


def _is_pair(value: object) -> bool:
    return isinstance(value, tuple | list) and len(cast("tuple[object, ...]", value)) == 2
