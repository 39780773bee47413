"""Process channel that stops waiting as soon as a fake bot announces its silence."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sevenbag.bots.external.process import ProcessChannel
from tests.fakes.dropper import SILENT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sevenbag.bots.external.bot_channel import ChannelLauncher

_INTERVAL = 0.01
"""Polling interval of standard error, in seconds."""


class ImpatientProcess(ProcessChannel):
    """Process that is closed as soon as it announces that no message will follow.

    Time limits can then be so long that no bot misses them on a busy machine, and nobody waits for
    a bot that is silent on purpose.
    """

    async def receive(self) -> bytes:
        """Return the next line; see `ProcessChannel.receive`.

        Raises:
            TimeoutError: no line will follow.
        """
        while self.running:
            silent = SILENT in self.stderr
            try:
                async with asyncio.timeout(_INTERVAL):
                    return await super().receive()
            except TimeoutError:
                # Lines written before the announcement have arrived by now.
                if silent and not self._ended and not self._queue:
                    raise
        return await super().receive()

    async def close(self, last_message: bytes = b"", grace_seconds: float = 1.0) -> None:
        """End it, without grace if it is silent."""
        await super().close(last_message, 0 if SILENT in self.stderr else grace_seconds)


def launch_impatiently(
    command: Sequence[str],
    *,
    interrupted: bool = False,
    environment: Mapping[str, str] | None = None,
) -> ChannelLauncher:
    """Create a launcher of a process; see `create_process_launcher`."""

    async def launch(name: str) -> ProcessChannel:
        return await ImpatientProcess.start(
            command, name=name, send_sigint=interrupted, environment=environment
        )

    return launch
