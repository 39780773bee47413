"""A batch of games in the kernel, and the arrays that it writes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from sevenbag.drawing.picture import COLORS, GARBAGE
from sevenbag.envs.env_config import COUNTERS, EnvConfig, actions_of
from sevenbag.errors import RulesError
from sevenbag.game import Player

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sevenbag.envs.env_config import Observation


class EnvBatch:
    """Games that are played together, one row of every array for each seat.

    A seat is a player of a game; seats of a game follow one another.
    """

    def __init__(self, settings: EnvConfig, games: int, players: int, threads: int = 1) -> None:
        self.kernel = settings.kernel(games, players)
        self.settings = settings
        self.actions = actions_of(self.kernel)
        self.games = games
        self.players = players
        self.seats = games * players
        self.threads = threads

    def new_arrays(self) -> Observation:
        """Room for what all seats see."""
        seats, players = self.seats, self.players
        settings = self.settings
        width = settings.rules.board.width
        return {
            "board": np.zeros((seats, players, settings.rows, width), np.uint8),
            "pieces": np.zeros((seats, players, self.kernel.observed_pieces), np.uint8),
            "counters": np.zeros((seats, players, COUNTERS), np.int32),
            "action_mask": np.zeros((seats, self.actions.count), np.int8),
        }

    def observe(self, into: Observation) -> None:
        """Write what all seats see."""
        self.kernel.observe(
            self.threads, into["board"], into["pieces"], into["counters"], into["action_mask"]
        )

    def reset_ended(self, into: Observation) -> None:
        """Begin the next game where one has ended; write what is seen of it."""
        self.kernel.reset_ended(
            into["board"], into["pieces"], into["counters"], into["action_mask"]
        )

    def step(
        self, actions: NDArray[np.int64], into: Observation, *, autoreset: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """One turn of every game.

        Args:
            actions: one for each seat.
            into: where what is seen is written.
            begin_next: whether a game that has ended begins anew instead.

        Returns: rewards, and which games are over, and which cut short.
        """
        rewards = np.empty(self.seats, np.float64)
        terminated = np.empty(self.seats, np.bool_)
        truncated = np.empty(self.seats, np.bool_)
        self.kernel.step(
            actions,
            autoreset,
            self.threads,
            into["board"],
            into["pieces"],
            into["counters"],
            into["action_mask"],
            rewards,
            terminated,
            truncated,
        )
        return rewards, terminated, truncated

    def player(self, seat: int) -> Player:
        """A seat's side of its game, as it stands now."""
        seed = self.kernel.seed(seat // self.players)
        return Player(self.kernel.game(seat), self.settings.rules, seed)


def read_row(arrays: Observation, seat: int) -> Observation:
    """What one seat sees, copied."""
    return {name: array[seat].copy() for name, array in arrays.items()}


RENDER_MODES: Final = ["ansi", "rgb_array"]

CELL: Final = 12
"""Pixels of a cell's edge."""

Cells = tuple[tuple[int, int], ...]


def render_text(players: Sequence[Player], falling: Cells = ()) -> str:
    """Boards side by side, rows from the top; below them hold and queue.

    Args:
        players: whose boards.
        falling: cells of a piece in the air, on the first board.
    """
    boards = [_rows(player, falling if i == 0 else ()) for i, player in enumerate(players)]
    lines = ["  ".join(rows) for rows in zip(*boards, strict=True)]
    for player in players:
        hold = "-" if player.hold is None else player.hold.name
        queue = "".join(piece.name for piece in player.queue)
        lines.append(f"hold {hold}  queue {queue}  pending {sum(player.pending)}")
    return "\n".join(lines) + "\n"


def render_image(players: Sequence[Player], falling: Cells = ()) -> NDArray[np.uint8]:
    """Boards side by side, a column of pixels between them; height x width x 3."""
    parts: list[NDArray[np.uint8]] = []
    for i, player in enumerate(players):
        rows = _rows(player, falling if i == 0 else ())
        letters = np.array([[ord(letter) for letter in row] for row in rows], np.uint8)
        if parts:
            parts.append(np.full((len(rows) * CELL, CELL // 2, 3), 255, np.uint8))
        parts.append(_PALETTE[letters].repeat(CELL, axis=0).repeat(CELL, axis=1))
    return np.concatenate(parts, axis=1)


def check_render_mode(mode: str | None) -> None:
    """Raise RulesError if there is no such mode."""
    if mode is not None and mode not in RENDER_MODES:
        raise RulesError(f"render_mode is {mode!r}, must be None or {' or '.join(RENDER_MODES)}")


def render_players(
    players: list[Player], mode: str | None, falling: tuple[tuple[int, int], ...] = ()
) -> str | NDArray[np.uint8] | None:
    """What `render` gives."""
    if mode is None:
        return None
    return render_text(players, falling) if mode == "ansi" else render_image(players, falling)


# --- helpers ------------------------------------------------------------------------------------


def _palette() -> NDArray[np.uint8]:
    """Colours by the code of a cell's letter."""
    palette = np.zeros((128, 3), np.uint8)
    for letter, color in COLORS.items():
        palette[ord(letter)] = tuple(bytes.fromhex(color[1:]))
    return palette


_PALETTE: Final = _palette()


def _rows(player: Player, falling: Cells) -> list[str]:
    """The visible rows and the two above them, from the top, a letter a cell."""
    board = player.rules.board
    rows = [list(row) for row in player.colors[: min(board.visible + 2, board.rows)]]
    for x, y in falling:
        if y < len(rows):
            rows[y][x] = GARBAGE if player.over else player.current.name
    return ["".join(row) for row in reversed(rows)]
