"""Tables of the clauses of `sevenbag check`."""

from __future__ import annotations

from functools import partial

from docs.figures.markdown import table
from sevenbag.checks.harness import load_clauses


def clauses(name: str) -> str:
    """All clauses of a table."""
    return table(
        ["check", "severity", "requirement", "source"],
        [
            [f"`{each.id}`", each.severity, each.requirement, each.source or "see finding"]
            for each in load_clauses(name)
        ],
    )


TABLES = {
    "clauses-tbp-bot": partial(clauses, "tbp_bot"),
    "clauses-tbp-frontend": partial(clauses, "tbp_frontend"),
    "clauses-triangle": partial(clauses, "triangle"),
}
