"""``sevenbag replay stats FILE``: what each player did in a game."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from sevenbag.arena.replay_steps import figures
from sevenbag.arena.tally import KINDS
from sevenbag.cli.output import write_json
from sevenbag.cli.replay_source import add_source, playback_of
from sevenbag.cli.replay_verdict import verdict
from sevenbag.cli.tables import GAME_PPS, named, print_table, table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from rich.table import Table

    from sevenbag.arena.records import PlayerRecord


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.description = (
        "Plays a replay again and counts: pieces, lines, attack by kind of clear, chains, and"
        " thinking times where they were recorded."
    )
    add_source(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(args: argparse.Namespace) -> int:
    """Count, then say whether the game played again is the recorded one."""
    playback = playback_of(args)
    players = figures(playback)
    if args.json:
        told = {
            "players": [
                {"name": name, **_rates(player), **msgspec.to_builtins(player)}
                for name, player in zip(playback.names, players, strict=True)
            ],
            "differences": playback.differences(),
        }
        write_json(msgspec.json.encode(told).decode())
    else:
        print_table(_table(playback.names, players))
    return verdict(playback, quiet=args.json)


# --- helpers ------------------------------------------------------------------------------------


def _rates(player: PlayerRecord) -> dict[str, Any]:
    return {"app": _app(player), "pps": _pps(player)}


def _app(player: PlayerRecord) -> float:
    return player.attack / player.pieces if player.pieces else 0.0


def _pps(player: PlayerRecord) -> float | None:
    return player.pieces / player.game_s if player.game_s else None


def _table(names: tuple[str, str], players: tuple[PlayerRecord, PlayerRecord]) -> Table:
    made = table("", *map(named, names))

    def add(label: str, of: Callable[[PlayerRecord], object]) -> None:
        made.add_row(label, *(_shown(of(player)) for player in players))

    add("pieces", lambda player: player.pieces)
    add("lines", lambda player: player.lines)
    add("attack", lambda player: player.attack)
    add("APP", _app)
    add(GAME_PPS, _pps)
    add("longest combo", lambda player: player.combo)
    add("longest B2B", lambda player: player.b2b)
    for kind in KINDS:
        if any(kind in player.clears or kind in player.attack_by for player in players):
            add(kind, partial(_clears, kind))
    if any(player.thinking_ms is not None for player in players):
        for name in ("mean", "p50", "p95", "p99", "max"):
            add(f"thinking {name}, ms", partial(_thinking, name))
    return made


def _thinking(name: str, player: PlayerRecord) -> object:
    return getattr(player.thinking_ms, name, None)


def _clears(kind: str, player: PlayerRecord) -> str:
    count, attack = player.clears.get(kind, 0), player.attack_by.get(kind, 0)
    return f"{count} ({attack} attack)" if attack else str(count)


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
