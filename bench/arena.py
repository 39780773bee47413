"""Measure the arena's overhead per move, and the duration of a tournament.

    python bench/arena.py [--runs N] [--games N] [--json]

"in process": two bots with prepared moves. "program": one of them is a TBP program with prepared
moves; the result is the overhead of that program. Both run as in a tournament, with statistics
and a replay of times and move_info. The overhead is the processor time of the arena's process,
which is least affected by other programs, without the time of the bots in it; for the program also
the wall time, without the time of the same messages through the same pipes outside of the arena.
"tournament": games of `beam:nodes=1` with 100 pieces per player, on two workers, including replays
and files. All results are medians over the runs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from sevenbag import jobs
from sevenbag.arena.runner.game_options import GameConfig
from sevenbag.arena.runner.game_runner import play_game
from sevenbag.arena.runner.observers import GameObserver, ReplayRecorder
from sevenbag.arena.tournament.tournament_config import (
    PlayerConfig,
    TournamentSettings,
    create_header,
)
from sevenbag.arena.tournament.tournament_runner import TournamentRunner
from sevenbag.bots.bot import Bot, Limits, Suggestion
from sevenbag.bots.builtin.beam_bot import BeamBot
from sevenbag.bots.external.tbp_driver import TbpDriver
from sevenbag.game import Rules
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp import tbp_conversion
from sevenbag.protocols.tbp.messages import encode
from sevenbag.replay.player_statistics import PlayerTally

if TYPE_CHECKING:
    from sevenbag._kernel import Piece, Placement
    from sevenbag.arena.runner.observers import PlayedTurn
    from sevenbag.bots.bot import Position

PIECES = 100
RULES = Rules.preset("guideline")

# Sends a prepared line for each request.
PROGRAM = """\
import sys
lines = open(sys.argv[1], 'rb').read().splitlines(keepends=True)
write, flush = sys.stdout.buffer.write, sys.stdout.buffer.flush
answers = iter(lines[2:])
write(lines[0])
flush()
for line in sys.stdin.buffer:
    if b'"suggest"' in line:
        write(next(answers))
        flush()
    elif b'"rules"' in line:
        write(lines[1])
        flush()
    elif b'"quit"' in line:
        break
"""


# Messages to a program for a move, written one by one.
TOLD = (
    b'{"type":"play","move":{"location":{"type":"T","orientation":"south","x":4,"y":1},"spin":"none"}}\n',
    b'{"type":"new_piece","piece":"Z"}\n',
    b'{"type":"suggest"}\n',
)


class Scripted(Bot):
    """Bot with prepared moves."""

    name = "scripted"

    def __init__(self, moves: list[Placement]) -> None:
        self._moves = iter(moves)
        self.spent = 0.0

    async def prepare(self, rules: Rules) -> None:
        pass

    async def start(self, position: Position) -> None:
        pass

    async def suggest(self, limits: Limits) -> Suggestion:
        del limits
        begun = time.perf_counter()
        suggestion = Suggestion((next(self._moves),))
        self.spent += time.perf_counter() - begun
        return suggestion

    async def play(self, placement: Placement) -> None:
        pass

    async def new_piece(self, piece: Piece) -> None:
        pass

    async def stop(self) -> None:
        pass

    async def quit(self) -> None:
        pass


class Script(GameObserver):
    """Observer that records the placements."""

    def __init__(self) -> None:
        self.moves: tuple[list[Placement], list[Placement]] = ([], [])

    def turn_played(self, turn: PlayedTurn) -> None:
        for moves, placement in zip(self.moves, turn.placements, strict=True):
            assert placement is not None
            moves.append(placement)


class Figures(GameObserver):
    """Observer that collects the statistics of a tournament."""

    def __init__(self) -> None:
        self._tallies = (PlayerTally(), PlayerTally())

    def turn_played(self, turn: PlayedTurn) -> None:
        for tally, lock, seconds in zip(
            self._tallies, turn.locks, turn.answer_seconds, strict=True
        ):
            if lock is not None:
                tally.add(lock, seconds * 1000)


async def played(bots: tuple[Bot, Bot], seed: int, *watchers: GameObserver) -> int:
    """Play a game and return the number of moves."""
    result = await play_game(bots, GameConfig(RULES, seed, pieces=PIECES), watchers)
    assert not any(fall is not None and fall.reason.is_fault for fall in result.losses), result
    return sum(stats.pieces for stats in result.stats)


def scripts(games: int) -> list[tuple[int, Script]]:
    """Return recorded games with some garbage in them."""
    found: list[tuple[int, Script]] = []
    for seed in range(1, games + 1):
        script = Script()
        asyncio.run(played((BeamBot(nodes=300), BeamBot(nodes=300)), seed, script))
        found.append((seed, script))
    return found


def in_process(games: list[tuple[int, Script]]) -> float:
    """Return the overhead in microseconds per move."""
    moves, spent, begun = 0, 0.0, time.process_time()
    for seed, script in games:
        bots = Scripted(script.moves[0]), Scripted(script.moves[1])
        watchers = Figures(), ReplayRecorder(times=True, infos=True)
        moves += asyncio.run(played(bots, seed, *watchers))
        spent += sum(bot.spent for bot in bots)
    return (time.process_time() - begun - spent) / moves * 1e6


def lines_of(moves: list[Placement]) -> list[bytes]:
    """Return the messages of a program that plays these moves."""
    said: list[tbp.TbpBotMessage] = [tbp.TbpInfo("script", "1", "us", ()), tbp.TbpReady()]
    said += [tbp.TbpSuggestion((tbp_conversion.format_move(move),)) for move in moves]
    return [encode(message) for message in said]


def program(games: list[tuple[int, Script]], inside: float, folder: Path) -> tuple[float, float]:
    """Return the overhead per move in microseconds of processor time and of wall time.

    Args:
        games: recorded games.
        inside: overhead in microseconds per move of a bot in this process.
        folder: folder for the program.
    """
    file = folder / "program.py"
    file.write_text(PROGRAM)
    moves, processor, clock = 0, 0.0, 0.0
    for seed, script in games:
        text = folder / f"{seed}.txt"
        text.write_bytes(b"".join(lines_of(script.moves[0])))
        command = [sys.executable, "-S", str(file), str(text)]
        watch, other = Stopwatch(), Scripted(script.moves[1])
        watchers = Figures(), ReplayRecorder(times=True, infos=True), watch
        asyncio.run(played((TbpDriver(command, name="a"), other), seed, *watchers))
        own = len(script.moves[0]) - 1
        moves += own
        processor += watch.processor - other.spent - inside * own / 1e6
        clock += watch.clock - other.spent - inside * own / 1e6 - exchange(command, own)
    return processor / moves * 1e6, clock / moves * 1e6


class Stopwatch(GameObserver):
    """Observer that measures from the first turn to the last, without the start of programs."""

    def __init__(self) -> None:
        self.processor = self.clock = 0.0
        self._begun: tuple[float, float] | None = None

    def turn_played(self, turn: PlayedTurn) -> None:
        del turn
        now = time.process_time(), time.perf_counter()
        if self._begun is None:
            self._begun = now
        self.processor = now[0] - self._begun[0]
        self.clock = now[1] - self._begun[1]


def exchange(command: list[str], moves: int) -> float:
    """Return the seconds that the same messages take without an arena."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdout.readline()
        program.stdin.write(b'{"type":"rules"}\n')
        program.stdin.flush()
        program.stdout.readline()
        begun = time.perf_counter()
        for _ in range(moves):
            for line in TOLD:
                program.stdin.write(line)
                program.stdin.flush()
            program.stdout.readline()
        seconds = time.perf_counter() - begun
        program.stdin.write(b'{"type":"quit"}\n')
    return seconds


def tournament(games: int, folder: Path) -> float:
    """Return the seconds that a tournament of this size takes."""
    engines = [PlayerConfig(name=name, spec="beam:nodes=1") for name in ("a", "b")]
    header = create_header("match", engines, TournamentSettings(games=games, pieces=PIECES), RULES)
    TournamentRunner.create_folder(folder, header)
    begun = time.perf_counter()
    with TournamentRunner(folder) as running, jobs.ProcessExecutor(2) as executor:
        running.run(executor)
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="number of runs (5)")
    parser.add_argument("--games", type=int, default=1000, help="games of the tournament (1000)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    known = scripts(10)
    inside = [in_process(known) for _ in range(args.runs)]
    with tempfile.TemporaryDirectory() as folder:
        own = statistics.median(inside)
        outside = [program(known[:4], own, Path(folder)) for _ in range(args.runs)]
        seconds = tournament(args.games, Path(folder) / "t")
    figures = {
        "in_process_us": statistics.median(inside),
        "program_us": statistics.median(processor for processor, _ in outside),
        "program_clock_us": statistics.median(clock for _, clock in outside),
        "tournament_games": args.games,
        "tournament_s": seconds,
    }
    if args.json:
        print(json.dumps(figures))
        return
    print(f"in process:  {figures['in_process_us']:.0f} us per move")
    print(
        f"program:     {figures['program_us']:.0f} us of processor time per move,"
        f" {figures['program_clock_us']:.0f} us of wall time without the exchange"
    )
    print(f"tournament:  {args.games} games in {seconds:.1f} s")


if __name__ == "__main__":
    main()
