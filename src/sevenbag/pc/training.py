"""Training of networks: a population, bred for speed of solving, generation after generation.

A folder holds a training::

    current.json    the generation that is tried now, saved every few seconds
    0.json, 1.json  each generation as it was when all its networks had been tried
    best.json       the best network so far, for `sevenbag.pc.network`

The generations' files are ``{"seed", "settings", "generation", "trainer", "fitnesses",
"champion"}``: the trainer is the population (`sevenbag.pc.neat_population`), and a fitness that is
not known yet is null. A training that was ended, however, goes on from ``current.json``, and comes
to the very networks that it would have come to, as long as it measures positions and not seconds.

In each generation all networks are tried on the same queues, and on other ones in the next. The
best network of a generation is then tried on further queues, always the same: only if it does
better there than all before it is it the best one so far.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import math
import os
import random
import secrets
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, Protocol, cast

import msgspec
from msgspec import Meta, Struct

from sevenbag import jobs
from sevenbag._kernel import Kicks, PcSolver
from sevenbag.errors import InputError, NetworkError
from sevenbag.files import open_input
from sevenbag.pc.neat_population import (
    MAX_GENOMES,
    NeatPopulation,
    build_network,
    check_population,
    first_population,
    next_population,
)
from sevenbag.pc.network import Activation, Network  # noqa: TC001  # msgspec reads annotations
from sevenbag.pc.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from sevenbag.pc.network import Network

BEST_NETWORK_FILE: Final = "best.json"
"""The file with the best network, in a training's folder."""

_CURRENT: Final = "current.json"
_LARGEST_FILE: Final = 1 << 28
_CHAMPION_QUEUES: Final = 500


class TrainingSettings(Struct, frozen=True, kw_only=True):
    """What is trained, and how.

    Attributes:
        height: rows of the perfect clears: 2, 4 or 6.
        kicks: name of a rotation system.
        population: networks of a generation.
        species: about how many species there are.
        queues: what each network is tried on.
        hidden: activation of hidden nodes.
        output: activation of the score.
        measure: what fitness is: perfect clears in a thousand positions, or in a second.
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
            raise InputError(f"height {self.height}: expected one of 2, 4, 6")
        Kicks(self.kicks)


class BestNetwork(Struct, frozen=True):
    """The best network so far: from which generation, and its fitness on the common queues."""

    generation: int
    fitness: float


class TrainingGeneration(Struct, frozen=True, kw_only=True):
    """A generation, tried or not yet.

    Attributes:
        seed: of the whole training.
        generation: its number, from 0.
        trainer: the population.
        fitnesses: of its genomes, in their order; None where it is not known yet.
        champion: the best network before it; in the file of a generation that has been tried, that
            generation included. None before the first.
    """

    seed: Annotated[int, Meta(ge=0)]
    settings: TrainingSettings
    generation: Annotated[int, Meta(ge=0, le=10**9)]
    trainer: NeatPopulation
    fitnesses: tuple[float | None, ...]
    champion: BestNetwork | None = None


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """How far a training is.

    Attributes:
        generation: the one that is tried.
        generations: all that are wanted.
        tried: networks of this generation whose fitness is known.
        population: networks of this generation.
        seconds_left: an estimate for this generation; None as long as there is none.
    """

    generation: int
    generations: int
    tested: int
    population: int
    seconds_left: float | None


class TrainingObserver(Protocol):
    """Is told what happens."""

    def progress(self, progress: TrainingProgress) -> None:
        """Another network has been tried, or a generation begins."""

    def network_tested(self, number: int, fitness: float) -> None:
        """A network of the generation, by its number from 0."""

    def generation_finished(self, generation: TrainingGeneration) -> None:
        """All networks of a generation have been tried."""


def train(
    folder: str | os.PathLike[str],
    settings: Mapping[str, object] | None = None,
    *,
    seed: int | None = None,
    generations: int = 50,
    executor: jobs.Executor | None = None,
    save_every: float = 10.0,
    watcher: TrainingObserver | None = None,
) -> TrainingGeneration:
    """Train, or go on with a training.

    Args:
        folder: where the files are; made if it is not there.
        settings: values of `TrainingSettings` by name; the others are those of the training in the
            folder, or the defaults of `TrainingSettings`.
        seed: what chance follows from; a random one for a new training, if not given.
        generations: how many have been tried in the end, those of earlier runs among them.
        executor: where networks are tried; here, one after another, if not given.
        save_every: seconds from one saving to the next.
        watcher: is told what happens.

    Returns:
        The generation that would be tried next; its champion is the best network that there is.

    Raises:
        InputError: the training in the folder is another one.
        MissingExtraError: neat-python is not installed.
        NetworkError: a file cannot be read or written, or is none of a training.
    """
    wishes = _TrainingOptions(
        generations, executor or jobs.InProcessExecutor(), save_every, watcher
    )
    with _TrainingFolder(Path(folder)) as files:
        return _TrainingRun(files, files.begun(settings or {}, seed), wishes).to_the_end()


# --- private -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _TrainingOptions:
    generations: int
    executor: jobs.Executor
    save_every: float
    watcher: TrainingObserver | None


class _TrainingRun:
    def __init__(
        self, files: _TrainingFolder, current: TrainingGeneration, wishes: _TrainingOptions
    ) -> None:
        self._files = files
        self._current = current
        self._wishes = wishes
        self._watcher = wishes.watcher

    def to_the_end(self) -> TrainingGeneration:
        self._files.keep_current(self._current)
        while self._current.generation < self._wishes.generations:
            tested = self._crowned(self._with_fitnesses())
            self._files.keep_tried(tested)
            if self._watcher is not None:
                self._watcher.generation_finished(tested)
            self._current = self._following(tested)
            self._files.keep_current(self._current)
        return self._current

    def _with_fitnesses(self) -> TrainingGeneration:
        """The generation when all networks have been tried. What is known is saved all along."""
        current, settings = self._current, self._current.settings
        fitnesses = list(current.fitnesses)
        seed = f"sevenbag training {current.seed}, queues of generation {current.generation}"
        trial = _trial(settings, settings.queues, seed)
        left = [number for number, fitness in enumerate(fitnesses) if fitness is None]
        tasks = [(_network(current, number), trial) for number in left]
        begun = saved = time.monotonic()
        self._report(fitnesses, None)
        try:
            with contextlib.closing(self._wishes.executor.run(_fitness, tasks)) as results:
                for done, (at, fitness) in enumerate(results, start=1):
                    fitnesses[left[at]] = fitness
                    now = time.monotonic()
                    if self._watcher is not None:
                        self._watcher.network_tested(left[at], fitness)
                    self._report(fitnesses, (now - begun) / done * (len(left) - done))
                    if now - saved >= self._wishes.save_every:
                        saved = now
                        self._files.keep_current(_with(current, fitnesses))
        except BaseException:
            self._files.keep_current(_with(current, fitnesses))
            raise
        return _with(current, fitnesses)

    def _crowned(self, tested: TrainingGeneration) -> TrainingGeneration:
        """The same with the champion, who may be new."""
        fitnesses = _known(tested)
        best = _network(tested, fitnesses.index(max(fitnesses)))
        seed = f"sevenbag training {tested.seed}, queues of champions"
        fitness = measure_fitness(best, _trial(tested.settings, _CHAMPION_QUEUES, seed))
        if tested.champion is not None and tested.champion.fitness >= fitness:
            return tested
        self._files.crown(best)
        return msgspec.structs.replace(tested, champion=BestNetwork(tested.generation, fitness))

    @staticmethod
    def _following(tested: TrainingGeneration) -> TrainingGeneration:
        population = next_population(
            tested.trainer,
            _known(tested),
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
        if self._watcher is not None:
            tested = len(fitnesses) - fitnesses.count(None)
            self._watcher.progress(
                TrainingProgress(
                    self._current.generation,
                    self._wishes.generations,
                    tested,
                    len(fitnesses),
                    seconds_left,
                )
            )


class _TrainingFolder:
    """The files of a training; a context, in which they are nobody else's."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = -1

    def __enter__(self) -> _TrainingFolder:
        with self._as_network_error():
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(self._lock)
                raise NetworkError(f"{self.path}: another program is training there") from None
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)

    def begun(self, given: Mapping[str, object], seed: int | None) -> TrainingGeneration:
        """The generation to try: the first one, or that of the training that was begun here."""
        try:
            data = self._read(self.path / _CURRENT)
        except FileNotFoundError:
            settings = _changed(TrainingSettings(), given)
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
        current = self._decoded(data)
        if seed is not None and seed != current.seed:
            raise InputError(
                f"{self.path} holds a training of seed {current.seed}, not of {seed};"
                f" another folder can hold that"
            )
        if differences := _differences(current.settings, _changed(current.settings, given)):
            raise InputError(f"{self.path} holds another training: {', '.join(differences)}")
        return current

    def keep_current(self, generation: TrainingGeneration) -> None:
        """Write the generation that is tried now."""
        self._write(_CURRENT, msgspec.json.encode(generation))

    def keep_tried(self, generation: TrainingGeneration) -> None:
        """Write a generation for good."""
        self._write(f"{generation.generation}.json", msgspec.json.encode(generation))

    def crown(self, network: Network) -> None:
        """Write the best network so far."""
        self._write(BEST_NETWORK_FILE, network.encode())

    def _write(self, name: str, data: bytes) -> None:
        path = self.path / name
        draft = self.path / f".{name}.{secrets.token_hex(4)}"
        with self._as_network_error():
            try:
                with draft.open("xb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                draft.replace(path)
            finally:
                with contextlib.suppress(OSError):
                    draft.unlink()

    def _read(self, path: Path) -> bytes:
        try:
            with open_input(path) as file:
                return file.read(_LARGEST_FILE + 1)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise NetworkError(f"{path}: cannot be read: {error.strerror or error}") from None

    def _decoded(self, data: bytes) -> TrainingGeneration:
        path = self.path / _CURRENT
        try:
            if len(data) > _LARGEST_FILE:
                raise NetworkError(f"more than {_LARGEST_FILE} bytes")
            generation = msgspec.json.decode(data, type=TrainingGeneration)
            size = generation.settings.population
            if not len(generation.trainer.genomes) == len(generation.fitnesses) == size:
                raise NetworkError(f"expected {size} genomes and fitnesses", "trainer.genomes")
            if not all(fitness is None or math.isfinite(fitness) for fitness in
                       generation.fitnesses):  # fmt: skip
                raise NetworkError("a fitness that is no finite number", "fitnesses")
            check_population(generation.trainer)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, InputError) as error:
            where = f"{error.path}: " if isinstance(error, NetworkError) and error.path else ""
            raise NetworkError(f"{path}: {where}{error}") from None
        return generation

    @contextlib.contextmanager
    def _as_network_error(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            raise NetworkError(
                f"{self.path}: cannot be written: {error.strerror or error}"
            ) from error


def _fitness(task: tuple[Network, FitnessTest]) -> float:
    return measure_fitness(*task)


def _network(generation: TrainingGeneration, number: int) -> Network:
    settings = generation.settings
    return build_network(generation.trainer.genomes[number], settings.hidden, settings.output)


def _trial(settings: TrainingSettings, count: int, seed: str) -> FitnessTest:
    queues = draw_test_queues(count, settings.height, settings.kicks, seed)
    return FitnessTest(queues, settings.height, settings.kicks, settings.measure)


def _with(generation: TrainingGeneration, fitnesses: Sequence[float | None]) -> TrainingGeneration:
    return msgspec.structs.replace(generation, fitnesses=tuple(fitnesses))


def _known(generation: TrainingGeneration) -> list[float]:
    return [cast("float", fitness) for fitness in generation.fitnesses]


def _changed(settings: TrainingSettings, given: Mapping[str, object]) -> TrainingSettings:
    try:
        return msgspec.convert(msgspec.structs.asdict(settings) | dict(given), TrainingSettings)
    except msgspec.ValidationError as error:
        what, _, where = str(error).replace("`", "").partition(" - at $.")
        raise InputError(f"{where}: {what}") from None


def _differences(there: TrainingSettings, asked: TrainingSettings) -> list[str]:
    return [
        f"its {field} is {getattr(there, field)}, not {getattr(asked, field)}"
        for field in TrainingSettings.__struct_fields__
        if getattr(there, field) != getattr(asked, field)
    ]


FitnessMeasure = Literal["nodes", "seconds"]
"""Perfect clears in a thousand positions that are looked at, which is the same everywhere and every
time; or in a second."""

HEIGHTS: Final = (2, 4, 6)

# After every tenth queue a network that is too bad is given up; so slow are networks that order
# placements by nothing.
_TRIED_AT_ONCE: Final = 10
_HOPELESS: Final = {"nodes": 0.5, "seconds": 15.0}


@dataclass(frozen=True, slots=True)
class FitnessTest:
    """What a network is tried on.

    Attributes:
        queues: held, current and next pieces, in one word.
        height: rows of the perfect clears.
        kicks: name of the rotation system.
        measure: what its fitness is.
    """

    queues: tuple[str, ...]
    height: int
    kicks: str
    measure: FitnessMeasure = "nodes"


def draw_test_queues(count: int, height: int, kicks: str, seed: str) -> tuple[str, ...]:
    """Random queues that have a perfect clear: windows of a stream of 7-bags, from any place on.

    Raises:
        InputError: there are hardly any.
    """
    chance = random.Random(seed)
    solver = Solver(kicks)
    length = height * 10 // 4 + 1
    found: list[str] = []
    for _ in range(100 * count):
        if len(found) == count:
            return tuple(found)
        queue = "".join(itertools.islice(_stream(chance), length))
        if solver.solve("", queue, min_height=height, max_height=height) is not None:
            found.append(queue)
    if len(found) < count:
        raise InputError(f"too few queues have a perfect clear of {height} rows under {kicks}")
    return tuple(found)


def measure_fitness(network: Network, trial: FitnessTest) -> float:
    """Perfect clears by what the trial measures; networks that are far too bad are given up."""
    solver = _solver(trial.kicks)
    solver.set_network(network.kernel)
    solved, spent = 0, 0.0
    for first in range(0, len(trial.queues), _TRIED_AT_ONCE):
        part = trial.queues[first : first + _TRIED_AT_ONCE]
        if trial.measure == "nodes":
            efforts = solver.measure_effort(part, trial.height)
            spent += sum(nodes for nodes, _ in efforts) / 1_000
            solved += sum(found for _, found in efforts)
        else:
            times = solver.time_queues(part, trial.height, 1)
            spent += sum(microseconds for microseconds, _ in times) / 1e6
            solved += sum(found for _, found in times)
        if solved < _HOPELESS[trial.measure] * spent:
            break
    return solved / spent


# --- private -------------------------------------------------------------------------------------


def _stream(chance: random.Random) -> Iterator[str]:
    skipped = chance.randrange(7)
    bags = ("".join(chance.sample("IOTLJSZ", 7)) for _ in itertools.count())
    return itertools.islice(itertools.chain.from_iterable(bags), skipped, None)


def _solver(kicks: str) -> PcSolver:
    """One for each thread: the workers of a cluster may have several, with a network each."""
    solver = getattr(_own, "solver", None)
    if not isinstance(solver, PcSolver) or solver.kicks != Kicks(kicks):
        solver = _own.solver = PcSolver(kicks)
    return solver


_own = threading.local()
