"""What the arena itself takes for a move, beside what the bots take.

    python bench/arena.py [--runs N] [--games N] [--json]

"in process": two bots that have their moves ready. "program": one of them is a program that speaks
TBP and has its moves ready, too; what is told is its share. Both as a tournament plays them, with
figures and a replay of times and move_info. The arena's own cost is the processor time of its
process, which other programs of the machine change least, less what the bots within it took; for
the program also the time by the clock, less what the same lines through the same pipes take without
an arena. "tournament": games of `beam:nodes=1`, 100 pieces a side, on two
workers, replays and lines on the disk included. Medians over the runs.
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
from sevenbag.arena.runner.game_loop import GameConfig
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

# Says what it was given, a line for each question.
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


# What a program is told of a move, each line as soon as it is known.
TOLD = (
    b'{"type":"play","move":{"location":{"type":"T","orientation":"south","x":4,"y":1},"spin":"none"}}\n',
    b'{"type":"new_piece","piece":"Z"}\n',
    b'{"type":"suggest"}\n',
)


class Scripted(Bot):
    """Has its moves ready."""

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
    """Writes down what was played."""

    def __init__(self) -> None:
        self.moves: tuple[list[Placement], list[Placement]] = ([], [])

    def turn_played(self, turn: PlayedTurn) -> None:
        for moves, placement in zip(self.moves, turn.placements, strict=True):
            assert placement is not None
            moves.append(placement)


class Figures(GameObserver):
    """As a tournament counts."""

    def __init__(self) -> None:
        self._tallies = (PlayerTally(), PlayerTally())

    def turn_played(self, turn: PlayedTurn) -> None:
        for tally, lock, seconds in zip(
            self._tallies, turn.locks, turn.answer_seconds, strict=True
        ):
            if lock is not None:
                tally.add(lock, seconds * 1000)


async def played(bots: tuple[Bot, Bot], seed: int, *watchers: GameObserver) -> int:
    """Moves of a game."""
    result = await play_game(bots, GameConfig(RULES, seed, pieces=PIECES), watchers)
    assert not any(fall is not None and fall.reason.is_fault for fall in result.losses), result
    return sum(stats.pieces for stats in result.stats)


def scripts(games: int) -> list[tuple[int, Script]]:
    """Games that were played before, with some garbage in them."""
    found: list[tuple[int, Script]] = []
    for seed in range(1, games + 1):
        script = Script()
        asyncio.run(played((BeamBot(nodes=300), BeamBot(nodes=300)), seed, script))
        found.append((seed, script))
    return found


def in_process(games: list[tuple[int, Script]]) -> float:
    """Microseconds for a move."""
    moves, spent, begun = 0, 0.0, time.process_time()
    for seed, script in games:
        bots = Scripted(script.moves[0]), Scripted(script.moves[1])
        watchers = Figures(), ReplayRecorder(times=True, infos=True)
        moves += asyncio.run(played(bots, seed, *watchers))
        spent += sum(bot.spent for bot in bots)
    return (time.process_time() - begun - spent) / moves * 1e6


def lines_of(moves: list[Placement]) -> list[bytes]:
    """What a program says that plays these."""
    said: list[tbp.TbpBotMessage] = [tbp.TbpInfo("script", "1", "us", ()), tbp.TbpReady()]
    said += [tbp.TbpSuggestion((tbp_conversion.format_move(move),)) for move in moves]
    return [encode(message) for message in said]


def program(games: list[tuple[int, Script]], inside: float, folder: Path) -> tuple[float, float]:
    """Microseconds of processor time for a move, and by the clock, less those of the exchange.

    Args:
        games: what is played.
        inside: microseconds for a move of a bot in process.
        folder: for the program.
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
    """From the first turn to the last: programs take long to start."""

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
    """Seconds that as many questions and answers take without an arena."""
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
    """Seconds for so many games."""
    engines = [PlayerConfig(name=name, spec="beam:nodes=1") for name in ("a", "b")]
    header = create_header("match", engines, TournamentSettings(games=games, pieces=PIECES), RULES)
    TournamentRunner.create_folder(folder, header)
    begun = time.perf_counter()
    with TournamentRunner(folder) as running, jobs.ProcessExecutor(2) as executor:
        running.run(executor)
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="runs (5)")
    parser.add_argument("--games", type=int, default=1000, help="of the tournament (1000)")
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
    print(f"in process:  {figures['in_process_us']:.0f} us a move of the arena's own")
    print(
        f"program:     {figures['program_us']:.0f} us a move of processor time,"
        f" {figures['program_clock_us']:.0f} us by the clock beyond the bare exchange"
    )
    print(f"tournament:  {args.games} games in {seconds:.1f} s")


if __name__ == "__main__":
    main()
