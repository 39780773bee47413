"""``sevenbag pc train``: networks, bred for speed of solving."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

import msgspec

from sevenbag._kernel import Kicks
from sevenbag.cli.arguments import count, number_from_zero, positive
from sevenbag.cli.main import Interrupted
from sevenbag.cli.pc.meter import Meter
from sevenbag.cli.workers import add_worker_options, executor_of
from sevenbag.pc.network import Activation
from sevenbag.pc.training import BEST, Settings, train
from sevenbag.pc.training_trial import HEIGHTS, Measure

if TYPE_CHECKING:
    import argparse
    from types import FrameType

    from sevenbag.pc.training import Generation, Progress

_ENDING: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_UNITS: Final = {"nodes": "perfect clears in 1000 positions", "seconds": "perfect clears a second"}
_OF_THE_TRAINING: Final = "default: as it was begun, or else {}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.description = (
        "Breeds networks that find perfect clears of the empty field with few positions looked at"
        " (NEAT, by neat-python: pip install 'sevenbag[train]'). The folder gets a file for each"
        " generation, GEN.json, that of the one in work, current.json, and the best network so far,"
        " best.json, which --nn takes. Started again, it goes on where it was, however it was"
        " ended, and comes to the same networks."
    )
    parser.add_argument(
        "--folder",
        type=Path,
        metavar="FOLDER",
        help="where the files are (default: pops/HIDDEN-OUTPUT, after the activations)",
    )
    parser.add_argument(
        "--generations",
        type=count,
        default=50,
        metavar="N",
        help="how many, those of earlier runs among them (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=number_from_zero, metavar="N", help=_OF_THE_TRAINING.format("random")
    )
    standard = Settings()

    def add(option: str, **more: object) -> None:
        field = option.strip("-")
        text = f"{more.pop('help')} ({_OF_THE_TRAINING.format(getattr(standard, field))})"
        parser.add_argument(option, help=text, **more)  # type: ignore[arg-type]

    add("--height", type=int, choices=HEIGHTS, help="lines")
    add("--kicks", metavar="NAME", help="rotation system")
    add("--population", type=count, metavar="N", help="networks of a generation")
    add("--species", type=count, metavar="N", help="about how many species there are")
    add("--queues", type=count, metavar="N", help="queues that each network is tried on")
    add("--hidden", choices=get_args(Activation), metavar="NAME", help="activation of hidden nodes")
    add("--output", choices=get_args(Activation), metavar="NAME", help="activation of the score")
    add("--measure", choices=get_args(Measure), help="what counts: positions looked at, or time")
    add_worker_options(parser)
    parser.add_argument(
        "--save-every",
        type=positive,
        default=10.0,
        metavar="S",
        help="seconds from one saving to the next (default: %(default)g)",
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="print the fitness of every network"
    )


def run(args: argparse.Namespace) -> int:
    """Train what is not trained yet."""
    for number in _ENDING:
        # A signal that somebody chose to ignore, as nohup does, stays ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    given = {
        field: getattr(args, field)
        for field in Settings.__struct_fields__
        if getattr(args, field) is not None
    }
    if "kicks" in given:
        given["kicks"] = Kicks(given["kicks"]).name  # canonical, as stored in the folder
    settings = msgspec.structs.replace(Settings(), **given)
    folder = args.folder or Path("pops") / f"{settings.hidden}-{settings.output}"
    with executor_of(args) as executor, Meter() as meter:
        last = train(
            folder,
            given,
            seed=args.seed,
            generations=args.generations,
            executor=executor,
            save_every=args.save_every,
            watcher=_Teller(meter, verbose=args.verbose),
        )
    if last.champion is not None:
        print(
            f"{folder / BEST}: generation {last.champion.generation},"
            f" {last.champion.fitness:.4g} {_UNITS[last.settings.measure]}"
        )
    return 0


# --- private -------------------------------------------------------------------------------------


class _Teller:
    def __init__(self, meter: Meter, *, verbose: bool) -> None:
        self._meter = meter
        self._verbose = verbose

    def progress(self, progress: Progress) -> None:
        done = progress.generation + progress.tried / progress.population
        self._meter.show(
            f"generation {progress.generation} of {progress.generations}:"
            f" {progress.tried} of {progress.population} networks tried",
            done / progress.generations,
            progress.seconds_left,
        )

    def tried(self, number: int, fitness: float) -> None:
        if self._verbose:
            self._meter.clear()
            print(f"NN {number}: {fitness:.4f}", flush=True)

    def finished(self, generation: Generation) -> None:
        known = [fitness for fitness in generation.fitnesses if fitness is not None]
        self._meter.clear()
        print(
            f"Generation {generation.generation}: species {len(generation.trainer.species)},"
            f" average fitness {sum(known) / len(known):.4f}, maximum {max(known):.4f}",
            flush=True,
        )


def _end(number: int, frame: FrameType | None) -> None:
    """End as Ctrl-C does: what is done is saved first."""
    del frame
    raise Interrupted(number)
