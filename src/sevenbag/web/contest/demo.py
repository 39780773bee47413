"""A whole contest with two teams, for those who want to see one."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any, Final

from sevenbag.contest.children import Child
from sevenbag.contest.client.address import Address
from sevenbag.contest.link import describe_ending
from sevenbag.contest.passwords import hash_password
from sevenbag.contest.settings import COMMAND_PORT, STATE_PORT, SiteSettings
from sevenbag.contest.settings_file import as_toml, load
from sevenbag.contest.tournament import Plan
from sevenbag.errors import ContestError, InputError
from sevenbag.web.contest.venue import Venue, free_loopback, is_free

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sevenbag.contest.store import MatchRow

TEAMS: Final = ("Alpha", "Beta")

_LOOK_EVERY: Final = 0.25


class Demo:
    """Two teams, each played by a bot of ours that joins as any client does; one match.

    Args:
        folder: where everything is kept: settings, database, passwords, spool.
        bots: who plays for the two teams.
        games: of the match.
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
        games: int,
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
                f"{folder / 'contest.toml'}"
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
                f"match.games={games}",
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
        venue = Venue(self.settings, words=[str(file.resolve())], game_servers=1, say=self._say)
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
