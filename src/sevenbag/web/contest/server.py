"""Serves the contest's site, and ends tidily."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from sevenbag.contest.link import LINK_PATH, LONGEST_FRAME
from sevenbag.contest.server.machinery import raise_file_limit
from sevenbag.errors import InputError, shown
from sevenbag.web.client_address import networks
from sevenbag.web.connections import Connections
from sevenbag.web.contest.app import create_contest_app
from sevenbag.web.contest.calls import PROGRAM_PATHS
from sevenbag.web.contest.live import LiveHub
from sevenbag.web.guard import Guard, Policy
from sevenbag.web.serving import Serving

if TYPE_CHECKING:
    from sevenbag.contest.scheduler import Scheduler
    from sevenbag.contest.settings import Settings
    from sevenbag.contest.store import Store

_MOST_CONNECTIONS: Final = 2_000
_OTHER_FILES: Final = 256
_LONGEST_OF_PAGES: Final = 4 << 10
"""Bytes of what an onlooker's page says, which has nothing to say."""


class ContestSite:
    """Serves at one port until it is cancelled.

    The store is open and the scheduler started by whoever makes the site, and closed by them.

    Attributes:
        address: where it is, for people.
        local_address: where it is, for programs on this machine.

    Args:
        store: where everything is kept.
        scheduler: what places matches.
        settings: of the contest.

    Raises:
        InputError: a setting cannot be used, or the site cannot listen where it should.
    """

    def __init__(self, store: Store, scheduler: Scheduler, settings: Settings) -> None:
        site = settings.site
        _check_url(site.url)
        self._hub = LiveHub.of(scheduler, store, settings.log)
        raise_file_limit(_MOST_CONNECTIONS + _OTHER_FILES)
        connections = Connections(_MOST_CONNECTIONS, networks(site.trusted_proxies))
        application, _ = create_contest_app(store, scheduler, settings, self._hub, connections)
        policy = Policy(
            forms=True,
            url=site.url,
            programs=PROGRAM_PATHS,
            stranger="this site does not know itself by this name: its organisers set site.url",
        )
        self._serving = Serving(
            Guard(application, site.host, policy),
            site.host,
            site.port,
            longest_frame=_LONGEST_OF_PAGES,
            # With a game's replay.
            longer_frames={LINK_PATH: LONGEST_FRAME},
            connections=connections,
        )
        self.local_address = reachable_address(self._serving.address)
        self.address = f"{site.url.rstrip('/')}/" if site.url else self.local_address

    def close(self) -> None:
        """Listen no more; for those who never served."""
        self._serving.close()

    async def serve(self) -> None:
        """Serve; when cancelled, close."""
        self._hub.start()
        try:
            await self._serving.serve(lambda: None)
        finally:
            await self._hub.close()


def reachable_address(address: str) -> str:
    """An address at which something listens, as it can be called from this machine."""
    parts = urlsplit(address)
    try:
        host = ipaddress.ip_address(parts.hostname or "")
    except ValueError:
        return address
    if not host.is_unspecified:
        return address
    return f"http://{'127.0.0.1' if host.version == 4 else '[::1]'}:{parts.port}/"


# --- helpers ------------------------------------------------------------------------------------


def _check_url(url: str) -> None:
    if not url:
        return
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path not in {"", "/"}:
        raise InputError(
            f"site.url is {shown(url)}, must be such as https://contest.example.org, without a path"
        )
