"""Two other readers and writers of fumens: npm's tetris-fumen and PyPI's py-fumen-py."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import py_fumen_py as theirs  # type: ignore[import-untyped]
import pytest

from sevenbag import Piece, Placement, Rotation
from sevenbag.formats.fumen import Field, Page

_SCRIPT = Path(__file__).with_name("fumen_peer.cjs")
_PACKAGES = Path(__file__).parents[2] / ".venv" / "node" / "node_modules"

_TO_SPIN = {
    Rotation.NORTH: "spawn",
    Rotation.EAST: "right",
    Rotation.SOUTH: "reverse",
    Rotation.WEST: "left",
}
_FROM_SPIN = {word: rotation for rotation, word in _TO_SPIN.items()}
_FLAGS = ("lock", "rise", "mirror", "color")


def to_digits(value: int, count: int) -> str:
    """Encode a number, the least significant digit first."""
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return "".join(digits[value // 64**place % 64] for place in range(count))


class TetrisFumen:
    """npm's tetris-fumen, in another process that answers line by line."""

    def __init__(self) -> None:
        node = shutil.which("node")
        if node is None:
            pytest.skip("there is no node here")
        if not (_PACKAGES / "tetris-fumen").is_dir():
            pytest.skip("tetris-fumen is not installed; `make test-all` installs it where npm is")
        self._process = subprocess.Popen(
            [node, str(_SCRIPT)],
            env={"NODE_PATH": str(_PACKAGES)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def close(self) -> None:
        self._process.communicate(timeout=120)

    def read(self, text: str) -> list[Page]:
        return [
            Page(
                Field.from_rows(page["rows"], page["garbage"]),
                _from_operation(page["piece"]),
                page["comment"],
                **{flag: page[flag] for flag in _FLAGS},
            )
            for page in self._ask({"decode": text})["pages"]
        ]

    def write(self, pages: Sequence[Page]) -> str:
        asked = [
            {
                "rows": page.field.rows,
                "garbage": page.field.garbage,
                "piece": _to_operation(page.placement),
                "comment": page.comment,
                **{flag: getattr(page, flag) for flag in _FLAGS},
            }
            for page in pages
        ]
        return str(self._ask({"encode": asked})["text"])

    def _ask(self, question: object) -> Any:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(question) + "\n")
        stdin.flush()
        answer = json.loads(stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer


class PyFumen:
    """PyPI's py-fumen-py."""

    def read(self, text: str) -> list[Page]:
        return [
            Page(
                _from_their_field(page.field),
                _from_operation(
                    [
                        page.operation.mino.name,
                        page.operation.rotation.name.lower(),
                        page.operation.x,
                        page.operation.y,
                    ]
                    if page.operation is not None
                    else None
                ),
                page.comment,
                lock=page.flags.lock,
                rise=page.flags.rise,
                mirror=page.flags.mirror,
                color=page.flags.colorize,
            )
            for page in theirs.decode(text)
        ]

    def write(self, pages: Sequence[Page]) -> str:
        return str(theirs.encode([_to_their_page(page) for page in pages]))


def _from_operation(operation: Sequence[Any] | None) -> Placement | None:
    if operation is None:
        return None
    letter, spin, x, y = operation
    return Placement(Piece[letter], _FROM_SPIN[spin], x, y)


def _to_operation(placement: Placement | None) -> list[object] | None:
    if placement is None:
        return None
    spin = _TO_SPIN[placement.rotation]
    return [placement.piece.name, spin, placement.x, placement.y]


def _from_their_field(field: Any) -> Field:
    lines = [
        "".join(mino.name for mino in field[y]).replace("_", ".").replace("X", "G")
        for y in range(-1, 23)
    ]
    return Field.from_rows(lines[1:], lines[0])


def _to_their_page(page: Page) -> Any:
    operation = None
    if page.placement is not None:
        operation = theirs.Operation(
            theirs.Mino[page.placement.piece.name],
            theirs.Rotation[_TO_SPIN[page.placement.rotation].upper()],
            page.placement.x,
            page.placement.y,
        )
    rows = [row.replace(".", "_").replace("G", "X") for row in page.field.rows]
    garbage = page.field.garbage.replace(".", "_").replace("G", "X")
    return theirs.Page(
        field=theirs.Field("\n".join(reversed(rows)), garbage),
        operation=operation,
        comment=page.comment,
        flags=theirs.Flags(lock=page.lock, mirror=page.mirror, colorize=page.color, rise=page.rise),
    )
