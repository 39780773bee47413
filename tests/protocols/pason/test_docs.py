"""Tests of docs/pason.md: tables, examples and the values of 2012.toml."""

import doctest
import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec
import pytest

from sevenbag.contest.game.pason_game import MoveOutcome
from sevenbag.contest.game.pason_replay import MAX_EVENTS
from sevenbag.contest.game.state_messages import PIECE_MARGIN, SEQUENCE_MARGIN
from sevenbag.contest.settings import ContestRules, GameRules, MatchRules
from sevenbag.protocols.pason import messages
from tests.protocols.pason.table import SHAPES

DOCS = Path(__file__).parents[3] / "docs" / "pason.md"
TEXT = DOCS.read_text(encoding="utf-8")
PLAIN = " ".join(TEXT.split())
SOURCES = ("contest", "server", "clients", "open")


def table(name: str) -> dict[str, list[str]]:
    """A table's rows by their first cell."""
    [text] = re.findall(f"<!-- rows: {name} -->\n(.*?)<!-- end of rows -->", TEXT, re.DOTALL)
    _, _, *lines = text.strip().splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {first.strip("`"): rest for first, *rest in rows}


def said(value: Any) -> str:
    """A value as the tables write it."""
    if isinstance(value, tuple):
        if len(value) > 5 and value == tuple(range(value[0], value[-1] + 1)):
            return f"{value[0]} to {value[-1]}"
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    return f"`{value}`" if isinstance(value, str) else f"{value:g}"


def test_examples_run() -> None:
    failed, tried = doctest.testfile(str(DOCS), module_relative=False)
    assert tried >= 10
    assert failed == 0


def test_the_shapes_are_those_of_the_contest() -> None:
    rows = table("shapes")
    assert {piece: [cell for cell in cells if cell] for piece, cells in rows.items()} == SHAPES


@pytest.mark.parametrize(("name", "kind"), [("game", GameRules), ("match", MatchRules)])
def test_settings_are_documented_with_defaults(name: str, kind: type[msgspec.Struct]) -> None:
    rows = table(name)
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    assert list(rows) == list(fields)
    for key, field in fields.items():
        here, *rest = rows[key]
        assert here == said(field.default), key
        if get_origin(field.type) is Literal:
            for value in get_args(field.type):
                assert f"`{value}`" in " ".join([here, *rest]), (key, value)


def test_error_kinds_are_documented() -> None:
    assert {kind: row[0] for kind, row in table("errors").items()} == messages.ERROR_KINDS


@pytest.mark.parametrize(
    "message",
    [
        messages.MatchConnect,
        messages.GameMove,
        messages.MatchConnectResp,
        messages.GameMoveResp,
        messages.ErrorResp,
        messages.GameBoardState,
        messages.GamePieceState,
        messages.GameEnd,
        messages.MatchEnd,
    ],
)
def test_message_fields_are_documented(message: type[msgspec.Struct]) -> None:
    named = re.compile(rf"`{message.__name__}`( \||:| with)")
    lines = [line for line in TEXT.splitlines() if named.search(line)]
    fields = [field.name for field in msgspec.structs.fields(message)]
    assert any(all(f"`{field}`" in line for field in fields) for line in lines)


def test_outcomes_and_statistics_are_documented() -> None:
    for verdict in MoveOutcome:
        if verdict is not MoveOutcome.DONE:
            assert f"`{verdict}`" in TEXT
    assert f"{MAX_EVENTS:,} events" in PLAIN
    assert f"{SEQUENCE_MARGIN // 1_000_000} million" in PLAIN
    assert f"numbers {PIECE_MARGIN // 1_000_000} million" in PLAIN


FILE = resources.files("sevenbag.contest") / "2012.toml"


def test_the_file_has_every_rule_with_its_default() -> None:
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    assert msgspec.convert(data, ContestRules) == ContestRules()
    for section, kind in (("game", GameRules), ("match", MatchRules)):
        assert list(data[section]) == [field.name for field in msgspec.structs.fields(kind)]


def test_every_value_of_the_file_has_a_source() -> None:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    values = [line for line in lines if "=" in line and not line.startswith("#")]
    assert len(values) == sum(len(msgspec.structs.fields(kind)) for kind in (GameRules, MatchRules))
    for line in values:
        source = line.partition("#")[2].strip()
        assert source.startswith(SOURCES), line
