"""Tests that an option has the same value name, help and default in every command."""

import argparse
from collections.abc import Iterator, Mapping

import pytest

from sevenbag.cli.command_table import (
    COMMANDS,
    PERFECT_TETRIS_VERBS,
    Command,
    CommandGroup,
    CommandParser,
    configure_command,
)

DIFFERENT = {
    "--seed": "match repeats its games by default, play does not; pc train has a stored one",
    "--workers": "matches need a process, perfect clears work in threads",
    "--threads": "perft is timed in one thread",
    "--height": "the choices and the default follow from the command",
    "--folder": "the default follows from the command",
    "-o": "the default follows from the command",
    "--output": "as -o; pc train has a network output",
    "--format": "each command has its own formats",
    "--port": "each server has its own port",
    "--moves-per-second": "the demo is slow enough to watch",
    "--json": "a result, a table or lines",
    "--plain": "a line per turn or per game",
    "--password-file": "contest match has two teams",
    "--token": "a site knows the token",
    "--kicks": "perft lists the names; pc train has a stored one",
    "--speed": "play outside a terminal is not slowed down",
    "--pps": "the default of play is hidden, so that the option can be rejected in simulated time",
    "--rules": "frontends send rules to serve",
    "--failed": "queues fail a field or all setups",
}


def commands(
    group: Mapping[str, Command | CommandGroup], prefix: str = ""
) -> Iterator[tuple[str, Command]]:
    for name, command in group.items():
        if isinstance(command, CommandGroup):
            yield from commands(command.commands, f"{prefix}{name} ")
        elif command.target:
            yield prefix + name, command


def actions() -> Iterator[tuple[str, argparse.Action]]:
    for name, command in commands(COMMANDS):
        parser = CommandParser(prog=name)
        configure_command(parser, command)
        for action in parser._actions:
            yield name, action


def test_options_are_the_same_everywhere() -> None:
    found: dict[str, dict[tuple[object, ...], str]] = {}
    for name, action in actions():
        for option in action.option_strings:
            described = (str(action.metavar), action.help, repr(action.default))
            found.setdefault(option, {}).setdefault(described, name)
    different = {option for option, uses in found.items() if len(uses) > 1}
    assert different == set(DIFFERENT)


def test_every_option_has_help_without_a_full_stop() -> None:
    for name, action in actions():
        assert action.help, (name, action.option_strings, action.dest)
        assert not action.help.endswith("."), (name, action.help)


@pytest.mark.parametrize("verb", PERFECT_TETRIS_VERBS)
def test_verbs_of_perfect_tetris_are_listed(verb: str) -> None:
    group = COMMANDS["pc"]
    assert isinstance(group, CommandGroup)
    assert group.commands[verb].summary == PERFECT_TETRIS_VERBS[verb]
