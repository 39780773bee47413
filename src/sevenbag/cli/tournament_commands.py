"""The commands ``sevenbag match`` and ``sevenbag tournament``."""

from __future__ import annotations

import argparse
import contextlib
import json
from pathlib import Path
from typing import Final

from rich.console import Console

from sevenbag.arena.statistics import Sprt
from sevenbag.arena.terminal.scoreboard import format_standings, open_tournament_display
from sevenbag.arena.tournament.openings import read_openings
from sevenbag.arena.tournament.tournament_config import (
    DEFAULT_GAMES,
    DEFAULT_PPS,
    MAX_NAME_LENGTH,
    PlayerConfig,
    PlayerLimits,
    TournamentHeader,
    TournamentSettings,
    assign_names,
    create_header,
    read_tournament_config,
)
from sevenbag.arena.tournament.tournament_files import HEADER_FILE, read_games
from sevenbag.arena.tournament.tournament_runner import TournamentRunner, choose_match_folder
from sevenbag.bots.bot import Limits
from sevenbag.bots.registry import create_bot
from sevenbag.cli.arguments import (
    Container,
    add_display_options,
    add_game_options,
    add_limit_options,
    add_time_options,
    add_worker_options,
    create_executor,
    integer,
    load_rules,
    positive_number,
    warn_ignored_limits,
)
from sevenbag.cli.output import warn, write_lines
from sevenbag.errors import BotStartError, InputError, shown
from sevenbag.game.game_config import MAX_SEED, with_attack_ramp

_DEFAULT_FOLDER: Final = Path("matches")
_ERROR_RATE: Final = 0.05

_MATCH_OPTIONS: Final = (
    "name",
    *("games", "pairs", "first_to", "sprt", "alpha", "beta", "model", "seed", "openings"),
    *("rules", "pieces", "ramp", "lead", "double", "ms", "nodes", "pps", "restart", "bank"),
    *("increment", "real_time", "nps", "wall", "frames", "no_replay"),
)
"""Options that a stored match already has."""


def configure_match(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag match``."""
    parser.set_defaults(command="match")
    parser.add_argument("first", metavar="A", nargs="?", help="bot; omitted to --resume")
    parser.add_argument("second", metavar="B", nargs="?", help="other bot, or the same one")
    parser.add_argument(
        "--name",
        type=_parse_name,
        action="append",
        metavar="A=NAME",
        help=f"name of bot A (or B), up to {MAX_NAME_LENGTH} characters [default: its own]",
    )
    games = parser.add_argument_group("games")
    games.add_argument(
        "--games", type=integer(1), help=f"number of games [default: {DEFAULT_GAMES}]"
    )
    games.add_argument("--pairs", type=integer(1), help="number of pairs of games")
    games.add_argument("--first-to", type=integer(1), help="end when a bot has won N games")
    games.add_argument("--seed", type=integer(0, MAX_SEED), default=1, help="seed of all pieces")
    games.add_argument("--openings", type=Path, help="seeds or fumens that pairs start from")
    add_game_options(games)
    test = parser.add_argument_group("test")
    test.add_argument(
        "--sprt",
        type=_parse_hypotheses,
        metavar="ELO0,ELO1",
        help="end when a test decides whether A is ELO0 or ELO1 stronger than B",
    )
    test.add_argument(
        "--alpha",
        type=positive_number,
        metavar="P",
        help=f"probability of a wrong ELO1 [default: {_ERROR_RATE}]",
    )
    test.add_argument(
        "--beta",
        type=positive_number,
        metavar="P",
        help=f"probability of a wrong ELO0 [default: {_ERROR_RATE}]",
    )
    test.add_argument(
        "--model",
        choices=("normalized", "logistic"),
        help="Elo model of the test [default: normalized]",
    )
    limits = parser.add_argument_group("limits")
    add_limit_options(limits)
    limits.add_argument(
        "--restart",
        choices=("game", "never"),
        default="game",
        help="start programs for each game, or once",
    )
    add_time_options(parser)
    parser.add_argument(
        "--pps", type=positive_number, default=DEFAULT_PPS, help="pieces per second in real time"
    )
    storage = _add_run_options(parser, folder="matches/A-B")
    storage.add_argument("--no-replay", action="store_true", help="store no replays")
    parser.set_defaults(defaults={name: parser.get_default(name) for name in _MATCH_OPTIONS})


def run_match(args: argparse.Namespace) -> int:
    """Play many games between two bots, in pairs with the same pieces and swapped sides.

    A match is a fixed number of games, or ends at a number of wins, or when a sequential test has
    decided which bot is stronger. It is stored in a folder; --resume continues it after any
    interruption.
    """
    if args.first is None:
        if not args.resume or args.folder is None:
            raise InputError(
                "no bots: expected two bots, or --resume and the --folder of a stored match"
            )
        given = [name for name, value in args.defaults.items() if getattr(args, name) != value]
        if given:
            raise InputError(
                f"--{given[0].replace('_', '-')}: without two bots all settings are those of the"
                " folder"
            )
        return _run_tournament(args.folder, args)
    if args.second is None:
        raise InputError("a match needs two bots")
    header = _create_match_header(args)
    folder = args.folder
    if folder is None:
        specs = (args.first, args.second)
        folder = choose_match_folder(_DEFAULT_FOLDER, header, specs, resume=args.resume)
    else:
        _check_folder(folder, "match", resume=args.resume)
    return _run_tournament(folder, args, header)


def _create_match_header(args: argparse.Namespace) -> TournamentHeader:
    specs = (args.first, args.second)
    # Invalid bots are errors before anything is stored.
    bots = [create_bot(spec) for spec in specs]
    warn_ignored_limits(specs, bots, Limits(args.ms, args.nodes))
    if args.games is not None and args.pairs is not None:
        raise InputError("--games and --pairs exclude each other")
    if args.sprt is None and not (args.alpha is args.beta is args.model is None):
        raise InputError("--alpha, --beta and --model need --sprt")
    rules = with_attack_ramp(load_rules(args.rules), args.ramp)
    given: list[tuple[str, str]] = args.name or []
    names = dict(given)
    if len(names) < len(given):
        raise InputError("invalid --name: expected one name for each bot, got two for the same")
    fields = PlayerLimits.__struct_fields__
    limits = PlayerLimits(**{field: getattr(args, field) for field in fields})
    engines = [
        PlayerConfig(name=names.get(letter, ""), spec=spec, limits=limits)
        for letter, spec in zip("AB", specs, strict=True)
    ]
    engines = assign_names(engines, bots)
    settings = TournamentSettings(
        games=args.games if args.pairs is None else 2 * args.pairs,
        first_to=args.first_to,
        pieces=args.pieces,
        lead=args.lead,
        double=args.double,
        real_time=args.real_time,
        wall=args.wall,
        frames=args.frames,
        nps=args.nps,
        replays=not args.no_replay,
    )
    sprt = None
    if args.sprt is not None:
        sprt = Sprt(
            elo0=args.sprt[0],
            elo1=args.sprt[1],
            alpha=_ERROR_RATE if args.alpha is None else args.alpha,
            beta=_ERROR_RATE if args.beta is None else args.beta,
            model=args.model or "normalized",
        )
    openings = () if args.openings is None else read_openings(args.openings, rules)
    return create_header(
        "match",
        engines,
        settings,
        rules,
        name=" - ".join(engine.name for engine in engines),
        seed=args.seed,
        openings=openings,
        sprt=sprt,
    )


def _parse_name(text: str) -> tuple[str, str]:
    letter, _, name = text.partition("=")
    if letter not in {"A", "B"} or not name.strip():
        raise argparse.ArgumentTypeError(f"expected A=NAME or B=NAME, got {shown(text)}")
    return letter, name.strip()


def _parse_hypotheses(text: str) -> tuple[float, float]:
    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected two numbers such as 0,50, got {text!r}"
        ) from None
    return elo0, elo1


def configure_tournament(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag tournament``."""
    parser.set_defaults(command="tournament")
    parser.add_argument(
        "file", metavar="FILE", type=Path, nargs="?", help="TOML file; omitted to --resume"
    )
    _add_run_options(parser, folder="the name of the file")


def run_tournament(args: argparse.Namespace) -> int:
    """Play the tournament that a TOML file describes.

    It is a match, round robin, gauntlet, knockout or Swiss tournament, and is stored in a folder;
    --resume continues it after any interruption.
    """
    folder, header = _choose_tournament_folder(args), None
    if args.file is not None:
        header = read_tournament_config(args.file)
        _check_folder(folder, "tournament", resume=args.resume)
    return _run_tournament(folder, args, header)


def _choose_tournament_folder(args: argparse.Namespace) -> Path:
    if args.folder is not None:
        return Path(args.folder)
    if args.file is None:
        raise InputError(
            "no FILE: expected a TOML file, or --resume and the --folder of a stored tournament"
        )
    return Path(args.file.stem)


def _add_run_options(parser: argparse.ArgumentParser, *, folder: str) -> Container:
    """Add storage, workers and output; return the group of storage options."""
    storage = parser.add_argument_group("storage")
    storage.add_argument(
        "--folder", type=Path, metavar="FOLDER", help=f"folder of the results [default: {folder}]"
    )
    storage.add_argument(
        "--resume", action="store_true", help="continue the run stored in the folder"
    )
    add_worker_options(parser.add_argument_group("workers"), default=1)
    parser.add_argument(
        "--recover",
        action="store_true",
        help="continue when a bot fails to start; each such game is a loss [default: exit with code"
        " 1 after three failed starts in a row, or if it never starts]",
    )
    output = parser.add_argument_group("output")
    add_display_options(output, plain="print one line per game instead of a live table")
    return storage


def _check_folder(folder: Path, kind: str, *, resume: bool) -> None:
    if (folder / HEADER_FILE).exists() and not resume:
        raise InputError(
            f"{folder}: there is a {kind} in this folder; --resume continues it, --folder chooses"
            " another one"
        )


def _run_tournament(
    folder: Path, args: argparse.Namespace, header: TournamentHeader | None = None
) -> int:
    """Play the remaining games of the tournament in a folder; with a header it may be new."""
    # The executor comes first: without one nothing is stored.
    with contextlib.ExitStack() as stack:
        executor = stack.enter_context(create_executor(args))
        if header is not None:
            TournamentRunner.create_folder(folder, header)
        tournament = stack.enter_context(TournamentRunner(folder))
        done = len(tournament.results)
        if done and not args.json:
            warn(f"resuming in {folder}: {done} games finished")
        try:
            console = None if args.json or args.quiet else Console()
            with open_tournament_display(console, tournament, plain=args.plain) as on_game:
                tournament.run(executor, on_game, recover=args.recover)
        except KeyboardInterrupt:
            # Read the file again: the last game may just have been written.
            stored = len(read_games(folder, tournament.header))
            warn(f"interrupted; {stored} games are stored in {folder}")
            warn(f"to continue: sevenbag {args.command} --resume --folder '{folder}'")
            raise
        except BotStartError as error:
            warn(str(error))
            warn(f"finished games are stored in {folder}; --recover continues after failed starts")
            return 1
        if args.json:
            print(json.dumps(tournament.to_dict()))
        else:
            write_lines("\n".join([*format_standings(tournament), f"folder: {folder}"]))
        if not args.recover:
            tournament.check_starts()
    return 0
