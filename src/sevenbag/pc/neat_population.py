"""Populations of networks, bred with NEAT by neat-python.

A population is plain data that can be stored after any generation. The next one depends only on it,
the fitnesses and a seed: each step creates the objects of the library from the data, breeds, and
converts them back. So an interruption does not change the results.

NEAT is K. O. Stanley and R. Miikkulainen, Evolving Neural Networks through Augmenting Topologies,
Evolutionary Computation 10 (2), 2002.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import random
from collections.abc import Generator, Mapping, Sequence
from importlib import resources
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from sevenbag.errors import MissingExtraError, NetworkError
from sevenbag.pc.network import BIAS, FIRST_HIDDEN, SCORE, Activation, Network, NetworkGene

MAX_GENOMES: Final = 10_000

# Nodes of the library: inputs -1, -2, ..., the output 0, hidden nodes from 1.
_OUTPUT: Final = 0
_FIRST_THRESHOLD: Final = 1.0
_THRESHOLD_CHANGE: Final = 1.08
_THRESHOLDS: Final = (0.05, 50.0)

_Number = Annotated[int, Meta(ge=0, le=2**53)]
_Weight = Annotated[float, Meta(ge=-1000, le=1000)]


class NeatNode(Struct, frozen=True, array_like=True):
    """A hidden or output node: its number and its bias."""

    key: _Number
    bias: _Weight


class NeatEdge(Struct, frozen=True, array_like=True):
    """An edge. Edges of the same origin have the same innovation number."""

    input: Annotated[int, Meta(ge=-BIAS, le=2**53)]
    output: _Number
    weight: _Weight
    enabled: bool
    innovation: _Number


class NeatGenome(Struct, frozen=True):
    """Genome of a network."""

    key: _Number
    nodes: tuple[NeatNode, ...]
    edges: tuple[NeatEdge, ...]


class NeatSpecies(Struct, frozen=True):
    """Genomes that breed with each other.

    Attributes:
        created: generation of its creation.
        improved: last generation with a new best fitness.
        representative: key of the genome that others are compared with.
    """

    key: _Number
    created: _Number
    improved: _Number
    best: float | None
    representative: _Number
    members: tuple[_Number, ...]


class NeatPopulation(Struct, frozen=True):
    """A generation before its networks are tested.

    Attributes:
        next_genome: number of the next genome; likewise `next_species` and `next_node`.
        innovations: number of the last innovation.
        threshold: maximum distance of genomes of one species.
    """

    genomes: Annotated[tuple[NeatGenome, ...], Meta(min_length=1, max_length=MAX_GENOMES)]
    species: Annotated[tuple[NeatSpecies, ...], Meta(min_length=1, max_length=MAX_GENOMES)]
    next_genome: _Number
    next_species: _Number
    next_node: _Number
    innovations: _Number
    threshold: Annotated[float, Meta(ge=_THRESHOLDS[0], le=_THRESHOLDS[1])]


def first_population(size: int, seed: str) -> NeatPopulation:
    """Create a population of networks with random weights and no hidden nodes.

    Raises:
        MissingExtraError: neat-python is not installed.
    """
    return _NeatBreeder(size, _FIRST_THRESHOLD).first(seed)


def next_population(
    population: NeatPopulation, fitnesses: Sequence[float], generation: int, seed: str, species: int
) -> NeatPopulation:
    """Breed the next population, with about `species` species.

    Raises:
        MissingExtraError: neat-python is not installed.
        NetworkError: the population is inconsistent.
    """
    change = 1.0
    if len(population.species) != species:
        more = len(population.species) > species
        change = _THRESHOLD_CHANGE if more else 1 / _THRESHOLD_CHANGE
    threshold = min(max(population.threshold * change, _THRESHOLDS[0]), _THRESHOLDS[1])
    breeder = _NeatBreeder(len(population.genomes), threshold)
    return breeder.next(population, fitnesses, generation, seed)


def check_population(population: NeatPopulation) -> None:
    """Check that a population from a file is consistent.

    Raises:
        NetworkError: it is not.
    """
    keys = [genome.key for genome in population.genomes]
    members = [key for species in population.species for key in species.members]
    innovations: dict[int, tuple[int, int]] = {}
    if len(set(keys)) != len(keys) or max(keys) >= population.next_genome:
        raise NetworkError("expected different keys below next_genome", "trainer.genomes")
    if sorted(members) != sorted(keys):
        raise NetworkError("expected each genome in one species", "trainer.species")
    for at, species in enumerate(population.species):
        if species.representative not in species.members or species.key >= population.next_species:
            raise NetworkError("expected a representative among the members, and a key below"
                " next_species",
                               f"trainer.species[{at}]")  # fmt: skip
    for at, genome in enumerate(population.genomes):
        nodes = {node.key for node in genome.nodes}
        where = f"trainer.genomes[{at}]"
        if _OUTPUT not in nodes or max(nodes) >= population.next_node:
            raise NetworkError("expected an output node, and nodes below next_node", where)
        for edge in genome.edges:
            ends = (edge.input, edge.output)
            known = edge.output in nodes and (edge.input < 0 or edge.input in nodes)
            if not known or innovations.setdefault(edge.innovation, ends) != ends:
                raise NetworkError(f"invalid edge from {edge.input} to {edge.output}", where)
            if edge.innovation > population.innovations:
                raise NetworkError(f"invalid edge from {edge.input} to {edge.output}", where)
        _sort_hidden(genome)


def build_network(genome: NeatGenome, hidden: Activation, output: Activation) -> Network:
    """Return the network of a genome."""
    numbers = {key: FIRST_HIDDEN + at for at, key in enumerate(_sort_hidden(genome))}
    numbers |= {-1 - feature: feature for feature in range(BIAS)}
    numbers[_OUTPUT] = SCORE
    genes = [
        NetworkGene(numbers[edge.input], numbers[edge.output], edge.weight, edge.enabled)
        for edge in genome.edges
    ]
    genes += [
        NetworkGene(BIAS, numbers[node.key], node.bias, enabled=True)
        for node in genome.nodes
        if node.bias != 0
    ]
    return Network(genes=tuple(genes), hidden=hidden, output=output)


class _NeatBreeder:
    """Runs one step of neat-python."""

    def __init__(self, size: int, threshold: float) -> None:
        neat = _library()
        self._size = size
        self._neat = neat
        self._config = _config()
        self._config.pop_size = size
        self._config.species_set_config.compatibility_threshold = threshold
        reporters = neat.reporting.ReporterSet()
        stagnation = neat.DefaultStagnation(self._config.stagnation_config, reporters)
        self._reproduction = neat.DefaultReproduction(
            self._config.reproduction_config, reporters, stagnation
        )
        self._species_set = neat.DefaultSpeciesSet(self._config.species_set_config, reporters)

    def first(self, seed: str) -> NeatPopulation:
        with _seeded_random(seed):
            self._set_counters(1, 1, 1, 0)
            genomes = self._reproduction.create_new(
                self._config.genome_type, self._config.genome_config, self._size
            )
            self._species_set.speciate(self._config, genomes, 0)
        return self._convert(genomes)

    def next(
        self, population: NeatPopulation, fitnesses: Sequence[float], generation: int, seed: str
    ) -> NeatPopulation:
        self._set_counters(
            population.next_genome,
            population.next_species,
            population.next_node,
            population.innovations,
        )
        with _seeded_random(seed):
            # The library draws random values even for genes whose values are set below.
            genomes: dict[int, Any] = {}
            for genome, fitness in zip(population.genomes, fitnesses, strict=True):
                genomes[genome.key] = self._build_genome(genome)
                genomes[genome.key].fitness = fitness
            for species in population.species:
                self._species_set.species[species.key] = self._build_species(species, genomes)
            children = self._reproduction.reproduce(
                self._config, self._species_set, self._size, generation
            )
            self._species_set.speciate(self._config, children, generation + 1)
        return self._convert(children)

    def _set_counters(self, genome: int, species: int, node: int, innovation: int) -> None:
        self._reproduction.genome_indexer = itertools.count(genome)
        self._species_set.indexer = itertools.count(species)
        self._config.genome_config.node_indexer = itertools.count(node)
        tracker = self._reproduction.innovation_tracker
        tracker.global_counter = innovation

    def _build_genome(self, genome: NeatGenome) -> Any:
        config = self._config.genome_config
        built = self._config.genome_type(genome.key)
        for node in genome.nodes:
            built.nodes[node.key] = built.create_node(config, node.key)
            built.nodes[node.key].bias = node.bias
        for edge in genome.edges:
            connection = built.create_connection(config, edge.input, edge.output, edge.innovation)
            connection.weight, connection.enabled = edge.weight, edge.enabled
            built.connections[connection.key] = connection
        return built

    def _build_species(self, species: NeatSpecies, genomes: Mapping[int, Any]) -> Any:
        built = self._neat.species.Species(species.key, species.created)
        built.last_improved = species.improved
        # The library only uses the maximum.
        built.fitness_history = [] if species.best is None else [species.best]
        members = {key: genomes[key] for key in species.members}
        built.update(members[species.representative], members)
        return built

    def _convert(self, genomes: Mapping[int, Any]) -> NeatPopulation:
        species = tuple(
            NeatSpecies(
                one.key,
                one.created,
                one.last_improved,
                max(one.fitness_history, default=None),
                one.representative.key,
                tuple(one.members),
            )
            for one in self._species_set.species.values()
        )
        return NeatPopulation(
            genomes=tuple(_convert_genome(genome) for genome in genomes.values()),
            species=species,
            next_genome=next(self._reproduction.genome_indexer),
            next_species=next(self._species_set.indexer),
            next_node=next(self._config.genome_config.node_indexer),
            innovations=self._reproduction.innovation_tracker.global_counter,
            threshold=self._config.species_set_config.compatibility_threshold,
        )


@contextlib.contextmanager
def _seeded_random(seed: str) -> Generator[None]:
    """Seed the global generator, which the library uses, and restore it."""
    before = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(before)


def _convert_genome(genome: Any) -> NeatGenome:
    return NeatGenome(
        genome.key,
        tuple(NeatNode(node.key, node.bias) for node in genome.nodes.values()),
        tuple(
            NeatEdge(edge.key[0], edge.key[1], edge.weight, edge.enabled, edge.innovation)
            for edge in genome.connections.values()
        ),
    )


def _sort_hidden(genome: NeatGenome) -> list[int]:
    """Return the hidden nodes in topological order.

    Raises:
        NetworkError: the edges have a cycle.
    """
    left = {node.key for node in genome.nodes if node.key != _OUTPUT}
    into: dict[int, set[int]] = {key: set() for key in left}
    for edge in genome.edges:
        if edge.output in left and edge.input in left:
            into[edge.output].add(edge.input)
    order: list[int] = []
    while left:
        ready = sorted(key for key in left if not into[key] & left)
        if not ready:
            raise NetworkError(f"edges of genome {genome.key} have a cycle")
        order += ready
        left -= set(ready)
    return order


@functools.cache
def _library() -> Any:
    try:
        return importlib.import_module("neat")
    except ImportError as error:
        raise MissingExtraError(
            "training needs neat-python; install it with: pip install 'sevenbag[train]'"
        ) from error


def _config() -> Any:
    neat = _library()
    with resources.as_file(resources.files("sevenbag.pc") / "training.ini") as path:
        return neat.Config(
            neat.DefaultGenome,
            neat.DefaultReproduction,
            neat.DefaultSpeciesSet,
            neat.DefaultStagnation,
            str(path),
        )
