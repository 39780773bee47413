"""Where a game server is: ``pason://HOST[:COMMANDPORT[,STATEPORT]]``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sevenbag.contest.settings import COMMAND_PORT, STATE_PORT
from sevenbag.errors import InputError, shown

SCHEME: Final = "pason://"


@dataclass(frozen=True, slots=True)
class Address:
    """A game server's two channels.

    Attributes:
        host: name or address; without brackets if it is one of IPv6.
        command_port: of the command channel.
        state_port: of the state channel.
        state_host: where the state channel is; empty for `host`.
    """

    host: str
    command_port: int = COMMAND_PORT
    state_port: int = STATE_PORT
    state_host: str = ""

    @property
    def command_endpoint(self) -> str:
        """Of the command channel, as ZeroMQ wants it."""
        return f"tcp://{_bracketed(self.host)}:{self.command_port}"

    @property
    def state_endpoint(self) -> str:
        """Of the state channel."""
        return f"tcp://{_bracketed(self.state_host or self.host)}:{self.state_port}"

    def __str__(self) -> str:
        usual = (self.command_port, self.state_port) == (COMMAND_PORT, STATE_PORT)
        ports = "" if usual else f":{self.command_port},{self.state_port}"
        return f"{SCHEME}{_bracketed(self.host)}{ports}"


def parse_address(text: str) -> Address:
    """The game server that a text names.

    One port alone is that of the command channel; the state channel is then one below, as 5556 is
    below 5557.

    Raises:
        InputError: it names none.
    """
    match = _ADDRESS.fullmatch(text.strip())
    if match is None:
        raise InputError(
            f"{shown(text)} is no game server; expected {SCHEME}HOST, or with ports "
            f"{SCHEME}HOST:{COMMAND_PORT},{STATE_PORT}"
        )
    host = match["host"].strip("[]")
    if match["command"] is None:
        return Address(host)
    command = _port(match["command"], text)
    state = command - 1 if match["state"] is None else _port(match["state"], text)
    if state == 0:
        raise InputError(f"{shown(text)}: there is no port below 1 for the state channel")
    return Address(host, command, state)


# --- helpers ------------------------------------------------------------------------------------

_ADDRESS: Final = re.compile(
    r"pason://(?P<host>\[[0-9A-Fa-f:.%]+\]|[^\s/:\[\],@]+)"
    r"(:(?P<command>[0-9]{1,9})(,(?P<state>[0-9]{1,9}))?)?/?",
    re.IGNORECASE | re.ASCII,
)


def _port(text: str, whole: str) -> int:
    port = int(text)
    if not 1 <= port <= 65_535:
        raise InputError(f"{shown(whole)}: {port} is no port from 1 to 65535")
    return port


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
