"""The bot's side of TBP, as lists of messages."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from sevenbag._kernel import Piece, Placement, Rotation, Spin
from sevenbag.game import Rules
from sevenbag.protocols.bot_actions import (
    BotAction,
    GarbageAction,
    LogAction,
    NewPieceAction,
    OpponentsAction,
    PlayAction,
    PrepareAction,
    QuitAction,
    SearchInfo,
    SendAction,
    StartAction,
    StopAction,
    SuggestAction,
)
from sevenbag.protocols.tbp import TbpBotConnection, encode
from sevenbag.protocols.tbp import messages as tbp
from sevenbag.protocols.tbp.tbp_connections import TbpBotState
from tests.protocols.tbp import messages as any_message

RULES = tbp.TbpRules("seven_bag")
PLAYED = Rules.preset("guideline")
EMPTY: tuple[tbp.Row, ...] = ((None,) * 10,) * 40
NOTHING = SendAction(tbp.TbpSuggestion(()))


def start(
    queue: str, hold: tbp.PieceLetter | None = None, board: tuple[tbp.Row, ...] = EMPTY
) -> tbp.TbpStart:
    return tbp.TbpStart(
        hold,
        tuple(queue),  # type: ignore[arg-type]
        0,
        back_to_back=False,
        board=board,
        randomizer=tbp.SevenBagRandomizer(("J",)),
    )


def play(piece: tbp.PieceLetter, x: int = 4, y: int = 0) -> tbp.TbpPlay:
    return tbp.TbpPlay(tbp.TbpMove(tbp.TbpLocation(piece, "north", x, y)))


def told(side: TbpBotConnection, *messages: tbp.TbpMessage) -> list[BotAction]:
    """Return the actions of the last message; the bot accepts all rules."""
    actions: list[BotAction] = []
    for message in messages:
        actions = side.receive(message)
        if any(isinstance(action, PrepareAction) for action in actions):
            actions += side.accept_rules()
    return actions


def answered(
    side: TbpBotConnection, moves: Sequence[Placement], info: SearchInfo | None = None
) -> tbp.TbpSuggestion:
    [action] = side.answer(moves, info)
    assert isinstance(action, SendAction)
    assert isinstance(action.message, tbp.TbpSuggestion)
    return action.message


def state_of(side: TbpBotConnection) -> TbpBotState:
    return side.state


def queue_of(side: TbpBotConnection) -> str:
    assert side.position is not None
    return "".join(piece.name for piece in side.position.queue)


def test_the_whole_life() -> None:
    side = TbpBotConnection()
    assert side.introduce("demo", "1", "me") == tbp.TbpInfo("demo", "1", "me", ("garbage",))
    assert side.receive(RULES) == [PrepareAction(PLAYED)]
    assert side.accept_rules() == [SendAction(tbp.TbpReady())]
    for _ in range(2):
        assert state_of(side) is TbpBotState.READY
        [begin] = side.receive(start("SZOITL"))
        assert isinstance(begin, StartAction)
        assert begin.position.queue == (Piece.S, Piece.Z, Piece.O, Piece.I, Piece.T, Piece.L)
        assert begin.position.bag == (Piece.J,)
        assert state_of(side) is TbpBotState.CALCULATING
        assert side.receive(tbp.TbpSuggest()) == [SuggestAction()]
        [advance] = side.receive(play("S", 1))
        assert advance == PlayAction(Placement("S", Rotation.NORTH, 1, 0))
        assert side.receive(tbp.TbpNewPiece("J")) == [NewPieceAction(Piece.J)]
        assert queue_of(side) == "ZOITLJ"
        assert side.position is not None
        assert side.position.bag == tuple(Piece)
        assert side.receive(tbp.TbpStop()) == [StopAction()]
    assert side.receive(tbp.TbpQuit()) == [QuitAction()]
    assert state_of(side) is TbpBotState.CLOSED
    assert side.receive(RULES) == []


def test_new_piece_before_play() -> None:
    side = TbpBotConnection()
    told(side, RULES, start("SZO"))
    assert told(side, tbp.TbpNewPiece("J")) == [NewPieceAction(Piece.J)]
    assert told(side, play("S", 1)) == [PlayAction(Placement("S", Rotation.NORTH, 1, 0))]
    assert queue_of(side) == "ZOJ"


@pytest.mark.parametrize("message", [play("S"), tbp.TbpNewPiece("T"), tbp.TbpStop()])
def test_messages_without_a_game_are_ignored(message: tbp.TbpMessage) -> None:
    side = TbpBotConnection()
    assert told(side, message) == []
    assert told(side, RULES, message) == []
    assert told(side, start("SZ"), tbp.TbpStop(), message) == []


@pytest.mark.parametrize("message", [tbp.TbpReady(), tbp.TbpError("x"), tbp.TbpSuggestion(())])
def test_messages_of_bots_are_ignored(message: tbp.TbpMessage) -> None:
    assert TbpBotConnection().receive(message) == []


def test_a_start_without_rules() -> None:
    side = TbpBotConnection()
    actions = side.receive(start("SZ"))
    assert actions[0] == PrepareAction(PLAYED)
    assert isinstance(actions[1], StartAction)
    # There was no question yet.
    assert side.accept_rules() == []
    assert side.receive(tbp.TbpSuggest()) == [SuggestAction()]


def test_rules_again() -> None:
    side = TbpBotConnection()
    told(side, RULES)
    assert side.receive(RULES) == [SendAction(tbp.TbpReady())]
    assert side.receive(tbp.TbpRules()) == [PrepareAction(PLAYED)]
    side.accept_rules()
    told(side, start("SZ"))
    assert side.receive(RULES) == [SendAction(tbp.TbpReady())]
    assert side.receive(tbp.TbpSuggest()) == [SuggestAction()]


def test_a_refusal() -> None:
    side = TbpBotConnection()
    side.receive(RULES)
    assert side.reject_rules() == [SendAction(tbp.TbpError("unsupported_rules"))]
    assert side.receive(tbp.TbpSuggest()) == [NOTHING]
    # It can be asked again.
    assert side.receive(RULES) == [PrepareAction(PLAYED)]
    assert side.accept_rules() == [SendAction(tbp.TbpReady())]


def test_a_start_replaces_the_position() -> None:
    side = TbpBotConnection()
    told(side, RULES, start("SZ"), play("S"))
    [begin] = told(side, start("OT"))
    assert isinstance(begin, StartAction)
    assert begin.position.board.is_empty
    assert queue_of(side) == "OT"


def test_empty_queue_waits_for_the_first_piece() -> None:
    side = TbpBotConnection()
    assert told(side, RULES, start("")) == []
    assert told(side, tbp.TbpSuggest()) == [NOTHING]
    [begin] = told(side, tbp.TbpNewPiece("T"))
    assert isinstance(begin, StartAction)
    assert begin.position.queue == (Piece.T,)
    assert told(side, tbp.TbpNewPiece("I")) == [NewPieceAction(Piece.I)]
    assert told(side, tbp.TbpSuggest()) == [SuggestAction()]


def test_exhausted_queue_continues() -> None:
    side = TbpBotConnection()
    assert told(side, RULES, start("T"), play("T")) == []
    assert told(side, tbp.TbpSuggest()) == [NOTHING]
    [begin] = told(side, tbp.TbpNewPiece("I"))
    assert isinstance(begin, StartAction)
    assert begin.position.board.cell_count == 4
    assert begin.position.queue == (Piece.I,)


def test_unexpected_piece_is_played() -> None:
    side = TbpBotConnection()
    note, begin = told(side, RULES, start("SZO", hold="T"), play("I"))
    assert isinstance(note, LogAction)
    assert "invalid piece: expected S or T, got I" in str(note)
    assert isinstance(begin, StartAction)
    assert begin.position.queue == (Piece.Z, Piece.O)
    assert begin.position.hold == Piece.T
    assert begin.position.board[4, 0]


def test_move_through_filled_cells_is_ignored() -> None:
    row: tbp.Row = ("G", "G", "G", "G", "G", "G", "G", "G", "G", None)
    side = TbpBotConnection()
    [note] = told(side, RULES, start("SZO", board=(row, row)), play("S"))
    assert isinstance(note, LogAction)
    assert queue_of(side) == "SZO"
    assert told(side, tbp.TbpSuggest()) == [SuggestAction()]


def test_move_outside_the_board_is_ignored() -> None:
    side = TbpBotConnection()
    [note] = told(side, RULES, start("SZO"), play("S", x=900))
    assert isinstance(note, LogAction)


def test_lost_track_waits_for_a_position() -> None:
    side = TbpBotConnection()
    told(side, RULES, start("SZ"))
    side.handle_bot_failure()
    assert told(side, tbp.TbpSuggest()) == [NOTHING]
    assert told(side, tbp.TbpNewPiece("T"), play("S")) == []
    assert told(side, start("SZ"), tbp.TbpSuggest()) == [SuggestAction()]


def test_answers_are_in_the_one_form() -> None:
    answer = answered(TbpBotConnection(), (Placement("O", Rotation.WEST, 4, 1, Spin.NONE),))
    assert answer.moves == (tbp.TbpMove(tbp.TbpLocation("O", "north", 3, 1), "none"),)
    assert answer.move_info is UNSET


def test_number_of_moves_is_limited() -> None:
    moves = [Placement("T", Rotation.NORTH, 4, y) for y in range(30)]
    assert len(answered(TbpBotConnection(max_moves=1), moves).moves) == 1
    assert len(answered(TbpBotConnection(), moves).moves) == 30


@given(st.text(), st.integers(0, 300))
def test_answers_fit_into_a_line(extra: str, count: int) -> None:
    side = TbpBotConnection(max_line_bytes=4096)
    moves = [Placement("T", Rotation.NORTH, 4, 100, Spin.FULL)] * count
    info = SearchInfo(10**15, 1 / 3 * 1e15, 1e-7 / 3, extra)
    line = encode(answered(side, moves, info))
    assert len(line) <= 4096
    assert line.count(b"south") == 0


def test_a_long_extra_is_cut() -> None:
    info = SearchInfo(extra='\x00"\\é\u2028' * 5000)
    assert len(encode(answered(TbpBotConnection(max_line_bytes=4096), (), info))) < 1200


@given(st.lists(any_message.messages, max_size=20))
def test_no_list_of_messages_is_a_surprise(messages: list[tbp.TbpMessage]) -> None:
    side = TbpBotConnection()
    following = False
    for message in messages:
        actions = told(side, message)
        asked = sum(isinstance(action, SuggestAction) or action == NOTHING for action in actions)
        assert asked == isinstance(message, tbp.TbpSuggest) * (side.state is not TbpBotState.CLOSED)
        for action in actions:
            # Actions never mention a game that has not begun.
            if isinstance(action, StartAction):
                assert action.position.queue
                following = True
            elif isinstance(
                action,
                PlayAction | NewPieceAction | GarbageAction | OpponentsAction | SuggestAction,
            ):
                assert following
