"""The secret between game servers and the scheduler, and passwords of teams."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sevenbag.contest.credentials import (
    bearer_header,
    find_password,
    is_authorized,
    load_or_create_secret,
    read_password,
    read_secret,
)
from sevenbag.errors import InputError, SettingsError


def test_secret_file_is_created_once_and_private(tmp_path: Path) -> None:
    path = tmp_path / "contest.secret"
    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(load_or_create_secret, [path] * 16))
    assert len(made) == 1
    assert made == {read_secret(path)}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["contest.secret"]
    assert load_or_create_secret(tmp_path / "another") not in made


@pytest.mark.parametrize("text", ["", "short", "two words of some length", "x" * 1001, "é" * 20])
def test_invalid_secret_is_rejected(tmp_path: Path, text: str) -> None:
    path = tmp_path / "contest.secret"
    path.write_text(text)
    with pytest.raises(SettingsError, match="is no secret"):
        load_or_create_secret(path)


def test_missing_or_unwritable_secret_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        read_secret(tmp_path / "none")
    with pytest.raises(SettingsError, match="cannot be made"):
        load_or_create_secret(tmp_path / "no folder" / "contest.secret")


def test_only_the_correct_header_is_accepted() -> None:
    secret = "a-secret-of-game-servers"
    assert is_authorized(bearer_header(secret), secret)
    for header in [
        "",
        "Bearer ",
        secret,
        bearer_header(secret + "x"),
        bearer_header(secret[:-1]),
        "Bearer \udcff",
    ]:
        assert not is_authorized(header, secret)


def test_a_password_is_the_first_line_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_bytes("  wörd with blanks \r\nanother line".encode())
    assert read_password(file) == "  wörd with blanks "


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"\xff", "is no text in UTF-8"), (b"x" * 5_000, "too long"), (b"", "is empty")],
)
def test_files_without_a_password(tmp_path: Path, content: bytes, says: str) -> None:
    file = tmp_path / "password"
    file.write_bytes(content)
    with pytest.raises(InputError, match=says):
        read_password(file)


def test_file_takes_precedence_over_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "password"
    file.write_text("from the file\n")
    monkeypatch.setenv("SEVENBAG_PASSWORD", "from the variable")
    assert find_password(file, "A") == "from the file"
    assert find_password(None, "A") == "from the variable"
