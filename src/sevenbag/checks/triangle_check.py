"""Checks of a Triangle engine, one function for each clause; each starts the engine anew."""

from __future__ import annotations

import dataclasses
import os
import signal
from typing import Any, Final

from sevenbag.bots.external.bot_channel import ChannelLauncher
from sevenbag.checks.harness import CheckSettings, collect_procedures, load_clauses
from sevenbag.checks.practice_games import LEAGUE_RULES, Bag, TrianglePracticeGame
from sevenbag.checks.recorded_connection import (
    CheckAbortedError,
    CheckEndedError,
    RecordedConnection,
    encode_line,
)
from sevenbag.checks.triangle_harness import TriangleHarness

Json = dict[str, Any]

_STACK: Final = ("XXXX.XXXXX", "XX...XXXXX", "XX.XXXXXX.")
_MAX_GARBAGE_HEIGHT: Final = 8
_UNKNOWN_VALUE: Final[Json] = {"of": ["the", "day", 3.5, None]}


def create_triangle_check(
    launcher: ChannelLauncher,
    subject: str,
    settings: CheckSettings | None = None,
    *,
    empty_environment_launcher: ChannelLauncher | None = None,
) -> TriangleHarness:
    """Create the check of a Triangle engine.

    Args:
        launcher: opens a channel to a new engine.
        subject: name of the engine in the report.
        settings: time limits and extent.
        empty_environment_launcher: starts the engine with an empty environment, if possible.

    Raises:
        InputError: the settings name a check that does not exist.
    """
    clauses, procedures = load_clauses("triangle"), collect_procedures(globals())
    harness = TriangleHarness(clauses, procedures, launcher, subject, settings)
    harness.empty_environment_launcher = empty_environment_launcher
    return harness


async def check_info(harness: TriangleHarness) -> None:
    """Expect info, then silence."""
    async with harness.start_bot() as connection:
        harness.report_identity()
        await harness.expect_silence(connection, "before the first message to the engine")


async def check_answer(harness: TriangleHarness) -> None:
    """Request the first move of a game, without a state."""
    game = TrianglePracticeGame()
    try:
        async with harness.start_game(game) as connection:
            await harness.play_turn(connection, game, after="at the first piece")
    except CheckAbortedError as error:
        failed = harness.connection
        plays = await _plays_after_state(harness)
        harness.connection = failed
        if not plays:
            raise
        message = "needs a state first, but hosts send none before the first garbage"
        harness.add(f"{message} ({error})")


async def check_game(harness: TriangleHarness) -> None:
    """Play games without state messages."""
    for seed, pieces in ((2, harness.settings.length), (3, 8), (4, 8)):
        game = TrianglePracticeGame(seed)
        async with harness.start_game(game) as connection:
            for number in range(1, pieces + 1):
                after = f"at piece {number} without a state"
                await harness.play_turn(connection, game, after=after)
                if game.is_lost:
                    harness.add(f"tops out at piece {number}", severity="warning", lines=2)
                    return
            await harness.expect_silence(connection, "without a pending play")
    if not harness.sends_boards:
        message = "sends no data.board, the expected board after its move: errors may go unnoticed"
        harness.add(message, severity="note", lines=0)


async def check_garbage(harness: TriangleHarness) -> None:
    """Add garbage now and then, and send a state after the dealt pieces."""
    game = TrianglePracticeGame(5, min_queue=7)
    async with harness.start_game(game) as connection:
        for number in range(1, harness.settings.length + 1):
            await harness.play_turn(connection, game, after="after garbage")
            if number % 5 == 0 and game.position.board.height < _MAX_GARBAGE_HEIGHT:
                game.add_garbage([number % 10, number % 10])
                await connection.send(game.state_message())
            if game.is_lost:
                return


async def check_state_before_play(harness: TriangleHarness) -> None:
    """Send a state before each request."""
    game = TrianglePracticeGame(6, min_queue=7)
    async with harness.start_game(game) as connection:
        count, after = harness.settings.length // 2, "with a state before each play"
        await harness.play_turns(connection, game, count, after=after, states=True)


async def check_arbitrary_state(harness: TriangleHarness) -> None:
    """Send other positions during a game."""
    game = TrianglePracticeGame(7)
    async with harness.start_game(game) as connection:
        await harness.play_turns(connection, game, 3, after="in a game")
        for seed in (8, 9):
            game = TrianglePracticeGame(seed, rows=_STACK)
            held = game.position.queue[3]
            state = game.state_message(hold=held.name.lower(), combo=2, b2b=5)
            # The host counts both from -1.
            game.position = dataclasses.replace(game.position, hold=held, combo=3, back_to_back=6)
            await connection.send(state)
            await harness.play_turns(connection, game, 4, after="after a state during a game")


async def check_multiple_bags(harness: TriangleHarness) -> None:
    """Send several bags at once."""
    game = TrianglePracticeGame(10, min_queue=14)
    async with harness.start_game(game) as connection:
        await harness.play_turns(connection, game, 3, after="in a game")
        await connection.send(game.deal_ahead(3))
        await harness.play_turns(connection, game, 30, after="after pieces of three bags")


async def check_bag_14(harness: TriangleHarness) -> None:
    """Deal bags with two of each piece."""
    await _deal(harness, "14-bag", 12, "with 14-bag")


async def check_no_bag(harness: TriangleHarness) -> None:
    """Deal random pieces."""
    await _deal(harness, "none", 13, "without a bag to infer the first piece from")


async def check_kicks(harness: TriangleHarness) -> None:
    """Play with each rotation system."""
    for name in ("srs-tetrio", "srs-x", "tetra-x", "nrs", "ars", "asc", "none180"):
        game = TrianglePracticeGame(14, rules=LEAGUE_RULES.replace({"pieces": {"kicks": name}}))
        after = f"in a room with {game.config_message()['kicks']}"
        async with harness.start_game(game) as connection:
            await harness.play_turns(connection, game, 8, after=after)


async def check_board_sizes(harness: TriangleHarness) -> None:
    """Play on a board of 4 columns and 26 rows."""
    changes = {"board": {"width": 4, "visible": 26, "rows": 46}, "spawn": {"x": 1, "y": 27}}
    game = TrianglePracticeGame(15, rules=LEAGUE_RULES.replace(changes))
    async with harness.start_game(game) as connection:
        await harness.play_turns(connection, game, 8, after="on a board of 4 x 26")


async def check_charging_spelling(harness: TriangleHarness) -> None:
    """Send the charging field with its other name, then with both names."""
    for names in (("b2bCharging",), ("b2bCharing", "b2bCharging")):
        game = TrianglePracticeGame(20)
        config = game.config_message()
        config.update(dict.fromkeys(names, config.pop("b2bCharing")))
        async with harness.start_bot() as connection:
            await connection.send(config)
            after = f"after a config with {' and '.join(names)}"
            await harness.play_turns(connection, game, 2, after=after)


async def check_fractions(harness: TriangleHarness) -> None:
    """Send a multiplier and a cap with fractions."""
    game = TrianglePracticeGame(21)
    message = game.play_message(garbageMultiplier=1.3335, garbageCap=9)
    async with harness.start_game(game, garbageMultiplier=1.25, garbageCap=8.5) as connection:
        await _play_twice(harness, connection, game, "with a multiplier of 1.3335", message)


async def check_null_data(harness: TriangleHarness) -> None:
    """Send data that is null."""
    await _send_data(harness, None, "with data null", 22)


async def check_unknown_data(harness: TriangleHarness) -> None:
    """Send data that the engine does not know."""
    await _send_data(harness, _UNKNOWN_VALUE, "with unknown data", 23)


async def check_unknown_types(harness: TriangleHarness) -> None:
    """Send messages of unknown types."""
    game = TrianglePracticeGame(24)
    after = "after a message of an unknown type"
    async with harness.start_game(game) as connection:
        await connection.send({"type": "weather", "wind": 3})
        await harness.play_turn(connection, game, after=after)
        await connection.send({"type": "start", "rows": [[None]]})
        await harness.play_turn(connection, game, after=after)


async def check_unknown_fields(harness: TriangleHarness) -> None:
    """Send messages with an unknown field."""
    game = TrianglePracticeGame(25)
    async with harness.start_game(game, mood=_UNKNOWN_VALUE) as connection:
        await connection.send(game.state_message(mood=_UNKNOWN_VALUE))
        message = game.play_message(mood=_UNKNOWN_VALUE)
        after = "after messages with unknown fields"
        await harness.play_turn(connection, game, after=after, play_message=message)


async def check_short_board(harness: TriangleHarness) -> None:
    """Send a state with 20 rows."""
    game = TrianglePracticeGame(26)
    async with harness.start_game(game) as connection:
        state = game.state_message()
        await connection.send({**state, "board": state["board"][:20]})
        await harness.play_turns(connection, game, 2, after="after a state of 20 rows")


async def check_partial_lines(harness: TriangleHarness) -> None:
    """Send a line in two parts, then two lines at once."""
    game = TrianglePracticeGame(27)
    async with harness.start_game(game) as connection:
        harness.require_lines(connection)
        await harness.send_in_parts(connection, encode_line(game.state_message(), spaced=True))
        await harness.play_turn(connection, game, after="after a line in two parts")
        lines = (game.state_message(), {"type": "none"})
        await connection.send_line(b"".join(encode_line(each, spaced=True) for each in lines))
        await harness.play_turn(connection, game, after="after two lines at once")


async def check_blank_lines(harness: TriangleHarness) -> None:
    """Send blank lines and a line that ends with CR LF."""
    game = TrianglePracticeGame(28)
    async with harness.start_game(game) as connection:
        harness.require_lines(connection)
        await connection.send_line(b"\n")
        await connection.send_line(encode_line(game.state_message(), spaced=True, end=b"\r\n"))
        await connection.send_line(b"\r\n")
        await harness.play_turn(connection, game, after="after blank lines")


async def check_empty_environment(harness: TriangleHarness) -> None:
    """Start the engine with an empty environment."""
    if harness.empty_environment_launcher is None:
        harness.skip("the engine is not a process")
        return
    game = TrianglePracticeGame(29)
    async with harness.start_game(game, harness.empty_environment_launcher) as connection:
        await harness.play_turn(connection, game, after="with an empty environment")


async def check_sigint(harness: TriangleHarness) -> None:
    """Send SIGINT during a game."""
    game = TrianglePracticeGame(30)
    async with harness.start_game(game) as connection:
        pid = connection.channel.pid
        if pid is None:
            harness.skip("the engine is not a process")
            return
        await harness.play_turn(connection, game, after="before SIGINT")
        os.kill(pid, signal.SIGINT)
        await harness.expect_exit(connection, "SIGINT")


async def check_end_of_input(harness: TriangleHarness) -> None:
    """Close the input during a game."""
    game = TrianglePracticeGame(31)
    async with harness.start_game(game) as connection:
        harness.require_lines(connection)
        await harness.play_turn(connection, game, after="before the end of its input")
        await harness.close_input(connection)


async def _plays_after_state(harness: TriangleHarness) -> bool:
    """Return True if the engine places the first piece after a state message."""
    game = TrianglePracticeGame()
    try:
        async with harness.start_game(game) as connection:
            await connection.send(game.state_message())
            after = "at the first piece, after a state"
            await harness.play_turn(connection, game, after=after)
    except (CheckAbortedError, CheckEndedError):
        return False
    return True


async def _deal(harness: TriangleHarness, bag: Bag, seed: int, after: str) -> None:
    """Play the first pieces of three games with a randomizer."""
    for number in range(3):
        game = TrianglePracticeGame(seed + number, bag=bag)
        async with harness.start_game(game) as connection:
            await harness.play_turns(connection, game, 5, after=after)


async def _send_data(harness: TriangleHarness, value: object, after: str, seed: int) -> None:
    """Play two moves with the given value of data in all messages."""
    game = TrianglePracticeGame(seed)
    async with harness.start_game(game, data=value) as connection:
        await connection.send(game.state_message(data=value))
        await _play_twice(harness, connection, game, after, game.play_message(data=value))


async def _play_twice(
    harness: TriangleHarness,
    connection: RecordedConnection,
    game: TrianglePracticeGame,
    after: str,
    message: Json,
) -> None:
    for _ in range(2):
        await harness.play_turn(connection, game, after=after, play_message=message)
