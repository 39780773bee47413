"""Template rendering and form parsing."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any, Final, cast
from urllib.parse import parse_qsl

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import MediaType, Request
from litestar.connection import ASGIConnection
from litestar.exceptions import ClientException, PermissionDeniedException
from litestar.handlers import BaseRouteHandler
from litestar.plugins.jinja import JinjaTemplateEngine
from litestar.response import Template
from markupsafe import Markup

from sevenbag.contest.game.match_results import WALKOVER, describe_ending
from sevenbag.contest.settings import SiteSettings
from sevenbag.web.contest.site_authentication import BrowserSession, get_browser_session
from sevenbag.web.core.static_files import TEMPLATE_FOLDER

FORM_TOKEN_FIELD: Final = "form_token"  # noqa: S105  # a field's name
MAX_FORM_BYTES: Final = 64 << 10
_MAX_FIELDS: Final = 2_000
_BODY_TIMEOUT: Final = 20.0
_FORM_TYPE: Final = "application/x-www-form-urlencoded"


def create_template_engine(site: SiteSettings) -> JinjaTemplateEngine:
    """Create the template engine; templates get the site's settings as ``site``."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATE_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Jinja declares no types for these.
    untyped = cast("Any", environment)
    untyped.globals.update(site=site, form_token_field=_form_token_field, WALKOVER=WALKOVER)
    untyped.filters.update(
        format_time=_format_time,
        format_duration=_format_duration,
        format_number=_format_number,
        describe_ending=describe_ending,
    )
    return JinjaTemplateEngine.from_environment(environment)


def render_page(
    session: BrowserSession, template: str, *, status: int = 200, **context: object
) -> Template:
    """Render a template, whose variables are the context and ``session``."""
    return Template(
        template,
        context={"session": session, **context},
        status_code=status,
        media_type=MediaType.HTML,
        # The back button must not show pages after the logout.
        headers={"cache-control": "no-store"},
    )


class SubmittedForm:
    """Fields of a submitted form."""

    def __init__(self, fields: list[tuple[str, str]]) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        """Return the value of a field, or an empty string."""
        return next((value for field, value in self._fields if field == name), "")

    def values(self, name: str) -> tuple[str, ...]:
        """Return the values of all fields of a name, such as checked boxes."""
        return tuple(value for field, value in self._fields if field == name)

    def integer(self, name: str) -> int:
        """Return the value of a field that the page has filled with an integer.

        Raises:
            ClientException: the value is not an integer.
        """
        text = self.text(name)
        if not (text.isascii() and text.isdecimal()) or len(text) > 18:
            raise ClientException(f"invalid field {name}: expected an integer")
        return int(text)

    def is_checked(self, name: str) -> bool:
        """Return whether a box is checked."""
        return bool(self.text(name))


async def require_form_token(
    connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler
) -> None:
    """Guard routes with forms: parse the form and check its token.

    Raises:
        HTTPException: the request has no valid form, is too large, or has no valid token.
    """
    request = cast("Request[Any, Any, Any]", connection)
    if request.method != "POST":
        return
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM_TYPE:
        raise ClientException(f"invalid Content-Type: expected {_FORM_TYPE}", status_code=415)
    try:
        fields = parse_qsl(
            (await read_body(request)).decode("ascii"),
            keep_blank_values=True,
            max_num_fields=_MAX_FIELDS,
            errors="strict",
        )
    except ValueError:
        raise ClientException("invalid form: expected URL-encoded UTF-8 text") from None
    if any("\0" in value for _, value in fields):
        raise ClientException("invalid form: a field contains a NUL character")
    form = SubmittedForm([(name, value.replace("\r\n", "\n")) for name, value in fields])
    if not get_browser_session(request).is_form_token_valid(form.text(FORM_TOKEN_FIELD)):
        raise PermissionDeniedException(
            "This form is out of date. Go back, reload its page, and send it again."
        )
    cast("Any", request.scope)["state"]["form"] = form


def get_form(request: Request[Any, Any, Any]) -> SubmittedForm:
    """Return the form that `require_form_token` has parsed."""
    return cast("SubmittedForm", request.state.form)


async def read_body(request: Request[Any, Any, Any]) -> bytes:
    """Read the body of a request, whose size the application limits.

    Raises:
        HTTPException: the body is too large or does not arrive in time.
    """
    try:
        async with asyncio.timeout(_BODY_TIMEOUT):
            return await request.body()
    except TimeoutError:
        raise ClientException("the request did not arrive in time", status_code=408) from None


def _form_token_field(session: BrowserSession) -> Markup:
    return Markup('<input type="hidden" name="{}" value="{}">').format(
        FORM_TOKEN_FIELD, session.form_token
    )


def _format_time(seconds: float | None) -> Markup:
    if seconds is None:
        return Markup("")
    moment = datetime.fromtimestamp(seconds, UTC)
    return Markup('<time datetime="{}">{}</time>').format(
        moment.isoformat(timespec="seconds"), moment.strftime("%Y-%m-%d %H:%M UTC")
    )


def _format_duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"


def _format_number(number: float) -> str:
    return f"{number:,}"
