"""A contest on this machine: store, scheduler, site and game servers."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import secrets
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sevenbag.contest.bracket import Plan
from sevenbag.contest.child_process import Child
from sevenbag.contest.client.connection import Address
from sevenbag.contest.game.match_results import describe_ending
from sevenbag.contest.passwords import hash_password
from sevenbag.contest.scheduler import Scheduler
from sevenbag.contest.settings import COMMAND_PORT, STATE_PORT, SiteSettings
from sevenbag.contest.settings_loader import as_toml, load
from sevenbag.contest.store import Store
from sevenbag.errors import ContestError, InputError
from sevenbag.web.contest.app import ContestSite

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from sevenbag.contest.settings import Settings
    from sevenbag.contest.store import MatchRow

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


TEAMS: Final = ("Alpha", "Beta")

_LOOK_EVERY: Final = 0.25


class Demo:
    """Two teams, each played by a bot of ours that joins as any client does; one match.

    Args:
        folder: where everything is kept: settings, database, passwords, spool.
        bots: who plays for the two teams.
        pace: moves a second of either team, at most: what people can follow.
        port: of the site; 0 takes a free one, None the usual one if that is free.
        overrides: settings on top.
        say: is told what a person wants to know, in lines.
    """

    def __init__(
        self,
        folder: Path,
        *,
        bots: tuple[str, str],
        pace: float,
        port: int | None,
        overrides: Sequence[str],
        say: Callable[[str], None],
    ) -> None:
        self._folder = folder
        self._bots = bots
        self._pace = pace
        self._say = say
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder}: cannot be made: {error.strerror}") from error
        if (folder / "contest.db").exists():
            raise InputError(
                f"{folder}: has a contest already; go on with it by: sevenbag contest serve "
                f"--settings {folder / 'contest.toml'}"
            )
        usual = SiteSettings()
        if port is None:
            port = usual.port if is_free(usual.host, usual.port) else 0
        self.settings = load(
            None,
            overrides=[
                "site.title=Demo",
                f"site.port={port}",
                f"site.store=sqlite:///{folder.resolve() / 'contest.db'}",
                f"site.secret_file={folder.resolve() / 'contest.secret'}",
                f"server.spool={folder.resolve() / 'spool'}",
                *_channels(),
                "match.games=3",
                # What there is to see is on the site.
                "log.level=warning",
                "server.farewell=break off",
                *overrides,
            ],
        )

    async def run(self, *, once: bool) -> None:
        """Play; then go on serving until cancelled, unless it is to be played once.

        Raises:
            SevenbagError: something of it failed.
        """
        file = self._folder / "contest.toml"
        file.write_text(as_toml(self.settings), "utf-8")
        venue = Venue(
            self.settings, words=["--settings", str(file.resolve())], game_servers=1, say=self._say
        )
        async with venue:
            self._say(f"open {venue.site.address} and watch; Ctrl-C ends it")
            clients = [asyncio.create_task(client.run()) for client in await self._clients(venue)]
            playing = asyncio.create_task(self._play(venue))
            watching = asyncio.create_task(venue.watch_over())
            try:
                await self._until_played(playing, watching, clients)
                if not once:
                    await watching
            finally:
                for task in (playing, watching, *clients):
                    task.cancel()
                await asyncio.gather(playing, watching, return_exceptions=True)
                await asyncio.gather(*clients, return_exceptions=True)

    # --- helpers --------------------------------------------------------------------------------

    async def _clients(self, venue: Venue) -> list[Child]:
        """Register the teams; what plays for them."""
        clients: list[Child] = []
        for team, bot in zip(TEAMS, self._bots, strict=True):
            password = secrets.token_urlsafe(12)
            hashed = await asyncio.to_thread(hash_password, password)
            await asyncio.to_thread(venue.store.teams.add, team, hashed)
            file = self._folder / f"{team}.password"
            file.touch(mode=0o600)
            file.write_text(f"{password}\n", "utf-8")
            words = ["join", venue.site.local_address, "--team", team, "--bot", bot]
            words += ["--password-file", str(file), "--moves-per-second", str(self._pace)]
            # What they say of the match is told by the match as well.
            clients.append(Child(f"{team}'s client", words, lambda _: None))
            self._say(f"{team} is played by {bot}")
        return clients

    @staticmethod
    async def _until_played(
        playing: asyncio.Task[None],
        watching: asyncio.Task[None],
        clients: Sequence[asyncio.Task[int]],
    ) -> None:
        """Wait for the end of the match.

        Raises:
            SevenbagError: something ended that was needed for it.
        """
        tasks: set[asyncio.Task[Any]] = {playing, watching, *clients}
        while not playing.done():
            done, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if watching in done:
                watching.result()
            for team, client in zip(TEAMS, clients, strict=True):
                if client in done and client.result() != 0 and not playing.done():
                    raise ContestError(f"{team}'s client has ended; its words stand above")
        playing.result()

    async def _play(self, venue: Venue) -> None:
        contest = await venue.scheduler.create_contest(
            "Demo", list(TEAMS), plan=Plan(ranking=False)
        )
        await venue.scheduler.start_contest(contest.id)
        shown = told_address = False
        played = -1
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            matches = await asyncio.to_thread(venue.store.matches.of_contest, contest.id)
            if not matches:
                continue
            match = matches[-1]
            if not shown:
                shown = True
                self._say(f"the match: {venue.site.address.rstrip('/')}/matches/{match.id}")
                self._say(f"match token: {match.token}")
            address = venue.scheduler.address(match.token)
            if address is not None and not told_address:
                told_address = True
                server = Address(address.command_address, address.command_port, address.state_port)
                self._say(
                    f"watch in a terminal: sevenbag contest watch {server} --token {match.token}"
                )
            if sum(match.games) > max(played, 0):
                played = sum(match.games)
                self._say(f"games won: {_score(match)}")
            if match.result is not None:
                winner = match.result.winner
                name = "nobody" if winner is None else match.seats[winner].team
                self._say(f"{name} has won: {describe_ending(match.result.ending)}")
                return


# --- helpers ------------------------------------------------------------------------------------


def _score(match: MatchRow) -> str:
    first, second = match.seats
    return f"{first.team} {match.games[0]}, {second.team} {match.games[1]}"


def _channels() -> list[str]:
    """Where clients of 2012 find the game server; on a machine full of servers, anywhere."""
    address = free_loopback(COMMAND_PORT, STATE_PORT)
    if address is None:
        return ["server.command_port=0", "server.state_port=0"]
    return [f"server.bind={address}"]
