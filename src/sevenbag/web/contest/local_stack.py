"""A contest on this machine: store, scheduler, site and game servers; and a demo contest."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import secrets
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

from sevenbag.config.loader import format_toml
from sevenbag.contest.bracket import ContestPlan
from sevenbag.contest.child_process import ChildProcess
from sevenbag.contest.client.connection import ServerAddress
from sevenbag.contest.game.match_results import describe_ending
from sevenbag.contest.passwords import hash_password
from sevenbag.contest.scheduler import Scheduler
from sevenbag.contest.settings import (
    COMMAND_PORT,
    STATE_PORT,
    ContestSettings,
    SiteSettings,
    load_settings,
)
from sevenbag.contest.store import MatchRow, Store
from sevenbag.errors import ContestError, InputError
from sevenbag.web.contest.app import ContestSite

DEMO_TEAMS: Final = ("Alpha", "Beta")

_MAX_LOOPBACK: Final = 254
_POLL_INTERVAL: Final = 0.25


class LocalStack:
    """Store, scheduler, site and game servers; an asynchronous context manager.

    Attributes:
        site: server of the site.
        game_servers: processes of the game servers.

    Args:
        settings: settings of all parts.
        arguments: command-line arguments by which a game server gets the same settings.
        game_servers: number of game servers. They are restarted when they exit.
        report: called with messages for the user.
    """

    def __init__(
        self,
        settings: ContestSettings,
        *,
        arguments: Sequence[str],
        game_servers: int,
        report: Callable[[str], None],
    ) -> None:
        self._settings = settings
        self._report = report
        self._arguments = tuple(arguments)
        self._addresses = list_server_addresses(settings.server.bind, game_servers)
        self._tasks: list[asyncio.Task[object]] = []
        self.store = Store(settings.site.store)
        self.scheduler = Scheduler(self.store, settings)
        self.game_servers: list[ChildProcess] = []
        self.site: ContestSite

    async def __aenter__(self) -> LocalStack:
        """Open the store, then start the site and the game servers.

        Raises:
            StoreError: the store cannot be opened.
            InputError: the site cannot listen at its address.
        """
        await asyncio.to_thread(self.store.open)
        try:
            self.site = ContestSite(self.store, self.scheduler, self._settings)
            await self.scheduler.start()
        except BaseException:
            await asyncio.to_thread(self.store.close)
            raise
        self._tasks.append(asyncio.create_task(self.site.serve()))
        self.game_servers = [
            self._create_game_server(number, address)
            for number, address in enumerate(self._addresses, start=1)
        ]
        self._tasks += [asyncio.create_task(server.run()) for server in self.game_servers]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the game servers first, while the scheduler still receives their results."""
        site, *game_servers = self._tasks
        for group in (game_servers, [site]):
            for task in group:
                task.cancel()
            await asyncio.gather(*group, return_exceptions=True)
        await self.scheduler.stop()
        await asyncio.to_thread(self.store.close)

    async def wait_for_failure(self) -> None:
        """Wait until a part fails.

        Raises:
            SevenbagError: error of the part.
        """
        done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()

    def abort_games(self) -> None:
        """Abort running games during the shutdown; they continue after the next start."""
        for server in self.game_servers:
            server.terminate()

    def _create_game_server(self, number: int, address: str) -> ChildProcess:
        server = self._settings.server
        settings = {
            "name": f"{server.name or socket.gethostname()}-{number}",
            "bind": address,
            "address": server.address if number == 1 else address,
            "scheduler": self.site.local_address,
            "secret_file": str(Path(self._settings.site.secret_file).resolve()),
            "spool": str(Path(server.spool, str(number))),
            "http_port": str(server.http_port + number - 1 if server.http_port else 0),
        }
        arguments = ["contest", "game-server", *self._arguments]
        for key, value in settings.items():
            arguments += ["--set", f"server.{key}={value}"]
        return ChildProcess(
            f"game server {number}",
            arguments,
            self._report,
            restart=True,
            stop_seconds=server.shutdown_seconds + 5.0,
        )


def list_server_addresses(bind: str, count: int) -> list[str]:
    """Return addresses for game servers, which all use the same ports.

    Raises:
        InputError: there are several game servers, and `bind` is not an IPv4 loopback address, the
            only kind of which every machine has several.
    """
    if count <= 1:
        return [bind] * count
    with contextlib.suppress(ValueError):
        first = ipaddress.ip_address(bind)
        if first.version == 4 and first.is_loopback:
            return [str(first + offset) for offset in range(count)]
    raise InputError(
        f"cannot start {count} game servers at {bind}: each needs its own address, since all use"
        " the same ports. Start the others by sevenbag contest game-server, or set server.bind to"
        " 127.0.0.1 for servers that only this machine can reach"
    )


def find_free_loopback(command_port: int, state_port: int) -> str | None:
    """Return the first IPv4 loopback address at which both ports are free."""
    for last in range(1, _MAX_LOOPBACK):
        address = f"127.0.0.{last}"
        if all(is_port_free(address, port) for port in (command_port, state_port)):
            return address
    return None


def is_port_free(address: str, port: int) -> bool:
    """Return whether a server can listen at a port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True


class ContestDemo:
    """Contest of one match between two teams, whose bots connect as any client does.

    Args:
        folder: folder for settings, database, passwords and spool.
        moves_per_second: maximum speed of a team.
        port: port of the site; 0 for a free one, None for the default if it is free.
        report: called with messages for the user.

    Raises:
        InputError: the folder cannot be created or has a contest already.
    """

    def __init__(
        self,
        folder: Path,
        *,
        bots: tuple[str, str],
        moves_per_second: float,
        port: int | None,
        overrides: Sequence[str],
        report: Callable[[str], None],
    ) -> None:
        self._folder = folder
        self._bots = bots
        self._moves_per_second = moves_per_second
        self._report = report
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder}: cannot create the folder: {error.strerror}") from error
        if (folder / "contest.db").exists():
            raise InputError(
                f"{folder}: the folder has a contest already. Continue it by: sevenbag contest"
                f" serve --settings {folder / 'contest.toml'}"
            )
        default = SiteSettings()
        if port is None:
            port = default.port if is_port_free(default.host, default.port) else 0
        address = find_free_loopback(COMMAND_PORT, STATE_PORT)
        self.settings = load_settings(
            None,
            overrides=[
                "site.title=Demo",
                f"site.port={port}",
                f"site.store=sqlite:///{folder.resolve() / 'contest.db'}",
                f"site.secret_file={folder.resolve() / 'contest.secret'}",
                f"server.spool={folder.resolve() / 'spool'}",
                *(
                    [f"server.bind={address}"]
                    if address
                    else ["server.command_port=0", "server.state_port=0"]
                ),
                "match.games=3",
                # The site shows the progress.
                "log.level=warning",
                "server.shutdown_mode=abort",
                *overrides,
            ],
        )

    async def run(self, *, once: bool) -> None:
        """Play the match, then serve until cancelled.

        Args:
            once: return after the match.

        Raises:
            SevenbagError: a part failed.
        """
        file = self._folder / "contest.toml"
        file.write_text(format_toml(self.settings), "utf-8")
        stack = LocalStack(
            self.settings,
            arguments=["--settings", str(file.resolve())],
            game_servers=1,
            report=self._report,
        )
        async with stack:
            self._report(f"open {stack.site.address} to watch; press Ctrl-C to stop")
            clients = await self._create_clients(stack)
            try:
                async with asyncio.TaskGroup() as group:
                    playing = group.create_task(self._play(stack))
                    others = [group.create_task(stack.wait_for_failure())]
                    others += [
                        group.create_task(_run_client(client, playing)) for client in clients
                    ]
                    await asyncio.wait({playing})
                    if once:
                        for task in others:
                            task.cancel()
            except ExceptionGroup as errors:
                raise errors.exceptions[0] from None

    async def _create_clients(self, stack: LocalStack) -> list[ChildProcess]:
        """Register the teams, and create the processes of their clients."""
        clients: list[ChildProcess] = []
        for team, bot in zip(DEMO_TEAMS, self._bots, strict=True):
            password = secrets.token_urlsafe(12)
            password_hash = await asyncio.to_thread(hash_password, password)
            await asyncio.to_thread(stack.store.teams.add, team, password_hash)
            file = self._folder / f"{team}.password"
            file.touch(mode=0o600)
            file.write_text(f"{password}\n", "utf-8")
            arguments = ["join", stack.site.local_address, "--team", team, "--bot", bot]
            arguments += ["--password-file", str(file)]
            arguments += ["--moves-per-second", str(self._moves_per_second)]
            # The demo reports the match itself.
            clients.append(ChildProcess(f"{team}'s client", arguments, lambda _: None))
            self._report(f"{team} is played by {bot}")
        return clients

    async def _play(self, stack: LocalStack) -> None:
        """Start the contest, and report its progress until the match is over."""
        contest = await stack.scheduler.create_contest(
            "Demo", list(DEMO_TEAMS), plan=ContestPlan(ranking=False)
        )
        await stack.scheduler.start_contest(contest.id)
        match_reported = address_reported = False
        games_reported = 0
        while True:
            await asyncio.sleep(_POLL_INTERVAL)
            matches = await asyncio.to_thread(stack.store.matches.list_of_contest, contest.id)
            if not matches:
                continue
            match = matches[-1]
            if not match_reported:
                match_reported = True
                self._report(f"match: {stack.site.address.rstrip('/')}/matches/{match.id}")
                self._report(f"match token: {match.token}")
            address = stack.scheduler.find_address(match.token)
            if address is not None and not address_reported:
                address_reported = True
                server = ServerAddress(
                    address.command_address, address.command_port, address.state_port
                )
                self._report(
                    f"watch in a terminal: sevenbag contest watch {server} --token {match.token}"
                )
            if sum(match.games) > games_reported:
                games_reported = sum(match.games)
                self._report(f"games won: {_format_score(match)}")
            if match.result is not None:
                winner = match.result.winner
                name = "nobody" if winner is None else match.players[winner].team
                self._report(f"{name} has won: {describe_ending(match.result.ending)}")
                return


async def _run_client(client: ChildProcess, playing: asyncio.Task[None]) -> None:
    code = await client.run()
    if code != 0 and not playing.done():
        raise ContestError(f"{client.name} has failed; see its message above")


def _format_score(match: MatchRow) -> str:
    first, second = match.players
    return f"{first.team} {match.games[0]}, {second.team} {match.games[1]}"
