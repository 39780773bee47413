"""Games of two players, in turns or in real time."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, cast

from sevenbag import _kernel
from sevenbag.errors import BoardError, PlacementError, RulesError, check_integer, shown
from sevenbag.game.game import MAX_FRAME, MAX_SEED_VALUE, Player, draw_players
from sevenbag.game.rules import Rules, compile_rules, resolve_rules

if TYPE_CHECKING:
    from sevenbag._kernel import Board, LockResult, Placement


class Versus:
    """Game of two players with the same pieces.

    In a turn both players place a piece at the same frame without knowledge of the other's move;
    then attacks are sent. In real time (`lock_at`) each player places when ready. The game ends at
    a top-out; two top-outs in the same turn or frame are a draw.

    Args:
        rules: rules, or the name of a preset.
        seed: seed of pieces and holes, as in `Game`; the holes of the players differ.
        frames_per_turn: 60 / pieces per second; 30 is two pieces per second.
        boards: initial board of each player; its cells count as garbage. None: empty.

    Raises:
        RulesError: the preset is unknown, or a number is out of range.
        BoardError: the size of a board differs from the rules.
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
        """Rules of the game."""
        return self._rules

    @property
    def seed(self) -> int:
        """Seed of pieces and holes."""
        return self._seed

    @property
    def players(self) -> tuple[Player, Player]:
        """Both players."""
        return self._players

    @property
    def turn(self) -> int:
        """Number of turns played."""
        return self._kernel.turn

    @property
    def frame(self) -> int:
        """Frame of the last lock, in 1/60 s."""
        return max(player.frame for player in self._players)

    @property
    def over(self) -> bool:
        """Return True if a player has topped out."""
        return self._kernel.over

    @property
    def winner(self) -> int | None:
        """0 or 1; None during the game and for a draw."""
        return self._kernel.winner

    def play(
        self,
        first: Placement,
        second: Placement,
        *,
        holds: tuple[bool | None, bool | None] = (None, None),
    ) -> tuple[LockResult, LockResult]:
        """Play one turn: a placement of each player as for `Player.find_move`.

        Raises:
            PlacementError: a placement is illegal, or the game is over. The game is unchanged.
        """
        if not _is_pair(holds):
            raise PlacementError(f"invalid holds: expected two values, got {shown(holds)}")
        return self._kernel.play(first, second, *holds)

    def lock_at(
        self, frame: int, first: Placement | None = None, second: Placement | None = None
    ) -> tuple[LockResult | None, LockResult | None]:
        """Lock a piece of one player or of both in real time.

        Attacks are sent after both locks. The number of turns does not change.

        Raises:
            PlacementError: a placement is illegal, or the game is over. The game is unchanged.
            RulesError: the frame is not within a day, or before the last one.
        """
        check_integer("frame", frame, MAX_FRAME)
        if frame < self.frame:
            raise RulesError(f"invalid frame: expected at least {self.frame}, got {frame}")
        if self.over:
            raise PlacementError("the game is over: no move can be played")
        games = (self._kernel.player(0), self._kernel.player(1))
        judged = [
            None if placement is None else game.find_move(placement, None)
            for game, placement in zip(games, (first, second), strict=True)
        ]
        locks = [
            None
            if placement is None
            else game.play_unchecked(placement, placement.piece != game.current, frame)
            for game, placement in zip(games, judged, strict=True)
        ]
        for player, lock in enumerate(locks):
            for lines in lock.sent if lock is not None else ():
                games[1 - player].receive(lines, frame)
        return locks[0], locks[1]

    def copy(self) -> Versus:
        """Return an independent copy."""
        other = copy.copy(self)
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
        """Return a self-contained SVG picture of both players."""
        return draw_players(self._players).svg()

    _repr_svg_ = svg
    """Return the picture for notebooks."""

    def _look(self) -> tuple[Player, Player]:
        return (
            Player(self._kernel.player(0), self._rules, self._seed),
            Player(self._kernel.player(1), self._rules, self._seed),
        )


def _is_pair(value: object) -> bool:
    return isinstance(value, tuple | list) and len(cast("tuple[object, ...]", value)) == 2
