"""Tests of verbs and options: help, messages, exit codes."""

import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from sevenbag.cli.command_table import PERFECT_TETRIS_VERBS as VERBS
from tests.cli.pc.run import Run, pc, sevenbag_pc
from tests.cli.run import run_process


@pytest.mark.parametrize("words", [(), ("-h",), ("--help",)])
def test_help(words: tuple[str, ...]) -> None:
    done = pc(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(verb in done.stdout for verb in ("demo", "display", "fumen", "validate", "version"))


@pytest.mark.parametrize("run", [pc, sevenbag_pc], ids=["pc", "sevenbag pc"])
@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb(verb: str, run: Run) -> None:
    done = run(verb, "-h")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: pc {verb}")
    if verb != "version":
        assert pc(verb, "--help").stdout == done.stdout


@pytest.mark.parametrize("verb", ["display", "fumen", "validate"])
def test_help_without_a_required_input(verb: str) -> None:
    done = pc(verb)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == pc(verb, "-h").stdout


@pytest.mark.parametrize("run", [pc, sevenbag_pc], ids=["pc", "sevenbag pc"])
def test_version(run: Run) -> None:
    done = run("version")
    assert (done.returncode, done.stdout, done.stderr) == (0, "1.3.2\n", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("foo",), "Unknown verb 'foo'."),
        (("--bogus",), "The option bogus does not exist"),
        (("fumen", "--bogus", "x"), "The option bogus does not exist"),
        (("fumen", "-x"), "The option x does not exist"),
        (("fumen", "--min_height", "4"), "The option min_height does not exist"),
        (("fumen", "-m", "128", "x"), "Invalid value '128' for option -m"),
        (("fumen", "--min-height", "-1"), "Invalid value '-1' for option --min-height"),
        (("fumen", "--save", "x", "x"), "Invalid value 'x' for option --save"),
        (("fumen", "--output-type", "Edit", "x"), "Invalid value 'Edit' for option --output-type"),
        (("fumen", "--kicks"), "Missing value for option --kicks"),
        (("fumen", "--append=yes", "x"), "The option append takes no value"),
        (("demo", "--pps", "4294967296"), "Invalid value '4294967296' for option --pps"),
        (("demo", "--pps", "٣"), "Invalid value '٣' for option --pps"),
        (
            ("demo", "--seed", "18446744073709551616"),
            "Invalid value '18446744073709551616' for option --seed",
        ),
        (("display", "a", "b"), "display shows one file"),
    ],
)
def test_invalid_arguments(words: tuple[str, ...], message: str) -> None:
    done = pc(*words)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"{message}\n")


@pytest.mark.parametrize("verb", ["demo", "fumen", "validate"])
@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (
            ("-k", "tetrio"),
            "Invalid value 'tetrio' for option -k",
            "expected srs+, TETR.IO's in most modes",
        ),
        (
            ("--kicks=foo",),
            "Invalid value 'foo' for option --kicks",
            "expected one of none, none180, srs",
        ),
        (("-k", "./foo"), "Invalid value './foo' for option -k", "./foo: cannot be read: No such"),
    ],
)
def test_unknown_rotation_system(
    verb: str, words: tuple[str, ...], message: str, hint: str
) -> None:
    done = pc(verb, *words, "x")
    assert (done.returncode, done.stdout) == (1, "")
    first, second = done.stderr.splitlines()
    assert first == message
    assert second.startswith("pc: ")
    assert hint in second


def test_pps_must_be_positive() -> None:
    done = pc("demo", "--pps", "0")
    assert (done.returncode, done.stderr) == (0, "PPS option must be greater than 0\n")


def test_installed_as_pc() -> None:
    (script,) = entry_points(group="console_scripts", name="pc")
    assert script.value == "sevenbag.cli.main:pc"
    done = run_process([str(Path(sys.executable).with_name("pc"))], "version")
    assert (done.returncode, done.stdout, done.stderr) == (0, "1.3.2\n", "")


def test_sevenbag_verbs_are_verbs_of_pc() -> None:
    done = pc("bench", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == sevenbag_pc("bench", "--help").stdout


def test_sevenbag_verbs_are_listed() -> None:
    done = sevenbag_pc("--help")
    assert done.returncode == 0
    assert all(verb in done.stdout for verb in VERBS)
