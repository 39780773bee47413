"""Tests of ``sevenbag pc train``, including interruptions."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from sevenbag.pc.network import Network
from tests.cli.run import (
    COMMAND,
    alive,
    assert_rejected,
    descendants,
    environment,
    read_folder,
    run_process,
    sevenbag,
    start,
    wait_until,
)

SMALL = ("--population", "12", "--queues", "10", "--species", "3", "--seed", "4")


def train(*words: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return sevenbag("pc", "train", *words, folder=folder)


def current(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "current.json").read_bytes())
    return found


def test_printed_lines(tmp_path: Path) -> None:
    done = train(*SMALL, "--generations", "2", "--verbose", folder=tmp_path)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines[:12]] == [f"NN {n}" for n in range(12)]
    assert lines[12].startswith("Generation 0: species ")
    assert "average fitness" in lines[12]
    assert "maximum" in lines[12]
    assert lines[25].startswith("Generation 1: species ")
    assert lines[26].startswith("pops/relu-identity/best.json: generation ")
    assert "perfect clears in 1000 positions" in lines[26]
    assert "generation 0 of 2: 0 of 12 networks tried" in done.stderr
    folder = tmp_path / "pops" / "relu-identity"
    Network.load(folder / "best.json")
    quiet = train(*SMALL, "--generations", "2", folder=tmp_path)
    assert quiet.stdout.splitlines() == lines[26:]


def test_folder_is_named_by_activations(tmp_path: Path) -> None:
    words = ("--hidden", "tanh", "--output", "sigmoid", "--measure", "seconds")
    done = train(*SMALL, *words, "--generations", "1", folder=tmp_path)
    assert done.returncode == 0
    assert "perfect clears a second" in done.stdout
    network = Network.load(tmp_path / "pops" / "tanh-sigmoid" / "best.json")
    assert (network.hidden, network.output) == ("tanh", "sigmoid")


@pytest.mark.parametrize(
    ("number", "workers"),
    [
        (signal.SIGINT, ()),
        pytest.param(signal.SIGKILL, (), marks=pytest.mark.faults),
        pytest.param(signal.SIGHUP, (), marks=pytest.mark.faults),
        pytest.param(signal.SIGKILL, ("--workers", "2"), marks=pytest.mark.faults),
        pytest.param(signal.SIGTERM, ("--workers", "2"), marks=pytest.mark.faults),
    ],
)
def test_interrupted_training_continues(
    number: signal.Signals, workers: tuple[str, ...], tmp_path: Path
) -> None:
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    run = start(
        "pc", "train", *SMALL, "--folder", broken, "--save-every", "0.001",
        *workers, "--generations", "1000", folder=tmp_path,
    )  # fmt: skip
    try:
        wait_until((broken / "1.json").exists)
        team = descendants(run.pid)
        assert len(team) == (2 if workers else 0)
        run.send_signal(number)
        _, errors = run.communicate(timeout=120)
    finally:
        run.kill()
        run.wait()
    assert run.returncode == (-number if number == signal.SIGKILL else 128 + number)
    assert "Traceback" not in errors
    wait_until(lambda: not any(alive(pid) for pid in team))
    generation = current(broken)["generation"]
    assert generation >= 1
    wanted = ("--generations", str(generation + 1))
    assert train("--folder", broken, *wanted, folder=tmp_path).returncode == 0
    assert train(*SMALL, "--folder", whole, *wanted, folder=tmp_path).returncode == 0
    ours, theirs = read_folder(broken), read_folder(whole)
    # A process killed while it writes leaves only a temporary file.
    assert {name: ours[name] for name in theirs} == theirs
    drafts = set(ours) - set(theirs)
    assert all(name.startswith(".") for name in drafts)
    assert number == signal.SIGKILL or not drafts


@pytest.mark.faults
def test_interrupted_generation_keeps_fitnesses(tmp_path: Path) -> None:
    """Known fitnesses are used when the training continues."""
    run = start(
        "pc", "train", "--population", "300", "--queues", "400", "--seed", "1",
        "--folder", tmp_path / "x", "--save-every", "0.001", folder=tmp_path,
    )  # fmt: skip

    def is_in_the_middle() -> bool:
        try:
            fitnesses: list[float | None] = current(tmp_path / "x")["fitnesses"]
        except FileNotFoundError:
            return False
        return fitnesses.count(None) < 298

    with run:
        try:
            wait_until(is_in_the_middle)
        finally:
            run.kill()
    known = current(tmp_path / "x")["fitnesses"]
    assert 0 < known.count(None) < 298
    with start("pc", "train", "--folder", tmp_path / "x", "--verbose", folder=tmp_path) as run:
        assert run.stdout is not None
        first = run.stdout.readline()
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=120)
    assert first.startswith(f"NN {known.index(None)}: ")
    again = current(tmp_path / "x")["fitnesses"]
    assert all(
        before is None or before == after for before, after in zip(known, again, strict=True)
    )
    assert again.count(None) < known.count(None)


def test_progress_line_is_removed_in_a_terminal(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [*COMMAND, "pc", "train", *SMALL, "--generations", "2"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=theirs,
    ) as run:
        output, _ = run.communicate(timeout=120)
    os.close(theirs)
    shown = b""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        try:
            shown += os.read(ours, 1 << 16)
        except OSError:
            break
    os.close(ours)
    assert shown.startswith(b"\r  0%  generation 0 of 2: 0 of 12 networks tried\x1b[K")
    assert shown.endswith(b"\r\x1b[K")
    assert output.count(b"\n") == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--height", "5"), "invalid choice: 5"),
        (("--population", "0"), "expected integer from 1"),
        (("--population", "1"), "sevenbag: population: Expected int >= 2"),
        (("--population", "1000000"), "population"),
        (("--kicks", "nothing"), "nothing"),
        (("--hidden", "cube"), "invalid choice: 'cube'"),
        (("--generations", "0"), "expected integer from 1"),
        (("--save-every", "0"), "expected number above 0"),
        (("--workers", "1", "--cluster", "x"), "not allowed with argument"),
    ],
)
def test_invalid_options(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    assert_rejected(message, "pc", "train", *words, folder=tmp_path)
    assert not (tmp_path / "pops" / "relu-identity" / "current.json").exists()


def test_different_settings_are_rejected(tmp_path: Path) -> None:
    assert train(*SMALL, "--generations", "1", folder=tmp_path).returncode == 0
    message = "relu-identity: other settings than in the stored training: height is 4, not 2\n"
    assert_rejected(message, "pc", "train", "--height", "2", folder=tmp_path)


def test_without_neat_python(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['neat'] = None; from sevenbag.cli.main import main;"
        "sys.exit(main(['pc', 'train']))"
    )
    done = run_process([sys.executable, "-P", "-c", program], folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "sevenbag: training needs neat-python; install it with: pip install 'sevenbag[train]'\n"
    )
