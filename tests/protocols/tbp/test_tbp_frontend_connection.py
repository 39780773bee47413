"""The frontend's side of TBP, as lists of messages."""

import pytest

from sevenbag.errors import ProtocolError
from sevenbag.protocols.tbp import TbpEvent, TbpFrontendConnection, TbpStage, encode
from sevenbag.protocols.tbp import messages as tbp

INFO = tbp.TbpInfo("demo", "1", "me")
START = tbp.TbpStart(None, ("S", "Z"), 0, back_to_back=False, board=((None,) * 10,) * 40)
MOVE = tbp.TbpMove(tbp.TbpLocation("S", "north", 1, 0))
ANSWER = tbp.TbpSuggestion((MOVE,))


def ready() -> TbpFrontendConnection:
    side = TbpFrontendConnection()
    assert side.receive(INFO) is TbpEvent.INTRODUCED
    side.send(tbp.TbpRules("seven_bag"))
    assert side.receive(tbp.TbpReady()) is TbpEvent.READY
    return side


def calculating() -> TbpFrontendConnection:
    side = ready()
    side.send(START)
    return side


def test_the_whole_life() -> None:
    side = ready()
    assert side.info == INFO
    for _ in range(2):
        assert side.stage is TbpStage.READY
        assert side.send(START) == encode(START)
        assert side.send(tbp.TbpSuggest()) == encode(tbp.TbpSuggest())
        assert side.receive(ANSWER) is TbpEvent.SUGGESTED
        assert side.send(tbp.TbpPlay(MOVE)) == encode(tbp.TbpPlay(MOVE))
        assert side.send(tbp.TbpNewPiece("I")) == encode(tbp.TbpNewPiece("I"))
        assert side.send(tbp.TbpSuggest()) == encode(tbp.TbpSuggest())
        assert side.receive(ANSWER) is TbpEvent.SUGGESTED
        assert side.send(tbp.TbpStop()) == encode(tbp.TbpStop())
    assert side.send(tbp.TbpQuit()) == encode(tbp.TbpQuit())
    assert side.stage is TbpStage.CLOSED
    assert side.receive(ANSWER) is TbpEvent.IGNORED


def test_info_precedes_all_messages() -> None:
    side = TbpFrontendConnection()
    with pytest.raises(ProtocolError, match="rules is not to be sent while the bot is launched"):
        side.send(tbp.TbpRules())


def test_questions_out_of_order_raise_an_error() -> None:
    side = ready()
    for message in (tbp.TbpSuggest(), tbp.TbpStop(), tbp.TbpPlay(MOVE), tbp.TbpNewPiece("I")):
        with pytest.raises(ProtocolError, match="is not to be sent while the bot is ready"):
            side.send(message)
    waiting = TbpFrontendConnection()
    waiting.receive(INFO)
    waiting.send(tbp.TbpRules())
    with pytest.raises(ProtocolError, match="start is not to be sent"):
        waiting.send(START)


def test_a_refusal() -> None:
    side = TbpFrontendConnection()
    side.receive(INFO)
    side.send(tbp.TbpRules())
    assert side.receive(tbp.TbpError("unsupported_rules")) is TbpEvent.REFUSED
    assert side.error_reason == "unsupported_rules"
    with pytest.raises(ProtocolError, match="refused"):
        side.send(START)
    # Other rules may suit it.
    side.send(tbp.TbpRules("uniform"))
    assert side.receive(tbp.TbpReady()) is TbpEvent.READY
    side.send(START)


def test_an_error_at_any_time_is_a_refusal() -> None:
    side = calculating()
    side.send(tbp.TbpSuggest())
    assert side.receive(tbp.TbpError("")) is TbpEvent.REFUSED
    assert side.stage is TbpStage.REFUSED


def test_rules_again_in_the_middle() -> None:
    side = calculating()
    side.send(tbp.TbpRules("seven_bag"))
    assert side.receive(tbp.TbpReady()) is TbpEvent.READY
    assert side.stage is TbpStage.CALCULATING


def test_unsolicited_messages_are_ignored() -> None:
    side = calculating()
    for message in (ANSWER, tbp.TbpReady(), INFO, START, tbp.TbpSuggest()):
        assert side.receive(message) is TbpEvent.IGNORED
    assert side.receive(ANSWER) is TbpEvent.IGNORED
    assert side.stage is TbpStage.CALCULATING


def test_a_second_answer_is_ignored() -> None:
    side = calculating()
    side.send(tbp.TbpSuggest())
    assert side.receive(ANSWER) is TbpEvent.SUGGESTED
    assert side.receive(ANSWER) is TbpEvent.IGNORED


def test_a_question_is_asked_once() -> None:
    side = calculating()
    assert side.send(tbp.TbpSuggest()) == encode(tbp.TbpSuggest())
    assert not side.may_ask
    side.send(tbp.TbpNewPiece("I"))
    assert not side.may_ask
    assert side.receive(ANSWER) is TbpEvent.SUGGESTED
    assert side.send(tbp.TbpSuggest()) == encode(tbp.TbpSuggest())


@pytest.mark.parametrize("change", ["play", "start", "stop and start"])
def test_late_answers_are_stale(change: str) -> None:
    side = calculating()
    side.send(tbp.TbpSuggest())
    if change == "play":
        side.send(tbp.TbpPlay(MOVE))
    if change == "stop and start":
        side.send(tbp.TbpStop())
    if "start" in change:
        side.send(START)
    assert side.send(tbp.TbpSuggest()) == encode(tbp.TbpSuggest())
    assert side.pending_answers == 2
    assert side.stale_answers == 1
    assert side.receive(ANSWER) is TbpEvent.STALE
    assert side.receive(ANSWER) is TbpEvent.SUGGESTED
    assert side.pending_answers == 0
