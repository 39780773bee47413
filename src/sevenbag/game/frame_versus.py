"""Frame-by-frame games of several players with a simulated network.

>>> from sevenbag.game.frame_versus import FrameVersus
>>> from sevenbag.game.frame_game import Button
>>> match = FrameVersus("tetrio-league", seed=1, latency=5)
>>> match.players[0].press(Button.HARD_DROP, 0.2)
>>> match.end_frame()
>>> match.frame, [player.stats.pieces for player in match.players]
(1, [1, 0])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from sevenbag import _kernel
from sevenbag._kernel import Button, FrameRules, Handling
from sevenbag.errors import PlacementError, RulesError, check_integer
from sevenbag.game.frame_game import FrameGame
from sevenbag.game.game import MAX_FRAME, MAX_SEED_VALUE, Player
from sevenbag.game.rules import Rules, resolve_rules
from sevenbag.game.versus import Versus

if TYPE_CHECKING:
    from sevenbag._kernel import LockResult, Placement

MAX_PLAYERS: Final = 100

MAX_LATENCY: Final = 600
"""Maximum latency in frames."""


class FrameVersus:
    """Game of two or more players with the same pieces, each with a keyboard.

    The caller presses the keys of `players` and ends each frame. An attack is announced to its
    targets `latency` frames after it was made, and confirmed after another `latency` frames.
    Attacks that are in flight in both directions cancel each other, as in TETR.IO.

    By default every player attacks all others who are not out; see `FrameGame.set_targets`. The
    game ends when at most one player remains.

    Args:
        rules: rules, or the name of a preset.
        seed: seed of pieces and holes; the same for all players.
        frame_rules: gravity and lock delay.
        handlings: keyboard settings of each player [default: two players].
        latency: frames that a message takes, 0 to 600.

    Attributes:
        rules: rules of the game.
        players: all players.
        frame: number of completed frames.

    Raises:
        RulesError: as for `FrameGame`; or the number of players or the latency is out of range.
    """

    def __init__(
        self,
        rules: Rules | str = "tetrio-league",
        seed: int = 0,
        *,
        frame_rules: FrameRules | None = None,
        handlings: Sequence[Handling | None] = (None, None),
        latency: int = 0,
    ) -> None:
        self.rules = resolve_rules(rules)
        if not 2 <= len(handlings) <= MAX_PLAYERS:
            raise RulesError(
                f"invalid handlings: expected 2 to {MAX_PLAYERS} players, got {len(handlings)}"
            )
        check_integer("latency", latency, MAX_LATENCY)
        self.players = tuple(
            FrameGame(self.rules, seed=seed, frame_rules=frame_rules, handling=handling)
            for handling in handlings
        )
        self._latency = latency
        self.frame = 0
        self._messages: dict[int, list[_Message]] = {}
        self._aim()

    @property
    def remaining(self) -> tuple[int, ...]:
        """Numbers of the players who are not out."""
        return tuple(number for number, player in enumerate(self.players) if not player.over)

    @property
    def over(self) -> bool:
        """Return True if at most one player remains."""
        return len(self.remaining) <= 1

    @property
    def winner(self) -> int | None:
        """Remaining player; None during the game and for a draw."""
        left = self.remaining
        return left[0] if len(left) == 1 else None

    def end_frame(self) -> None:
        """Complete the frame for all players, then deliver due messages."""
        left = self.remaining
        for number, player in enumerate(self.players):
            player.end_frame()
            for target, count, lines, acknowledged, _, _ in player.take_sent_attacks():
                message = _Message(number, target, count, lines, acknowledged)
                self._post(message, self._latency)
        self.frame += 1
        for message in self._messages.pop(self.frame, ()):
            self._deliver(message)
        if self.remaining != left:
            self._aim()

    def _post(self, message: _Message, frames: int) -> None:
        self._messages.setdefault(self.frame + 1 + frames, []).append(message)

    def _deliver(self, message: _Message) -> None:
        if not 0 <= message.target < len(self.players):
            return
        player = self.players[message.target]
        if message.announced:
            player.confirm(message.sender, message.number)
            return
        player.announce(message.sender, message.number, message.lines, message.acknowledged)
        message.announced = True
        if self._latency:
            # Messages are created after the end of the frame.
            self._post(message, self._latency - 1)
        else:
            player.confirm(message.sender, message.number)

    def _aim(self) -> None:
        """Let each remaining player attack all other remaining players."""
        left = self.remaining
        for number, player in enumerate(self.players):
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
    """Versus game with gravity, played by placements.

    Pieces fall and lock while no player places them: gravity is 0.02 rows per frame and grows after
    two minutes, and a piece locks after half a second on the ground. Attacks arrive in the next
    frame; those made in the same frame cancel each other.

    Attributes:
        locked_by_itself: the last piece was locked by gravity and not by a placement.

    Raises:
        RulesError: as for `FrameVersus`.
    """

    def __init__(self, rules: Rules | str = "tetrio-league", seed: int = 0) -> None:
        rules = resolve_rules(rules)
        check_integer("seed", seed, MAX_SEED_VALUE)
        self._rules = rules
        self._seed = seed
        # No hard-drop delay after an automatic lock: the caller knows of that lock.
        handling = Handling(soft_drop=_AT_ONCE, safe_lock=False)
        self._match = FrameVersus(rules, seed, frame_rules=_GRAVITY, handlings=(handling, handling))
        # The match has the attributes that Versus reads.
        self._kernel = cast("_kernel.Versus", self._match)
        self._players = cast("tuple[Player, Player]", self._match.players)
        self.locked_by_itself = False

    @property
    def turn(self) -> int:
        """0: the game has no turns."""
        return 0

    def play(
        self,
        first: Placement,
        second: Placement,
        *,
        holds: tuple[bool | None, bool | None] = (None, None),
    ) -> tuple[LockResult, LockResult]:
        """Raise a PlacementError: the game has no turns."""
        del first, second, holds
        raise PlacementError("the game has no turns: use lock_at")

    def lock_at(
        self, frame: int, first: Placement | None = None, second: Placement | None = None
    ) -> tuple[LockResult | None, LockResult | None]:
        """Advance to a frame, then press the keys of placements.

        If a piece locks by gravity before, the method returns at that lock: see `locked_by_itself`
        and `frame`. A piece that has fallen too far for its placement is dropped in place.

        Raises:
            PlacementError: the game is over, or the piece of a placement is not available.
            RulesError: the frame is not within a day, or has passed.
        """
        check_integer("frame", frame, MAX_FRAME)
        if frame < self.frame:
            raise RulesError(f"invalid frame: expected at least {self.frame}, got {frame}")
        if self.over:
            raise PlacementError("the game is over: no move can be played")
        games = self._match.players
        placed = [game.stats.pieces for game in games]
        while self._match.frame < frame and [game.stats.pieces for game in games] == placed:
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
        """Raise a PlacementError: the game cannot be copied."""
        raise PlacementError("the game cannot be copied")


_AT_ONCE = 41.0

_GRAVITY = FrameRules(gravity=0.02, gravity_growth=0.0035, gravity_margin=7200)


def _place(game: FrameGame, placement: Placement) -> None:
    judged = game.find_move(placement)
    try:
        game.place(judged)
    except PlacementError:
        holds = judged.piece != game.current
        for button in (Button.HOLD, Button.HARD_DROP) if holds else (Button.HARD_DROP,):
            game.press(button)
            game.release(button)
