"""Tests of training: files, interruptions, fitness, populations."""

import importlib
import json
import os
import random
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sevenbag import jobs, pc
from sevenbag.errors import InputError, MissingExtraError, NetworkError
from sevenbag.pc import neat_population
from sevenbag.pc.neat_population import build_network, first_population, next_population
from sevenbag.pc.network import Network, NetworkGene
from sevenbag.pc.training import (
    FitnessTest,
    TrainingGeneration,
    TrainingObserver,
    TrainingProgress,
    draw_test_queues,
    measure_fitness,
    train,
)
from tests.cli.run import descendants, read_folder
from tests.cluster import get_worker_pid
from tests.pc.test_network import FAST3, WORST, edit_json, linear
from tests.pc.test_sequences import is_dealt

SMALL = {"population": 12, "queues": 10, "species": 3}
GOOD = linear(FAST3)


class ImpatientError(Exception):
    """Raised by an observer to stop the training."""


class RecordingObserver(TrainingObserver):
    def __init__(self, most: int | None = None) -> None:
        self.fitnesses: list[tuple[int, float]] = []
        self.finished_ones: list[TrainingGeneration] = []
        self.reports: list[TrainingProgress] = []
        self._most = most

    def progress(self, progress: TrainingProgress) -> None:
        self.reports.append(progress)

    def network_tested(self, number: int, fitness: float) -> None:
        self.fitnesses.append((number, fitness))
        if len(self.fitnesses) == self._most:
            raise ImpatientError

    def generation_finished(self, generation: TrainingGeneration) -> None:
        self.finished_ones.append(generation)


def test_a_training_and_its_files(tmp_path: Path) -> None:
    observer = RecordingObserver()
    last = train(tmp_path, SMALL, seed=3, generations=3, observer=observer)
    names = ("0", "1", "2", "best", "current")
    assert sorted(read_folder(tmp_path)) == [f"{name}.json" for name in names]
    for number in range(3):
        kept = json.loads((tmp_path / f"{number}.json").read_bytes())
        assert kept["seed"] == 3
        assert kept["generation"] == number
        assert len(kept["fitnesses"]) == len(kept["trainer"]["genomes"]) == 12
        assert all(fitness >= 0 for fitness in kept["fitnesses"])
        told = observer.fitnesses[12 * number : 12 * number + 12]
        assert [kept["fitnesses"][at] for at, _ in told] == [fitness for _, fitness in told]
    current = json.loads((tmp_path / "current.json").read_bytes())
    assert current["generation"] == 3
    assert current["fitnesses"] == [None] * 12
    assert [one.generation for one in observer.finished_ones] == [0, 1, 2]
    assert [report.tested for report in observer.reports[:14]] == [*range(13), 0]
    assert last.champion is not None
    best = Network.load(tmp_path / "best.json")
    kept = json.loads((tmp_path / f"{last.champion.generation}.json").read_bytes())
    bests = kept["trainer"]["genomes"][kept["fitnesses"].index(max(kept["fitnesses"]))]
    enabled = [edge[2] for edge in bests["edges"] if edge[3]]
    assert set(enabled) <= {gene.weight for gene in best.genes}


def test_networks_become_better(tmp_path: Path) -> None:
    observer = RecordingObserver()
    train(tmp_path, {**SMALL, "population": 30}, seed=1, generations=6, observer=observer)
    means = [
        sum(fitness or 0.0 for fitness in one.fitnesses) / 30 for one in observer.finished_ones
    ]
    assert means[-1] > 2 * means[0]
    champions = [one.champion.fitness for one in observer.finished_ones if one.champion is not None]
    assert champions == sorted(champions)
    assert len(champions) == 6


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of an uninterrupted training."""
    folder = tmp_path_factory.mktemp("whole")
    train(folder, SMALL, seed=4, generations=3)
    return read_folder(folder)


@pytest.mark.parametrize(
    "most", [17, *(pytest.param(most, marks=pytest.mark.slow) for most in (1, 12, 24))]
)
def test_resumed_training_gives_the_same_result(
    most: int, tmp_path: Path, whole: dict[str, bytes]
) -> None:
    with pytest.raises(ImpatientError):
        train(tmp_path, SMALL, seed=4, generations=3, observer=RecordingObserver(most))
    current = json.loads((tmp_path / "current.json").read_bytes())
    known = sum(fitness is not None for fitness in current["fitnesses"])
    assert current["generation"] * 12 + known == most
    observer = RecordingObserver()
    train(tmp_path, generations=3, observer=observer)
    assert len(observer.fitnesses) == 36 - most
    assert read_folder(tmp_path) == whole


def test_more_generations_later(tmp_path: Path, whole: dict[str, bytes]) -> None:
    for generations in (1, 2, 2, 3):
        train(tmp_path, SMALL, seed=4, generations=generations)
    assert read_folder(tmp_path) == whole
    # A finished training stays unchanged.
    train(tmp_path, generations=1)
    assert read_folder(tmp_path) == whole


def expect_the_same_despite_a_kill(
    executor: jobs.Executor, victim: Callable[[], int], folder: Path
) -> None:
    """Train here and in workers, one of which is killed after three networks."""

    class Killer(RecordingObserver):
        def network_tested(self, number: int, fitness: float) -> None:
            super().network_tested(number, fitness)
            if len(self.fitnesses) == 3:
                os.kill(victim(), signal.SIGKILL)

    here, there, killer = folder / "here", folder / "there", Killer()
    train(here, SMALL, seed=5, generations=2)
    train(there, SMALL, seed=5, generations=2, executor=executor, observer=killer)
    assert len(killer.fitnesses) >= 3
    assert read_folder(there) == read_folder(here)


def test_workers_do_not_affect_the_result(tmp_path: Path) -> None:
    others = descendants(os.getpid())
    with jobs.ProcessExecutor(2) as executor:
        expect_the_same_despite_a_kill(
            executor, lambda: max(descendants(os.getpid()) - others), tmp_path
        )


@pytest.mark.faults
def test_cluster_does_not_affect_the_result(tmp_path: Path, dask_cluster: Any) -> None:
    with jobs.DaskExecutor(dask_cluster.scheduler_address) as executor:
        expect_the_same_despite_a_kill(executor, lambda: get_worker_pid(dask_cluster, 1), tmp_path)


def test_seeds_make_the_difference(tmp_path: Path) -> None:
    before = random.getstate()
    trained = [
        train(tmp_path / str(seed), SMALL, seed=seed, generations=1).trainer for seed in (1, 2)
    ]
    assert trained[0] != trained[1]
    assert random.getstate() == before


def test_seconds_can_be_measured(tmp_path: Path) -> None:
    last = train(tmp_path, {**SMALL, "measure": "seconds"}, generations=1)
    assert last.champion is not None
    assert last.champion.fitness > 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"height": 5}, "invalid height: expected 2, 4 or 6, got 5"),
        ({"kicks": "nothing"}, "nothing"),
        ({"population": 1}, "population"),
        ({"population": 10**9}, "population"),
        ({"hidden": "cube"}, "cube"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        train(tmp_path / "x", {**SMALL, **settings})


def test_another_training_is_in_the_folder(tmp_path: Path) -> None:
    train(tmp_path, SMALL, seed=1, generations=1)
    before = read_folder(tmp_path)
    with pytest.raises(InputError, match=r"height is 4, not 2, queues is 10, not 11"):
        train(tmp_path, {"height": 2, "queues": 11}, generations=2)
    with pytest.raises(InputError, match="invalid seed: expected 1"):
        train(tmp_path, seed=2, generations=2)
    assert read_folder(tmp_path) == before


def test_two_cannot_train_in_one_folder(tmp_path: Path) -> None:
    class Rival(RecordingObserver):
        def network_tested(self, number: int, fitness: float) -> None:
            train(tmp_path, SMALL, generations=1)

    with pytest.raises(NetworkError, match="another program is training in this folder"):
        train(tmp_path, SMALL, generations=1, observer=Rival())


def test_folders_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NetworkError, match="file: cannot be written: File exists"):
        train(tmp_path / "file", SMALL)
    (tmp_path / "current.json").mkdir()
    with pytest.raises(NetworkError, match=r"current\.json: cannot be read: Is a directory"):
        train(tmp_path, SMALL)


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """Return the file of a training that was interrupted after its first network."""
    with pytest.raises(ImpatientError):
        train(tmp_path, SMALL, seed=1, observer=RecordingObserver(1))
    return tmp_path / "current.json"


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("seed", -1, r"seed"),
        ("generation", "x", r"\$\.generation"),
        ("settings.height", 3, "invalid height: expected 2, 4 or 6, got 3"),
        ("settings.population", 13, "expected 13 genomes and fitnesses"),
        ("fitnesses", [], "expected 12 genomes and fitnesses"),
        ("fitnesses.0", "x", r"fitnesses"),
        ("trainer.genomes", [], "length >= 1"),
        ("trainer.genomes.1.key", 1, "expected different keys"),
        ("trainer.next_genome", 5, "expected different keys below next_genome"),
        ("trainer.species.0.members", [1], "expected each genome in one species"),
        ("trainer.species.0.representative", 99, r"species\[0\]: .*expected a representative"),
        ("trainer.genomes.2.nodes", [[7, 0.0]], r"genomes\[2\]: .*expected an output node"),
        ("trainer.genomes.2.nodes.0.1", 1e39, r"genomes\[2\]\.nodes"),
        ("trainer.genomes.2.edges.0.0", -12, r"edges"),
        ("trainer.genomes.2.edges.0.0", 44, "invalid edge from 44 to 0"),
        ("trainer.genomes.2.edges.0.1", 44, "invalid edge from -1 to 44"),
        ("trainer.genomes.2.edges.0.0", -2, "invalid edge from -2 to 0"),
        ("trainer.genomes.2.edges.0.2", 1e39, r"genomes\[2\]\.edges"),
        ("trainer.genomes.2.edges.0.4", 10**6, "invalid edge from -1 to 0"),
        ("trainer.threshold", 1e300, "threshold"),
        ("champion", 7, "champion"),
    ],
)
def test_invalid_files_are_named(begun: Path, path: str, value: object, message: str) -> None:
    begun.write_text(edit_json(begun.read_bytes(), path, value))
    before = read_folder(begun.parent)
    with pytest.raises(NetworkError, match=message) as caught:
        train(begun.parent)
    assert str(caught.value).startswith(str(begun))
    assert len(str(caught.value)) < 400
    assert read_folder(begun.parent) == before


def test_cycles_are_named(begun: Path) -> None:
    for path, value in (
        ("trainer.next_node", 9),
        ("trainer.innovations", 99),
        ("trainer.genomes.2.nodes", [[0, 0.0], [1, 0.0], [2, 0.0]]),
        ("trainer.genomes.2.edges", [[1, 2, 1.0, True, 50], [2, 1, 1.0, True, 51]]),
    ):
        begun.write_text(edit_json(begun.read_bytes(), path, value))
    with pytest.raises(NetworkError, match="edges of genome 3 have a cycle"):
        train(begun.parent)


@pytest.mark.parametrize("size", [0, 1, 100, -1])
def test_truncated_files_are_named(begun: Path, size: int) -> None:
    begun.write_bytes(begun.read_bytes()[:size])
    with pytest.raises(NetworkError, match=r"current\.json: .*(truncated|malformed)"):
        train(begun.parent)


def test_without_the_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def no_module(name: str) -> object:
        raise ImportError(name)

    neat_population._library.cache_clear()
    monkeypatch.setattr(importlib, "import_module", no_module)
    with pytest.raises(MissingExtraError, match=r"sevenbag\[train\]"):
        train(tmp_path, SMALL)
    assert read_folder(tmp_path) == {}


def test_networks_are_those_of_the_library() -> None:
    """Scores equal those that neat-python computes."""
    neat: Any = importlib.import_module("neat")
    config = neat_population._config()
    for option in ("node_add_prob", "conn_add_prob"):
        setattr(config.genome_config, option, 0.7)
    random.seed(6)
    population = neat.Population(config, seed=6)
    chance = random.Random(2)
    hidden = 0
    for genome in list(population.population.values())[:60]:
        for _ in range(6):
            genome.mutate(config.genome_config)
        theirs = neat.nn.FeedForwardNetwork.create(genome, config)
        output = genome.nodes[0].activation
        told = neat_population._convert_genome(genome)
        ours = build_network(told, "relu", output)
        hidden += len(told.nodes) - 1
        boards = [[float(chance.randrange(30)) for _ in range(9)] for _ in range(5)]
        expected = [theirs.activate(board)[0] for board in boards]
        assert ours.score_boards(boards) == pytest.approx(expected, rel=1e-4, abs=1e-2)
    assert hidden > 60


def test_a_population_grows_and_stays_as_large() -> None:
    population = first_population(50, "a")
    chance = random.Random(1)
    for generation in range(12):
        fitnesses = [chance.random() * 9 for _ in population.genomes]
        best = population.genomes[fitnesses.index(max(fitnesses))]
        following = next_population(population, fitnesses, generation, str(generation), 8)
        again = next_population(population, fitnesses, generation, str(generation), 8)
        assert following == again
        # The best of all is kept as it is.
        assert best in following.genomes
        population = following
        neat_population.check_population(population)
        assert len(population.genomes) == 50
    assert 2 <= len(population.species) <= 25
    assert any(len(genome.nodes) > 1 for genome in population.genomes)


@pytest.mark.parametrize(("height", "kicks"), [(2, "srs"), (4, "srs"), (4, "none"), (6, "srs+")])
def test_queues_have_a_perfect_clear_and_are_dealt_by_bags(height: int, kicks: str) -> None:
    queues = draw_test_queues(12, height, kicks, "x")
    assert queues == draw_test_queues(12, height, kicks, "x")
    assert queues != draw_test_queues(12, height, kicks, "y")
    assert len(queues) == 12
    for queue in queues:
        assert len(queue) == height * 10 // 4 + 1
        assert pc.solve("", queue, kicks=kicks, min_height=height, max_height=height) is not None
        assert is_dealt(queue)


def test_queues_that_hardly_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pc.Solver, "solve", lambda *_, **__: None)
    with pytest.raises(InputError, match="too few queues have a perfect clear of 4 rows"):
        draw_test_queues(2, 4, "srs", "x")


def test_fitness_is_perfect_clears_in_a_thousand_positions() -> None:
    queues = draw_test_queues(40, 4, "srs", "x")
    solver = pc.Solver("srs", network=GOOD)._kernel
    efforts = solver.measure_effort(queues, 4)
    expected = 1000 * sum(found for _, found in efforts) / sum(nodes for nodes, _ in efforts)
    assert measure_fitness(GOOD, FitnessTest(queues, 4, "srs")) == pytest.approx(expected)
    assert measure_fitness(WORST, FitnessTest(queues, 4, "srs")) < expected / 5
    assert measure_fitness(GOOD, FitnessTest(queues, 4, "srs", "seconds")) > 0


def test_each_thread_uses_its_own_network() -> None:
    trial = FitnessTest(draw_test_queues(60, 4, "srs", "threads"), 4, "srs")
    # Filled cells low down, and anything but that.
    networks = [Network.default(), Network(genes=(NetworkGene(0, 10, 1.0, True),))] * 4
    alone = [measure_fitness(network, trial) for network in networks]
    assert len(set(alone)) == 2
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(lambda network: measure_fitness(network, trial), networks)) == alone
