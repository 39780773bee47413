"""Single elimination: who has lost is out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sevenbag.arena.pairing import bracket
from sevenbag.contest.tournament.fixtures import Tie

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sevenbag.contest.link import MatchResult

THIRD_SLOT: Final = "bracket/third"


def rounds(
    seeded: Sequence[int] | None, size: int, results: Mapping[str, MatchResult]
) -> tuple[tuple[Tie, ...], ...]:
    """The whole bracket as far as it is known.

    Args:
        seeded: entrants by number, the best first; None while that is not known.
        size: how many there are.
        results: of matches by slot.
    """
    lines = bracket(size)
    seeds = [None if line is None else line + 1 for line in lines]
    # A bye is nobody, and so is who is not known yet: only the first round has byes.
    entrants = [None if seeded is None or line is None else seeded[line] for line in lines]
    found: list[tuple[Tie, ...]] = []
    while len(entrants) > 1:
        number, ties = len(found) + 1, len(entrants) // 2
        played = [
            _tie(
                f"bracket/{number}/{tie}",
                _name(ties, tie),
                (number, tie),
                (entrants[2 * tie], entrants[2 * tie + 1]),
                results,
                seeds=(seeds[2 * tie], seeds[2 * tie + 1]) if number == 1 else None,
            )
            for tie in range(ties)
        ]
        found.append(tuple(played))
        entrants = [tie.winner for tie in played]
    return tuple(found)


def third(all_rounds: Sequence[Sequence[Tie]], results: Mapping[str, MatchResult]) -> Tie | None:
    """The match for the third place; None where fewer than two lose in semi-finals."""
    if len(all_rounds) < 2 or any(tie.bye for tie in all_rounds[-2]):
        return None
    first, second = all_rounds[-2]
    return _tie(
        THIRD_SLOT,
        "Match for third place",
        (len(all_rounds), 1),
        (first.loser, second.loser),
        results,
    )


# --- helpers ------------------------------------------------------------------------------------


def _tie(
    slot: str,
    name: str,
    place: tuple[int, int],
    entrants: tuple[int | None, int | None],
    results: Mapping[str, MatchResult],
    *,
    seeds: tuple[int | None, int | None] | None = None,
) -> Tie:
    bye = seeds is not None and seeds[1] is None
    known = None not in entrants
    result = results.get(slot) if known else None
    winner = entrants[0] if bye else None
    if result is not None and result.winner is not None:
        winner = entrants[result.winner]
    return Tie(
        slot=slot,
        name=name,
        round=place[0],
        tie=place[1],
        entrants=entrants,
        seeds=(None, None) if seeds is None else seeds,
        bye=bye,
        winner=winner,
        result=result if winner is not None else None,
    )


def _name(ties: int, tie: int) -> str:
    if ties == 1:
        return "Final"
    if ties == 2:
        return f"Semi-final {tie + 1}"
    if ties == 4:
        return f"Quarter-final {tie + 1}"
    return f"Round of {2 * ties}, match {tie + 1}"
