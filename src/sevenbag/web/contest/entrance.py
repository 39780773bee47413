"""Lets teams and organisers in, by name and password, and keeps guessers out."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, TypeVar

from sevenbag.contest.store import Admin, Team, name_key
from sevenbag.errors import SevenbagError
from sevenbag.web.contest.caller import household
from sevenbag.web.contest.limits import Limit

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.contest.passwords import PasswordChecks
    from sevenbag.contest.store import Store
    from sevenbag.web.contest.figures import Figures

Known = TypeVar("Known", Team, Admin)

LONGEST_NAME: Final = 200


class NotLetInError(SevenbagError):
    """The name or the password is wrong, or too many were; the words are for whoever tried.

    Attributes:
        status: of HTTP, that says the same.
    """

    def __init__(self, words: str, status: int = 401) -> None:
        super().__init__(words)
        self.status = status


class Entrance:
    """Who says that they are somebody, and are.

    Wrong passwords are counted for each name at each address, so that nobody is shut out by
    somebody else's guesses; for each name, so that guesses from many addresses are few; and for
    each address, so that guesses at many names are.

    Args:
        store: knows the names.
        passwords: checks them.
        figures: counts who was let in.
    """

    def __init__(self, store: Store, passwords: PasswordChecks, figures: Figures) -> None:
        self._store = store
        self._passwords = passwords
        self._figures = figures
        self._pair = Limit(8, 10.0)
        self._name = Limit(100, 2.0)
        self._address = Limit(60, 2.0)

    async def team(self, name: str, password: str, address: str) -> Team:
        """The team of this name and password.

        Raises:
            NotLetInError: it is not let in.
            TooBusyError: too many try at once.
        """
        team = await self._known("team", self._store.teams.find, name, password, address)
        if team.disabled:
            raise NotLetInError("this team was disabled by the organisers", 403)
        return team

    async def admin(self, name: str, password: str, address: str) -> Admin:
        """The organiser of this name and password.

        Raises:
            NotLetInError: not let in.
            TooBusyError: too many try at once.
        """
        admin = await self._known("admin", self._store.admins.find, name, password, address)
        if admin.disabled:
            raise NotLetInError("this account was disabled", 403)
        return admin

    # --- helpers --------------------------------------------------------------------------------

    async def _known(
        self,
        role: str,
        find: Callable[[str], Known | None],
        name: str,
        password: str,
        address: str,
    ) -> Known:
        if len(name) > LONGEST_NAME:
            name = ""
        known = await asyncio.to_thread(find, name) if name else None
        # Whose program is at play is not held up by somebody else's guesses.
        if known is not None and self._passwords.remembers(known.password_hash, password):
            self._figures.logins.labels(role, "right").inc()
            return known
        house = household(address)
        key = f"{role} {name_key(name)}"
        counts = ((self._pair, f"{key} {house}"), (self._name, key), (self._address, house))
        # Counted before it is known, so that many at once are not let through together.
        for number, (limit, who) in enumerate(counts):
            if not limit.take(who):
                for taken, its in counts[:number]:
                    taken.give_back(its)
                self._figures.logins.labels(role, "refused").inc()
                raise NotLetInError("too many wrong passwords; try again in a minute", 429)
        right = await self._passwords.is_right(known.password_hash if known else None, password)
        if known is None or not right:
            self._figures.logins.labels(role, "wrong").inc()
            raise NotLetInError(
                "there is no team of this name and password"
                if role == "team"
                else "there is no organiser of this name and password"
            )
        for limit, who in counts:
            limit.give_back(who)
        self._figures.logins.labels(role, "right").inc()
        return known
