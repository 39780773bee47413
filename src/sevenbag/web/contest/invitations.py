"""Links that work once, and for a day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sevenbag.contest.settings import Settings
    from sevenbag.contest.store import Store

_SECONDS: Final = 86_400.0


def create_admin_link(store: Store, settings: Settings, address: str | None = None) -> str:
    """A link by which somebody becomes an organiser.

    Args:
        store: keeps a hash of it.
        settings: of the contest.
        address: of the site, where it is known; None for the one that the settings tell.
    """
    site = settings.site
    host = f"[{site.host}]" if ":" in site.host else site.host
    address = address or site.url or f"http://{host}:{site.port}"
    return address.rstrip("/") + admin_path(store)


def admin_path(store: Store) -> str:
    """The path of a page where somebody becomes an organiser."""
    return f"/welcome/{store.invitations.add('admin', lifetime=_SECONDS)}"


def password_path(store: Store, team_id: int) -> str:
    """The path of a page where a team gives itself a new password."""
    word = store.invitations.add("team password", team_id=team_id, lifetime=_SECONDS)
    return f"/welcome/{word}"
