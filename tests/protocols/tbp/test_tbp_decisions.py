"""Tests of decisions where the texts of TBP are silent or differ, as tables.

A row tells a served bot a list of messages and looks at what became of the position, and at what it
is asked to do. The rows are grouped by the question they answer.
"""

import pytest

from sevenbag._kernel import Piece
from sevenbag.game import Rules
from sevenbag.protocols.bot_actions import (
    GarbageAction,
    OpponentsAction,
    PrepareAction,
    SendAction,
    StartAction,
    StopAction,
    SuggestAction,
)
from sevenbag.protocols.tbp import TbpBotConnection, from_object
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp.tbp_connections import TbpBotState
from tests.protocols.tbp.messages import CHEESE, EMPTY, RULES, START, STOP, SUGGEST, Json


def start(queue: str = "SZOITL", **changes: object) -> Json:
    return START | {"queue": list(queue)} | changes


def play(piece: str, x: int, y: int = 0, orientation: str = "north", **more: object) -> Json:
    location = {"type": piece, "orientation": orientation, "x": x, "y": y}
    return {"type": "play", "move": {"location": location, "spin": "none"}, **more}


def new_piece(*pieces: str) -> list[Json]:
    return [{"type": "new_piece", "piece": piece} for piece in pieces]


def garbage(*rows: list[str | None]) -> Json:
    return {"type": "garbage", "rows": list(rows)}


def told(*messages: Json) -> tuple[TbpBotConnection, list[object]]:
    """Return the bot's connection after some messages, and the actions of the last one."""
    side = TbpBotConnection()
    actions: list[object] = []
    for content in messages:
        message = from_object(content)
        assert message is not None
        actions = [*side.receive(message)]
        if any(isinstance(action, PrepareAction) for action in actions):
            actions += side.accept_rules()
    return side, actions


def queue_of(side: TbpBotConnection) -> str:
    assert side.position is not None
    return "".join(piece.name for piece in side.position.queue)


@pytest.mark.parametrize(
    ("messages", "queue", "hold"),
    [
        # queue[0] is the current piece.
        ([start("SZO"), play("S", 1)], "ZO", None),
        # The official order, and that of the versus dialect.
        ([start("SZO"), play("S", 1), *new_piece("J")], "ZOJ", None),
        ([start("SZO"), *new_piece("J"), play("S", 1)], "ZOJ", None),
        # The game deals later than it plays.
        ([start("SZO"), play("S", 1), play("Z", 5), *new_piece("J", "I")], "OJI", None),
        # The first hold takes two; the frontend makes up for both, or for one only.
        ([start("SZO"), play("Z", 1), *new_piece("J", "I")], "OJI", Piece.S),
        ([start("SZO"), play("Z", 1), *new_piece("J")], "OJ", Piece.S),
        # Later holds take one.
        ([start("SZO", hold="T"), play("T", 4), *new_piece("J")], "ZOJ", Piece.S),
        # The current piece equals the other one: hold is not used.
        ([start("SSO"), play("S", 1)], "SO", None),
        ([start("SZO", hold="S"), play("S", 1)], "ZO", Piece.S),
        # Pieces before any position are ignored.
        ([*new_piece("J"), start("SZO")], "SZO", None),
        # A position without pieces waits for them.
        ([start(""), *new_piece("T", "I")], "TI", None),
        # A piece that could not be there: its cells count, the queue loses its first.
        ([start("SZO", hold="T"), play("I", 4)], "ZO", Piece.T),
        # Another start replaces everything, without a stop.
        ([start("SZO"), play("S", 1), start("OT", hold="I")], "OT", Piece.I),
    ],
)
def test_the_queue(messages: list[Json], queue: str, hold: Piece | None) -> None:
    side, _ = told(RULES, *messages)
    assert queue_of(side) == queue
    assert side.position is not None
    assert side.position.hold == hold


@pytest.mark.parametrize(
    ("messages", "asked"),
    [
        ([], False),
        ([RULES], False),
        ([RULES, start()], True),
        ([start()], True),
        ([RULES, start(), STOP], False),
        ([RULES, start(), STOP, start()], True),
        ([RULES, start(), RULES], True),
        ([RULES, start(), {"type": "rules"}], True),
        ([RULES, start(), SUGGEST], True),
        ([RULES, start("")], False),
        ([RULES, start("T"), play("T", 4)], False),
        ([RULES, start("T"), play("T", 4), *new_piece("I")], True),
        # Unsuggested moves are as valid as others.
        ([RULES, start(), play("S", 8, 30)], True),
        # One that cannot be is passed over.
        ([RULES, start(board=[CHEESE, CHEESE]), play("S", 1)], True),
        ([RULES, start(), garbage(CHEESE)], True),
        ([RULES, garbage(CHEESE)], False),
    ],
)
def test_questions(messages: list[Json], asked: bool) -> None:
    _, actions = told(*messages, SUGGEST)
    assert actions == [SuggestAction() if asked else SendAction(tbp.TbpSuggestion(()))]


def test_a_question_never_advances() -> None:
    side, _ = told(RULES, start())
    before = side.position
    side.receive(tbp.TbpSuggest())
    side.receive(tbp.TbpSuggest())
    assert side.position == before


@pytest.mark.parametrize(
    ("messages", "answer"),
    [
        ([RULES], [PrepareAction(Rules.preset("guideline")), SendAction(tbp.TbpReady())]),
        ([RULES, RULES], [SendAction(tbp.TbpReady())]),
        ([RULES, start(), RULES], [SendAction(tbp.TbpReady())]),
        ([RULES, start(), STOP], [StopAction()]),
        ([RULES, STOP], []),
        ([RULES, start(), STOP, STOP], []),
        ([RULES, play("S", 1)], []),
        ([RULES, *new_piece("S")], []),
    ],
)
def test_messages_by_state(messages: list[Json], answer: list[object]) -> None:
    assert told(*messages)[1] == answer


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        ("start", False),
        ("play", False),
        ("garbage", False),
        ("", False),
        # It only makes the queue shorter than it is.
        ("new_piece", True),
        ("rules", True),
    ],
)
def test_messages_after_an_invalid_one(kind: str, asked: bool) -> None:
    side, _ = told(RULES, start())
    side.receive_invalid(kind)
    assert side.receive(tbp.TbpSuggest()) == [
        SuggestAction() if asked else SendAction(tbp.TbpSuggestion(()))
    ]
    assert side.state is TbpBotState.CALCULATING
    # From the next position on all is well.
    begin = from_object(start("OT"))
    assert begin is not None
    side.receive(begin)
    assert side.receive(tbp.TbpSuggest()) == [SuggestAction()]


@pytest.mark.parametrize(
    ("piece", "forms"),
    [
        ("O", [("north", 4, 0), ("east", 4, 1), ("south", 5, 1), ("west", 5, 0)]),
        ("S", [("north", 4, 0), ("south", 4, 1)]),
        ("S", [("east", 4, 1), ("west", 5, 1)]),
        ("Z", [("north", 4, 0), ("south", 4, 1)]),
        ("Z", [("east", 4, 1), ("west", 5, 1)]),
        ("I", [("north", 4, 0), ("south", 5, 0)]),
        ("I", [("east", 4, 2), ("west", 4, 1)]),
    ],
)
def test_equal_forms(piece: str, forms: list[tuple[str, int, int]]) -> None:
    boards = []
    for orientation, x, y in forms:
        side, _ = told(RULES, start(piece + "ZO"), play(piece, x, y, orientation))
        assert side.position is not None
        assert side.position.board.cell_count == 4
        boards.append(side.position.board)
    assert all(board == boards[0] for board in boards)


@pytest.mark.parametrize("height", [0, 1, 20, 32, 40, 50])
def test_boards_of_any_height_become_one_of_forty(height: int) -> None:
    side, _ = told(RULES, start(board=[CHEESE] * height))
    assert side.position is not None
    assert side.position.board.rows == 40
    assert side.position.board.height == min(height, 40)


@pytest.mark.parametrize(
    ("value", "count"),
    [(False, 0), (True, 1), (-1, 0), (0, 0), (1, 1), (4, 4), (2.0, 2), (None, 0)],
)
def test_back_to_back(value: object, count: int) -> None:
    side, _ = told(RULES, start(back_to_back=value))
    assert side.position is not None
    assert side.position.back_to_back == count


@pytest.mark.parametrize(
    ("state", "bag"),
    [
        (None, None),
        ({"type": "unknown"}, None),
        ({"type": "uniform"}, None),
        ({"type": "seven_bag", "bag_state": ["J", "T"]}, "TJ"),
        # The state behind the last of the queue; empty means the next full one.
        ({"type": "seven_bag", "bag_state": []}, "IOTLJSZ"),
        ({"type": "7-bag", "bag": ["J"]}, "J"),
        ({"type": "general_bag", "current_bag": {"T": 1}, "filled_bag": {"T": 2, "S": 1}}, "T"),
        ({"type": "general_bag", "current_bag": {}, "filled_bag": {"T": 2, "S": 1}}, "TTS"),
        # More of a piece than there can be.
        ({"type": "general_bag", "current_bag": {"T": 3}, "filled_bag": {"T": 2}}, None),
    ],
)
def test_bags(state: Json | None, bag: str | None) -> None:
    side, _ = told(RULES, start(randomizer=state))
    assert side.position is not None
    read = side.position.bag
    if bag is None:
        assert read is None
    else:
        assert read is not None
        assert sorted(piece.name for piece in read) == sorted(bag)


@pytest.mark.parametrize(
    ("rules", "state", "odd"),
    [
        ("seven_bag", {"type": "seven_bag", "bag_state": ["J"]}, False),
        ("7-bag", {"type": "seven_bag", "bag_state": ["J"]}, False),
        ("uniform", {"type": "seven_bag", "bag_state": ["J"]}, True),
        ("seven_bag", None, False),
        (None, {"type": "uniform"}, False),
    ],
)
def test_rules_and_start_name_the_same_randomizer(
    rules: str | None, state: Json | None, odd: bool
) -> None:
    _, actions = told({"type": "rules", "randomizer": rules}, start(randomizer=state))
    assert len(actions) == 1 + odd
    assert isinstance(actions[-1], StartAction)


def test_the_last_row_of_garbage_is_the_new_bottom() -> None:
    upper: list[str | None] = [None, *["G"] * 9]
    side, actions = told(RULES, start(board=[["T"] * 3 + [None] * 7]), garbage(upper, CHEESE))
    assert side.position is not None
    assert side.position.colors is not None
    assert side.position.colors[:4] == ("GGGGGGGGG.", ".GGGGGGGGG", "TTT.......", "." * 10)
    assert actions == [StartAction(side.position)]
    assert [side.position.board.row(y) for y in range(4)] == [0x1FF, 0x3FE, 7, 0]


def test_garbage_affects_only_the_board() -> None:
    state = {"type": "seven_bag", "bag_state": ["J", "T"]}
    first = start(hold="I", combo=3, back_to_back=2, randomizer=state)
    before, _ = told(RULES, first)
    after, _ = told(RULES, first, garbage(CHEESE))
    assert before.position is not None
    assert after.position is not None
    for name in ("queue", "hold", "combo", "back_to_back", "bag"):
        assert getattr(before.position, name) == getattr(after.position, name)


def test_rows_above_the_fortieth_are_cut() -> None:
    top = [*EMPTY[1:], ["T"] * 3 + [None] * 7]
    side, _ = told(RULES, start(board=top), garbage(CHEESE))
    assert side.position is not None
    assert side.position.board.rows == 40
    assert side.position.board.cell_count == 9


def test_garbage_after_a_move_before_the_pieces() -> None:
    # It may arrive at any time.
    side, _ = told(RULES, start("SZO"), play("S", 1), garbage(CHEESE), *new_piece("J"))
    assert queue_of(side) == "ZOJ"
    assert side.position is not None
    assert side.position.board[0, 1]


def test_opponents() -> None:
    theirs = {"board": [CHEESE] * 32, "combo": 1, "back_to_back": True, "meter": 3, "queue": ["I"]}
    _, actions = told(RULES, start(opponents=[{"board": EMPTY}, {}]))
    [_, faced] = actions
    assert isinstance(faced, OpponentsAction)
    assert [position.board.cell_count for position in faced.opponents] == [0, 0]
    _, actions = told(RULES, start(), play("S", 1, opponents=[theirs]))
    [_, faced] = actions
    assert isinstance(faced, OpponentsAction)
    [position] = faced.opponents
    assert (position.board.rows, position.board.height) == (40, 32)
    assert position.queue == (Piece.I,)
    assert (position.combo, position.back_to_back, position.pending) == (1, 1, (3,))
    assert told(RULES, play("S", 1, opponents=[theirs]))[1] == []


def test_a_meter_is_garbage_that_waits() -> None:
    side, _ = told(RULES, start(meter=4))
    assert side.position is not None
    assert side.position.pending == (4,)
    _, actions = told(RULES, start(), play("S", 1, meter=2))
    assert actions[-1] == GarbageAction((2,))
    _, actions = told(RULES, start(), play("S", 1, meter=0))
    assert actions[-1] == GarbageAction(())
