"""The Triangle.js adapter protocol: messages and a state machine for each side.

Authors of bots use `sevenbag.bots.serving.triangle_engine`; see docs/triangle.md.
"""

from sevenbag.protocols.triangle.messages import (
    TriangleMessage,
    decode,
    encode,
    from_object,
    to_object,
)
from sevenbag.protocols.triangle.triangle_connections import (
    TriangleBotConnection,
    TriangleEvent,
    TriangleHostConnection,
    TriangleStage,
)

__all__ = [
    "TriangleBotConnection",
    "TriangleEvent",
    "TriangleHostConnection",
    "TriangleMessage",
    "TriangleStage",
    "decode",
    "encode",
    "from_object",
    "to_object",
]
