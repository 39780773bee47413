"""``pc validate``: holds the solutions of .pc files to the rules."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from sevenbag.cli.arguments import named_kicks
from sevenbag.cli.pc.options import KICKS, Option
from sevenbag.errors import PcFileError
from sevenbag.formats.pc_file import ANY_KICKS, check_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sevenbag._kernel import Kicks

USAGE: Final = "validate [options] PATHS..."
OPTIONS: Final = (
    Option(
        "kicks",
        "k",
        f"rotation system of all solutions: {' '.join(KICKS)} (default: any of them)",
        named_kicks,
        None,
        "KICKS",
    ),
    Option("strict", "s", "take no solution that is a perfect clear before its end"),
)
NEEDS_INPUT: Final = True


def run(values: dict[str, Any], inputs: list[str]) -> int:
    """Check each file; a file that cannot be read does not keep the others from being checked."""
    kicks = ANY_KICKS if values["kicks"] is None else (values["kicks"],)
    code = 0
    for path in inputs:
        try:
            _check(path, kicks, strict=values["strict"])
        except PcFileError as error:
            print(f"error: {error.code}", file=sys.stderr)
            code = 1
    return code


def _check(path: str, kicks: Sequence[Kicks | str], *, strict: bool) -> None:
    # Flushed, so that both streams come in order where they go to one place.
    print(f"Validating {path}", flush=True)
    verdict = check_file(path, kicks, may_clear_before=not strict)
    if verdict.reason:
        print(f"Error at solution {verdict.solutions} (byte {verdict.bytes})", flush=True)
        print(f"{path}: solution {verdict.solutions + 1}: {verdict.reason}", file=sys.stderr)
    else:
        print(f"Validated {verdict.solutions} solutions. All solutions ok.", flush=True)
