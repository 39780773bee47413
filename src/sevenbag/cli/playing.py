"""Plays a tournament in its folder, and tells how it goes: a table, lines, or JSON."""

from __future__ import annotations

import argparse
import contextlib
import json
import time
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.live import Live

from sevenbag import jobs
from sevenbag.arena.records import read_games, read_result
from sevenbag.arena.scoreboard import Board, game_line, standings_lines
from sevenbag.arena.summary_json import interval_dict
from sevenbag.arena.tournament import Tournament
from sevenbag.cli.arguments import count
from sevenbag.cli.output import warn, write_lines
from sevenbag.cli.pc.meter import duration
from sevenbag.errors import BotStartError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from sevenbag.arena.records import GameRecord, TournamentHeader

_MOST_WORKERS: Final = 1024
_REDRAWN: Final = 0.25
"""Seconds between two drawings of the table."""


def add_playing_options(parser: argparse.ArgumentParser) -> None:
    """On what the games are played, and what is told of them."""
    on = parser.add_argument_group("on what").add_mutually_exclusive_group()
    on.add_argument(
        "--concurrency",
        "--workers",
        type=_workers,
        default=1,
        metavar="N",
        help="games at once, each in a process of its own (default: %(default)s)",
    )
    on.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="play on a dask cluster: its scheduler's address, such as tcp://192.0.2.7:8786",
    )
    parser.add_argument(
        "--recover",
        action="store_true",
        help="continue when a bot fails to start; each such game is a loss"
        " (default: exit with code 1 after three failed starts in a row, or if it never starts)",
    )
    output = parser.add_argument_group("what is shown")
    output.add_argument("--plain", action="store_true", help="a line for each game")
    output.add_argument("--quiet", action="store_true", help="the result only")
    output.add_argument("--json", action="store_true", help="the result only, as JSON")


def play_in(folder: Path, args: argparse.Namespace, header: TournamentHeader | None = None) -> int:
    """Play what is left to be played of the tournament in a folder.

    Args:
        folder: where it is kept.
        args: on what it is played, and what is told.
        header: what it is, if it may have to be begun.
    """
    # First that on which it is played: without it nothing is begun.
    with contextlib.ExitStack() as stack:
        executor = stack.enter_context(_executor(args))
        if header is not None:
            Tournament.begin(folder, header)
        tournament = stack.enter_context(Tournament(folder))
        done = len(tournament.ledger)
        if done and not args.json:
            warn(f"resuming in {folder}: {done} games finished")
        try:
            with _display(args, tournament) as told:
                tournament.play(executor, told, recover=args.recover)
        except KeyboardInterrupt:
            # The file has the last word: one may just have been written.
            kept = len(read_games(folder, tournament.header))
            warn(f"interrupted; {kept} games are stored in {folder}")
            warn(f"to continue: sevenbag {args.command} --resume --folder '{folder}'")
            raise
        except BotStartError as error:
            warn(str(error))
            warn(f"finished games are stored in {folder}; --recover continues after failed starts")
            return 1
        if args.json:
            print(json.dumps(plain_data(tournament)))
        else:
            write_lines("\n".join([*standings_lines(tournament), f"folder: {folder}"]))
        if not args.recover:
            tournament.expect_starts()
    return 0


def plain_data(tournament: Tournament) -> dict[str, object]:
    """A tournament's result as plain data."""
    header, ledger = tournament.header, tournament.ledger
    result = read_result(tournament.folder)
    verdict, test, outcomes = ledger.verdict, ledger.sprt, ledger.outcomes
    return {
        "name": header.name,
        "kind": header.kind,
        "folder": str(tournament.folder),
        "seed": header.seed,
        "finished": result is not None and result.finished,
        "games": len(ledger.counted),
        "played": len(ledger),
        "decision": verdict.decision if verdict is not None else None,
        "sprt": None
        if test is None
        else {
            "elo0": test.elo0,
            "elo1": test.elo1,
            "alpha": test.alpha,
            "beta": test.beta,
            "model": test.model,
            "llr": ledger.llr,
            "bounds": list(test.bounds),
        },
        "tests": [
            {
                "engines": [header.engines[engine].name for engine in each.players],
                "games": each.games,
                "llr": each.llr,
                "decision": each.decision,
            }
            for each in ledger.tests()
        ],
        "elo": None if outcomes is None else interval_dict(outcomes.elo()),
        "pentanomial": list(ledger.pairs.counts) if header.kind == "match" else None,
        "winner": None if ledger.winner is None else header.engines[ledger.winner].name,
        "engines": [
            {
                "name": standing.name,
                "bot": header.engines[standing.engine].spec,
                "games": standing.games,
                "points": standing.points,
                "wins": standing.wins,
                "draws": standing.draws,
                "losses": standing.losses,
                "byes": standing.byes,
                "pieces": standing.pieces,
                "attack": standing.attack,
                "resignations": standing.resignations,
                "faults": standing.faults,
            }
            for standing in ledger.standings()
        ],
    }


# --- helpers ------------------------------------------------------------------------------------


def _workers(text: str) -> int:
    number = count(text)
    if number > _MOST_WORKERS:
        raise argparse.ArgumentTypeError(
            f"{text} processes are too many; the most are {_MOST_WORKERS}"
        )
    return number


def _executor(args: argparse.Namespace) -> jobs.Executor:
    if args.cluster is not None:
        return jobs.cluster(args.cluster)
    return jobs.local(args.concurrency)


class _Progress:
    """Progress of a run: games, their rate, and the remaining time."""

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament
        self._before = len(tournament.ledger)
        self._began = time.monotonic()

    def __str__(self) -> str:
        ledger, plan = self._tournament.ledger, self._tournament.plan
        done, total = len(ledger), plan.total
        most = f"at most {plan.most_games}" if total is None else str(total)
        parts = [f"{done} of {most} games"]
        # Games of earlier runs do not count towards the rate.
        played = done - self._before
        if played:
            rate = played / max(time.monotonic() - self._began, 1e-9)
            parts.append(f"{rate:.1f} games/s" if rate >= 10 else f"{rate:.2g} games/s")
            if ledger.verdict is None and done < plan.most_games:
                left = duration((plan.most_games - done) / rate)
                parts.append(f"{left} left" if total is not None else f"at most {left} left")
        return ", ".join(parts)


@contextlib.contextmanager
def _display(
    args: argparse.Namespace, tournament: Tournament
) -> Generator[Callable[[GameRecord], None]]:
    console = Console()
    progress = _Progress(tournament)
    if args.json or args.quiet:
        yield lambda _: None
    elif console.is_terminal and not console.is_dumb_terminal and not args.plain:
        board = Board(tournament)
        with Live(
            board.render(str(progress)), console=console, auto_refresh=False, transient=True
        ) as live:
            drawn = 0.0

            def draw(game: GameRecord) -> None:
                nonlocal drawn
                board.add(game)
                if time.monotonic() - drawn >= _REDRAWN:
                    drawn = time.monotonic()
                    live.update(board.render(str(progress)), refresh=True)

            yield draw
    else:
        yield lambda game: write_lines(f"{game_line(game)} [{progress}]")
