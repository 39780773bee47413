"""Entries that the tests add to stores."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, TypeVar

from sevenbag.contest.game.match_results import ContestGameResult, MatchResult
from sevenbag.contest.settings import ContestRules, GameRules, MatchRules
from sevenbag.contest.store import MatchRow, Store, Team

T = TypeVar("T")

HASH = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$aGFzaA"
RULES = ContestRules(game=GameRules(queue="bag"), match=MatchRules(games=5))


def teams(store: Store, *names: str) -> tuple[Team, ...]:
    return tuple(store.teams.add(name, HASH) for name in names)


def match(store: Store, *names: str) -> MatchRow:
    """Add a test match of two new teams."""
    first, second = teams(store, *(names or ("one", "two")))
    return store.matches.add(kind="test", name="Test", players=(first.id, second.id), rules=RULES)


def game(
    number: int,
    winner: Literal[0, 1] = 0,
    scores: tuple[int, int] = (300, 100),
    verdicts: tuple[dict[str, int], dict[str, int]] = ({"done": 8}, {"done": 5, "collides": 2}),
) -> ContestGameResult:
    return ContestGameResult(
        number=number,
        game_name=f"Game {number}",
        winner=winner,
        ending="top out",
        scores=scores,
        lines=(3, 1),
        pieces=(20, 18),
        level=2,
        seconds=12.5,
        move_counts=verdicts,
        last_sequence=500 * number,
        last_piece_number=40 * number,
    )


def ending(winner: Literal[0, 1] | None = 0) -> MatchResult:
    return MatchResult(
        winner=winner,
        ending="called off" if winner is None else "majority of games",
        games=(3, 1),
        points=(900, 400),
    )


def run_at_once(count: int, work: Callable[[int], T]) -> list[T]:
    """Call a function in several threads at the same time; return the results."""
    barrier = threading.Barrier(count)

    def run(number: int) -> T:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(run, range(count)))
