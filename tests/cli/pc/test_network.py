"""Tests of ``--nn``: search path, invalid files, effect."""

import json
import sys
from pathlib import Path

import pytest

from sevenbag.pc.network import Network, NetworkGene
from tests.cli.pc.run import PC, pc
from tests.cli.pc.test_perfect_tetris_verbs import EMPTY, solved
from tests.cli.run import run_process, sevenbag, start

GOOD = Network(
    genes=(NetworkGene(3, 10, -1.8, enabled=True), NetworkGene(4, 10, -0.7, enabled=True))
)
BAD = Network(genes=(NetworkGene(3, 10, 1.8, enabled=True), NetworkGene(4, 10, 0.7, enabled=True)))
FUMEN = f"v115@{EMPTY}"


@pytest.fixture
def network(tmp_path: Path) -> Path:
    path = tmp_path / "a network.json"
    GOOD.write(path)
    return path


def test_solution_with_a_network(network: Path) -> None:
    for option in (["--nn", str(network)], [f"--nn={network}"], ["-n", str(network)]):
        done = pc("fumen", *option, FUMEN)
        assert (done.returncode, done.stderr) == (0, "")
        assert len(solved(done.stdout, "srs").pages) == 10


def test_file_in_the_working_directory(network: Path) -> None:
    done = pc("fumen", "--nn", network.name, FUMEN, folder=network.parent)
    assert (done.returncode, done.stderr) == (0, "")


def test_file_beside_the_program(network: Path, tmp_path: Path) -> None:
    program = network.parent / "pc"
    program.write_text("import sys; from sevenbag.cli.main import pc; sys.exit(pc())\n")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    command = [sys.executable, "-P", str(program)]
    words = ("fumen", "--nn", network.name, FUMEN)
    done = run_process(command, *words, folder=elsewhere)
    assert (done.returncode, done.stderr) == (0, "")
    # A file in the working directory takes precedence.
    (elsewhere / network.name).write_text("{}")
    assert run_process(command, *words, folder=elsewhere).returncode == 1


def test_default_network() -> None:
    done = pc("fumen", "--nn", "default", FUMEN)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(solved(done.stdout, "srs").pages) == 10


@pytest.mark.parametrize("verb", ["demo", "fumen"])
@pytest.mark.parametrize(
    "path", ["none.json", "/", "defaul", "../networks/default", "x" * 5000, "/dev/zero"]
)
def test_missing_file(verb: str, path: str) -> None:
    done = pc(verb, "--nn", path, FUMEN)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "error: FileNotFound\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "truncated"),
        ('{"options": {}}', "options"),
        (GOOD.encode().decode().replace("-0.7", '"x"'), "genome.genes[1].weight: Expected `float`"),
        (
            GOOD.encode().decode().replace('"input_count": 9', '"input_count": 8'),
            "input_count: Expected `int` >= 9",
        ),
    ],
)
@pytest.mark.parametrize("verb", ["demo", "fumen"])
def test_invalid_network(verb: str, content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content)
    done = pc(verb, "--nn", path, FUMEN)
    assert (done.returncode, done.stdout) == (1, "")
    first, last = done.stderr.splitlines()
    assert first.startswith(f"pc: {path}: ")
    assert message in first
    assert last == "error: InvalidNetwork"


def test_bench_with_a_network(network: Path, tmp_path: Path) -> None:
    queues = tmp_path / "queues"
    queues.write_text("LSTIZJOSJIO\nOIZSOZOISLT\n")
    done = sevenbag("pc", "bench", queues, "--nn", network, "--json")
    assert done.returncode == 0
    figures = json.loads(done.stdout)
    assert (figures["queues"], figures["solved"]) == (2, 1)
    assert figures["network"] == str(network)
    done = sevenbag("pc", "bench", queues, "--nn", "none.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "sevenbag: none.json: no such file\n"


def test_demo_with_a_network(network: Path) -> None:
    with start("demo", "--nn", network, "--seed", "1", "--pps", "200", command=PC) as demo:
        assert demo.stdout is not None
        lines = [demo.stdout.readline() for _ in range(2)]
        demo.terminate()
        _, errors = demo.communicate(timeout=120)
    assert all("PPS" in line or "pieces" in line.lower() for line in lines)
    assert "rror" not in errors
