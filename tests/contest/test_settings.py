"""Tests of contest settings from files, the environment and overrides."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from sevenbag.config.loader import describe_fields, format_toml
from sevenbag.contest.settings import ContestSettings, load_settings
from sevenbag.errors import SettingsError


def test_overrides_precede_environment_and_file(tmp_path: Path) -> None:
    assert load_settings(None, {}) == ContestSettings()
    file = tmp_path / "contest.toml"
    file.write_text('[server]\nbind = "127.0.0.2"\ncommand_port = 1\nstate_port = 1\n')
    environ = {
        "SEVENBAG_CONTEST_SERVER_COMMAND_PORT": "2",
        "SEVENBAG_CONTEST_SERVER_STATE_PORT": "2",
        "PATH": "/bin",
    }
    server = load_settings(file, environ, ["server.state_port=3"]).server
    assert (server.bind, server.command_port, server.state_port) == ("127.0.0.2", 2, 3)


def test_partial_section_keeps_the_defaults_of_its_section() -> None:
    loaded = load_settings(None, {}, ["test_match.pause_seconds=0"])
    assert (loaded.test_match.games, loaded.match.games) == (3, 19)


@pytest.mark.parametrize(
    ("environ", "override", "message"),
    [
        (
            {"SEVENBAG_CONTEST_SERVER_COMMAND_PORT": "many"},
            "server.bind=::1",
            "SEVENBAG_CONTEST_SERVER_COMMAND_PORT: invalid server.command_port: expected integer",
        ),
        (
            {"SEVENBAG_CONTEST_SERVER_BNID": "x"},
            "server.bind=::1",
            "did you mean 'SEVENBAG_CONTEST_SERVER_BIND'?",
        ),
        ({}, "match.pause_seconds=nan", "expected number from 0 to 86400, got nan"),
        ({}, "game.level_points=3,2", "game: invalid level_points: expected ascending numbers"),
    ],
)
def test_errors(environ: Mapping[str, str], override: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(None, environ, [override])
    assert message in str(caught.value)


def test_written_file_explains_every_key_and_loads(tmp_path: Path) -> None:
    changed = load_settings(None, {}, ["site.title=Cup", "match.text_numbers=yes"])
    text = format_toml(changed)
    file = tmp_path / "contest.toml"
    file.write_text(text, encoding="utf-8")
    assert load_settings(file, {}) == changed
    assert max(map(len, text.splitlines())) <= 100
    for section in (type(getattr(changed, name)) for name in changed.__struct_fields__):
        for key, field in describe_fields(section).items():
            assert field.description, f"{key} is not explained"
