"""Checks of a TBP bot, one function for each clause; each starts the bot anew."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from sevenbag._kernel import Rotation
from sevenbag.bots.external.bot_channel import ChannelLauncher
from sevenbag.checks.harness import CheckSettings, collect_procedures, load_clauses
from sevenbag.checks.practice_games import TbpPracticeGame, equivalent_move
from sevenbag.checks.recorded_connection import RecordedConnection, encode_line
from sevenbag.checks.tbp_bot_harness import SEVEN_BAG_RULES, TbpBotHarness
from sevenbag.protocols.json_lines import Severity
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp import tbp_conversion

if TYPE_CHECKING:
    from sevenbag._kernel import Piece, Placement

Json = dict[str, Any]

_STACK: Final = ("XXXX.XXXXX", "XX...XXXXX", "XX.XXXXXX.")
_MAX_GARBAGE_HEIGHT: Final = 8
_ONE_OF_EACH: Final = dict.fromkeys(tbp.PIECE_LETTERS, 1)


def create_tbp_bot_check(
    launcher: ChannelLauncher, subject: str, settings: CheckSettings | None = None
) -> TbpBotHarness:
    """Create the check of a TBP bot.

    Raises:
        InputError: the settings name a check that does not exist.
    """
    clauses, procedures = load_clauses("tbp_bot"), collect_procedures(globals())
    return TbpBotHarness(clauses, procedures, launcher, subject, settings)


async def check_info(harness: TbpBotHarness) -> None:
    """Expect info, then silence."""
    async with harness.start_bot() as connection:
        harness.report_identity()
        await harness.expect_silence(connection, "before the first message to the bot")


async def check_ready(harness: TbpBotHarness) -> None:
    """Send the rules of seven-bag games."""
    await _send_rules(harness, SEVEN_BAG_RULES, may_reject=False)


async def check_rules_empty(harness: TbpBotHarness) -> None:
    """Send rules without fields."""
    await _send_rules(harness, {"type": "rules"})


async def check_rules_unknown(harness: TbpBotHarness) -> None:
    """Send rules with unknown values and fields."""
    unknown = {"randomizer": "loaded_dice", "gravity": {"curve": [1, 2]}, "mood": None}
    await _send_rules(harness, {"type": "rules", **unknown})


async def check_rules_repeated(harness: TbpBotHarness) -> None:
    """Send rules twice."""
    async with harness.start_ready() as connection:
        await connection.send(SEVEN_BAG_RULES)
        await connection.receive("ready", "error", seconds=harness.settings.start_seconds)


async def check_answer(harness: TbpBotHarness) -> None:
    """Request a move on an empty board."""
    game = TbpPracticeGame()
    async with harness.start_game(game) as connection:
        await harness.request_legal_move(connection, game, every_move=True)


async def check_one_answer(harness: TbpBotHarness) -> None:
    """Wait for second answers."""
    game = TbpPracticeGame(seed=2)
    async with harness.start_game(game) as connection:
        for _ in range(3):
            placement = await harness.request_legal_move(connection, game, after="in a game")
            for message in await connection.collect(0.15):
                kind = message.get("type")
                again = kind == "suggestion"
                harness.add("second answer" if again else f"unsolicited {kind!r}", lines=3)
            await connection.send(*game.play(placement))


async def check_game(harness: TbpBotHarness) -> None:
    """Play a game with occasional garbage."""
    game = TbpPracticeGame(seed=3)
    async with harness.start_game(game) as connection:
        for number in range(1, harness.settings.length + 1):
            placement = await harness.request_legal_move(
                connection, game, after=f"at piece {number}", every_move=True
            )
            await connection.send(*game.play(placement))
            if number % 9 == 0 and game.position.board.height < _MAX_GARBAGE_HEIGHT:
                game.add_garbage([number % 10])
                await connection.send(game.start_message())
            if game.is_lost:
                return
        await connection.send({"type": "stop"})


async def check_other_move(harness: TbpBotHarness) -> None:
    """Play moves that the bot did not suggest."""
    game = TbpPracticeGame(seed=4)
    async with harness.start_game(game) as connection:
        for _ in range(8):
            after = "after moves that were not suggested"
            placement = await harness.request_legal_move(connection, game, after=after)
            await connection.send(*game.play(_choose_other(game, placement)))


async def check_hold(harness: TbpBotHarness) -> None:
    """Play a first hold, then moves with and without a hold.

    A bot whose queue is off by one piece may suggest a legal piece by chance: its presumed current
    piece may be the held one. So every suggested move is checked, and holds alternate with moves of
    the current piece.
    """
    game = TbpPracticeGame(seed=5)
    async with harness.start_game(game) as connection:
        for number, holds in enumerate((True, False, False, True, False, True)):
            position = game.position
            held = position.queue[1] if position.hold is None else position.hold
            piece = held if holds else position.queue[0]
            await connection.send(*game.play(_find_flattest(_list_common(game, piece))))
            after = "after a first hold" + (f" and {number} more moves" if number else "")
            if not number:
                connection.transcript.pin_quote()
            await harness.request_legal_move(connection, game, after=after, every_piece=True)


async def check_equivalent_moves(harness: TbpBotHarness) -> None:
    """Play the suggested cells in another form."""
    game = TbpPracticeGame(seed=6)
    async with harness.start_game(game) as connection:
        for _ in range(8):
            after = "after a move in another form of the same cells"
            placement = await harness.request_legal_move(connection, game, after=after)
            own = tbp.TbpMove(tbp_conversion.format_location(placement), "none")
            move = equivalent_move(placement) or tbp.to_object(own)
            _, *pieces = game.play(placement)
            await connection.send({"type": "play", "move": move}, *pieces)


async def check_new_piece_first(harness: TbpBotHarness) -> None:
    """Send new_piece before play."""
    game = TbpPracticeGame(seed=7)
    async with harness.start_game(game) as connection:
        for _ in range(6):
            after = "after new_piece before play"
            placement = await harness.request_legal_move(connection, game, after=after)
            play, *pieces = game.play(placement)
            await connection.send(*pieces, play)


async def check_suggest_repeated(harness: TbpBotHarness) -> None:
    """Request three moves for each position."""
    game = TbpPracticeGame(seed=8)
    async with harness.start_game(game) as connection:
        for number in range(1, 13):
            placement = await harness.request_legal_move(connection, game, after="repeated suggest")
            if number % 3 == 0:
                await connection.send(*game.play(placement))


async def check_restart(harness: TbpBotHarness) -> None:
    """Send other positions during a game."""
    game = TbpPracticeGame(seed=9)
    after = "after start during a game"
    async with harness.start_game(game) as connection:
        for number in range(3):
            placement = await harness.request_legal_move(connection, game, after=after)
            await connection.send(*game.play(placement))
            game = TbpPracticeGame(seed=90 + number, rows=_STACK[number:])
            await connection.send(game.start_message())
        await harness.request_legal_move(connection, game, after=after)


async def check_next_game(harness: TbpBotHarness) -> None:
    """Stop a game and start another one."""
    game = TbpPracticeGame(seed=10)
    async with harness.start_game(game) as connection:
        for after in ("in the first game", "in the game after stop"):
            await harness.request_legal_move(connection, game, after=after)
            await connection.send({"type": "stop"})
            await harness.expect_silence(connection, "after stop", 0.1)
            game = TbpPracticeGame(seed=11)
            await connection.send(game.start_message())


async def check_garbage(harness: TbpBotHarness) -> None:
    """Send garbage messages, before and after new pieces."""
    features = harness.info.get("features")
    if not isinstance(features, list) or tbp.GARBAGE not in features:
        harness.skip("the bot does not announce the feature garbage")
        return
    game = TbpPracticeGame(seed=12)
    async with harness.start_ready({**SEVEN_BAG_RULES, "garbage": "general"}) as connection:
        await connection.send(game.start_message())
        for number in range(5):
            placement = await harness.request_legal_move(connection, game, after="after garbage")
            play, *pieces = game.play(placement)
            holes = [number, number, 9 - number]
            game.add_garbage(holes)
            rows = [[None if x == hole else "G" for x in range(10)] for hole in holes]
            garbage = {"type": "garbage", "rows": rows}
            order = [garbage, *pieces] if number % 2 else [*pieces, garbage]
            await connection.send(play, *order)
            if game.is_lost:
                return


async def check_unknown_types(harness: TbpBotHarness) -> None:
    """Send messages of unknown types."""
    game = TbpPracticeGame(seed=20)
    async with harness.start_ready() as connection:
        await connection.send(
            {"type": "weather", "wind": 3},
            {"type": "advance", "mv": {}},
            game.start_message(),
            {"type": "weather", "rows": [[None]]},
        )
        after = "after messages of unknown types"
        await harness.request_legal_move(connection, game, after=after)


async def check_unknown_fields(harness: TbpBotHarness) -> None:
    """Send messages with unknown fields."""
    game = TbpPracticeGame(seed=21)
    more: Json = {"mood": {"of": ["the", "day", 3.5, None]}, "id": 7}
    async with harness.start_ready({**SEVEN_BAG_RULES, **more}) as connection:
        await connection.send(game.start_message(**more))
        after = "after messages with unknown fields"
        placement = await harness.request_legal_move(connection, game, after=after)
        play, *pieces = game.play(placement)
        play["move"]["mood"] = play["move"]["location"]["mood"] = more
        await connection.send({**play, **more}, *({**piece, **more} for piece in pieces))
        await harness.request_moves(connection, more=more)
        await harness.request_legal_move(connection, game, after=after)


async def check_randomizers(harness: TbpBotHarness) -> None:
    """Play with each randomizer other than seven_bag."""
    bags = {"current_bag": _ONE_OF_EACH, "filled_bag": _ONE_OF_EACH}
    states: dict[str, Json] = {
        "uniform": {"randomizer": {"type": "uniform"}},
        "general_bag": {"randomizer": {"type": "general_bag", **bags}},
        "unknown": {},
    }
    for name, state in states.items():
        game = TbpPracticeGame(seed=22)
        start = game.start_message()
        del start["randomizer"]
        async with harness.start_bot() as connection:
            seconds = harness.settings.start_seconds
            await connection.send({"type": "rules", "randomizer": name})
            answer = await connection.receive("ready", "error", seconds=seconds)
            if answer["type"] == "error":
                # A bot may reject rules.
                continue
            await connection.send({**start, **state})
            await _play_twice(harness, connection, game, f"with randomizer {name}")


async def check_json_whitespace(harness: TbpBotHarness) -> None:
    """Send JSON with spaces after colons and commas."""
    game = TbpPracticeGame(seed=23)
    async with harness.start_bot() as connection:
        await connection.send_line(encode_line(SEVEN_BAG_RULES, spaced=True))
        await connection.receive("ready", seconds=harness.settings.start_seconds)
        await connection.send_line(encode_line(game.start_message(), spaced=True))
        await connection.send_line(encode_line({"type": "suggest"}, spaced=True))
        await connection.receive("suggestion")
        await harness.request_legal_move(connection, game, after="after JSON with spaces")


async def check_partial_lines(harness: TbpBotHarness) -> None:
    """Send a line in two parts, then two lines at once."""
    game = TbpPracticeGame(seed=24)
    async with harness.start_ready() as connection:
        harness.require_lines(connection)
        await harness.send_in_parts(connection, encode_line(game.start_message()))
        after = "after a line in two parts"
        placement = await harness.request_legal_move(connection, game, after=after)
        await connection.send_line(b"".join(map(encode_line, game.play(placement))))
        await harness.request_legal_move(connection, game, after="after two lines at once")


async def check_combo(harness: TbpBotHarness) -> None:
    """Start with a combo and active back-to-back."""
    game = TbpPracticeGame(seed=25)
    await _start_with(harness, game, "warning", combo=3, back_to_back=True)


async def check_back_to_back_count(harness: TbpBotHarness) -> None:
    """Start with back-to-back as a count."""
    await _start_with(harness, TbpPracticeGame(seed=26), back_to_back=3)


async def check_opponents(harness: TbpBotHarness) -> None:
    """Send opponents in the forms of the text and of Universal-Shaktris-Stadium."""
    game, other = TbpPracticeGame(seed=27), TbpPracticeGame(seed=28)
    start = other.start_message()
    full = {key: start[key] for key in ("hold", "queue", "combo", "board")}
    async with harness.start_game(game, opponents=[{"board": full["board"]}]) as connection:
        after = "after messages with opponents"
        placement = await harness.request_legal_move(connection, game, after=after)
        play, *pieces = game.play(placement)
        state: Json = {**full, "board": full["board"][:32], "back_to_back": 1, "meter": 2}
        await connection.send({**play, "opponents": [state]}, *pieces)
        await harness.request_legal_move(connection, game, after=after)


async def check_high_stack(harness: TbpBotHarness) -> None:
    """Start on stacks below and in the rows where pieces appear."""
    rows = ["XXXX.XXXXX", "XXXXX.XXXX"] * 9
    await _start_with(harness, TbpPracticeGame(seed=29, rows=rows))
    higher = [*rows, "...XXXX...", "....X....."]
    await _start_with(harness, TbpPracticeGame(seed=29, rows=higher))


async def check_short_queue(harness: TbpBotHarness) -> None:
    """Start with two visible pieces, then with one."""
    for previews in (1, 0):
        game = TbpPracticeGame(seed=30, previews=previews)
        after = f"with {previews + 1} visible piece{'s' * previews}"
        async with harness.start_game(game) as connection:
            await _play_twice(harness, connection, game, after)


async def check_empty_queue(harness: TbpBotHarness) -> None:
    """Start without pieces and send them later."""
    game = TbpPracticeGame(seed=31)
    async with harness.start_game(game, queue=[]) as connection:
        for piece in game.position.queue:
            await connection.send({"type": "new_piece", "piece": piece.name})
        await harness.request_legal_move(connection, game, after="after start without pieces")


async def check_suggest_without_position(harness: TbpBotHarness) -> None:
    """Request a move before start."""
    game = TbpPracticeGame(seed=32)
    async with harness.start_ready() as connection:
        await connection.send({"type": "suggest"})
        for message in await connection.collect(0.2):
            if message.get("type") == "suggestion" and message.get("moves"):
                harness.add("move without a position", lines=3)
        await connection.send(game.start_message())
        after = "after suggest without a position"
        await harness.request_legal_move(connection, game, after=after)


async def check_blank_lines(harness: TbpBotHarness) -> None:
    """Send blank lines and a line that ends with CR LF."""
    game = TbpPracticeGame(seed=33)
    async with harness.start_ready() as connection:
        harness.require_lines(connection)
        await connection.send_line(b"\n")
        await connection.send_line(encode_line(game.start_message(), end=b"\r\n"))
        await connection.send_line(b"\r\n")
        await harness.request_legal_move(connection, game, after="after blank lines")


async def check_quit(harness: TbpBotHarness) -> None:
    """Send quit during a game."""
    async with harness.start_game(TbpPracticeGame(seed=34)) as connection:
        if connection.channel.transport == "page":
            harness.skip("a page does not notice the exit of its worker")
            return
        await connection.send({"type": "quit"})
        await harness.expect_exit(connection, "quit")


async def check_end_of_input(harness: TbpBotHarness) -> None:
    """Close the input during a game."""
    async with harness.start_game(TbpPracticeGame(seed=35)) as connection:
        harness.require_lines(connection)
        await harness.close_input(connection)


async def _send_rules(harness: TbpBotHarness, rules: Json, *, may_reject: bool = True) -> None:
    """Send rules to a new bot and expect one answer."""
    seconds = harness.settings.start_seconds
    async with harness.start_bot() as connection:
        await connection.send(rules)
        answer = await connection.receive("ready", "error", seconds=seconds)
        if answer["type"] == "error" and not may_reject:
            harness.add(f"rejects the rules of common games ({answer.get('reason')})")
        else:
            await harness.expect_silence(connection, "after the answer to rules")


async def _start_with(
    harness: TbpBotHarness,
    game: TbpPracticeGame,
    severity: Severity | None = None,
    **changes: object,
) -> None:
    """Play two moves from a position with some fields replaced."""
    async with harness.start_game(game, **changes) as connection:
        fields = ", ".join(f"{key} {json.dumps(value)}" for key, value in changes.items())
        after = f"with {fields}" if fields else "on this board"
        await _play_twice(harness, connection, game, after, severity)


async def _play_twice(
    harness: TbpBotHarness,
    connection: RecordedConnection,
    game: TbpPracticeGame,
    after: str,
    severity: Severity | None = None,
) -> None:
    """Play a move and request another one."""
    request = harness.request_legal_move
    placement = await request(connection, game, after=after, severity=severity)
    await connection.send(*game.play(placement))
    if not game.is_lost:
        await request(connection, game, after=after, severity=severity)


def _choose_other(game: TbpPracticeGame, best: Placement) -> Placement:
    """Return a move far from the best one, so that it leads to another position."""
    placements = _list_common(game, game.position.queue[0])
    far = max(placements, key=lambda each: (abs(each.x - best.x), -each.y))
    return _find_flattest([each for each in placements if each.x == far.x])


def _list_common(game: TbpPracticeGame, piece: Piece) -> list[Placement]:
    """Return legal moves of a piece in a form that every program uses."""
    return [
        each
        for each in game.legal_placements(spins=False)
        if each.piece == piece
        and (each.rotation == Rotation.NORTH or equivalent_move(each) is None)
    ]


def _find_flattest(placements: list[Placement]) -> Placement:
    return min(placements, key=lambda each: (max(y for _, y in each.cells), each.y, each.x))
