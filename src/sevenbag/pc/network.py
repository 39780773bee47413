"""Neural networks that score boards, to order the search for perfect clears.

The file format is that of perfect-tetris::

    {"options": {"input_count": 9, "output_count": 1,
                 "hidden_activation": "relu", "output_activation": "identity"},
     "genome": {"genes": [{"input": 0, "output": 10, "weight": 0.9, "enabled": true}, ...]}}

A gene is an edge between nodes. Nodes 0 to 8 are the features of a board, 9 is the constant 1, 10
is the score, and later ones are hidden. Hidden nodes are evaluated in the order of their numbers,
then the score; an edge from a later node carries its value for the previous board. Numbers have 32
bits. Unknown fields are ignored.

A network sets the order in which a search tries placements. This affects the time of the search and
which of several perfect clears it finds, but not whether it finds one.
"""

from __future__ import annotations

import functools
import math
import os
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, Self, get_args

import msgspec
from msgspec import Meta, Struct

from sevenbag._kernel import PC_MAX_GENES, PcNetwork, compute_pc_features
from sevenbag.errors import NetworkError
from sevenbag.files import read_file, write_atomically
from sevenbag.pc.problem import read_board

if TYPE_CHECKING:
    from sevenbag._kernel import Board

Activation = Literal[
    "sigmoid",
    "tanh",
    "relu",
    "leaky_relu",
    "isru",
    "elu",
    "selu",
    "gelu",
    "softplus",
    "identity",
    "swish",
    "step",
    "gaussian",
]
"""Activation function of a node."""

FEATURES: Final = 9
BIAS: Final = 9
SCORE: Final = 10
FIRST_HIDDEN: Final = 11

DEFAULT_NETWORK: Final = "default"
"""Name of the built-in network."""

_MAX_FILE: Final = 1 << 20
_MAX_NODE: Final = 2**31 - 1
_MAX_WEIGHT: Final = 3.4028234663852886e38


class NetworkGene(Struct, frozen=True):
    """An edge from a node to the score or a hidden node."""

    input: Annotated[int, Meta(ge=0, le=_MAX_NODE)]
    output: Annotated[int, Meta(ge=SCORE, le=_MAX_NODE)]
    weight: Annotated[float, Meta(ge=-_MAX_WEIGHT, le=_MAX_WEIGHT)]
    enabled: bool


class Network(Struct, frozen=True, kw_only=True, dict=True):
    """A network of at most 4,096 edges; activations of the hidden nodes and of the score."""

    genes: tuple[NetworkGene, ...]
    hidden: Activation = "relu"
    output: Activation = "identity"

    @classmethod
    def parse(cls, data: bytes | str) -> Self:
        """Parse the content of a file.

        Raises:
            NetworkError: invalid network.
        """
        if len(data) > _MAX_FILE:
            raise NetworkError(f"invalid network: expected at most {_MAX_FILE} bytes")
        try:
            document = msgspec.json.decode(data, type=_Document)
        except msgspec.ValidationError as error:
            what, _, path = str(error).partition(" - at `$")
            path = path.strip(".`")
            if path.endswith("_activation"):
                what += f", expected one of {', '.join(get_args(Activation))}"
            raise NetworkError(f"{path}: {what}" if path else what, path) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise NetworkError(str(error)) from None
        options = document.options
        return cls(
            genes=document.genome.genes,
            hidden=options.hidden_activation,
            output=options.output_activation,
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Load a network from a file.

        Raises:
            NetworkError: the file cannot be read, or is not a valid network.
        """
        data = read_file(path, _MAX_FILE, NetworkError)
        try:
            return cls.parse(data)
        except NetworkError as error:
            raise NetworkError(f"{path}: {error}", error.path) from None

    @classmethod
    def default(cls) -> Self:
        """Return the built-in network, trained with `sevenbag.pc.training`."""
        file = resources.files("sevenbag.pc") / "networks" / f"{DEFAULT_NETWORK}.json"
        return cls.parse(file.read_bytes())

    def encode(self) -> bytes:
        """Return the content of a file."""
        document = _Document(
            _Options(FEATURES, 1, self.hidden, self.output), _Genome(tuple(self.genes))
        )
        return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a file atomically.

        Raises:
            NetworkError: the file cannot be written.
        """
        write_atomically(Path(path), self.encode(), replace=True, error=NetworkError)

    @functools.cached_property
    def kernel(self) -> PcNetwork:
        """Network of the kernel.

        Raises:
            InputError: the network cannot be evaluated.
        """
        edges = [(gene.input, gene.output, gene.weight) for gene in self.genes if gene.enabled]
        return PcNetwork(self.hidden, self.output, edges)

    def score_boards(self, boards: Sequence[Sequence[float]]) -> list[float]:
        """Return the scores of consecutive boards, given by their nine features.

        Edges from later nodes carry values of the previous board, 0 for the first one.
        """
        for at, features in enumerate(boards):
            if len(features) != FEATURES or not all(map(math.isfinite, features)):
                raise NetworkError(f"board {at}: expected {FEATURES} finite features")
        return self.kernel.score_boards(boards)

    def score_board(self, field: Board | str, height: int) -> float:
        """Return the score of a field that is to be filled up to a height."""
        return self.score_boards([compute_features(field, height)])[0]


def compute_features(field: Board | str, height: int) -> tuple[float, ...]:
    r"""Compute the nine features of a field that is to be filled up to a height.

    They are: root of the sum of squared column heights; caves; pillars; transitions in rows;
    transitions in columns; height; empty cells up to the height; difference between the colours
    of a checkerboard; difference between even and odd columns.

    >>> field = ".......X..\n....X.....\n..XX.X...X\nX........X\n..X......X\nXXXXXXXXXX"
    >>> root, *others = compute_features(field, 6)
    >>> round(root, 4), others
    (11.7047, [10.0, 47.0, 14.0, 22.0, 6.0, 40.0, 4.0, 2.0])

    Raises:
        BoardError: the field is not 10 wide, or higher than `height`.
    """
    return compute_pc_features(read_board(field), height)


class NetworkNotFoundError(NetworkError):
    """A network file does not exist."""

    code = "FileNotFound"


def find_network(path: str | None) -> Network | None:
    """Load a network: a file in the working folder or beside the program, or a built-in one.

    Raises:
        NetworkError: the file does not exist, or is not a valid network.
    """
    if path is None:
        return None
    for folder in (Path(), Path(sys.argv[0]).resolve().parent):
        if os.path.isfile(folder / path):  # noqa: PTH113  # Path.is_file fails on long names
            return Network.load(folder / path)
    with resources.as_file(resources.files("sevenbag.pc") / "networks") as built_in:
        if path in {file.stem for file in built_in.glob("*.json")}:
            return Network.load(built_in / f"{path}.json")
    raise NetworkNotFoundError(f"{path}: no such file")


class _Options(Struct, frozen=True):
    input_count: Annotated[int, Meta(ge=FEATURES, le=FEATURES)]
    output_count: Annotated[int, Meta(ge=1, le=1)]
    hidden_activation: Activation
    output_activation: Activation


class _Genome(Struct, frozen=True):
    genes: Annotated[tuple[NetworkGene, ...], Meta(max_length=PC_MAX_GENES)]


class _Document(Struct, frozen=True):
    options: _Options
    genome: _Genome
