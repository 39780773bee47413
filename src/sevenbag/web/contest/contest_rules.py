"""A contest's rules, as organisers change them before it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from litestar import Request, Response, get, post
from litestar.params import FromPath  # noqa: TC002  # Litestar reads the annotations of handlers
from litestar.response import Redirect, Template

from sevenbag.errors import InputError
from sevenbag.web.contest import rules_form
from sevenbag.web.contest.contests import planned, revised
from sevenbag.web.contest.forms import read_form
from sevenbag.web.contest.pages import page
from sevenbag.web.contest.rules_form import WrongRulesError
from sevenbag.web.contest.visit import visitor_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from litestar.handlers import HTTPRouteHandler

    from sevenbag.contest.store import ContestRow
    from sevenbag.web.contest.desk import Desk

AnyRequest = Request[Any, Any, Any]


def contest_rules_routes(desk: Desk) -> list[HTTPRouteHandler]:
    """The routes of this file, below ``/admin``."""

    def rules(
        request: AnyRequest,
        row: ContestRow,
        *,
        texts: Mapping[str, str] | None = None,
        toml: str | None = None,
        wrong: Mapping[str, str] | None = None,
    ) -> Template:
        """The page of a contest's rules: fields, and the same as a text."""
        return page(
            request,
            "contest/admin_rules.html",
            status=422 if wrong else 200,
            row=row,
            fields=rules_form.fields(),
            texts=rules_form.to_texts(row.rules) if texts is None else texts,
            toml=rules_form.to_toml(row.rules) if toml is None else toml,
            as_text=toml is not None,
            wrong=wrong or {},
        )

    @get("/contests/{contest_id:int}/rules")
    async def rules_page(request: AnyRequest, contest_id: FromPath[int]) -> Template:
        return rules(request, await planned(desk, contest_id))

    @post("/contests/{contest_id:int}/rules", status_code=200)
    async def change_rules(request: AnyRequest, contest_id: FromPath[int]) -> Response[Any]:
        form = await read_form(request)
        row = await planned(desk, contest_id)
        texts = {
            field.name: form.text(field.name)
            for group in rules_form.fields().values()
            for field in group
        }
        try:
            await revised(desk, row, form, rules=rules_form.from_texts(texts))
        except WrongRulesError as error:
            return rules(request, row, texts=texts, wrong=error.words)
        except InputError as error:
            return rules(request, row, texts=texts, wrong={"": str(error)})
        await desk.note(visitor_of(request), "contest's rules changed", row.name)
        return Redirect(f"/admin/contests/{row.id}", status_code=303)

    @post("/contests/{contest_id:int}/rules-text", status_code=200)
    async def change_rules_text(request: AnyRequest, contest_id: FromPath[int]) -> Response[Any]:
        form = await read_form(request)
        row = await planned(desk, contest_id)
        text = form.text("toml")
        try:
            await revised(desk, row, form, rules=rules_form.from_toml(text))
        except InputError as error:
            return rules(request, row, toml=text, wrong={"": str(error)})
        await desk.note(visitor_of(request), "contest's rules changed", row.name)
        return Redirect(f"/admin/contests/{row.id}", status_code=303)

    return [rules_page, change_rules, change_rules_text]
