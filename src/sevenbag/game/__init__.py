"""Rules, one player's game, and two players against each other.

>>> from sevenbag.game import Game
>>> game = Game(seed=1)
>>> lock = game.play(game.placements()[0])
>>> lock.lines, game.stats.pieces
(0, 1)
"""

from sevenbag._kernel import LockResult, Stats
from sevenbag.game.game import Game, Player, TopOut
from sevenbag.game.position import Position
from sevenbag.game.rules import Rules
from sevenbag.game.versus import Versus

__all__ = ["Game", "LockResult", "Player", "Position", "Rules", "Stats", "TopOut", "Versus"]
