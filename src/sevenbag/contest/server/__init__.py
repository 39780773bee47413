"""The game server: hosts matches over ZeroMQ, as the contest of 2012 had it.

`game_server` is the whole; `command_channel` and `state_channel` are its sockets, `desk` answers
commands, `table` is one hosted match, `house` our own bots in a match, `keeper` the seam to the
scheduler.
"""

from sevenbag.contest.server.game_server import GameServer

__all__ = ["GameServer"]
