"""Kinds of arguments that several commands take."""

from __future__ import annotations

import argparse
import math


def count(text: str) -> int:
    """A whole number from 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= 2**53:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1")
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
