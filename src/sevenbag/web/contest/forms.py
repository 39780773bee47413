"""Forms: read within bounds, and only from pages of our own."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

from litestar.exceptions import ClientException, PermissionDeniedException

from sevenbag.web.contest.pages import FORM_TOKEN, comes_from_us
from sevenbag.web.contest.visit import visitor_of

if TYPE_CHECKING:
    from litestar import Request

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
