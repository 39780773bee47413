"""Kinds of arguments that several commands take."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING

from sevenbag._kernel import Kicks
from sevenbag.config.input_file import names_file
from sevenbag.errors import KicksError, RulesError

if TYPE_CHECKING:
    from sevenbag.game import Rules


def count(text: str) -> int:
    """A whole number from 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= 2**53:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1")
    return number


def number_from_zero(text: str) -> int:
    """A whole number from 0."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number <= 2**53:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0")
    return number


def positive(text: str) -> float:
    """A number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not (number > 0 and math.isfinite(number)):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return number


def port(text: str) -> int:
    """A port; 0 is for any that is free."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number <= 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port from 0 to 65535")
    return number


def named_rules(name: str) -> Rules:
    """A preset's name, or a file: what ends with ``.toml``, or is no name and means a file.

    Raises:
        RulesError: there are no such rules, or the file holds none.
    """
    from sevenbag.game import Rules  # noqa: PLC0415  # few commands need them

    if name.lower().endswith(".toml"):
        return Rules.from_file(name)
    try:
        return Rules.preset(name)
    except RulesError:
        if names_file(name):
            return Rules.from_file(name)
        raise


def named_kicks(name: str) -> Kicks:
    """A rotation system by its name, or from a file, as for `named_rules`.

    Raises:
        KicksError: there is none of this name, or the file cannot be used.
    """
    if name.lower().endswith(".toml"):
        return Kicks.from_file(name)
    try:
        # The kernel takes text only; a word of the command line may be bytes of anything.
        return Kicks(name.encode("utf-8", "replace").decode())
    except KicksError:
        if names_file(name):
            return Kicks.from_file(name)
        raise
