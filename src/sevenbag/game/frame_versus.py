"""Players against each other in real time, frame by frame, over a network that takes its time.

>>> from sevenbag.game.frame_versus import FrameVersus
>>> from sevenbag.game.frames import Button
>>> match = FrameVersus("tetrio-league", seed=1, latency=5)
>>> match.players[0].press(Button.HARD_DROP, 0.2)
>>> match.end_frame()
>>> match.frame, [player.stats.pieces for player in match.players]
(1, [1, 0])
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sevenbag.errors import RulesError, check_integer
from sevenbag.game.frames import FrameGame
from sevenbag.game.rules import Rules, rules_argument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import FrameRules, Handling

MOST_PLAYERS: Final = 100
LONGEST_LATENCY: Final = 600
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
        rules = rules_argument(rules)
        if not 2 <= len(handlings) <= MOST_PLAYERS:
            raise RulesError(f"{len(handlings)} players, must be 2 to {MOST_PLAYERS}")
        check_integer("latency", latency, LONGEST_LATENCY)
        self._players = tuple(
            FrameGame(rules, seed=seed, time=time, handling=handling) for handling in handlings
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
    def left(self) -> tuple[int, ...]:
        """The numbers of those who are not out."""
        return tuple(number for number, player in enumerate(self._players) if not player.over)

    @property
    def over(self) -> bool:
        """Whether no more than one is left."""
        return len(self.left) <= 1

    @property
    def winner(self) -> int | None:
        """The one who is left; None while the game goes on, and if the last went out together."""
        left = self.left
        return left[0] if len(left) == 1 else None

    def end_frame(self) -> None:
        """The frame ends for everybody; then messages arrive that are due."""
        left = self.left
        for number, player in enumerate(self._players):
            player.end_frame()
            for target, count, lines, acknowledged, _, _ in player.take_sent():
                message = _Message(number, target, count, lines, acknowledged)
                self._post(message, self._latency)
        self._frame += 1
        for message in self._under_way.pop(self._frame, ()):
            self._deliver(message)
        if self.left != left:
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
        left = self.left
        for number, player in enumerate(self._players):
            player.target([other for other in left if other != number])


@dataclass(slots=True)
class _Message:
    sender: int
    target: int
    number: int
    lines: int
    acknowledged: int
    announced: bool = False
