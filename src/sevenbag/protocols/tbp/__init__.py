"""TBP, the Tetris Bot Protocol: messages, and a state machine for either side. See docs/tbp.md."""

from sevenbag.protocols.tbp.messages import TbpMessage, decode, encode, from_object, to_object
from sevenbag.protocols.tbp.tbp_connections import (
    TbpBotConnection,
    TbpEvent,
    TbpFrontendConnection,
    TbpStage,
)

__all__ = [
    "TbpBotConnection",
    "TbpEvent",
    "TbpFrontendConnection",
    "TbpMessage",
    "TbpStage",
    "decode",
    "encode",
    "from_object",
    "to_object",
]
