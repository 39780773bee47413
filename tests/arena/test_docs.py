"""The manual's pages on the arena: examples do what they show, no option is left out."""

from __future__ import annotations

import argparse
import doctest
from pathlib import Path

import pytest

import sevenbag.arena.pairing
from sevenbag.arena.book import start_board
from sevenbag.cli import match, play, tournament
from sevenbag.game import Rules

DOCS = Path(__file__).parents[2] / "docs"


def text_of(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def test_page() -> None:
    result = doctest.testfile(str(DOCS / "arena.md"), module_relative=False)
    assert (result.failed, result.attempted > 3) == (0, True)


def test_modules() -> None:
    result = doctest.testmod(sevenbag.arena.pairing)
    assert (result.failed, result.attempted) == (0, 1)


def test_openings_of_the_page_are_some() -> None:
    fumens = [word for word in text_of("arena.md").split() if word.startswith("v115@")]
    assert fumens
    for fumen in fumens:
        assert not start_board(fumen, Rules.preset("guideline")).is_empty


@pytest.mark.parametrize("command", [match, tournament, play], ids=lambda c: c.__name__)
def test_every_option_stands_in_the_manual(command: object) -> None:
    subparsers = argparse.ArgumentParser().add_subparsers()
    command.add_parser(subparsers)  # type: ignore[attr-defined]
    (parser,) = subparsers.choices.values()
    pages = text_of("arena.md") + text_of("tournaments.md") + text_of("commands.md")
    for action in parser._actions:
        for option in action.option_strings:
            # The help names both spellings of this one.
            if option in {"-h", "--help", "--workers"}:
                continue
            assert option in pages, option
