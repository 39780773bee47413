"""A whole game of two players at random, with its record."""

from __future__ import annotations

import random
from typing import NamedTuple

from sevenbag.contest.game.match_results import GameResult
from sevenbag.contest.game.pason_game import SEATS, Duel, Verdict
from sevenbag.contest.game.pason_replay import Header, Recorder, encode
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

    duel: Duel
    result: GameResult
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
    duel, recorder, chance = Duel(rules, seed), Recorder(), random.Random(seed)
    now = 0
    while duel.outcome is None:
        now += apart
        if now % 500 == 0:
            duel.step()
            recorder.stepped(now)
        for seat in SEATS * moves:
            move = chance.choice(MOVES)
            if duel.move(seat, move) is Verdict.DONE:
                recorder.moved(now, seat, move)
    header = Header(
        rules=rules,
        seed=seed,
        first_number=1,
        teams=teams,
        match_name="Final",
        game_name=f"Game {number}",
        number=number,
        began=0.0,
    )
    result = GameResult(
        number=number,
        game_name=f"Game {number}",
        winner=duel.outcome.winner,
        ending=duel.outcome.ending,
        scores=(duel.scores[0], duel.scores[1]),
        lines=(duel.lines[0], duel.lines[1]),
        level=duel.level,
        seconds=now / 1000,
    )
    return Game(duel, result, encode(recorder.record(header, duel, now)), now)
