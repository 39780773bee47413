"""The Triangle.js adapter protocol: messages, a state machine for either side, an engine.

Whoever writes a bot needs `Turn` and `sevenbag.bots.serving.triangle_engine.run_engine`; see
docs/triangle.md.
"""

from sevenbag.protocols.triangle.bot_side import BotSide
from sevenbag.protocols.triangle.engine import Engine, Reply, Turn
from sevenbag.protocols.triangle.host_side import Event, HostSide, Stage
from sevenbag.protocols.triangle.messages import Message
from sevenbag.protocols.triangle.wire import decode, encode, from_object, to_object

__all__ = [
    "BotSide",
    "Engine",
    "Event",
    "HostSide",
    "Message",
    "Reply",
    "Stage",
    "Turn",
    "decode",
    "encode",
    "from_object",
    "to_object",
]
