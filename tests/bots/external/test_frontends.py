"""Our bots served to frontends as the field has them."""

import sys
from collections.abc import Callable

import pytest

from tests.fakes import frontends
from tests.fakes.frontends import Frontend, LostError

SERVE = [sys.executable, "-P", "-m", "sevenbag", "serve"]
ALL = [
    "Frontend",
    "Stadium",
    "Battletris",
    "Playground",
    "Jstris",
    "Quadspace",
    "Swagtris",
    "ZxclPage",
    "Stateless",
    "Adapter",
    "TBotProtocol",
    "TakesGarbage",
    "EarlyDraft",
    "Negative",
    "NoRules",
]
QUICK = {
    ("Frontend", "beam:nodes=60"),
    ("Stadium", "random:seed=5"),
    ("NoRules", "random:seed=5"),
    ("TakesGarbage", "random:seed=5"),
}


def play(partner: Frontend) -> None:
    partner.agree()
    partner.game(3)


def frontend(name: str, command: list[str]) -> Frontend:
    kind: type[Frontend] = getattr(frontends, name)
    return kind(command)


@pytest.mark.parametrize(
    ("name", "bot"),
    [
        pytest.param(name, bot, marks=() if (name, bot) in QUICK else pytest.mark.slow)
        for name in ALL
        for bot in ("beam:nodes=60", "random:seed=5")
    ],
)
def test_built_in_bots_play_on_all_frontends(
    name: str, bot: str, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Not half a second, which a bot may miss on a busy machine.
    monkeypatch.setattr(frontends.Battletris, "seconds", 120.0)
    partner = frontend(name, [*SERVE, bot])
    try:
        partner.agree()
        partner.game(24)
        partner.game(6)
        assert partner.pieces > 8
        assert partner.leave() == 0
    finally:
        partner.kill()


@pytest.mark.parametrize(
    ("name", "fault", "words"),
    [
        ("Stadium", "LongSuggestions", "does not fit the buffer"),
        ("Stadium", "LastMoveIllegal", "no legal move"),
        ("Battletris", "FalseSpins", "no legal move"),
        ("Battletris", "HangsAtSuggest", "no answer in time"),
        ("Quadspace", "Chatty", "Expecting value"),
        ("Jstris", "EmptyAtFirst", "gives up"),
        ("Jstris", "FirstMoveIllegal", "no legal move"),
    ],
)
def test_fake_frontends_are_as_strict_as_the_programs(
    name: str, fault: str, words: str, fake: Callable[[str], list[str]]
) -> None:
    partner = frontend(name, fake(fault))
    try:
        with pytest.raises((LostError, ValueError), match=words):
            play(partner)
    finally:
        partner.kill()
