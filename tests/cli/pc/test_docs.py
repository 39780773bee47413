"""Tests of the command and options in docs/pc.md."""

import re
from pathlib import Path

import pytest

from sevenbag.cli.command_table import PERFECT_TETRIS_VERBS
from sevenbag.cli.pc.perfect_tetris import load_verb
from sevenbag.formats.fumen import Fumen
from tests.cli.pc.run import pc

PAGE = Path(__file__).parents[3] / "docs" / "pc.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_documented_command() -> None:
    found = re.search(r'^\$ pc fumen -v "(\S+)"\n(\S+)\n', TEXT, re.MULTILINE)
    assert found is not None
    done = pc("fumen", "-v", found[1])
    assert len(Fumen.parse(done.stdout).pages) == len(Fumen.parse(found[2]).pages) == 10


@pytest.mark.parametrize("verb", PERFECT_TETRIS_VERBS)
def test_every_option_is_listed(verb: str) -> None:
    row = next(line for line in TEXT.splitlines() if line.startswith(f"| `{verb}"))
    options = load_verb(verb).options
    listed = re.findall(r"`-(\w)/--([a-z-]+)`", row)
    assert listed == [(option.letter, option.name) for option in options]
