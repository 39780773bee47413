"""TBP, the Tetris Bot Protocol: messages, and a state machine for either side. See docs/tbp.md."""

from sevenbag.protocols.tbp.bot_side import BotSide
from sevenbag.protocols.tbp.frontend_side import Event, FrontendSide, Stage
from sevenbag.protocols.tbp.messages import Message
from sevenbag.protocols.tbp.wire import decode, encode, encode_spaced, from_object, to_object

__all__ = [
    "BotSide",
    "Event",
    "FrontendSide",
    "Message",
    "Stage",
    "decode",
    "encode",
    "encode_spaced",
    "from_object",
    "to_object",
]
