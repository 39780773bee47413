"""Populations of networks, and how the next one is bred of one: NEAT, by neat-python.

A population is data: it can be written down after any generation, and what follows of it depends
on it, on the fitnesses and on a seed alone. So every step builds the library's objects of that
data, lets them breed, and makes data of them again; and whether the program was ended in between
makes no difference.

NEAT is K. O. Stanley and R. Miikkulainen, Evolving Neural Networks through Augmenting Topologies,
Evolutionary Computation 10 (2), 2002.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import random
from importlib import resources
from typing import TYPE_CHECKING, Annotated, Any, Final

from msgspec import Meta, Struct

from sevenbag.errors import MissingExtraError, NetworkError
from sevenbag.pc.network import BIAS, FIRST_HIDDEN, SCORE, Network, NetworkGene

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sevenbag.pc.network import Activation

MAX_GENOMES: Final = 10_000

# How the library numbers nodes: inputs -1, -2, ..., the output 0, hidden ones from 1 on.
_OUTPUT: Final = 0
_FIRST_THRESHOLD: Final = 1.0
_THRESHOLD_CHANGE: Final = 1.08
_THRESHOLDS: Final = (0.05, 50.0)

_Number = Annotated[int, Meta(ge=0, le=2**53)]
_Weight = Annotated[float, Meta(ge=-1000, le=1000)]


class NeatNode(Struct, frozen=True, array_like=True):
    """A node that is no input: its number, and its bias."""

    key: _Number
    bias: _Weight


class NeatEdge(Struct, frozen=True, array_like=True):
    """An edge; genomes that have it of one event know it by the number of that."""

    input: Annotated[int, Meta(ge=-BIAS, le=2**53)]
    output: _Number
    weight: _Weight
    enabled: bool
    innovation: _Number


class NeatGenome(Struct, frozen=True):
    """A network as it is bred."""

    key: _Number
    nodes: tuple[NeatNode, ...]
    edges: tuple[NeatEdge, ...]


class NeatSpecies(Struct, frozen=True):
    """Genomes that are bred among themselves.

    Attributes:
        created: the generation in which it began.
        improved: the last one in which it was better than ever before.
        best: its best fitness; none before the first.
        representative: the key of the genome that others are held against.
        members: the keys of all its genomes.
    """

    key: _Number
    created: _Number
    improved: _Number
    best: float | None
    representative: _Number
    members: tuple[_Number, ...]


class NeatPopulation(Struct, frozen=True):
    """A generation before its networks have been tried.

    Attributes:
        next_genome: the number of the next genome; likewise the two after it.
        innovations: the number of the last innovation.
        threshold: how far genomes of one species can be from each other.
    """

    genomes: Annotated[tuple[NeatGenome, ...], Meta(min_length=1, max_length=MAX_GENOMES)]
    species: Annotated[tuple[NeatSpecies, ...], Meta(min_length=1, max_length=MAX_GENOMES)]
    next_genome: _Number
    next_species: _Number
    next_node: _Number
    innovations: _Number
    threshold: Annotated[float, Meta(ge=_THRESHOLDS[0], le=_THRESHOLDS[1])]


def first_population(size: int, seed: str) -> NeatPopulation:
    """A population of networks without hidden nodes, of random weights.

    Raises:
        MissingExtraError: neat-python is not installed.
    """
    return _NeatBreeder(size, _FIRST_THRESHOLD).first(seed)


def next_population(
    population: NeatPopulation,
    fitnesses: Sequence[float],
    generation: int,
    seed: str,
    species: int,
) -> NeatPopulation:
    """What is bred of a population.

    Args:
        fitnesses: of its genomes, in their order; more is better.
        generation: its number.
        seed: what chance follows from.
        species: how many there are to be, about.

    Raises:
        MissingExtraError: neat-python is not installed.
        NetworkError: the population contradicts itself.
    """
    change = 1.0
    if len(population.species) != species:
        more = len(population.species) > species
        change = _THRESHOLD_CHANGE if more else 1 / _THRESHOLD_CHANGE
    threshold = min(max(population.threshold * change, _THRESHOLDS[0]), _THRESHOLDS[1])
    breeder = _NeatBreeder(len(population.genomes), threshold)
    return breeder.next(population, fitnesses, generation, seed)


def check_population(population: NeatPopulation) -> None:
    """Make sure that a population from outside does not contradict itself.

    Raises:
        NetworkError: it does.
    """
    keys = [genome.key for genome in population.genomes]
    members = [key for species in population.species for key in species.members]
    innovations: dict[int, tuple[int, int]] = {}
    if len(set(keys)) != len(keys) or max(keys) >= population.next_genome:
        raise NetworkError("two genomes have one key, or one that is to come", "trainer.genomes")
    if sorted(members) != sorted(keys):
        raise NetworkError("each genome must be of one species", "trainer.species")
    for at, species in enumerate(population.species):
        if species.representative not in species.members or species.key >= population.next_species:
            raise NetworkError("a representative that is no member, or a key that is to come",
                               f"trainer.species[{at}]")  # fmt: skip
    for at, genome in enumerate(population.genomes):
        nodes = {node.key for node in genome.nodes}
        where = f"trainer.genomes[{at}]"
        if _OUTPUT not in nodes or max(nodes) >= population.next_node:
            raise NetworkError("no output, or a node that is to come", where)
        for edge in genome.edges:
            ends = (edge.input, edge.output)
            known = edge.output in nodes and (edge.input < 0 or edge.input in nodes)
            if not known or innovations.setdefault(edge.innovation, ends) != ends:
                raise NetworkError(f"the edge from {edge.input} to {edge.output}", where)
            if edge.innovation > population.innovations:
                raise NetworkError(f"the edge from {edge.input} to {edge.output}", where)
        _hidden_in_order(genome)


def build_network(genome: NeatGenome, hidden: Activation, output: Activation) -> Network:
    """The network that a genome describes."""
    numbers = {key: FIRST_HIDDEN + at for at, key in enumerate(_hidden_in_order(genome))}
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


# --- the library ---------------------------------------------------------------------------------


class _NeatBreeder:
    """neat-python for one step."""

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
        self._set = neat.DefaultSpeciesSet(self._config.species_set_config, reporters)

    def first(self, seed: str) -> NeatPopulation:
        with _SeededRandom(seed):
            self._count_from(1, 1, 1, 0)
            genomes = self._reproduction.create_new(
                self._config.genome_type, self._config.genome_config, self._size
            )
            self._set.speciate(self._config, genomes, 0)
        return self._told(genomes)

    def next(
        self, population: NeatPopulation, fitnesses: Sequence[float], generation: int, seed: str
    ) -> NeatPopulation:
        self._count_from(
            population.next_genome,
            population.next_species,
            population.next_node,
            population.innovations,
        )
        with _SeededRandom(seed):
            # New genes are given random values at first, even those that are to have others.
            genomes: dict[int, Any] = {}
            for genome, fitness in zip(population.genomes, fitnesses, strict=True):
                genomes[genome.key] = self._built(genome)
                genomes[genome.key].fitness = fitness
            for species in population.species:
                self._set.species[species.key] = self._built_species(species, genomes)
            children = self._reproduction.reproduce(self._config, self._set, self._size, generation)
            self._set.speciate(self._config, children, generation + 1)
        return self._told(children)

    def _count_from(self, genome: int, species: int, node: int, innovation: int) -> None:
        self._reproduction.genome_indexer = itertools.count(genome)
        self._set.indexer = itertools.count(species)
        self._config.genome_config.node_indexer = itertools.count(node)
        tracker = self._reproduction.innovation_tracker
        tracker.global_counter = innovation

    def _built(self, genome: NeatGenome) -> Any:
        config = self._config.genome_config
        built = self._config.genome_type(genome.key)
        for node in genome.nodes:
            built.nodes[node.key] = built.create_node(config, node.key)
            built.nodes[node.key].bias = node.bias
        for edge in genome.edges:
            made = built.create_connection(config, edge.input, edge.output, edge.innovation)
            made.weight, made.enabled = edge.weight, edge.enabled
            built.connections[made.key] = made
        return built

    def _built_species(self, species: NeatSpecies, genomes: Mapping[int, Any]) -> Any:
        built = self._neat.species.Species(species.key, species.created)
        built.last_improved = species.improved
        # The library asks for the best of all that it was, and for nothing else.
        built.fitness_history = [] if species.best is None else [species.best]
        members = {key: genomes[key] for key in species.members}
        built.update(members[species.representative], members)
        return built

    def _told(self, genomes: Mapping[int, Any]) -> NeatPopulation:
        species = tuple(
            NeatSpecies(
                one.key,
                one.created,
                one.last_improved,
                max(one.fitness_history, default=None),
                one.representative.key,
                tuple(one.members),
            )
            for one in self._set.species.values()
        )
        return NeatPopulation(
            genomes=tuple(_told_genome(genome) for genome in genomes.values()),
            species=species,
            next_genome=next(self._reproduction.genome_indexer),
            next_species=next(self._set.indexer),
            next_node=next(self._config.genome_config.node_indexer),
            innovations=self._reproduction.innovation_tracker.global_counter,
            threshold=self._config.species_set_config.compatibility_threshold,
        )


class _SeededRandom:
    """A context in which the library's chance, which is everybody's, follows from a seed."""

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def __enter__(self) -> None:
        self._before = random.getstate()
        random.seed(self._seed)

    def __exit__(self, *_: object) -> None:
        random.setstate(self._before)


def _told_genome(genome: Any) -> NeatGenome:
    return NeatGenome(
        genome.key,
        tuple(NeatNode(node.key, node.bias) for node in genome.nodes.values()),
        tuple(
            NeatEdge(edge.key[0], edge.key[1], edge.weight, edge.enabled, edge.innovation)
            for edge in genome.connections.values()
        ),
    )


def _hidden_in_order(genome: NeatGenome) -> list[int]:
    """The hidden nodes, each after those from which edges lead to it.

    Raises:
        NetworkError: edges lead in a circle.
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
            raise NetworkError(f"edges of genome {genome.key} lead in a circle")
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
