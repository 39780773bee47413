"""The command ``sevenbag pc train``: train networks that order the search."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final, get_args

import msgspec

from sevenbag._kernel import Kicks
from sevenbag.cli.arguments import add_save_option, add_worker_options, create_executor, integer
from sevenbag.cli.signals import raise_on_signals
from sevenbag.jobs.progress import ProgressLine
from sevenbag.pc.network import Activation
from sevenbag.pc.training import (
    BEST_NETWORK_FILE,
    HEIGHTS,
    FitnessMeasure,
    TrainingGeneration,
    TrainingObserver,
    TrainingProgress,
    TrainingSettings,
    train,
)

_UNITS: Final = {"nodes": "perfect clears in 1000 positions", "seconds": "perfect clears a second"}
_TRAINING_DEFAULT: Final = "[default: that of the stored training, or {}]"


def configure_train(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``sevenbag pc train``."""
    parser.add_argument(
        "--folder",
        type=Path,
        metavar="FOLDER",
        help="folder of the results [default: pops/HIDDEN-OUTPUT, by the activations]",
    )
    parser.add_argument(
        "--generations",
        type=integer(1),
        default=50,
        help="number of generations, those of earlier runs included",
    )
    parser.add_argument(
        "--seed", type=integer(0), help=f"seed of the training {_TRAINING_DEFAULT.format('random')}"
    )
    standard = TrainingSettings()

    def add(option: str, *, help: str, **more: Any) -> None:  # noqa: A002  # as argparse
        default = _TRAINING_DEFAULT.format(getattr(standard, option.strip("-")))
        parser.add_argument(option, help=f"{help} {default}", **more)

    add("--height", type=int, choices=HEIGHTS, help="rows of the perfect clear")
    add("--kicks", metavar="NAME", help="rotation system")
    add("--population", type=integer(1), help="networks per generation")
    add("--species", type=integer(1), help="approximate number of species")
    add("--queues", type=integer(1), help="queues that each network solves")
    add("--hidden", choices=get_args(Activation), metavar="NAME", help="activation of hidden nodes")
    add("--output", choices=get_args(Activation), metavar="NAME", help="activation of the output")
    add(
        "--measure",
        choices=get_args(FitnessMeasure),
        help="fitness by positions examined or by time",
    )
    add_worker_options(parser)
    add_save_option(parser)
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="print the fitness of every network"
    )


def run_train(args: argparse.Namespace) -> int:
    """Train networks that find perfect clears with few positions examined.

    The field is empty at the start (NEAT, by neat-python: pip install 'sevenbag[train]'). The
    folder gets a file GEN.json for each generation, current.json for the running one, and best.json
    with the best network so far, which --nn takes. A run continues after any interruption, with the
    same results.
    """
    # Results are saved before the program ends.
    raise_on_signals()
    given = {
        field: getattr(args, field)
        for field in TrainingSettings.__struct_fields__
        if getattr(args, field) is not None
    }
    if "kicks" in given:
        given["kicks"] = Kicks(given["kicks"]).name  # canonical, as stored in the folder
    settings = msgspec.structs.replace(TrainingSettings(), **given)
    folder = args.folder or Path("pops") / f"{settings.hidden}-{settings.output}"
    with create_executor(args) as executor, ProgressLine() as progress:
        last = train(
            folder,
            given,
            seed=args.seed,
            generations=args.generations,
            executor=executor,
            save_every=args.save_every,
            observer=_TrainingReporter(progress, verbose=args.verbose),
        )
    if last.champion is not None:
        print(
            f"{folder / BEST_NETWORK_FILE}: generation {last.champion.generation},"
            f" {last.champion.fitness:.4g} {_UNITS[last.settings.measure]}"
        )
    return 0


class _TrainingReporter(TrainingObserver):
    """Print the progress of a training."""

    def __init__(self, line: ProgressLine, *, verbose: bool) -> None:
        self._line = line
        self._verbose = verbose

    def progress(self, progress: TrainingProgress) -> None:
        done = progress.generation + progress.tested / progress.population
        self._line.update(
            f"generation {progress.generation} of {progress.generations}:"
            f" {progress.tested} of {progress.population} networks tried",
            done / progress.generations,
            progress.seconds_left,
        )

    def network_tested(self, number: int, fitness: float) -> None:
        if self._verbose:
            self._line.clear()
            print(f"NN {number}: {fitness:.4f}", flush=True)

    def generation_finished(self, generation: TrainingGeneration) -> None:
        known = [fitness for fitness in generation.fitnesses if fitness is not None]
        self._line.clear()
        print(
            f"Generation {generation.generation}: species {len(generation.trainer.species)},"
            f" average fitness {sum(known) / len(known):.4f}, maximum {max(known):.4f}",
            flush=True,
        )
