"""Training of networks: generations of a population, bred for fast searches.

A folder holds a training::

    current.json    the generation being tested, saved every few seconds
    0.json, 1.json  each generation after all its networks were tested
    best.json       the best network so far, for `sevenbag.pc.network`

The files of generations are ``{"seed", "settings", "generation", "trainer", "fitnesses",
"champion"}``. The trainer is the population (`sevenbag.pc.neat_population`); an unknown fitness is
null. An interrupted training continues from ``current.json`` with the same results, if fitness is
measured in positions and not in seconds.

All networks of a generation are tested with the same queues, and each generation with others. The
best network of a generation is then tested with 500 further queues, which are the same for all
generations; it becomes the best network so far if it is better there than all before.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import random
import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal, cast

import msgspec
from msgspec import Meta, Struct

from sevenbag import jobs
from sevenbag._kernel import Kicks, PcSolver
from sevenbag.errors import InputError, NetworkError
from sevenbag.files import open_locked, read_file, write_atomically
from sevenbag.pc.neat_population import (
    MAX_GENOMES,
    NeatPopulation,
    build_network,
    check_population,
    first_population,
    next_population,
)
from sevenbag.pc.network import Activation, Network  # msgspec reads annotations
from sevenbag.pc.solver import Solver

BEST_NETWORK_FILE: Final = "best.json"
"""Name of the file with the best network."""

_CURRENT: Final = "current.json"
_MAX_FILE_BYTES: Final = 1 << 28
_CHAMPION_QUEUES: Final = 500


class TrainingSettings(Struct, frozen=True, kw_only=True):
    """Settings of a training.

    Attributes:
        height: number of rows of the perfect clears, 2, 4 or 6.
        population: number of networks per generation.
        species: approximate number of species.
        queues: number of queues that each network solves.
        hidden: activation of hidden nodes.
        output: activation of the score.
    """

    height: int = 4
    kicks: str = "srs"
    population: Annotated[int, Meta(ge=2, le=MAX_GENOMES)] = 500
    species: Annotated[int, Meta(ge=1, le=MAX_GENOMES)] = 15
    queues: Annotated[int, Meta(ge=1, le=100_000)] = 100
    hidden: Activation = "relu"
    output: Activation = "identity"
    measure: FitnessMeasure = "nodes"

    def __post_init__(self) -> None:
        if self.height not in HEIGHTS:
            raise InputError(f"invalid height: expected 2, 4 or 6, got {self.height}")
        Kicks(self.kicks)


class BestNetwork(Struct, frozen=True):
    """Generation of the best network so far, and its fitness on the common queues."""

    generation: int
    fitness: float


class TrainingGeneration(Struct, frozen=True, kw_only=True):
    """A generation, numbered from 0.

    Attributes:
        fitnesses: fitness of each genome; None if unknown.
        champion: best network before this generation, or including it once all its networks are
            tested. None before the first.
    """

    seed: Annotated[int, Meta(ge=0)]
    settings: TrainingSettings
    generation: Annotated[int, Meta(ge=0, le=10**9)]
    trainer: NeatPopulation
    fitnesses: tuple[float | None, ...]
    champion: BestNetwork | None = None


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """Progress of a training.

    Attributes:
        generation: generation being tested, from 0.
        generations: number of generations to test.
        tested: number of networks of this generation that are tested.
        population: number of networks of this generation.
        seconds_left: estimate for this generation; None if there is none yet.
    """

    generation: int
    generations: int
    tested: int
    population: int
    seconds_left: float | None


class TrainingObserver:
    """Base class of observers of a training; every method does nothing."""

    def progress(self, progress: TrainingProgress) -> None:
        """Handle the progress, after each network and at the start of a generation."""

    def network_tested(self, number: int, fitness: float) -> None:
        """Handle the fitness of a network, by its number from 0."""

    def generation_finished(self, generation: TrainingGeneration) -> None:
        """Handle a generation, after all its networks were tested."""


def train(
    folder: str | os.PathLike[str],
    settings: Mapping[str, object] | None = None,
    *,
    seed: int | None = None,
    generations: int = 50,
    executor: jobs.Executor | None = None,
    save_every: float = 10.0,
    observer: TrainingObserver | None = None,
) -> TrainingGeneration:
    """Start or continue a training; return the next generation.

    Args:
        folder: folder of the files; created if needed.
        settings: values of `TrainingSettings` by name; the others are those of the training in the
            folder, or the defaults of `TrainingSettings`.
        seed: seed of all random decisions [default for a new training: random].
        generations: number of generations to test, those of earlier runs included.
        executor: runs the tests of networks [default: this process].
        save_every: seconds between saves.
        observer: receives the events.

    Raises:
        InputError: the folder holds a different training.
        MissingExtraError: neat-python is not installed.
        NetworkError: a file cannot be read or written, or is invalid.
    """
    executor = executor or jobs.InProcessExecutor()
    with _TrainingFolder(Path(folder)) as files:
        current = files.load(settings or {}, seed)
        observer = observer or TrainingObserver()
        return _TrainingRun(files, current, generations, executor, save_every, observer).run()


@dataclass
class _TrainingRun:
    files: _TrainingFolder
    current: TrainingGeneration
    generations: int
    executor: jobs.Executor
    save_every: float
    observer: TrainingObserver

    def run(self) -> TrainingGeneration:
        self.files.write_current(self.current)
        while self.current.generation < self.generations:
            tested = self._update_best(self._test_networks())
            self.files.write(f"{tested.generation}.json", msgspec.json.encode(tested))
            self.observer.generation_finished(tested)
            self.current = self._breed(tested)
            self.files.write_current(self.current)
        return self.current

    def _test_networks(self) -> TrainingGeneration:
        """Test all networks and return the generation; save it meanwhile."""
        current, settings = self.current, self.current.settings
        fitnesses = list(current.fitnesses)
        seed = f"sevenbag training {current.seed}, queues of generation {current.generation}"
        test = _create_test(settings, settings.queues, seed)
        left = [number for number, fitness in enumerate(fitnesses) if fitness is None]
        tasks = [(_build_network(current, number), test) for number in left]
        started = saved = time.monotonic()
        self._report(fitnesses, None)
        try:
            with contextlib.closing(self.executor.run(_measure, tasks)) as results:
                for done, (at, fitness) in enumerate(results, start=1):
                    fitnesses[left[at]] = fitness
                    now = time.monotonic()
                    self.observer.network_tested(left[at], fitness)
                    self._report(fitnesses, (now - started) / done * (len(left) - done))
                    if now - saved >= self.save_every:
                        saved = now
                        self.files.write_current(_replace_fitnesses(current, fitnesses))
        except BaseException:
            self.files.write_current(_replace_fitnesses(current, fitnesses))
            raise
        return _replace_fitnesses(current, fitnesses)

    def _update_best(self, tested: TrainingGeneration) -> TrainingGeneration:
        """Update the best network."""
        fitnesses = _known_fitnesses(tested)
        best = _build_network(tested, fitnesses.index(max(fitnesses)))
        seed = f"sevenbag training {tested.seed}, queues of champions"
        fitness = measure_fitness(best, _create_test(tested.settings, _CHAMPION_QUEUES, seed))
        if tested.champion is not None and tested.champion.fitness >= fitness:
            return tested
        self.files.write(BEST_NETWORK_FILE, best.encode())
        return msgspec.structs.replace(tested, champion=BestNetwork(tested.generation, fitness))

    @staticmethod
    def _breed(tested: TrainingGeneration) -> TrainingGeneration:
        population = next_population(
            tested.trainer,
            _known_fitnesses(tested),
            tested.generation,
            f"sevenbag training {tested.seed}, after generation {tested.generation}",
            tested.settings.species,
        )
        return msgspec.structs.replace(
            tested,
            generation=tested.generation + 1,
            trainer=population,
            fitnesses=(None,) * len(population.genomes),
        )

    def _report(self, fitnesses: list[float | None], seconds_left: float | None) -> None:
        known = len(fitnesses) - fitnesses.count(None)
        generation, population = self.current.generation, len(fitnesses)
        self.observer.progress(
            TrainingProgress(generation, self.generations, known, population, seconds_left)
        )


class _TrainingFolder:
    """Files of a training; a context manager that locks the folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        locked = NetworkError(f"{path}: another program is training in this folder")
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock = open_locked(path, os.O_RDONLY, locked)
        except OSError as error:
            raise NetworkError(f"{path}: cannot be written: {error.strerror}") from error

    def __enter__(self) -> _TrainingFolder:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)

    def load(self, given: Mapping[str, object], seed: int | None) -> TrainingGeneration:
        """Return the generation to test: the first one, or that of the stored training."""
        path = self.path / _CURRENT
        if not path.exists():
            settings = _update_settings(TrainingSettings(), given)
            seed = secrets.randbits(32) if seed is None else seed
            population = first_population(
                settings.population, f"sevenbag training {seed}, first generation"
            )
            return TrainingGeneration(
                seed=seed,
                settings=settings,
                generation=0,
                trainer=population,
                fitnesses=(None,) * settings.population,
            )
        current = _decode_generation(path, read_file(path, _MAX_FILE_BYTES, NetworkError))
        if seed is not None and seed != current.seed:
            raise InputError(
                f"{self.path}: invalid seed: expected {current.seed}, as in the stored training,"
                f" got {seed}"
            )
        if differences := _differences(current.settings, _update_settings(current.settings, given)):
            raise InputError(
                f"{self.path}: other settings than in the stored training: {', '.join(differences)}"
            )
        return current

    def write_current(self, generation: TrainingGeneration) -> None:
        self.write(_CURRENT, msgspec.json.encode(generation))

    def write(self, name: str, data: bytes) -> None:
        write_atomically(self.path / name, data, replace=True, error=NetworkError)


def _decode_generation(path: Path, data: bytes) -> TrainingGeneration:
    try:
        generation = msgspec.json.decode(data, type=TrainingGeneration)
        size = generation.settings.population
        if not len(generation.trainer.genomes) == len(generation.fitnesses) == size:
            raise NetworkError(f"expected {size} genomes and fitnesses", "trainer.genomes")
        if not all(map(math.isfinite, filter(None, generation.fitnesses))):
            raise NetworkError("expected finite numbers", "fitnesses")
        check_population(generation.trainer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, InputError) as error:
        where = f"{error.path}: " if isinstance(error, NetworkError) and error.path else ""
        raise NetworkError(f"{path}: {where}{error}") from None
    return generation


def _measure(task: tuple[Network, FitnessTest]) -> float:
    return measure_fitness(*task)


def _build_network(generation: TrainingGeneration, number: int) -> Network:
    settings = generation.settings
    return build_network(generation.trainer.genomes[number], settings.hidden, settings.output)


def _create_test(settings: TrainingSettings, count: int, seed: str) -> FitnessTest:
    queues = draw_test_queues(count, settings.height, settings.kicks, seed)
    return FitnessTest(queues, settings.height, settings.kicks, settings.measure)


def _replace_fitnesses(
    generation: TrainingGeneration, fitnesses: Sequence[float | None]
) -> TrainingGeneration:
    return msgspec.structs.replace(generation, fitnesses=tuple(fitnesses))


def _known_fitnesses(generation: TrainingGeneration) -> list[float]:
    return [cast("float", fitness) for fitness in generation.fitnesses]


def _update_settings(settings: TrainingSettings, given: Mapping[str, object]) -> TrainingSettings:
    try:
        return msgspec.convert(msgspec.structs.asdict(settings) | dict(given), TrainingSettings)
    except msgspec.ValidationError as error:
        what, _, where = str(error).replace("`", "").partition(" - at $.")
        raise InputError(f"{where}: {what}") from None


def _differences(stored: TrainingSettings, given: TrainingSettings) -> list[str]:
    return [
        f"{field} is {getattr(stored, field)}, not {getattr(given, field)}"
        for field in TrainingSettings.__struct_fields__
        if getattr(stored, field) != getattr(given, field)
    ]


FitnessMeasure = Literal["nodes", "seconds"]
"""Unit of fitness: perfect clears per thousand positions, which is reproducible, or per second."""

HEIGHTS: Final = (2, 4, 6)

# A network below this fitness is given up after a multiple of ten queues. Networks that order
# placements randomly have about this fitness.
_QUEUES_PER_STEP: Final = 10
_MIN_FITNESS: Final = {"nodes": 0.5, "seconds": 15.0}


@dataclass(frozen=True, slots=True)
class FitnessTest:
    """Queues that networks are tested with: held, current and next pieces, as letters."""

    queues: tuple[str, ...]
    height: int
    kicks: str
    measure: FitnessMeasure = "nodes"


def draw_test_queues(count: int, height: int, kicks: str, seed: str) -> tuple[str, ...]:
    """Draw random queues with a perfect clear: windows of a stream of 7-bags at any phase.

    Raises:
        InputError: there are too few.
    """
    generator = random.Random(seed)
    solver = Solver(kicks)
    length = height * 10 // 4 + 1
    found: list[str] = []
    for _ in range(100 * count):
        queue = "".join(itertools.islice(_stream(generator), length))
        if solver.solve("", queue, min_height=height, max_height=height) is not None:
            found.append(queue)
            if len(found) == count:
                return tuple(found)
    raise InputError(f"too few queues have a perfect clear of {height} rows under {kicks}")


def measure_fitness(network: Network, test: FitnessTest) -> float:
    """Return the fitness of a network; stop early if it is far too low."""
    solver = _solver(test.kicks)
    solver.set_network(network.kernel)
    solved, spent = 0, 0.0
    for first in range(0, len(test.queues), _QUEUES_PER_STEP):
        part = test.queues[first : first + _QUEUES_PER_STEP]
        results: Sequence[tuple[float, bool]]
        if test.measure == "nodes":
            results, unit = solver.measure_effort(part, test.height), 1_000
        else:
            results, unit = solver.time_queues(part, test.height, 1), 1_000_000
        spent += sum(cost for cost, _ in results) / unit
        solved += sum(found for _, found in results)
        if solved < _MIN_FITNESS[test.measure] * spent:
            break
    return solved / spent


def _stream(generator: random.Random) -> Iterator[str]:
    skip = generator.randrange(7)
    bags = ("".join(generator.sample("IOTLJSZ", 7)) for _ in itertools.count())
    return itertools.islice(itertools.chain.from_iterable(bags), skip, None)


def _solver(kicks: str) -> PcSolver:
    """Return the solver of this thread: a cluster worker may have several threads."""
    solver = getattr(_thread_data, "solver", None)
    if not isinstance(solver, PcSolver) or solver.kicks != Kicks(kicks):
        solver = _thread_data.solver = PcSolver(kicks)
    return solver


_thread_data = threading.local()
