"""The contest from the side of those who play in it, or watch: `connect` and `connect_async`.

`play` is what programs of one's own are written with (docs/pason-client.md); `planner` turns a bot
into moves, `session` speaks to a server, `join` plays whole matches with any bot, and `watch` shows
one in the terminal.
"""

from sevenbag.contest.client.play import (
    AsyncMatch,
    AsyncTurn,
    Match,
    MatchResult,
    Turn,
    connect,
    connect_async,
)

__all__ = ["AsyncMatch", "AsyncTurn", "Match", "MatchResult", "Turn", "connect", "connect_async"]
