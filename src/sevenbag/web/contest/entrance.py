"""Lets teams and organisers in, by name and password, and keeps guessers out."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, TypeVar

from sevenbag.contest.passwords import TooBusyError
from sevenbag.contest.store import Admin, Team, name_key
from sevenbag.errors import SevenbagError
from sevenbag.web.client_address import household
from sevenbag.web.contest.limits import Limit

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.contest.passwords import PasswordChecks
    from sevenbag.contest.store import Store
    from sevenbag.web.contest.figures import Figures

Known = TypeVar("Known", Team, Admin)

LONGEST_NAME: Final = 200
_MOST_PROVED: Final = 20_000


class NotLetInError(SevenbagError):
    """The name or the password is wrong, or too many were; the words are for whoever tried.

    Attributes:
        status: of HTTP, that says the same.
    """

    def __init__(self, words: str, status: int = 401) -> None:
        super().__init__(words)
        self.status = status


class Entrance:
    """Password checks for teams and organisers, with limits on wrong passwords.

    Wrong passwords are counted for each name at each address, for each address, and for each name.
    Addresses from which a name has logged in are exempt from the last count, so that guesses from
    many addresses do not lock the account's owner out.

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
        # Names with the addresses from which they have logged in.
        self._proved: OrderedDict[str, None] = OrderedDict()

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
        house = household(address)
        key = f"{role} {name_key(name)}"
        pair = f"{key} {house}"
        counts = [(self._pair, pair), (self._address, house)]
        # Guesses from elsewhere do not lock out an address that has logged in before.
        if pair not in self._proved:
            counts.append((self._name, key))
        # Applied before the password check: a right guess must not succeed where a wrong one is
        # refused, and concurrent guesses must not exceed the limits.
        for number, (limit, who) in enumerate(counts):
            if not limit.take(who):
                for taken, its in counts[:number]:
                    taken.give_back(its)
                self._figures.logins.labels(role, "refused").inc()
                raise NotLetInError("too many wrong passwords; try again in a minute", 429)
        try:
            right = await self._passwords.is_right(known.password_hash if known else None, password)
        except TooBusyError:
            # The password was not checked, so this does not count as a guess.
            for limit, who in counts:
                limit.give_back(who)
            raise
        if known is None or not right:
            self._figures.logins.labels(role, "wrong").inc()
            raise NotLetInError(
                "there is no team of this name and password"
                if role == "team"
                else "there is no organiser of this name and password"
            )
        for limit, who in counts:
            limit.give_back(who)
        self._proved[pair] = None
        self._proved.move_to_end(pair)
        if len(self._proved) > _MOST_PROVED:
            self._proved.popitem(last=False)
        self._figures.logins.labels(role, "right").inc()
        return known
