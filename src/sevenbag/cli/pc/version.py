"""``pc version``: which perfect-tetris this stands in for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sevenbag.cli.pc.options import Option

USAGE: Final = "version"
OPTIONS: Final[tuple[Option, ...]] = ()
NEEDS_INPUT: Final = False

STANDS_IN_FOR: Final = "1.3.2"


def run(values: dict[str, Any], inputs: list[str]) -> int:  # noqa: ARG001  # as all verbs
    """Print it; our own version is told by ``sevenbag --version``."""
    print(STANDS_IN_FOR)
    return 0
