"""Clients of a contest: `connect` and `connect_async`.

`match_client` is the interface for programs (docs/pason-client.md). `connection` exchanges
messages with a game server, `bot_controller` plays with a bot, `contest_client` plays whole matches
with any bot, and `match_viewer` shows a match in the terminal.
"""

from sevenbag.contest.client.match_client import (
    AsyncClientMatch,
    AsyncClientTurn,
    ClientMatch,
    ClientTurn,
    connect,
    connect_async,
)
from sevenbag.contest.client.match_view import TeamMatchResult

__all__ = [
    "AsyncClientMatch",
    "AsyncClientTurn",
    "ClientMatch",
    "ClientTurn",
    "TeamMatchResult",
    "connect",
    "connect_async",
]
