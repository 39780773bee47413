"""Doors to parts of the site that are not for everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from litestar.exceptions import PermissionDeniedException

from sevenbag.errors import SevenbagError
from sevenbag.web.contest.visit import visitor_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from litestar.connection import ASGIConnection
    from litestar.handlers import BaseRouteHandler


class NeedsLoginError(SevenbagError):
    """Somebody who is not logged in wants to see a page for those who are.

    Attributes:
        page: where to log in.
    """

    def __init__(self, page: str) -> None:
        super().__init__("this page is for those who are logged in")
        self.page = page


def teams_only(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """Lets teams through that are logged in."""
    if visitor_of(connection).team is None:
        _turn_away(connection, "/login", "This is for teams that are logged in.")


def admins_only(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """Lets organisers through who are logged in."""
    if visitor_of(connection).admin is None:
        _turn_away(connection, "/login/organiser", "This is for organisers who are logged in.")


# --- helpers ------------------------------------------------------------------------------------

_LOOKS: Final = frozenset({"GET", "HEAD"})


def _turn_away(connection: ASGIConnection[Any, Any, Any, Any], page: str, words: str) -> None:
    visitor = visitor_of(connection)
    if visitor.fault is not None:
        raise visitor.fault
    nobody = visitor.team is None and visitor.admin is None
    scope = cast("Mapping[str, object]", connection.scope)
    if nobody and scope.get("method") in _LOOKS:
        raise NeedsLoginError(page)
    raise PermissionDeniedException(words)
