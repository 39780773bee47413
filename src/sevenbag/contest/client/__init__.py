"""The contest from the side of those who play in it, or watch.

`planner` turns a bot into moves, `session` speaks to a server, `play` is what programs of one's own
are written with (`docs/pason-client.md`), `join` plays whole matches with any bot, and `watch`
shows one in the terminal.
"""
