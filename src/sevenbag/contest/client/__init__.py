"""Clients of a contest: `connect` and `connect_async`.

`match_client` is the interface for programs of users (docs/pason-client.md); `bot_controller` turns
the decisions of a bot into moves, `match_session` exchanges messages with a server,
`contest_client` plays whole matches with any bot, and `match_viewer` shows one in the terminal.
"""

from sevenbag.contest.client.match_client import (
    AsyncClientMatch,
    AsyncClientTurn,
    ClientMatch,
    ClientTurn,
    TeamMatchResult,
    connect,
    connect_async,
)

__all__ = [
    "AsyncClientMatch",
    "AsyncClientTurn",
    "ClientMatch",
    "ClientTurn",
    "TeamMatchResult",
    "connect",
    "connect_async",
]
