"""Template rendering and form parsing."""

from __future__ import annotations

import asyncio
import hmac
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import parse_qsl

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import MediaType
from litestar.exceptions import ClientException, PermissionDeniedException
from litestar.plugins.jinja import JinjaTemplateEngine
from litestar.response import Template
from markupsafe import Markup

from sevenbag.contest.game.match_results import WALKOVER, describe_ending
from sevenbag.web.contest.site_authentication import visitor_of
from sevenbag.web.core.static_files import TEMPLATES

if TYPE_CHECKING:
    from litestar import Request
    from litestar.connection import ASGIConnection

    from sevenbag.contest.settings import SiteSettings
    from sevenbag.web.contest.site_authentication import Visitor

FORM_TOKEN: Final = "form_token"  # noqa: S105  # a field's name
"""The field of every form that shows that it comes from a page of ours."""


def template_engine(site: SiteSettings) -> JinjaTemplateEngine:
    """Templates of the site, whose ``site`` is its settings and whose ``visitor`` calls."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Jinja does not say what its names are.
    known = cast("Any", environment)
    known.globals.update(site=site, csrf_field=_csrf_field, WALKOVER=WALKOVER)
    known.filters.update(moment=_moment, duration=_duration, count=_count, reason=describe_ending)
    return JinjaTemplateEngine.from_environment(environment)


def page(
    connection: ASGIConnection[Any, Any, Any, Any],
    template: str,
    *,
    status: int = 200,
    **context: object,
) -> Template:
    """A page for whoever is calling.

    Args:
        connection: of the caller.
        template: such as ``contest/team.html``.
        status: of the answer.
        context: what the template is filled with, besides ``visitor`` and ``site``.
    """
    return Template(
        template,
        context={"visitor": visitor_of(connection), **context},
        status_code=status,
        media_type=MediaType.HTML,
        # Who has logged out is not shown by the button that goes back.
        headers={"cache-control": "no-store"},
    )


def comes_from_us(visitor: Visitor, token: str) -> bool:
    """Whether a form's token is the one that this visitor's pages have."""
    return hmac.compare_digest(visitor.form_token.encode(), token.encode())


LARGEST_FORM: Final = 64 << 10
"""Bytes."""
_MOST_FIELDS: Final = 2_000
_SECONDS: Final = 20.0
_ENCODED: Final = "application/x-www-form-urlencoded"


class Form:
    """The fields of a form that was sent."""

    def __init__(self, fields: list[tuple[str, str]]) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        """A field; empty if it is not there."""
        return next((value for each, value in self._fields if each == name), "")

    def all(self, name: str) -> tuple[str, ...]:
        """All fields of this name, such as boxes that are ticked."""
        return tuple(value for each, value in self._fields if each == name)

    def number(self, name: str) -> int:
        """A field that our pages fill with a whole number.

        Raises:
            ClientException: it is none.
        """
        text = self.text(name)
        if not (text.isascii() and text.isdecimal()) or len(text) > 18:
            raise ClientException(f"the form's field {name} is no whole number")
        return int(text)

    def ticked(self, name: str) -> bool:
        """Whether a box is ticked."""
        return bool(self.text(name))


async def read_form(request: Request[Any, Any, Any]) -> Form:
    """The form in a request.

    Raises:
        HTTPException: it is none, too large, or comes from elsewhere.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _ENCODED:
        raise ClientException("this is no form that a page of this site has", status_code=415)
    try:
        fields = parse_qsl(
            (await read_body(request)).decode("ascii"),
            keep_blank_values=True,
            max_num_fields=_MOST_FIELDS,
            errors="strict",
        )
    except ValueError:
        raise ClientException("this is no form that a page of this site has") from None
    form = Form([(name, value.replace("\r\n", "\n")) for name, value in fields])
    if any("\0" in value for _, value in fields):
        raise ClientException("the form has characters that cannot be typed")
    if not comes_from_us(visitor_of(request), form.text(FORM_TOKEN)):
        raise PermissionDeniedException(
            "This form is out of date. Go back, load its page again, and send it again."
        )
    return form


async def read_body(request: Request[Any, Any, Any]) -> bytes:
    """All that was sent; how much that may be, the site's application says.

    Raises:
        HTTPException: it is too large, or does not come.
    """
    try:
        async with asyncio.timeout(_SECONDS):
            return await request.body()
    except TimeoutError:
        raise ClientException("the request did not come in time", status_code=408) from None


# --- helpers ------------------------------------------------------------------------------------


def _csrf_field(visitor: Visitor) -> Markup:
    return Markup('<input type="hidden" name="{}" value="{}">').format(
        FORM_TOKEN, visitor.form_token
    )


def _moment(seconds: float | None) -> Markup:
    """A time as people read it; nothing for none."""
    if seconds is None:
        return Markup("")
    moment = datetime.fromtimestamp(seconds, UTC)
    return Markup('<time datetime="{}">{}</time>').format(
        moment.isoformat(timespec="seconds"), moment.strftime("%Y-%m-%d %H:%M UTC")
    )


def _duration(seconds: float) -> str:
    minutes, left = divmod(round(seconds), 60)
    return f"{minutes}:{left:02}"


def _count(number: float) -> str:
    """A number with its thousands apart."""
    return f"{number:,}"
