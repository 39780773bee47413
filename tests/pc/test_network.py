"""Networks: features against a published case and a slow count, files, searches by one."""

import itertools
import json
import math
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sevenbag import Board, pc
from sevenbag._kernel import PC_ACTIVATIONS, PC_MAX_GENES, PcNetwork
from sevenbag.errors import BoardError, InputError, NetworkError, QueueError
from sevenbag.pc.network import Network, NetworkGene, compute_features
from tests.pc.solution_check import find_faults
from tests.pc.test_sequences import is_dealt
from tests.pc.test_solver import SIX_SYSTEMS, first_pc_queues
from tests.truth import truth

ROW = "0000000100 / 0000100000 / 0011010001 / 1000000001 / 0010000001 / 1111111111"
FAST3 = {
    0: 0.9031453728675842,
    3: -1.84650719165802,
    4: -0.7464601993560791,
    6: 1.1719337701797485,
    7: -0.7672251462936401,
    8: -0.5730836987495422,
}


def drawn(rows: str) -> str:
    return rows.replace(" / ", "\n").replace("0", ".").replace("1", "X")


def linear(weights: dict[int, float]) -> Network:
    return Network(
        genes=tuple(NetworkGene(i, 10, weight, enabled=True) for i, weight in weights.items())
    )


@pytest.mark.parametrize("height", [6, 7, 20])
def test_the_published_features(height: int) -> None:
    found = compute_features(drawn(ROW), height)
    expected = [11.7046995, 10, 47, 14, 22, height, 10 * height - 20, 4, 2]
    assert found == pytest.approx(expected, rel=1e-7)


def by_hand(rows: list[list[bool]], height: int) -> list[float]:
    """The nine features of rows from the bottom, cell by cell."""

    def filled(x: int, y: int) -> bool:
        return y < len(rows) and rows[y][x]

    columns = range(10)
    tall = [max((y + 1 for y in range(len(rows)) if filled(x, y)), default=0) for x in columns]
    caves = 0
    pillars = 0
    for x in columns:
        beside = [tall[n] for n in (x - 1, x + 1) if 0 <= n < 10]
        for y in range(tall[x] - 1):
            if not filled(x, y) and filled(x, y + 1) and y <= min(tall[x] - 2, max(beside)):
                caves += tall[x] - y
        if len(beside) == 1:
            difference = max(0, beside[0] - tall[x])
        else:
            difference = min(abs(tall[x] - n) for n in beside)
        pillars += difference**2 if difference > 2 else difference
    everywhere = list(itertools.product(columns, range(height)))
    highest = max(tall)
    return [
        math.sqrt(sum(h * h for h in tall)),
        caves,
        pillars,
        sum(filled(x, y) != filled(x + 1, y) for x, y in everywhere if x < 9),
        sum(filled(x, highest - 1) for x in columns if highest)
        + sum(filled(x, y) != filled(x, y + 1) for x in columns for y in range(highest - 1)),
        height,
        sum(not filled(x, y) for x, y in everywhere),
        abs(sum((-1) ** (x + y) for x, y in everywhere if filled(x, y))),
        abs(sum((-1) ** x for x, y in everywhere if filled(x, y))),
    ]


@st.composite
def fields(draw: st.DrawFn) -> tuple[list[list[bool]], int]:
    height = draw(st.integers(1, 12))
    share = draw(st.integers(1, 9))
    cell = st.integers(0, 9).map(lambda n: n < share)
    row = st.lists(cell, min_size=10, max_size=10)
    return draw(st.lists(row, max_size=height)), height


@given(fields())
def test_features_are_those_counted_by_hand(case: tuple[list[list[bool]], int]) -> None:
    rows, height = case
    board = Board.from_rows(
        ["".join("X" if cell else "." for cell in row) for row in rows], height=40
    )
    assert compute_features(board, height) == pytest.approx(by_hand(rows, height), rel=1e-6)


def test_features_of_what_has_none() -> None:
    with pytest.raises(BoardError, match="10 columns"):
        compute_features(Board.from_rows(["XX.."]), 4)
    with pytest.raises(BoardError, match="invalid height: expected 2 to 64, got 1"):
        compute_features("X.........\nX.........", 1)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def elu(x: float) -> float:
    return x if x > 0 else math.exp(x) - 1


ACTIVATIONS: dict[str, Callable[[float], float]] = {
    "sigmoid": sigmoid,
    "tanh": math.tanh,
    "relu": lambda x: max(x, 0),
    "leaky_relu": lambda x: x if x > 0 else 0.01 * x,
    "isru": lambda x: x / math.sqrt(1 + x * x),
    "elu": elu,
    "selu": lambda x: 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * elu(x)),
    "gelu": lambda x: x * sigmoid(1.702 * x),
    "softplus": lambda x: math.log(1 + math.exp(x)),
    "identity": lambda x: x,
    "swish": lambda x: x * sigmoid(x),
    "step": lambda x: float(x > 0),
    "gaussian": lambda x: math.exp(-x * x),
}


@pytest.mark.parametrize("name", PC_ACTIVATIONS)
def test_activations(name: Any) -> None:
    network = Network(genes=(NetworkGene(0, 10, 1.0, enabled=True),), output=name)
    for x in (-20.0, -3.0, -1.0, -0.25, 0.0, 0.25, 1.0, 2.5, 20.0):
        (found,) = network.score_boards([[x, *[0.0] * 8]])
        assert found == pytest.approx(ACTIVATIONS[name](x), rel=1e-5, abs=1e-6), x
    for x in (-3e38, 3e38):
        (found,) = network.score_boards([[x, *[0.0] * 8]])
        assert not math.isnan(found)


def test_a_published_network() -> None:
    # 0.903 * 11.7 - 1.847 * 14 - 0.746 * 22 + 1.172 * 40 - 0.767 * 4 - 0.573 * 2
    assert linear(FAST3).score_board(drawn(ROW), 6) == pytest.approx(10.96010, abs=1e-4)


def slow_scores(network: Network, boards: list[list[float]]) -> list[float]:
    """Evaluate hidden nodes by number, then the score, as the file format defines."""
    genes = [gene for gene in network.genes if gene.enabled]
    hidden = sorted(
        {g.output for g in genes if g.output > 10} | {g.input for g in genes if g.input > 10}
    )
    values: dict[int, float] = dict.fromkeys([*hidden, 10], 0.0)
    scores = []
    for features in boards:
        values |= dict(enumerate(features)) | {9: 1.0}
        for node in [*hidden, 10]:
            total = sum(g.weight * values[g.input] for g in genes if g.output == node)
            kind = network.output if node == 10 else network.hidden
            values[node] = ACTIVATIONS[kind](total)
        scores.append(values[10])
    return scores


@st.composite
def networks(draw: st.DrawFn) -> Network:
    # Some hidden nodes have no outputs, some no inputs, some form cycles.
    nodes = [11, 12, 13, 500]
    gene = st.builds(
        NetworkGene,
        st.sampled_from([*range(11), *nodes]),
        st.sampled_from([10, *nodes]),
        st.floats(-0.5, 0.5, width=32),
        st.booleans(),
    )
    # Steps would make much of the smallest difference between 32 bits and 64.
    kind: Any = st.sampled_from(sorted(set(ACTIVATIONS) - {"step"}))
    return Network(
        genes=tuple(draw(st.lists(gene, max_size=14))), hidden=draw(kind), output=draw(kind)
    )


@given(
    networks(), st.lists(st.lists(st.integers(0, 8).map(float), min_size=9, max_size=9), max_size=4)
)
def test_scores_are_those_of_the_format(network: Network, boards: list[list[float]]) -> None:
    expected = slow_scores(network, boards)
    assert network.score_boards(boards) == pytest.approx(expected, rel=1e-3, abs=1e-3)


def test_scores_of_what_has_no_features() -> None:
    with pytest.raises(NetworkError, match="board 1: expected 9 finite features"):
        linear(FAST3).score_boards([[0.0] * 9, [0.0] * 8])
    with pytest.raises(NetworkError, match="board 0: expected 9 finite features"):
        linear(FAST3).score_boards([[math.nan] * 9])


def test_kernel_rejects_invalid_networks() -> None:
    with pytest.raises(InputError, match="invalid activation: expected one of sigmoid"):
        PcNetwork("cube", "identity", [])
    with pytest.raises(InputError, match="got 0 to 3"):
        PcNetwork("relu", "identity", [(0, 3, 1.0)])
    with pytest.raises(InputError, match="32-bit"):
        PcNetwork("relu", "identity", [(0, 10, 1e39)])
    with pytest.raises(InputError, match=f"got {PC_MAX_GENES + 1}"):
        PcNetwork("relu", "identity", [(0, 10, 1.0)] * (PC_MAX_GENES + 1))


DOCUMENT: dict[str, Any] = {
    "options": {
        "input_count": 9,
        "output_count": 1,
        "hidden_activation": "relu",
        "output_activation": "identity",
    },
    "genome": {
        "genes": [
            {"input": 0, "output": 11, "weight": 0.5, "enabled": True},
            {"input": 9, "output": 11, "weight": -2, "enabled": True},
            {"input": 11, "output": 10, "weight": 1.25, "enabled": True},
            {"input": 3, "output": 10, "weight": 7.0, "enabled": False},
        ]
    },
}


def edit_json(text: str | bytes, path: str, value: object) -> str:
    """Set another value somewhere in a document; `...` removes it."""
    document = json.loads(text)
    *way, last = (int(step) if step.isdigit() else step for step in path.split("."))
    place = document
    for step in way:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return json.dumps(document)


def changed(path: str, value: object) -> str:
    return edit_json(json.dumps(DOCUMENT), path, value)


def test_a_file_is_read_and_written() -> None:
    network = Network.parse(json.dumps(DOCUMENT))
    assert (network.hidden, network.output) == ("relu", "identity")
    assert network.genes[1] == NetworkGene(9, 11, -2.0, enabled=True)
    assert json.loads(network.encode()) == DOCUMENT
    # (0.5 * 8 - 2) * 1.25; the disabled edge is ignored.
    assert network.score_boards([[8.0, 0, 0, 5.0, 0, 0, 0, 0, 0]]) == [2.5]


@given(networks())
def test_network_round_trip(network: Network) -> None:
    assert Network.parse(network.encode()) == network


def test_unknown_fields_are_passed_over() -> None:
    document = json.loads(json.dumps(DOCUMENT)) | {"note": [1]}
    document["genome"]["genes"][0]["innovation"] = 4
    assert Network.parse(json.dumps(document)) == Network.parse(json.dumps(DOCUMENT))


@pytest.mark.parametrize(
    ("data", "path", "message"),
    [
        ("", "", "truncated"),
        ("{", "", "truncated"),
        ("[]", "", "Expected `object`, got `array`"),
        (b"\xff\xfe", "", "malformed"),
        ("[" * 100_000, "", ""),
        (" " * 2_000_000, "", "expected at most 1048576 bytes"),
        (changed("options", ...), "", "missing required field `options`"),
        (changed("options.input_count", 8), "options.input_count", "Expected `int` >= 9"),
        (changed("options.output_count", 2), "options.output_count", "Expected `int` <= 1"),
        (changed("options.output_count", "1"), "options.output_count", "Expected `int`"),
        (changed("options.hidden_activation", "cube"), "options.hidden_activation",
         "'cube', expected one of sigmoid, tanh, relu,"),
        (changed("options.output_activation", ...), "options", "output_activation"),
        (changed("genome.genes", {}), "genome.genes", "Expected `array`"),
        (changed("genome.genes.2", 7), "genome.genes[2]", "Expected `object`, got `int`"),
        (changed("genome.genes.1.weight", "x"), "genome.genes[1].weight", "Expected `float`"),
        (changed("genome.genes.1.weight", ...), "genome.genes[1]", "field `weight`"),
        (changed("genome.genes.1.weight", 1e39), "genome.genes[1].weight", "<= 3.4028"),
        (changed("genome.genes.1.weight", 1e39).replace("1e+39", "1e999"),
         "genome.genes[1].weight", "out of range"),
        (changed("genome.genes.1.weight", math.nan), "", "malformed"),
        (changed("genome.genes.1.enabled", 1), "genome.genes[1].enabled", "Expected `bool`"),
        (changed("genome.genes.0.input", -1), "genome.genes[0].input", "Expected `int` >= 0"),
        (changed("genome.genes.0.input", 2**31), "genome.genes[0].input", "<= 2147483647"),
        (changed("genome.genes.0.input", 10**4000), "genome.genes[0].input", ""),
        (changed("genome.genes.0.output", 9), "genome.genes[0].output", "Expected `int` >= 10"),
        (
            changed("genome.genes", DOCUMENT["genome"]["genes"] * 1025),
            "genome.genes",
            "Expected `array` of length <= 4096",
        ),
    ],
)  # fmt: skip
def test_file_errors_name_the_place(data: str | bytes, path: str, message: str) -> None:
    with pytest.raises(NetworkError) as caught:
        Network.parse(data)
    assert caught.value.path == path
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


@given(st.binary(max_size=60) | st.text(max_size=60))
def test_rubbish_is_named(data: bytes | str) -> None:
    with pytest.raises(NetworkError):
        Network.parse(data)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    network = linear(FAST3)
    network.write(path)
    assert Network.load(path) == network
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]
    with pytest.raises(NetworkError, match=r"none\.json: cannot be read: No such file"):
        Network.load(tmp_path / "none.json")
    with pytest.raises(NetworkError, match="cannot be written"):
        network.write(tmp_path / "none" / "a.json")
    path.write_text(changed("genome.genes.0.input", -1))
    with pytest.raises(NetworkError, match=r"a\.json: genome\.genes\[0\]\.input: ") as caught:
        Network.load(path)
    assert caught.value.path == "genome.genes[0].input"


def test_networks_go_to_other_processes() -> None:
    network = linear(FAST3)
    network.score_board("", 4)
    assert pickle.loads(pickle.dumps(network)) == network


WORST = linear({number: -weight for number, weight in FAST3.items()})
NOT_A_NUMBER = linear({0: 3e38, 3: -3e38, 4: 3e38, 6: -3e38})
REMEMBERING = Network(
    genes=(
        NetworkGene(12, 11, 1.0, enabled=True),
        NetworkGene(10, 12, -1.0, enabled=True),
        NetworkGene(3, 12, 1.0, enabled=True),
        NetworkGene(11, 10, -1.0, enabled=True),
        NetworkGene(4, 10, -1.0, enabled=True),
    ),
    hidden="tanh",
)
NETWORKS = {
    "published": linear(FAST3),
    "upside down": WORST,
    "no order": Network(genes=()),
    "no number": NOT_A_NUMBER,
    "remembering": REMEMBERING,
}


def first_queues(count: int) -> list[str]:
    return [fields[1] for fields in first_pc_queues()[:count]]


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("kicks", SIX_SYSTEMS)
def test_solutions_are_true_whatever_the_order(name: str, kicks: str) -> None:
    with_one = pc.Solver(kicks, network=NETWORKS[name])
    without = pc.Solver(kicks)
    for queue in first_queues(12):
        found = with_one.solve("", queue[:11], min_height=4, max_height=4)
        assert (found is None) == (
            without.solve("", queue[:11], min_height=4, max_height=4) is None
        )
        if found is not None:
            assert find_faults(found, queue[:11], kicks=kicks) == []


def test_a_network_for_six_lines_and_for_fields_above() -> None:
    solver = pc.Solver("srs+", network=linear(FAST3))
    for queue in first_queues(5):
        found = solver.solve("", queue, min_height=6)
        assert found is not None
        assert found.height == 6
        assert find_faults(found, queue) == []
    pillar = "\n".join(["XXXXXX..XX"] * 8)
    for network in NETWORKS.values():
        found = pc.Solver("srs", network=network).solve(pillar, "OOOOO", min_height=8)
        assert found is not None
        assert found.height == 8
        assert find_faults(found, "OOOOO", field=pillar, kicks="srs") == []


@pytest.mark.parametrize("name", NETWORKS)
def test_two_lines_have_the_published_answers(name: str) -> None:
    lines = truth("pc/two_line_hold.txt").read_text().splitlines()
    find_solvable = {line.split()[0] for line in lines}
    solver = pc.Solver("srs", network=NETWORKS[name])
    queues = ["".join(queue) for queue in itertools.product("IOTLJSZ", repeat=6)]
    chosen = random.Random(3).sample(queues, 600) + sorted(find_solvable)[:200]
    bags = {queue for queue in chosen if is_dealt(queue[1:])}
    assert len(bags) > 200
    for queue in bags:
        found = solver.solve("", queue[1:], queue[0], max_height=2)
        assert (found is not None) == (queue in find_solvable), queue


def test_the_order_is_the_networks() -> None:
    nodes: dict[str, int] = {}
    for name in ("published", "upside down", "no order"):
        solver = pc.Solver("srs+", network=NETWORKS[name])
        nodes[name] = sum(
            solver.search("", queue[:11], min_height=4).nodes for queue in first_queues(50)
        )
    assert nodes["published"] * 5 < nodes["no order"]
    assert nodes["published"] * 5 < nodes["upside down"]


def test_recurrent_state_is_reset_after_a_search() -> None:
    queues = first_queues(5)
    solver = pc.Solver("srs+", network=REMEMBERING)
    first = [solver.solve("", queue[:11], min_height=4) for queue in queues]
    assert [solver.solve("", queue[:11], min_height=4) for queue in reversed(queues)] == first[::-1]


def test_efforts() -> None:
    solver = pc.Solver("srs+", network=linear(FAST3))._kernel
    queues = [queue[:11] for queue in first_queues(20)]
    efforts = solver.measure_effort(queues, 4)
    assert efforts == solver.measure_effort(queues, 4)
    assert sum(found for _, found in efforts) >= 15
    # Ten pieces are placed; few children of each position are looked at.
    assert all(10 <= nodes <= 4_000 for nodes, _ in efforts)
    solver.set_network(None)
    assert solver.measure_effort(queues, 4) != efforts
    with pytest.raises(QueueError, match="invalid queue: expected 16 pieces, got 10"):
        solver.measure_effort(["IOTLJSZIOT"], 6)
    with pytest.raises(BoardError, match="invalid height: expected 2, 4 or 6, got 5"):
        solver.measure_effort(["IOTLJSZIOT"], 5)


def test_ours_is_read_and_better_than_no_order() -> None:
    solver = pc.Solver("srs+")._kernel
    queues = [queue[:11] for queue in first_queues(100)]
    solver.set_network(Network.default().kernel)
    ours = sum(nodes for nodes, _ in solver.measure_effort(queues, 4))
    solver.set_network(Network(genes=()).kernel)
    assert ours * 5 < sum(nodes for nodes, _ in solver.measure_effort(queues, 4))
