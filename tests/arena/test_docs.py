"""Pages of the manual about the arena: examples work, and all options are listed."""

import argparse
import doctest
from collections.abc import Callable
from pathlib import Path

import pytest

import sevenbag.arena.tournament.pairing
from sevenbag.cli.play_command import configure_play
from sevenbag.cli.tournament_commands import configure_match, configure_tournament
from sevenbag.game import Rules
from sevenbag.game.game_config import opening_board

DOCS = Path(__file__).parents[2] / "docs"


def text_of(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def test_page() -> None:
    result = doctest.testfile(str(DOCS / "arena.md"), module_relative=False)
    assert (result.failed, result.attempted > 3) == (0, True)


def test_modules() -> None:
    result = doctest.testmod(sevenbag.arena.tournament.pairing)
    assert (result.failed, result.attempted) == (0, 1)


def test_openings_of_the_page_are_some() -> None:
    fumens = [word for word in text_of("arena.md").split() if word.startswith("v115@")]
    assert fumens
    for fumen in fumens:
        assert not opening_board(fumen, Rules.preset("guideline")).is_empty


@pytest.mark.parametrize("configure", [configure_match, configure_tournament, configure_play])
def test_every_option_is_documented(configure: Callable[[argparse.ArgumentParser], None]) -> None:
    parser = argparse.ArgumentParser()
    configure(parser)
    pages = text_of("arena.md") + text_of("tournaments.md") + text_of("commands.md")
    for action in parser._actions:
        for option in action.option_strings:
            if option in {"-h", "--help"}:
                continue
            assert option in pages, option
