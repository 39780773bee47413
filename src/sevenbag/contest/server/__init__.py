"""The game server: hosts matches over ZeroMQ.

`game_server` is the entry point; `zmq_channels` are its sockets, `command_handler` answers
commands, `hosted_match` runs one match, `builtin_players` are our own bots in a match, and
`scheduler_client` connects the server to the scheduler.
"""

from sevenbag.contest.server.game_server import GameServer

__all__ = ["GameServer"]
