"""The Triangle.js adapter protocol: messages, and a state machine for either side.

See docs/triangle.md.
"""

from sevenbag.protocols.triangle.messages import Message
from sevenbag.protocols.triangle.wire import decode, encode, from_object, to_object

__all__ = ["Message", "decode", "encode", "from_object", "to_object"]
