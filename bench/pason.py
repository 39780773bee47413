"""Measure the contest's game without a server: moves per second.

    python bench/pason.py [--runs N] [--moves N] [--json]

"duel" is the game only; "match" includes the clock, the recording and the state message
of a move; "decode" reads a command, "encode" writes a state message by its type instead of from
text. Microseconds each, medians of alternating runs, to be compared with each other.
"replay" is a recording of these moves, from its bytes to the end of the game, in microseconds per
event.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from sevenbag.contest.game import pason_replay
from sevenbag.contest.game.pason_game import PLAYERS, PasonGame
from sevenbag.contest.game.pason_match import ContestMatch
from sevenbag.contest.scheduler_protocol import AssignedPlayer
from sevenbag.contest.settings import ContestRules, GameRules, MatchRules
from sevenbag.protocols.pason.messages import MOVES, decode_command, encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.contest.game import pason_game
    from sevenbag.protocols.pason.pason_conversion import MoveName

# Random moves top out soon, so boards are emptied to continue the game.
RULES = GameRules(gravity_ms=(3_600_000,), garbage_out="cut")
CHANCE = random.Random(1)
COMMAND = (
    b'{"comm_type": "GameMove", "client_token": "0b4ce4a7-7a8b-4a51-9c27-5b8f0e3c7c11",'
    b' "move": "left", "piece_number": 7}'
)


def moves_of(count: int) -> list[tuple[pason_game.PlayerIndex, MoveName]]:
    """Return random moves, one in ten a drop."""
    choices: tuple[MoveName, ...] = (*MOVES[:3], "lrotate", "rrotate")
    return [
        (CHANCE.choice(PLAYERS), "drop" if CHANCE.random() < 0.1 else CHANCE.choice(choices))
        for _ in range(count)
    ]


def in_duel(moves: list[tuple[pason_game.PlayerIndex, MoveName]]) -> float:
    game = PasonGame(RULES, 1)
    begun = time.perf_counter()
    for seat, move in moves:
        if game.move(seat, move) == "done" and move == "drop":
            game.boards[seat] = 0
    return time.perf_counter() - begun


def begun_match() -> ContestMatch:
    rules = ContestRules(game=RULES, match=MatchRules(first_pause_seconds=0, repeat_seconds=60))
    seats = (AssignedPlayer(team="Team Awesome"), AssignedPlayer(team="Test Client"))
    match = ContestMatch(
        "0b4ce4a7-7a8b-4a51-9c27-5b8f0e3c7c11", "Final", seats, rules, 1, time.time
    )
    for seat in PLAYERS:
        match.connect(seat, 1.0)
    match.advance(1.0)
    assert match.phase == "game"
    return match


def in_match(moves: list[tuple[pason_game.PlayerIndex, MoveName]]) -> float:
    match = begun_match()
    game = match.game
    assert game is not None
    begun = time.perf_counter()
    for seat, move in moves:
        if match.move(seat, move, None, 1.5) == "done" and move == "drop":
            game.boards[seat] = 0
        match.take_messages()
    return time.perf_counter() - begun


def decoded(moves: list[tuple[pason_game.PlayerIndex, MoveName]]) -> float:
    begun = time.perf_counter()
    for _ in moves:
        decode_command(COMMAND)
    return time.perf_counter() - begun


def encoded(moves: list[tuple[pason_game.PlayerIndex, MoveName]]) -> float:
    message = begun_match().take_messages()[-1]
    begun = time.perf_counter()
    for _ in moves:
        encode(message)
    return time.perf_counter() - begun


def replayed(moves: list[tuple[pason_game.PlayerIndex, MoveName]]) -> float:
    match = begun_match()
    for at, (seat, move) in enumerate(moves):
        match.move(seat, move, None, 1.5 + at / 10_000)
    match.advance(1e9)
    [finished] = match.take_finished_games()
    data = pason_replay.encode_replay(finished.replay)
    begun = time.perf_counter()
    kept = pason_replay.decode_replay(data)
    pason_replay.replay_game(kept)
    return (time.perf_counter() - begun) / len(kept.events) * len(moves)


PARTS: dict[str, Callable[[list[tuple[pason_game.PlayerIndex, MoveName]]], float]] = {
    "duel": in_duel,
    "match": in_match,
    "decode": decoded,
    "encode": encoded,
    "replay": replayed,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--moves", type=int, default=20_000)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    moves = moves_of(args.moves)
    times: dict[str, list[float]] = {name: [] for name in PARTS}
    for _ in range(args.runs):
        for name, part in PARTS.items():
            times[name].append(part(moves) / len(moves) * 1e6)
    figures = {name: statistics.median(of) for name, of in times.items()}
    if args.json:
        print(json.dumps(figures))
        return
    for name, microseconds in figures.items():
        print(f"{name:8}{microseconds:8.2f} us {1e6 / microseconds:12,.0f} per second")


if __name__ == "__main__":
    main()
