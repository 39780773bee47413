"""Games of two random players, with their replays."""

import random
from typing import NamedTuple

from sevenbag.contest.game.match_results import ContestGameResult
from sevenbag.contest.game.pason_game import PLAYERS, MoveOutcome, PasonGame
from sevenbag.contest.game.pason_replay import PasonReplayHeader, PasonReplayRecorder, encode_replay
from sevenbag.contest.settings import GameRules
from sevenbag.protocols.pason.messages import MOVES

CLEARS_A_ROW = 868
"""Seed of a game with a line clear, which is rare in random play."""


class Game(NamedTuple):
    """Finished game.

    Attributes:
        duel: final state.
        result: result as the store has it.
        replay: contents of the replay file.
        milliseconds: duration.
    """

    duel: PasonGame
    result: ContestGameResult
    replay: bytes
    milliseconds: int


def play(
    number: int,
    teams: tuple[str, str],
    *,
    seed: int = CLEARS_A_ROW,
    moves: int = 1,
    apart: int = 100,
) -> Game:
    """Play a game to its end.

    Args:
        number: number of the game in its match.
        teams: names of the players.
        seed: seed of the pieces and the moves.
        moves: moves of each player at a time.
        apart: milliseconds between these times.
    """
    rules = GameRules()
    duel, recorder, chance = PasonGame(rules, seed), PasonReplayRecorder(), random.Random(seed)
    now = 0
    while duel.outcome is None:
        now += apart
        if now % 500 == 0:
            duel.step()
            recorder.add_step(now)
        for seat in PLAYERS * moves:
            move = chance.choice(MOVES)
            if duel.move(seat, move) is MoveOutcome.DONE:
                recorder.add_move(now, seat, move)
    header = PasonReplayHeader(
        rules=rules,
        seed=seed,
        first_number=1,
        teams=teams,
        match_name="Final",
        game_name=f"Game {number}",
        number=number,
        began=0.0,
    )
    result = ContestGameResult(
        number=number,
        game_name=f"Game {number}",
        winner=duel.outcome.winner,
        ending=duel.outcome.ending,
        scores=(duel.scores[0], duel.scores[1]),
        lines=(duel.lines[0], duel.lines[1]),
        level=duel.level,
        seconds=now / 1000,
    )
    return Game(duel, result, encode_replay(recorder.finish(header, duel, now)), now)
