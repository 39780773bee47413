"""Tests of random frame-by-frame games against a slow reference."""

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from sevenbag.game import Rules
from sevenbag.game.frame_game import Button, FrameGame, FrameRules, Handling
from sevenbag.replay.tetrio_simulation import tetrio_counters
from tests.game.reference_frames import Reference
from tests.game.tetrio_rounds import ROUNDS, script_of

BUTTONS = {
    "left": Button.MOVE_LEFT,
    "right": Button.MOVE_RIGHT,
    "soft": Button.SOFT_DROP,
    "hardDrop": Button.HARD_DROP,
    "cw": Button.ROTATE_CW,
    "ccw": Button.ROTATE_CCW,
    "180": Button.ROTATE_180,
    "hold": Button.HOLD,
}
OPPONENT = 2

HANDLINGS: dict[str, dict[str, Any]] = {
    "of the recorded matches": {"das": 10, "arr": 2, "soft_drop": 20},
    "quick": {"das": 7.2, "arr": 0, "dcd": 1, "soft_drop": 41, "cancel": True},
    "in tenths": {"das": 4.3, "arr": 0.7, "dcd": 2.1, "soft_drop": 6, "safe_lock": False},
    "sticky": {"das": 2, "arr": 0.1, "soft_drop": 41, "may_20g": False},
    "initial": {"das": 8, "arr": 1.7, "initial_rotation": "hold", "initial_hold": "hold"},
}

TIMES: dict[str, dict[str, Any]] = {
    "usual": {"gravity_growth": 0.0035, "gravity_margin": 600},
    "heavy": {"gravity": 0.9, "gravity_growth": 2.5, "lock_resets": 5, "rounded_heights": False},
    "at once": {"gravity": 25, "lock_time": 20, "infinite_hold": True},
    "free": {
        "infinite_movement": True,
        "cancels_in_flight": False,
        "gravity": 0.3,
        "lock_time": 4.5,
    },
}

LEAGUE = Rules.preset("tetrio-league")
GROWING = {"attack": {"multiplier_growth": 0.05, "multiplier_margin": 300}}
SEASON_1 = Rules.preset("tetrio-season-1")
RULES = {
    "season 1": (SEASON_1.replace(GROWING), "SRS+"),
    "league": (LEAGUE, "SRS+"),
    "narrow": (
        LEAGUE.replace(
            {
                "board": {"width": 7, "rows": 24, "visible": 12},
                "spawn": {"x": 3, "y": 13},
                "pieces": {"kicks": "srs-x without 180"},
                "attack": {"multiplier_growth": 0.5, "multiplier_margin": 30},
                "garbage": {"cap": 2.5, "cap_growth": 0.2, "cap_limit": 5, "inner": 0.4},
            }
        ),
        "SRS-X",
    ),
}


def first_quick(values: Iterable[object]) -> list[Any]:
    """Mark all of these parameters as slow but the first."""
    first, *others = values
    return [first, *(pytest.param(value, marks=pytest.mark.slow) for value in others)]


@pytest.mark.parametrize("handling", first_quick(HANDLINGS))
def test_random_games(handling: str) -> None:
    seen: Counter[str] = Counter()
    for rules, time in itertools.product(RULES, TIMES):
        seen += random_game(rules, time, handling)
    least = {"locks": 140, "topout": 5, "garbagesmash": 2}
    assert all(seen[what] >= count for what, count in least.items()), seen


def random_game(rules: str, time: str, handling: str) -> Counter[str]:
    """Compare a game of random keys; return counts of its events."""
    dice = random.Random(f"{rules} {time} {handling}")
    quick, slow = both_games(RULES[rules], TIMES[time], handling, seed=1)
    return compare(quick, slow, inputs(dice, slow))


def both_games(
    rules: tuple[Rules, str], time: dict[str, Any], handling: str, seed: int
) -> tuple[FrameGame, Reference]:
    played, kicks = rules
    frame_rules, keys = FrameRules(**time), Handling(**HANDLINGS[handling])
    quick = FrameGame(played, seed=seed, frame_rules=frame_rules, handling=keys)
    return quick, Reference(played, frame_rules, keys, seed, kicks)


@pytest.mark.parametrize("number", first_quick(range(4)))
def test_real_games_with_other_keys(number: int) -> None:
    """Real players clear lines; a missing key leads to unusual placements."""
    handlings, rules = ("of the recorded matches", "in tenths"), ("season 1", "league")
    seen: Counter[str] = Counter()
    for case in itertools.product(ROUNDS, handlings, rules):
        seen += real_game(*case, number)
    least = {"locks": 180, "lines": 10, "spins": 5, "topout": 1, "garbagesmash": 2}
    assert all(seen[what] >= count for what, count in least.items()), seen
    if number == 0:  # no key is missing
        assert seen["swallowed"] > 0


def real_game(name: str, handling: str, rules: str, number: int) -> Counter[str]:
    """Compare a recorded round without some of its keys; return counts of its events."""
    dice = random.Random(f"{name} {handling} {rules} {number}")
    quick, slow = both_games(RULES[rules], TIMES["usual"], handling, ROUNDS[name]["seed"])
    frames = events_of(ROUNDS[name])
    kept = (
        [event for event in frames.get(frame, ()) if dice.random() > number * 0.004]
        for frame in range(ROUNDS[name]["frames"])
    )
    return compare(quick, slow, kept)


def test_round_longer_than_three_minutes() -> None:
    """The attack multiplier grows; lines sent are also counted without it."""
    told, later = ROUNDS["won"], 12_000
    # Without gravity the round can begin late.
    quick, slow = both_games(
        (SEASON_1, "SRS+"), {"gravity": 0}, "of the recorded matches", told["seed"]
    )
    moved = {frame + later if frame else 0: events for frame, events in events_of(told).items()}
    for frame in range(later + told["frames"]):
        for event in moved.get(frame, ()):
            tell(quick, event)
        quick.end_frame()
        slow.tick(moved.get(frame, []))
    assert state(quick) == slow_state(slow)
    numbers = tetrio_counters(quick)
    names = ("garbage.sent_nomult", "garbage.maxspike_nomult")
    assert tuple(numbers[name] for name in names) == slow.unmultiplied()
    assert slow.multiplier > 1.3
    assert 0 < numbers["garbage.sent_nomult"] < numbers["garbage.sent"]
    assert 0 < numbers["garbage.maxspike_nomult"] < numbers["garbage.maxspike"]


def compare(
    quick: FrameGame, slow: Reference, frames: Iterable[list[tuple[Any, ...]]]
) -> Counter[str]:
    """Compare both games after every frame; return counts of the events."""
    pressed = 0
    for frame, events in enumerate(frames):
        for event in events:
            tell(quick, event)
        pressed += sum(event[0] in {"down", "hoisted"} for event in events)
        quick.end_frame()
        slow.tick(events)
        assert state(quick) == slow_state(slow), (frame, events)
        if slow.out is not None:
            break
    stats = quick.stats
    assert (stats.attack, stats.sent, stats.received, stats.garbage_cleared) == tuple(
        slow.count[name] for name in ("attack", "sent", "received", "dug")
    )
    assert (stats.sent_unmultiplied, stats.max_spike_unmultiplied) == slow.unmultiplied()
    seen = Counter(locks=stats.pieces, lines=stats.lines, spins=stats.spins)
    if slow.out is not None:
        assert quick.duration == slow.lasted
        seen[slow.out] += 1
    else:
        seen["swallowed"] += pressed - stats.inputs
    return seen


def inputs(dice: random.Random, game: Reference) -> Iterator[list[tuple[Any, ...]]]:
    """Yield random events of each frame."""
    down: set[str] = set()
    number = 0
    announced: list[int] = []
    keys = ["left", "right", "left", "right", "cw", "ccw", "180", "soft", "hold", "hardDrop"]
    for frame in range(1500):
        events: list[tuple[Any, ...]] = [("target", [OPPONENT])] if frame == 0 else []
        if frame == 0 and dice.random() < 0.5:
            down.add("left")
            events.append(("hoisted", "left", 0.0))
        for moment in sorted(dice.choices(range(10), k=dice.choice((0, 0, 1, 2)))):
            key = dice.choice(keys)
            kind = "up" if key in down else "down"
            down ^= {key}
            events.append((kind, key, moment / 10))
        if dice.random() < 0.01:
            number += 1
            known = dice.randint(0, game.numbers.get(OPPONENT, 0))
            lines = dice.randint(1, 4)
            events.append(("announce", OPPONENT, number, lines, known))
            announced.append(number)
        if announced and dice.random() < 0.1:
            confirmed = announced.pop(dice.randrange(len(announced)))
            events.append(("confirm", OPPONENT, confirmed))
        yield events


def events_of(told: dict[str, Any]) -> dict[int, list[tuple[Any, ...]]]:
    """Return the events of a real round by frame."""
    names = {int(button): name for name, button in BUTTONS.items()}
    frames: dict[int, list[tuple[Any, ...]]] = {}
    numbers = iter(script_of(told))
    for frame in map(int, numbers):
        match int(next(numbers)):
            case 0 | 1 | 2 as what:
                key, moment = names[int(next(numbers))], next(numbers)
                event: tuple[Any, ...] = (("down", "hoisted", "up")[what], key, moment)
            case 3:
                sender, number, lines, known, _ = (int(next(numbers)) for _ in range(5))
                event = ("announce", sender, number, lines, known)
            case 4:
                event = ("confirm", int(next(numbers)), int(next(numbers)))
            case _:
                event = ("target", [int(next(numbers)) for _ in range(int(next(numbers)))])
        frames.setdefault(frame, []).append(event)
    return frames


def tell(game: FrameGame, event: tuple[Any, ...]) -> None:
    match event:
        case ("up", key, moment):
            game.release(BUTTONS[key], moment)
        case (("down" | "hoisted") as kind, key, moment):
            game.press(BUTTONS[key], moment, hoisted=kind == "hoisted")
        case ("target", players):
            game.set_targets(players)
        case ("announce", *numbers):
            game.announce(*numbers)
        case ("confirm", *numbers):
            game.confirm(*numbers)
        case _:
            raise AssertionError(event)


def state(game: FrameGame) -> tuple[object, ...]:
    piece, stats = game.piece, game.stats
    return (
        stats.pieces,
        "/".join(game.colors),
        piece.piece.name,
        int(piece.rotation) if game.game_over_reason is None else None,
        game.height if game.game_over_reason is None else None,
        piece.spin if game.game_over_reason is None else None,
        game.hold.name if game.hold is not None else None,
        game.combo,
        game.back_to_back,
        game.pending,
        stats.inputs,
        stats.holds,
        stats.points,
        game.game_over_reason,
    )


def slow_state(game: Reference) -> tuple[object, ...]:
    return (
        game.count["pieces"],
        game.text(),
        game.piece,
        game.rotation if game.out is None else None,
        game.y if game.out is None else None,
        game.spin if game.out is None else None,
        game.hold_slot,
        game.combo,
        game.chain,
        game.waiting.pending,
        game.count["inputs"],
        game.count["holds"],
        game.points,
        game.out,
    )
