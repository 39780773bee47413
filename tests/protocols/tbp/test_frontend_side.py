"""The frontend's side of TBP, as lists of messages."""

from __future__ import annotations

import pytest

from sevenbag.errors import ProtocolError
from sevenbag.protocols.tbp import Event, FrontendSide, Stage
from sevenbag.protocols.tbp import messages as tbp

INFO = tbp.Info("demo", "1", "me")
START = tbp.Start(None, ("S", "Z"), 0, back_to_back=False, board=((None,) * 10,) * 40)
MOVE = tbp.Move(tbp.Location("S", "north", 1, 0))
ANSWER = tbp.Suggestion((MOVE,))


def ready() -> FrontendSide:
    side = FrontendSide()
    assert side.receive(INFO) is Event.INTRODUCED
    side.rules(tbp.Rules("seven_bag"))
    assert side.receive(tbp.Ready()) is Event.READY
    return side


def calculating() -> FrontendSide:
    side = ready()
    side.start(START)
    return side


def test_the_whole_life() -> None:
    side = ready()
    assert side.info == INFO
    for _ in range(2):
        assert side.stage is Stage.READY
        assert side.start(START) == START
        assert side.suggest() == tbp.Suggest()
        assert side.receive(ANSWER) is Event.SUGGESTED
        assert side.play(tbp.Play(MOVE)) == tbp.Play(MOVE)
        assert side.new_piece("I") == tbp.NewPiece("I")
        assert side.suggest() == tbp.Suggest()
        assert side.receive(ANSWER) is Event.SUGGESTED
        assert side.stop() == tbp.Stop()
    assert side.quit() == tbp.Quit()
    assert side.stage is Stage.CLOSED
    assert side.receive(ANSWER) is Event.IGNORED


def test_nothing_is_said_before_the_bot_has_introduced_itself() -> None:
    side = FrontendSide()
    with pytest.raises(ProtocolError, match="rules is not to be sent while the bot is launched"):
        side.rules(tbp.Rules())


def test_nothing_is_asked_out_of_order() -> None:
    side = ready()
    for call in (
        side.suggest,
        side.stop,
        lambda: side.play(tbp.Play(MOVE)),
        lambda: side.new_piece("I"),
    ):
        with pytest.raises(ProtocolError, match="is not to be sent while the bot is ready"):
            call()
    waiting = FrontendSide()
    waiting.receive(INFO)
    waiting.rules(tbp.Rules())
    with pytest.raises(ProtocolError, match="start is not to be sent"):
        waiting.start(START)


def test_a_refusal() -> None:
    side = FrontendSide()
    side.receive(INFO)
    side.rules(tbp.Rules())
    assert side.receive(tbp.Error("unsupported_rules")) is Event.REFUSED
    assert side.reason == "unsupported_rules"
    with pytest.raises(ProtocolError, match="refused"):
        side.start(START)
    # Other rules may suit it.
    side.rules(tbp.Rules("uniform"))
    assert side.receive(tbp.Ready()) is Event.READY
    side.start(START)


def test_an_error_at_any_time_is_a_refusal() -> None:
    side = calculating()
    side.suggest()
    assert side.receive(tbp.Error("")) is Event.REFUSED
    assert side.stage is Stage.REFUSED


def test_rules_again_in_the_middle() -> None:
    side = calculating()
    side.rules(tbp.Rules("seven_bag"))
    assert side.receive(tbp.Ready()) is Event.READY
    assert side.stage is Stage.CALCULATING


def test_what_was_not_asked_for_is_ignored() -> None:
    side = calculating()
    for message in (ANSWER, tbp.Ready(), INFO, START, tbp.Suggest()):
        assert side.receive(message) is Event.IGNORED
    assert side.receive(ANSWER) is Event.IGNORED
    assert side.stage is Stage.CALCULATING


def test_a_second_answer_is_ignored() -> None:
    side = calculating()
    side.suggest()
    assert side.receive(ANSWER) is Event.SUGGESTED
    assert side.receive(ANSWER) is Event.IGNORED


def test_a_question_is_asked_once() -> None:
    side = calculating()
    assert side.suggest() == tbp.Suggest()
    assert side.suggest() is None
    side.new_piece("I")
    assert side.suggest() is None
    assert side.receive(ANSWER) is Event.SUGGESTED
    assert side.suggest() == tbp.Suggest()


@pytest.mark.parametrize("change", ["play", "start", "stop and start"])
def test_late_answers_are_stale(change: str) -> None:
    side = calculating()
    side.suggest()
    if change == "play":
        side.play(tbp.Play(MOVE))
    if change == "stop and start":
        side.stop()
    if "start" in change:
        side.start(START)
    assert side.suggest() == tbp.Suggest()
    assert side.owed == 2
    assert side.owed_stale == 1
    assert side.receive(ANSWER) is Event.STALE
    assert side.receive(ANSWER) is Event.SUGGESTED
    assert side.owed == 0
