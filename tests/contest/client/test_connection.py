"""Addresses of game servers, and sources of passwords."""

from pathlib import Path

import pytest

from sevenbag.contest.client.connection import ServerAddress, parse_server_address
from sevenbag.contest.credentials import find_password, read_password
from sevenbag.errors import InputError


@pytest.mark.parametrize(
    ("text", "command", "state"),
    [
        ("pason://localhost", "tcp://localhost:5557", "tcp://localhost:5556"),
        ("PASON://10.0.0.1/", "tcp://10.0.0.1:5557", "tcp://10.0.0.1:5556"),
        ("pason://a.b:7001,7009", "tcp://a.b:7001", "tcp://a.b:7009"),
        ("pason://a.b:7001", "tcp://a.b:7001", "tcp://a.b:7000"),
        ("pason://[::1]:7001,7002", "tcp://[::1]:7001", "tcp://[::1]:7002"),
    ],
)
def test_an_address_has_two_channels(text: str, command: str, state: str) -> None:
    address = parse_server_address(text)
    assert (address.command_endpoint, address.state_endpoint) == (command, state)
    assert parse_server_address(str(address)) == address


def test_channels_may_be_on_different_hosts() -> None:
    address = ServerAddress("a", 1, 2, "b")
    assert (address.command_endpoint, address.state_endpoint) == ("tcp://a:1", "tcp://b:2")


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
