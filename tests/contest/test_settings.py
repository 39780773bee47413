"""Settings from files, the environment and flags: who wins, and what errors say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from sevenbag.contest import settings as types
from sevenbag.contest.settings import MatchRules
from sevenbag.contest.settings_loader import load_settings, parse_settings, parse_value, to_toml
from sevenbag.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def test_without_anything_all_is_as_the_types_say() -> None:
    assert load_settings(None, {}) == types.ContestSettings()


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "contest.toml"
    file.write_text('[server]\nbind = "127.0.0.2"\ncommand_port = 1\nstate_port = 1\n')
    env = {
        "SEVENBAG_CONTEST_SERVER_COMMAND_PORT": "2",
        "SEVENBAG_CONTEST_SERVER_STATE_PORT": "2",
        "PATH": "/bin",
    }
    server = load_settings(file, env, ["server.state_port=3"]).server
    assert (server.bind, server.command_port, server.state_port) == ("127.0.0.2", 1 + 1, 3)


def test_every_setting_has_a_variable_a_flag_and_a_key(tmp_path: Path) -> None:
    """Written out in each of the three ways, the defaults come back."""
    lines, env, flags = [], {}, []
    for section, values in msgspec.to_builtins(types.ContestSettings()).items():
        lines.append(f"[{section}]")
        for key, value in values.items():
            literal = msgspec.json.encode(value).decode()  # TOML's literals are JSON's here
            text = value if isinstance(value, str) else literal
            lines.append(f"{key} = {literal}")
            env[f"SEVENBAG_CONTEST_{section}_{key}".upper()] = text
            flags.append(f"{section}.{key}={text}")
    file = tmp_path / "contest.toml"
    file.write_text("\n".join(lines))
    assert (
        load_settings(file, {})
        == load_settings(None, env)
        == load_settings(None, {}, flags)
        == types.ContestSettings()
    )


@pytest.mark.parametrize(
    ("flag", "section", "key", "value"),
    [
        ("game.gravity_ms=500, 250", "game", "gravity_ms", (500, 250)),
        ("game.points=[0, 1, 2, 3, 4]", "game", "points", (0, 1, 2, 3, 4)),
        ("game.rotate_above_top=false", "game", "rotate_above_top", False),
        ("match.pause_seconds=0.05", "match", "pause_seconds", 0.05),
        ("match.pause_seconds=1", "match", "pause_seconds", 1.0),
        ("match.move_reply=ok", "match", "move_reply", "ok"),
        ("site.title=The = sign", "site", "title", "The = sign"),
        ("site.title=7", "site", "title", "7"),
        ("site.trusted_proxies=::1, 10.0.0.2", "site", "trusted_proxies", ("::1", "10.0.0.2")),
        ("site.trusted_proxies=", "site", "trusted_proxies", ()),
        ("game.level_points=", "game", "level_points", ()),
    ],
)
def test_values_of_flags(flag: str, section: str, key: str, value: object) -> None:
    assert getattr(getattr(load_settings(None, {}, [flag]), section), key) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[server]\nbind = 7\n", ["line 2: server.bind is 7, must be a text"]),
        (
            "[server]\n\ncommand_port = 70000\n",
            ["line 3: server.command_port is 70000, must be a whole number from 0 to 65535"],
        ),
        ("[server]\nbnid = 'x'\n", ["line 2: unknown key 'bnid' in [server]", "meant 'bind'?"]),
        ("[sever]\nbind = 'x'\n", ["line 1: unknown section 'sever'", "meant 'server'?"]),
        ("title = 'x'\n", ["line 1: unknown key outside any section 'title'"]),
        ("server = 3\n", ["line 1: server is 3, must be a section: [server]"]),
        (
            "[match]\nmove_reply = 'Ok'\n",
            ["line 2: match.move_reply is 'Ok', must be one of 'OK', 'ok'"],
        ),
        (
            "[game]\npoints = [0, 1]\n",
            ["line 2: game.points is [0, 1], must be a list of 5 items, each a whole number"],
        ),
        (
            "[game]\ngravity_ms = []\n",
            ["line 2: game.gravity_ms is [], must be a list of 1 to 100 items"],
        ),
        ("[game]\nlevel_points = [5, 5]\n", ["line 1: [game]: level_points are [5, 5]"]),
        (
            "[match]\npause_seconds = nan\n",
            ["line 2: match.pause_seconds is nan, must be"],
        ),
        ("[match]\npause_seconds = true\n", ["line 2", "must be a number from 0 to 86400"]),
        ("[match]\ngames = 1.5\n", ["line 2: match.games is 1.5, must be a whole number"]),
        ("[match\n", ["line 1: invalid TOML"]),
        ("[match]\ngames = " + "9" * 5000 + "\n", ["contest.toml"]),
        ("[match]\ngames = " + "[" * 5000 + "\n", ["contest.toml"]),
    ],
)
def test_errors_of_a_file_name_line_and_remedy(
    tmp_path: Path, text: str, words: Sequence[str]
) -> None:
    file = tmp_path / "contest.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load_settings(file, {})
    assert str(file) in str(caught.value)
    for part in words:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("env", "flags", "words"),
    [
        (
            {"SEVENBAG_CONTEST_SERVER_COMMAND_PORT": "many"},
            [],
            "environment: SEVENBAG_CONTEST_SERVER_COMMAND_PORT is 'many', must be a whole number",
        ),
        ({"SEVENBAG_CONTEST_SERVER_BNID": "x"}, [], "meant 'SEVENBAG_CONTEST_SERVER_BIND'?"),
        ({}, ["server.bind"], "must be SECTION.KEY=VALUE"),
        ({}, ["bind=x"], "must be SECTION.KEY=VALUE"),
        ({}, ["serve.bind=x"], "unknown section 'serve' (meant 'server'?)"),
        ({}, ["server.bid=x"], "unknown key 'bid' in [server] (meant 'bind'?)"),
        ({}, ["server.capacity=0"], "flag server.capacity is '0', must be a whole number from 1"),
        ({}, ["match.games=1\n2"], "match.games is '1\\n2', must be a whole number"),
        ({}, ["game.level_points=3,2"], "flag game.level_points: level_points are [3, 2]"),
    ],
)
def test_errors_of_the_environment_and_of_flags(
    env: Mapping[str, str], flags: Sequence[str], words: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(None, env, flags)
    assert words in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read: No such file"):
        load_settings(tmp_path / "none.toml", {})
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="not UTF-8"):
        load_settings(tmp_path / "binary", {})
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(SettingsError, match="larger than"):
        load_settings(tmp_path / "huge", {})


def test_a_written_file_says_what_it_means_and_is_read_back(tmp_path: Path) -> None:
    settings = types.ContestSettings(
        site=types.SiteSettings(title='Cup "of" \\ \x7f\tü', trusted_proxies=("10.0.0.1",)),
        server=types.ServerSettings(command_port=0, farewell_seconds=0.25),
        match=MatchRules(text_numbers=True),
    )
    text = to_toml(settings)
    file = tmp_path / "contest.toml"
    file.write_text(text, encoding="utf-8")
    assert load_settings(file, {}) == settings == parse_settings(text, "text")
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if " = " in line and not line.startswith("#"):
            assert lines[number - 1].startswith("# "), f"{line} is not explained"
    assert max(map(len, lines)) <= 100


def test_a_text_may_be_held_to_some_sections() -> None:
    assert (
        parse_settings("[match]\ngames = 5\n", "rules", sections={"game", "match"}).match.games == 5
    )
    with pytest.raises(SettingsError) as caught:
        parse_settings("[site]\nport = 5\n", "rules", sections={"game", "match"})
    assert "rules: line 1: unknown section 'site'" in str(caught.value)
    assert "sections are game, match" in str(caught.value)


def test_single_values() -> None:
    assert parse_value("game", "gravity_ms", "5, 4") == (5, 4)
    with pytest.raises(SettingsError, match="must be a whole number from 1 to 10000"):
        parse_value("match", "games", "0")
    with pytest.raises(SettingsError, match="unknown key"):
        parse_value("match", "game", "0")


def test_bytes_that_are_no_text_are_named() -> None:
    for given in ("site.port=\udcb0", "site.title=\udcb0"):
        with pytest.raises(SettingsError, match="must be text in UTF-8"):
            load_settings(None, {}, [given])
    with pytest.raises(SettingsError, match="must be text in UTF-8"):
        load_settings(None, {"SEVENBAG_CONTEST_SITE_TITLE": "\udcb0"})
