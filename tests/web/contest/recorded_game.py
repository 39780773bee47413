"""A whole game of two players at random, with its record."""

from __future__ import annotations

import random
from typing import NamedTuple

from sevenbag.contest.game.match_results import ContestGameResult
from sevenbag.contest.game.pason_game import PLAYERS, MoveOutcome, PasonGame
from sevenbag.contest.game.pason_replay import PasonReplayHeader, PasonReplayRecorder, encode_replay
from sevenbag.contest.settings import GameRules
from sevenbag.protocols.pason.messages import MOVES

CLEARS_A_ROW = 868
"""A seed by which somebody clears a row, which is rare among those who play at random."""


class Game(NamedTuple):
    """A finished game.

    Attributes:
        duel: as it ended.
        result: as the store keeps it.
        replay: the bytes of its file.
        milliseconds: how long it took.
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
    """Play until somebody loses.

    Args:
        number: of the game in its match.
        teams: who plays.
        seed: what everything follows from.
        moves: of each player every tenth of a second.
        apart: milliseconds between them.
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
