"""``sevenbag match A B``: two bots, many games, until it is clear who is better."""

from __future__ import annotations

import argparse
import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.arena.book import read_book
from sevenbag.arena.entry import ramped
from sevenbag.arena.records import HEADER_FILE, SprtRecord, read_header
from sevenbag.arena.settings import (
    DEFAULT_GAMES,
    DEFAULT_PPS,
    LONGEST_NAME,
    Engine,
    Settings,
    header_of,
    name_engines,
)
from sevenbag.arena.tournament import differences
from sevenbag.bots.bot import Limits
from sevenbag.bots.registry import create_bot
from sevenbag.cli.arguments import count, named_rules, positive
from sevenbag.cli.game_options import (
    add_clock_options,
    add_rules_options,
    mention_unheeded,
    seed_argument,
)
from sevenbag.cli.playing import add_playing_options, play_in
from sevenbag.errors import FormatError, InputError, shown

if TYPE_CHECKING:
    from sevenbag.arena.records import TournamentHeader
    from sevenbag.cli.main import Subparsers

_DESCRIPTION: Final = """\
Two bots play many games, in pairs with the same pieces and the sides swapped: a number of them,
until one has won so many, or until a test tells who is stronger. The match is kept in a folder;
broken off at any moment, it goes on from there with --resume.
"""

_FOLDER: Final = Path("matches")
_ERRS: Final = 0.05
"""How often a test may err, unless told otherwise."""


_OF_THE_MATCH: Final = (
    "name",
    *("games", "pairs", "first_to", "sprt", "alpha", "beta", "model", "seed", "openings"),
    *("rules", "pieces", "ramp", "lead", "double", "ms", "nodes", "pps", "restart", "bank"),
    *("increment", "real_time", "nps", "wall", "frames", "no_replays"),
)
"""Options that a match in a folder has already."""


def add_parser(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "match", help="two bots play many games", description=_DESCRIPTION
    )
    parser.set_defaults(command="match")
    parser.add_argument("first", metavar="A", nargs="?", help="a bot; not needed to --resume")
    parser.add_argument("second", metavar="B", nargs="?", help="another, or the same once more")
    parser.add_argument(
        "--name",
        type=_name,
        action="append",
        metavar="A=NAME",
        help=f"name of bot A (or B), up to {LONGEST_NAME} characters, instead of the one that it"
        " announces",
    )
    many = parser.add_argument_group("how many games")
    many.add_argument(
        "--games", type=count, metavar="N", help=f"so many (default: {DEFAULT_GAMES})"
    )
    many.add_argument("--pairs", type=count, metavar="N", help="so many pairs")
    many.add_argument("--first-to", type=count, metavar="N", help="until one has won N games")
    many.add_argument(
        "--sprt",
        type=_hypotheses,
        metavar="ELO0,ELO1",
        help="until a test tells whether A is ELO0 or ELO1 stronger than B",
    )
    many.add_argument(
        "--alpha",
        type=positive,
        metavar="P",
        help=f"how often the test may say ELO1 wrongly (default: {_ERRS})",
    )
    many.add_argument(
        "--beta",
        type=positive,
        metavar="P",
        help=f"how often it may say ELO0 wrongly (default: {_ERRS})",
    )
    many.add_argument(
        "--model",
        choices=("normalized", "logistic"),
        help="in which Elo the test is (default: normalized)",
    )
    game = parser.add_argument_group("the games")
    game.add_argument(
        "--seed",
        type=seed_argument,
        default=1,
        metavar="N",
        help="what all seeds follow from (default: 1)",
    )
    game.add_argument(
        "--openings", type=Path, metavar="FILE", help="seeds or fumens that pairs begin with"
    )
    add_rules_options(game)
    limits = parser.add_argument_group("limits for a move, for both")
    limits.add_argument("--ms", type=positive, metavar="N", help="milliseconds")
    limits.add_argument("--nodes", type=count, metavar="N", help="nodes")
    limits.add_argument(
        "--pps",
        type=positive,
        metavar="N",
        default=DEFAULT_PPS,
        help="in real time: pieces a second (default: %(default)g)",
    )
    limits.add_argument(
        "--restart",
        choices=("game", "never"),
        default="game",
        help="whether programs are started anew for each game (default), or never",
    )
    add_clock_options(parser)
    kept = parser.add_argument_group("what is kept")
    kept.add_argument("--folder", type=Path, metavar="F", help="where (default: matches/A-B)")
    kept.add_argument("--resume", action="store_true", help="go on with the match in the folder")
    kept.add_argument("--no-replays", action="store_true", help="keep results, but no games")
    add_playing_options(parser)

    parser.set_defaults(usual={name: parser.get_default(name) for name in _OF_THE_MATCH})


def run(args: argparse.Namespace) -> int:
    """Play the match, or go on with it."""
    if args.first is None:
        if not args.resume or args.folder is None:
            raise InputError("two bots are needed, or --resume and the --folder of a match")
        given = [name for name, usual in args.usual.items() if getattr(args, name) != usual]
        if given:
            raise InputError(
                f"--{given[0].replace('_', '-')}: without two bots all settings are those of the"
                " folder"
            )
        return play_in(args.folder, args)
    if args.second is None:
        raise InputError("a match needs two bots")
    header = _header(args)
    folder = _folder(args, header)
    return play_in(folder, args, header)


# --- helpers ------------------------------------------------------------------------------------


def _header(args: argparse.Namespace) -> TournamentHeader:
    specs = (args.first, args.second)
    # Whether there are such bots is seen before anything is made.
    bots = [create_bot(spec) for spec in specs]
    mention_unheeded(specs, bots, Limits(args.ms, args.nodes))
    if args.games is not None and args.pairs is not None:
        raise InputError("--games and --pairs say the same: give one of them")
    if args.sprt is None and not (args.alpha is args.beta is args.model is None):
        raise InputError("--alpha, --beta and --model are those of the test: --sprt is missing")
    rules = ramped(named_rules(args.rules), args.ramp)
    given: list[tuple[str, str]] = args.name or []
    names = dict(given)
    if len(names) < len(given):
        raise InputError("invalid --name: expected one name for each bot, got two for the same")
    engines = [
        Engine(
            name=names.get(letter, ""),
            spec=spec,
            nodes=args.nodes,
            ms=args.ms,
            bank=args.bank,
            increment=args.increment,
            pps=args.pps,
            restart=args.restart,
        )
        for letter, spec in zip("AB", specs, strict=True)
    ]
    engines = name_engines(engines, bots)
    settings = Settings(
        games=args.games if args.pairs is None else 2 * args.pairs,
        first_to=args.first_to,
        pieces=args.pieces,
        lead=args.lead,
        double=args.double,
        real_time=args.real_time,
        wall=args.wall,
        frames=args.frames,
        nps=args.nps,
        replays=not args.no_replays,
    )
    sprt = None
    if args.sprt is not None:
        sprt = SprtRecord(
            elo0=args.sprt[0],
            elo1=args.sprt[1],
            alpha=_ERRS if args.alpha is None else args.alpha,
            beta=_ERRS if args.beta is None else args.beta,
            model=args.model or "normalized",
        )
    openings = () if args.openings is None else read_book(args.openings, rules)
    return header_of(
        "match",
        engines,
        settings,
        rules,
        name=" - ".join(engine.name for engine in engines),
        seed=args.seed,
        openings=openings,
        sprt=sprt,
    )


def _folder(args: argparse.Namespace, header: TournamentHeader) -> Path:
    """The folder to play in."""
    if args.folder is not None:
        there = (args.folder / HEADER_FILE).exists()
        if there and not args.resume:
            raise InputError(
                f"{args.folder}: there is a match in this folder; --resume goes on with it,"
                " --folder chooses another one"
            )
        return Path(args.folder)
    name = f"{_plain(args.first)}-{_plain(args.second)}"
    last: Path | None = None
    for number in itertools.count(1):
        folder = _FOLDER / (name if number == 1 else f"{name}-{number}")
        if not folder.exists():
            return folder if last is None else last
        if args.resume and _is_same(folder, header):
            last = folder
    raise AssertionError("a count has no end")


def _is_same(folder: Path, header: TournamentHeader) -> bool:
    try:
        return not differences(read_header(folder), header)
    except FormatError:
        return False


def _plain(spec: str) -> str:
    """A specification as a part of a folder's name."""
    return re.sub(r"[^A-Za-z0-9=.]+", "-", spec).strip("-.")[:_NAME] or "bot"


def _name(text: str) -> tuple[str, str]:
    letter, _, name = text.partition("=")
    if letter not in {"A", "B"} or not name.strip():
        raise argparse.ArgumentTypeError(
            f"invalid name: expected A=NAME or B=NAME, got {shown(text)}"
        )
    return letter, name.strip()


def _hypotheses(text: str) -> tuple[float, float]:
    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no pair of hypotheses; expected two numbers such as 0,50"
        ) from None
    return elo0, elo1


_NAME: Final = 40
