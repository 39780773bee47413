"""Tests of every public function and method of the kernel with invalid arguments.

Each call must return a value, or raise an error of sevenbag or Python's error for a wrong argument,
without a crash or an endless loop. Sanitizers (make sanitize) also detect invalid reads.
"""

import inspect
import itertools
import random
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sevenbag import _kernel
from sevenbag._kernel import (
    BeamSearch,
    Board,
    FallingPiece,
    Game,
    GameBatch,
    GarbageQueue,
    InFlightAttacks,
    KernelRules,
    Key,
    Kicks,
    PcSolver,
    PcValidator,
    Piece,
    Placement,
    Placements,
    Rotation,
    Spin,
    SpinMode,
    SpinRules,
    StopFlag,
    Versus,
)
from sevenbag.errors import BoardError, InputError, QueueError, RulesError, SevenbagError
from sevenbag.game import Rules
from tests.properties import cases

NAMED = (SevenbagError, TypeError, OverflowError, LookupError)

ODD: list[Any] = [
    *(None, True, 0, -1, 1, 4, 65, 255, 2**31 - 1, -(2**31), 2**31, 2**63 - 1, -(2**63), 2**64),
    *(10**400, 0.0, -0.5, 1e308, float("nan"), float("inf")),
    *("", "T", "srs", "t-spins", "x" * 100_000, "\0", "\ud800", "七", b"bytes"),
    *([], [None], ["##########"], ["#"] * 10_000, [Piece.T] * 10_000),
    *((0, 0), (-1, 2**40), (4, 19), {}, {"board": None}),
    {(Piece.T, Rotation.NORTH, Rotation.EAST): [(99, 99)] * 1000},
    *(object(), Piece.I, Rotation.WEST, Spin.FULL, SpinMode.STUPID, Key.FLIP),
    memoryview(bytearray(64)),
]

RULES = KernelRules(Rules.preset("guideline").to_dict())
SOLVER = PcSolver("srs")


def subjects() -> dict[type, Callable[[], Any]]:
    """Return functions that create a valid object of each class with methods."""
    return {
        Board: Board,
        BeamSearch: lambda: BeamSearch(RULES),
        InFlightAttacks: InFlightAttacks,
        GameBatch: lambda: GameBatch(RULES, 2, 1, 24, False, 30, 0, {}),
        FallingPiece: lambda: FallingPiece(Game(RULES, 1, 2), False),
        Game: lambda: Game(RULES, 1, 2),
        GarbageQueue: lambda: GarbageQueue(RULES, 1),
        Kicks: lambda: Kicks("srs"),
        PcValidator: lambda: PcValidator(["srs"]),
        PcSolver: lambda: SOLVER,
        Placement: lambda: Placement("T", Rotation.NORTH, 4, 0),
        Placements: lambda: Board().placements("T"),
        KernelRules: lambda: RULES,
        SpinRules: lambda: SpinRules("t-spins"),
        StopFlag: StopFlag,
        Versus: lambda: Versus(RULES, 1, 30),
    }


# Valid but expensive calls: a batch of a million games, or half an hour of random ones.
SKIPPED = {"GameBatch", "play_random_versus"}


def sound(name: str) -> list[Any]:
    """Return valid values of a parameter."""
    placement = Placement("T", Rotation.NORTH, 4, 0)
    known: dict[str, list[Any]] = {
        "board": [Board(), Board(4, 4), Board(16, 64)],
        "rules": [RULES],
        "placement": [placement, Placement("I", Rotation.WEST, -64, 120)],
        "start": [None, placement],
        "first": [placement],
        "second": [placement],
        "other": [placement],
        "game": [Game(RULES, 1, 2)],
        "piece": [Piece.Z, "q"],
        "queue": ["IO", [Piece.I, Piece.T]],
        "rotation": list(Rotation),
        "to": list(Rotation),
        "spin": list(Spin),
        "depth": [1, 2],
        "nodes": [1, 50],
        "milliseconds": [0.1],
        "key": list(Key),
        "keys": [[Key.LEFT, Key.CW], None],
        "fallen": [0, 2],
        "cleared": [False],
        "stop": [StopFlag()],
    }
    return known.get(name, [])


def functions() -> Iterator[tuple[str, Callable[..., Any], list[str]]]:
    """Yield the name, the call and the names of the parameters of each function."""
    for name, value in vars(_kernel).items():
        if name.startswith("_") or name in SKIPPED:
            continue
        if isinstance(value, type):
            if value in subjects():
                yield name, value, parameters(vars(value).get("__init__", value))
        elif callable(value):
            yield name, value, parameters(value)
    for owner, make in subjects().items():
        for name in dir(owner):
            method = getattr(owner, name)
            if not callable(method) or (name.startswith("_") and name not in SPECIAL):
                continue
            # A fresh object for each call, as most calls change it; a state is only for one that
            # has none yet.
            fresh = blank(owner) if name == "__setstate__" else make
            yield f"{owner.__name__}.{name}", bound(fresh, name), parameters(method)


SPECIAL = {"__getitem__", "__setitem__", "__contains__", "__eq__", "__setstate__"}


def blank(owner: Any) -> Callable[[], Any]:
    return lambda: owner.__new__(owner)


def bound(make: Callable[[], Any], name: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(make(), name)(*args, **kwargs)

    return call


def parameters(function: Any) -> list[str]:
    """Return the names of the parameters; those of nanobind are in the first signature."""
    signature = getattr(function, "__nb_signature__", None)
    if signature is None:
        return list(inspect.signature(function).parameters)
    inside = signature[0][0].partition("(")[2].rpartition(") ->")[0]
    names: list[str] = []
    depth, word = 0, ""
    for letter in [*inside, ","]:
        depth += (letter in "[({") - (letter in "])}")
        if letter == "," and depth == 0:
            names.append(word.partition(":")[0].partition("=")[0].strip(" *"))
            word = ""
        else:
            word += letter
    return [name for name in names if name not in {"", "self", "/"}]


CALLS = [pytest.param(call, names, id=name) for name, call, names in functions()]


@pytest.mark.parametrize(("call", "names"), CALLS)
def test_odd_arguments(call: Callable[..., Any], names: list[str]) -> None:
    """Call with each odd value in each place, and with drawn arguments."""
    rng = random.Random(len(names))
    known = [sound(name) for name in names]
    attempts: list[tuple[Any, ...]] = [()]
    for place in range(len(names) + 1):
        for odd in ODD:
            arguments = [rng.choice(values or ODD) for values in known]
            arguments[place : place + 1] = [odd]
            attempts.append(tuple(arguments))
    attempts.extend(
        tuple(rng.choice([*values, *ODD]) for values in known) for _ in range(cases(300))
    )
    for attempt in attempts:
        for keywords in (False, True):
            expect_named(call, names, attempt, keywords=keywords)


def expect_named(
    call: Callable[..., Any], names: list[str], arguments: tuple[Any, ...], *, keywords: bool
) -> None:
    if counts_for_ever(names, arguments):
        return
    try:
        named = dict(zip(names, arguments, strict=False))
        result = call(**named) if keywords else call(*arguments)
        # Returned values must be valid, too.
        repr(result)
        if isinstance(result, types.GeneratorType):
            list(itertools.islice(result, 10))
    except NAMED:
        pass


def counts_for_ever(names: list[str], arguments: tuple[Any, ...]) -> bool:
    """Counting without a limit is not an error, so long queues are skipped."""
    given = dict(zip(names, arguments, strict=False))
    depth = given.get("depth", 0)
    if "queue" in given and "threads" in given:
        queue = given["queue"]
        pieces = depth if isinstance(depth, int) else len(queue) if hasattr(queue, "__len__") else 0
        return 2 < pieces <= 64
    nodes = given.get("nodes")
    return "nodes" in names and not (isinstance(nodes, int) and 0 < nodes < 1000)


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ({"combo": -1}, RulesError, "0 to 1000000, got -1"),
        ({"combo": 2**31 - 1}, RulesError, "0 to 1000000, got 2147483647"),
        ({"back_to_back": 10**6 + 1}, RulesError, "0 to 1000000, got 1000001"),
        ({"pending": -1}, RulesError, "0 to 1000000, got -1"),
        ({"nodes": 0}, RulesError, "at least 1, got 0"),
        ({"nodes": -(2**63)}, RulesError, "at least 1, got -9223372036854775808"),
        ({"nodes": 2**62}, RulesError, "0 to 9007199254740992"),
        ({"milliseconds": 0.0}, RulesError, "more than 0"),
        ({"milliseconds": float("nan")}, RulesError, "more than 0, got nan"),
        ({"width": 0}, RulesError, "1 to 32768, got 0"),
        ({"width": -1}, RulesError, "1 to 32768, got -1"),
        ({"board": Board(4, 4)}, BoardError, "10 x 40 cells"),
        ({"queue": []}, QueueError, "at least one piece"),
    ],
)
def test_invalid_searches(given: dict[str, Any], error: type[InputError], told: str) -> None:
    (name,) = given
    told = f"invalid {name}: expected {told}"
    sound: dict[str, Any] = {"board": Board(), "queue": [Piece.T], "hold": None, "nodes": 5}
    with pytest.raises(error, match=told):
        BeamSearch(RULES).run(**(sound | given))


def test_the_largest_counters_have_scores() -> None:
    most = 1_000_000
    rules = Rules.preset("guideline").replace(
        {"combo": {"kind": "multiplier"}, "attack": {"none": [0, 1000, 1000, 1000, 1000]}}
    )
    board = Board.from_rows(["#########."] * 8)
    result = BeamSearch(KernelRules(rules.to_dict())).run(
        board, [Piece.I, Piece.I], None, most, most, most, [Piece.I] * 1000, nodes=100
    )
    assert len(result.moves) == len(board.placements("I", spins="t-spins", spawn=(4, 20)))
    assert all(abs(score) < 2**30 for score in result.scores)
