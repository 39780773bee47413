"""The frontend's side of TBP, as lists of messages."""

from __future__ import annotations

import pytest

from sevenbag.errors import ProtocolError
from sevenbag.protocols.tbp import TbpEvent, TbpFrontendConnection, TbpStage
from sevenbag.protocols.tbp import messages as tbp

INFO = tbp.TbpInfo("demo", "1", "me")
START = tbp.TbpStart(None, ("S", "Z"), 0, back_to_back=False, board=((None,) * 10,) * 40)
MOVE = tbp.TbpMove(tbp.TbpLocation("S", "north", 1, 0))
ANSWER = tbp.TbpSuggestion((MOVE,))


def ready() -> TbpFrontendConnection:
    side = TbpFrontendConnection()
    assert side.receive(INFO) is TbpEvent.INTRODUCED
    side.rules(tbp.TbpRules("seven_bag"))
    assert side.receive(tbp.TbpReady()) is TbpEvent.READY
    return side


def calculating() -> TbpFrontendConnection:
    side = ready()
    side.start(START)
    return side


def test_the_whole_life() -> None:
    side = ready()
    assert side.info == INFO
    for _ in range(2):
        assert side.stage is TbpStage.READY
        assert side.start(START) == START
        assert side.suggest() == tbp.TbpSuggest()
        assert side.receive(ANSWER) is TbpEvent.SUGGESTED
        assert side.play(tbp.TbpPlay(MOVE)) == tbp.TbpPlay(MOVE)
        assert side.new_piece("I") == tbp.TbpNewPiece("I")
        assert side.suggest() == tbp.TbpSuggest()
        assert side.receive(ANSWER) is TbpEvent.SUGGESTED
        assert side.stop() == tbp.TbpStop()
    assert side.quit() == tbp.TbpQuit()
    assert side.stage is TbpStage.CLOSED
    assert side.receive(ANSWER) is TbpEvent.IGNORED


def test_nothing_is_said_before_the_bot_has_introduced_itself() -> None:
    side = TbpFrontendConnection()
    with pytest.raises(ProtocolError, match="rules is not to be sent while the bot is launched"):
        side.rules(tbp.TbpRules())


def test_nothing_is_asked_out_of_order() -> None:
    side = ready()
    for call in (
        side.suggest,
        side.stop,
        lambda: side.play(tbp.TbpPlay(MOVE)),
        lambda: side.new_piece("I"),
    ):
        with pytest.raises(ProtocolError, match="is not to be sent while the bot is ready"):
            call()
    waiting = TbpFrontendConnection()
    waiting.receive(INFO)
    waiting.rules(tbp.TbpRules())
    with pytest.raises(ProtocolError, match="start is not to be sent"):
        waiting.start(START)


def test_a_refusal() -> None:
    side = TbpFrontendConnection()
    side.receive(INFO)
    side.rules(tbp.TbpRules())
    assert side.receive(tbp.TbpError("unsupported_rules")) is TbpEvent.REFUSED
    assert side.error_reason == "unsupported_rules"
    with pytest.raises(ProtocolError, match="refused"):
        side.start(START)
    # Other rules may suit it.
    side.rules(tbp.TbpRules("uniform"))
    assert side.receive(tbp.TbpReady()) is TbpEvent.READY
    side.start(START)


def test_an_error_at_any_time_is_a_refusal() -> None:
    side = calculating()
    side.suggest()
    assert side.receive(tbp.TbpError("")) is TbpEvent.REFUSED
    assert side.stage is TbpStage.REFUSED


def test_rules_again_in_the_middle() -> None:
    side = calculating()
    side.rules(tbp.TbpRules("seven_bag"))
    assert side.receive(tbp.TbpReady()) is TbpEvent.READY
    assert side.stage is TbpStage.CALCULATING


def test_what_was_not_asked_for_is_ignored() -> None:
    side = calculating()
    for message in (ANSWER, tbp.TbpReady(), INFO, START, tbp.TbpSuggest()):
        assert side.receive(message) is TbpEvent.IGNORED
    assert side.receive(ANSWER) is TbpEvent.IGNORED
    assert side.stage is TbpStage.CALCULATING


def test_a_second_answer_is_ignored() -> None:
    side = calculating()
    side.suggest()
    assert side.receive(ANSWER) is TbpEvent.SUGGESTED
    assert side.receive(ANSWER) is TbpEvent.IGNORED


def test_a_question_is_asked_once() -> None:
    side = calculating()
    assert side.suggest() == tbp.TbpSuggest()
    assert side.suggest() is None
    side.new_piece("I")
    assert side.suggest() is None
    assert side.receive(ANSWER) is TbpEvent.SUGGESTED
    assert side.suggest() == tbp.TbpSuggest()


@pytest.mark.parametrize("change", ["play", "start", "stop and start"])
def test_late_answers_are_stale(change: str) -> None:
    side = calculating()
    side.suggest()
    if change == "play":
        side.play(tbp.TbpPlay(MOVE))
    if change == "stop and start":
        side.stop()
    if "start" in change:
        side.start(START)
    assert side.suggest() == tbp.TbpSuggest()
    assert side.pending_answers == 2
    assert side.stale_answers == 1
    assert side.receive(ANSWER) is TbpEvent.STALE
    assert side.receive(ANSWER) is TbpEvent.SUGGESTED
    assert side.pending_answers == 0
