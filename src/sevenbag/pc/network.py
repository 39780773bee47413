"""Networks that rate boards: read, written, asked; a solver's search can go by one.

The files are those of perfect-tetris::

    {"options": {"input_count": 9, "output_count": 1,
                 "hidden_activation": "relu", "output_activation": "identity"},
     "genome": {"genes": [{"input": 0, "output": 10, "weight": 0.9, "enabled": true}, ...]}}

A gene is an edge between nodes: 0 to 8 are the features of a board, 9 is always 1, 10 is the score,
later ones are hidden. Hidden nodes are evaluated in the order of their numbers, then the score; an
edge from a node that comes later carries what that was for the board before. Numbers are of 32
bits. Fields that are not known are passed over.

A network changes in what order a search tries placements, and with that how long it takes and which
of several perfect clears it finds; never whether it finds one.
"""

from __future__ import annotations

import contextlib
import functools
import math
import secrets
import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NoReturn, Self, get_args

import msgspec
from msgspec import Struct

from sevenbag._kernel import PC_MAX_GENES, PcNetwork, compute_pc_features
from sevenbag.errors import NetworkError
from sevenbag.files import open_input
from sevenbag.pc.problem import read_board

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

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
"""What is made of the sum that comes into a node."""

FEATURES: Final = 9
BIAS: Final = 9
SCORE: Final = 10
FIRST_HIDDEN: Final = 11

DEFAULT_NETWORK: Final = "default"
"""The name of the network that is part of sevenbag."""

_LARGEST_FILE: Final = 1 << 20
_LARGEST_NODE: Final = 2**31 - 1
_LARGEST_WEIGHT: Final = 3.4028234663852886e38


class NetworkGene(Struct, frozen=True):
    """An edge.

    Attributes:
        input: the node that it comes from, from 0.
        output: the node that it leads to: the score or a hidden one.
        weight: what it multiplies by.
        enabled: whether it counts at all.
    """

    input: int
    output: int
    weight: float
    enabled: bool


class Network(Struct, frozen=True, kw_only=True, dict=True):
    """A network.

    Attributes:
        genes: at most 4,096.
        hidden: what hidden nodes make of their sums.
        output: what the score makes of its sum.

    Raises:
        NetworkError: it cannot be evaluated.
    """

    genes: tuple[NetworkGene, ...]
    hidden: Activation = "relu"
    output: Activation = "identity"

    def __post_init__(self) -> None:
        if len(self.genes) > PC_MAX_GENES:
            _refuse("genome.genes", f"{len(self.genes)} genes; at most {PC_MAX_GENES} can be")
        for at, gene in enumerate(self.genes):
            where = f"genome.genes[{at}]"
            if not 0 <= gene.input <= _LARGEST_NODE:
                _refuse(f"{where}.input", f"there is no node {_short(gene.input)}")
            if not SCORE <= gene.output <= _LARGEST_NODE:
                _refuse(
                    f"{where}.output",
                    f"no edge can lead to node {_short(gene.output)}; the score is {SCORE},"
                    f" hidden nodes follow",
                )
            if not abs(gene.weight) <= _LARGEST_WEIGHT:
                _refuse(f"{where}.weight", f"{gene.weight} is no finite 32-bit number")

    @classmethod
    def parse(cls, data: bytes | str) -> Self:
        """The network that a file's content describes.

        Raises:
            NetworkError: it describes none.
        """
        if len(data) > _LARGEST_FILE:
            _refuse("", f"more than {_LARGEST_FILE} bytes, the most that a network may have")
        try:
            document = msgspec.json.decode(data, type=_Document)
        except msgspec.ValidationError as error:
            what, _, path = str(error).partition(" - at `$")
            if path.endswith("_activation`"):
                what += f", must be one of {', '.join(get_args(Activation))}"
            _refuse(path.strip(".`"), what)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            _refuse("", str(error))
        options = document.options
        if options.input_count != FEATURES:
            _refuse("options.input_count", f"{_short(options.input_count)}; expected {FEATURES}")
        if options.output_count != 1:
            _refuse("options.output_count", f"{_short(options.output_count)}; expected 1")
        return cls(
            genes=document.genome.genes,
            hidden=options.hidden_activation,
            output=options.output_activation,
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The network in a file.

        Raises:
            NetworkError: the file cannot be read, or holds none.
        """
        try:
            with open_input(path) as file:
                data = file.read(_LARGEST_FILE + 1)
        except OSError as error:
            raise NetworkError(f"{path}: cannot be read: {error.strerror or error}") from None
        try:
            return cls.parse(data)
        except NetworkError as error:
            raise NetworkError(f"{path}: {error}", error.path) from None

    @classmethod
    def default(cls) -> Self:
        """The network that is part of sevenbag, made by its own `sevenbag.pc.training`."""
        file = resources.files("sevenbag.pc") / "networks" / f"{DEFAULT_NETWORK}.json"
        return cls.parse(file.read_bytes())

    def encode(self) -> bytes:
        """The content of a file."""
        document = _Document(
            _Options(FEATURES, 1, self.hidden, self.output), _Genome(tuple(self.genes))
        )
        return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a file, in whole or not at all.

        Raises:
            NetworkError: it cannot be written.
        """
        path = Path(path)
        draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        try:
            draft.write_bytes(self.encode())
            draft.replace(path)
        except OSError as error:
            raise NetworkError(f"{path}: cannot be written: {error.strerror or error}") from error
        finally:
            with contextlib.suppress(OSError):
                draft.unlink()

    @functools.cached_property
    def kernel(self) -> PcNetwork:
        """The network as the kernel knows it."""
        edges = [(gene.input, gene.output, gene.weight) for gene in self.genes if gene.enabled]
        return PcNetwork(self.hidden, self.output, edges)

    def score_boards(self, boards: Sequence[Sequence[float]]) -> list[float]:
        """The scores of boards, given by their nine features, one after another.

        What edges from later nodes carry comes from the board before; it is 0 for the first.
        """
        for at, features in enumerate(boards):
            if len(features) != FEATURES or not all(map(math.isfinite, features)):
                raise NetworkError(f"board {at}: expected {FEATURES} finite features")
        return self.kernel.score_boards(boards)

    def score_board(self, field: Board | str, height: int) -> float:
        """The score of one field that is to be filled up to this height."""
        return self.score_boards([compute_features(field, height)])[0]


def compute_features(field: Board | str, height: int) -> tuple[float, ...]:
    """The nine features of a field that is to be filled up to this height.

    They are: the root of the sum of the squared heights of the columns; caves; pillars; changes
    along the rows; changes along the columns; the height; the empty cells up to it; what one colour
    of a checkerboard has more than the other; what the even columns have more than the odd ones.

    >>> field = ".......X..\\n....X.....\\n..XX.X...X\\nX........X\\n..X......X\\nXXXXXXXXXX"
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
        NetworkError: there is no such file, or it holds no network.
    """
    if path is None:
        return None
    for folder in (Path(), Path(sys.argv[0]).resolve().parent):
        if _is_file(folder / path):
            return Network.load(folder / path)
    with resources.as_file(resources.files("sevenbag.pc") / "networks") as ours:
        if path in {file.stem for file in ours.glob("*.json")}:
            return Network.load(ours / f"{path}.json")
    raise NetworkNotFoundError(f"{path}: there is no such file")


# --- the file ------------------------------------------------------------------------------------


class _Options(Struct, frozen=True):
    input_count: int
    output_count: int
    hidden_activation: Activation
    output_activation: Activation


class _Genome(Struct, frozen=True):
    genes: tuple[NetworkGene, ...]


class _Document(Struct, frozen=True):
    options: _Options
    genome: _Genome


def _refuse(path: str, what: str) -> NoReturn:
    raise NetworkError(f"{path}: {what}" if path else what, path) from None


def _short(number: int) -> str:
    """A number of which only a few digits may be of interest."""
    return str(number) if abs(number) < 10**12 else "with so many digits"


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that no file can have
        return False
