"""The Triangle.js adapter protocol: messages and a state machine for each side.

Authors of bots use `sevenbag.bots.serving.triangle_engine`; see docs/triangle.md.
"""

from sevenbag.protocols.triangle.bot_side import BotSide
from sevenbag.protocols.triangle.host_side import Event, HostSide, Stage
from sevenbag.protocols.triangle.messages import Message
from sevenbag.protocols.triangle.wire import decode, encode, from_object, to_object

__all__ = [
    "BotSide",
    "Event",
    "HostSide",
    "Message",
    "Stage",
    "decode",
    "encode",
    "from_object",
    "to_object",
]
