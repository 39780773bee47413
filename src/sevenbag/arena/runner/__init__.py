"""Play one game between two bots.

::

    play_game                                plays the game and returns its result
    GameConfig, RealTime, BotDeadlines       rules, limits and timing of the game
    GameObserver, GameStart, PlayedTurn      callbacks while the game is played
    ReplayRecorder                           observer that makes a replay
"""

from sevenbag.arena.runner.game_options import BotDeadlines, GameClock, GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.arena.runner.observers import GameObserver, GameStart, PlayedTurn, ReplayRecorder
from sevenbag.game.game_config import RealTime

__all__ = [
    "BotDeadlines",
    "GameClock",
    "GameConfig",
    "GameObserver",
    "GameStart",
    "PlayedTurn",
    "RealTime",
    "ReplayRecorder",
    "play_game",
]
