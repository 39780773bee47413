"""Running sites with store, scheduler and socket, and visitors that send HTTP requests."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from argon2 import PasswordHasher

from sevenbag.contest import passwords
from sevenbag.contest.passwords import hash_password
from sevenbag.contest.scheduler import Scheduler
from sevenbag.contest.settings import ContestSettings, SiteSettings
from sevenbag.contest.store import Store
from sevenbag.web.contest.app import ContestSite
from tests.web.contest.visitor import PASSWORD, Visitor


@pytest.fixture(scope="module", autouse=True)
def quick_passwords() -> Iterator[None]:
    """Hash passwords with the minimum cost of argon2."""
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_HASHER", quick)
        passwords._placeholder_hash.cache_clear()
        yield
    passwords._placeholder_hash.cache_clear()


class Running:
    """Site that serves in a thread.

    Attributes:
        address: URL of the site.
        store: store of the contest.
        scheduler: scheduler of the matches.
        settings: settings of all parts.
    """

    def __init__(self, folder: Path, settings: ContestSettings | None = None, **site: Any) -> None:
        self.settings = msgspec.structs.replace(
            settings or ContestSettings(),
            site=msgspec.structs.replace(
                SiteSettings(
                    title="Test & Contest",
                    port=0,
                    store=f"sqlite:///{folder / 'contest.db'}",
                    secret_file=str(folder / "contest.secret"),
                ),
                **site,
            ),
        )
        self.store = Store(self.settings.site.store).open()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.scheduler = Scheduler(self.store, self.settings)
        self.run(self.scheduler.start())
        self.serve_again()
        self.address = self.site.local_address

    def serve_again(self) -> None:
        """Start to serve, at the same port as before."""
        self.run(self._serve())

    def stop_serving(self) -> None:
        """Close all connections and stop listening; the scheduler continues."""
        self.run(self._stop_serving())

    async def _serve(self) -> None:
        self.site = ContestSite(self.store, self.scheduler, self.settings)
        port = urlsplit(self.site.local_address).port
        site = msgspec.structs.replace(self.settings.site, port=port)
        self.settings = msgspec.structs.replace(self.settings, site=site)
        self._serving = asyncio.create_task(self.site.serve())

    async def _stop_serving(self) -> None:
        self._serving.cancel()
        await asyncio.gather(self._serving, return_exceptions=True)

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine in the event loop of the site; return its result."""
        return self._submit(work).result(180)

    def close(self) -> None:
        self.stop_serving()

        async def ended() -> None:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            await asyncio.wait(others, timeout=120) if others else None

        self.run(self.scheduler.stop())
        self.run(ended())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(120)
        self._loop.close()
        self.store.close()

    def _submit(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def add_team(self, name: str, password: str = PASSWORD) -> int:
        return self.store.teams.add(name, hash_password(password)).id

    def add_admin(self, name: str = "Ada", password: str = PASSWORD) -> int:
        return self.store.admins.add(name, hash_password(password)).id

    def visitor(self) -> Visitor:
        return Visitor(self.address)

    def team(self, name: str) -> Visitor:
        """Return a visitor that is logged in as a team."""
        if self.store.teams.find(name) is None:
            self.add_team(name)
        visitor = self.visitor()
        answer = visitor.send("/login", name=name, password=PASSWORD)
        assert answer.status == 303, answer.text
        return visitor

    def admin(self, name: str = "Ada") -> Visitor:
        """Return a visitor that is logged in as an administrator."""
        if self.store.admins.find(name) is None:
            self.add_admin(name)
        visitor = self.visitor()
        answer = visitor.send("/login/organiser", name=name, password=PASSWORD)
        assert answer.status == 303, answer.text
        return visitor


@pytest.fixture(scope="module")
def make_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Running]]:
    made: list[Running] = []

    def make(settings: ContestSettings | None = None, **site: Any) -> Running:
        running = Running(tmp_path_factory.mktemp("site"), settings, **site)
        made.append(running)
        return running

    yield make
    for each in made:
        each.close()


@pytest.fixture(scope="module")
def site(make_site: Callable[..., Running]) -> Running:
    """Return a site that all tests of a module share."""
    return make_site()
