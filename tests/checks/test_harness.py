"""Clauses and procedures belong to each other; results without a check are not passed."""

import inspect
from types import ModuleType

import pytest

from sevenbag.checks import (
    create_tbp_bot_check,
    harness,
    recorded_connection,
    tbp_bot_check,
    tbp_bot_harness,
    tbp_frontend_check,
    tbp_frontend_game,
    triangle_check,
    triangle_harness,
)
from sevenbag.checks.harness import CheckSettings, collect_procedures, load_clauses
from sevenbag.errors import InputError
from tests.fakes.silence import launch_impatiently

SHARED = (harness, recorded_connection)
MODULES: dict[str, tuple[ModuleType, ...]] = {
    "tbp_bot": (tbp_bot_check, tbp_bot_harness, *SHARED),
    "tbp_frontend": (tbp_frontend_check, tbp_frontend_game),
    "triangle": (triangle_check, triangle_harness, *SHARED),
}


@pytest.mark.parametrize("name", MODULES)
def test_each_clause_is_checked(name: str) -> None:
    clauses = load_clauses(name)
    ids = {clause.id for clause in clauses}
    assert len(ids) == len(clauses)
    procedures = (
        set() if name == "tbp_frontend" else set(collect_procedures(vars(MODULES[name][0])))
    )
    assert procedures <= ids
    source = "".join(map(inspect.getsource, MODULES[name]))
    assert [each for each in ids - procedures if f'"{each}"' not in source] == []
    # Clauses have their own source or name it in each finding.
    assert [clause.id for clause in clauses if not clause.source] == ["message-format"]


@pytest.mark.parametrize("name", ["tbp_bot", "triangle"])
def test_required_clauses_come_first(name: str) -> None:
    required = [clause.required for clause in load_clauses(name)]
    assert required == sorted(required, reverse=True)


def test_unknown_checks_are_rejected() -> None:
    with pytest.raises(InputError, match="invalid check name 'holds': expected one of rules-empty"):
        create_tbp_bot_check(launch_impatiently([]), "", CheckSettings(only=("holds",)))
