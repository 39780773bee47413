"""A contest on this machine: its store, scheduler and site, with game servers beside them."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sevenbag.contest.children import Child
from sevenbag.contest.scheduler import Scheduler
from sevenbag.contest.store import Store
from sevenbag.errors import InputError
from sevenbag.web.contest.server import ContestSite

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from sevenbag.contest.settings import Settings

_LAST_LOOPBACK: Final = 254


class Venue:
    """Open it, and it is there; leave it, and all of it has ended.

    Attributes:
        store: where everything is kept.
        scheduler: what places matches.
        site: what visitors see.
        children: the game servers.

    Args:
        settings: of everything.
        words: by which a game server of ours, a process, gets the same settings.
        game_servers: how many there are; they die with us, and are started again when they die.
        say: is told what a person may want to know, in lines.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        words: Sequence[str],
        game_servers: int,
        say: Callable[[str], None],
    ) -> None:
        self._settings = settings
        self._say = say
        self._tasks: list[asyncio.Task[object]] = []
        addresses = game_server_addresses(settings.server.bind, game_servers)
        self.store = Store(settings.site.store)
        self.scheduler = Scheduler(self.store, settings)
        self._words = tuple(words)
        self._addresses = addresses
        self.children: list[Child] = []
        self.site: ContestSite

    async def __aenter__(self) -> Venue:
        """Open the store, then the site, then the game servers.

        Raises:
            StoreError: the store cannot be used.
            InputError: the site cannot listen where it should.
        """
        await asyncio.to_thread(self.store.open)
        try:
            self.site = ContestSite(self.store, self.scheduler, self._settings)
            await self.scheduler.start()
        except BaseException:
            await asyncio.to_thread(self.store.close)
            raise
        self._tasks.append(asyncio.create_task(self.site.serve()))
        self.children = [
            self._game_server(number, address)
            for number, address in enumerate(self._addresses, start=1)
        ]
        self._tasks += [asyncio.create_task(child.run()) for child in self.children]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the game servers first, while the scheduler still hears what they tell."""
        site, *children = self._tasks
        for group in (children, [site]):
            for task in group:
                task.cancel()
            await asyncio.gather(*group, return_exceptions=True)
        await self.scheduler.stop()
        await asyncio.to_thread(self.store.close)

    async def watch_over(self) -> None:
        """Wait until something fails that must not.

        Raises:
            SevenbagError: that.
        """
        done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()

    def hurry(self) -> None:
        """While it is left: running games are broken off, and go on at the next start."""
        for child in self.children:
            child.hurry()

    # --- helpers --------------------------------------------------------------------------------

    def _game_server(self, number: int, address: str) -> Child:
        server = self._settings.server
        name = f"{server.name or socket.gethostname()}-{number}"
        own = {
            "name": name,
            "bind": address,
            "address": server.address if number == 1 else address,
            "scheduler": self.site.local_address,
            "secret_file": str(Path(self._settings.site.secret_file).resolve()),
            "spool": str(Path(server.spool, str(number))),
            "http_port": str(server.http_port + number - 1 if server.http_port else 0),
        }
        words = ["contest", "game-server", *self._words]
        for key, value in own.items():
            words += ["--set", f"server.{key}={value}"]

        return Child(
            f"game server {number}",
            words,
            self._say,
            again=True,
            grace=server.farewell_seconds + 5.0,
        )


def game_server_addresses(bind: str, count: int) -> list[str]:
    """Addresses for so many game servers: the ports are the same for all, so these differ.

    Raises:
        InputError: this machine alone has further addresses that need no setting up.
    """
    if count <= 1:
        return [bind] * count
    with contextlib.suppress(ValueError):
        first = ipaddress.ip_address(bind)
        if first.version == 4 and first.is_loopback:
            return [str(first + offset) for offset in range(count)]
    raise InputError(
        f"{count} game servers at {bind}: clients know one pair of ports only, so each needs an "
        "address of its own; start the others by sevenbag contest game-server, or let "
        "server.bind be 127.0.0.1 for servers on this machine alone"
    )


def free_loopback(command_port: int, state_port: int) -> str | None:
    """The first of this machine's loopback addresses at which both ports are free."""
    for last in range(1, _LAST_LOOPBACK):
        address = f"127.0.0.{last}"
        if all(is_free(address, port) for port in (command_port, state_port)):
            return address
    return None


def is_free(address: str, port: int) -> bool:
    """Whether nobody listens at a port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True
