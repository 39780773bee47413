"""Tests of the programs in docs/pason-client.md."""

import argparse
import asyncio
import re
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import pytest

from sevenbag.cli.contest_client_commands import configure_join
from tests.contest.client.small_server import PASSWORDS, TEAMS, SmallServer
from tests.contest.client.test_match_client import play

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "pason-client.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_every_option_of_join_is_documented() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    configure_join(parser)
    options = {option for action in parser._actions for option in action.option_strings}
    assert len(options) > 8
    assert [option for option in sorted(options) if option not in TEXT] == []


@pytest.mark.parametrize("number", range(3))
def test_documented_programs_play_a_match(number: int) -> None:
    """Run them unchanged except for ports and names, against a test server."""
    with SmallServer() as server:
        address = server.address
        code = BLOCKS[number].replace("My Team", TEAMS[0]).replace("pason://127.0.0.1", server.url)
        code = code.replace("5556", str(address.state_port))
        code = code.replace("5557", str(address.command_port))
        known: dict[str, Any] = {"token": server.token, "password": PASSWORDS[0]}
        known |= {"team": TEAMS[0], "host": "127.0.0.1"}

        def run() -> None:
            if "async with" in code:
                body = textwrap.indent(code, "    ")
                exec(f"import asyncio\nasync def main():\n{body}\nasyncio.run(main())", known)
            else:
                exec(code, known)

        thread = threading.Thread(target=run)
        thread.start()
        other = asyncio.run(play(server, 1))
        thread.join()
        assert server.matches[server.token].result is not None
        assert other.result.end_heard
        # It did more than connect.
        assert server.verdicts.count(server.verdicts[0]) > 10


def test_example_plays_well(tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text(PASSWORDS[0] + "\n")
    with SmallServer() as server:
        example = subprocess.Popen(
            [
                *(sys.executable, str(ROOT / "examples" / "pason_bot.py"), server.url),
                *(server.token, TEAMS[0], str(password)),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        asyncio.run(play(server, 1))
        told = example.communicate(timeout=120)[0]
        result = server.matches[server.token].result
    assert example.returncode == 0, told
    assert result is not None
    assert result.winner == 0
    assert told.startswith("Alpha team won against Beta: 2:")
    source = (ROOT / "examples" / "pason_bot.py").read_text("utf-8")
    assert len([line for line in source.splitlines() if line]) <= 30
