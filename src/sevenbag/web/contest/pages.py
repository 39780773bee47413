"""Templates, and what every one of them is given."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, cast

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import MediaType
from litestar.plugins.jinja import JinjaTemplateEngine
from litestar.response import Template
from markupsafe import Markup

from sevenbag.contest.link import WALKOVER, describe_ending
from sevenbag.web.contest.visit import visitor_of
from sevenbag.web.files import TEMPLATES

if TYPE_CHECKING:
    from litestar.connection import ASGIConnection

    from sevenbag.contest.settings import SiteSettings
    from sevenbag.web.contest.visit import Visitor

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
