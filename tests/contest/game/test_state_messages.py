"""Numbers of resumed matches rise and stay readable for clients of 2012."""

import pytest

from sevenbag.contest.game.match_results import ContestGameResult
from sevenbag.contest.game.state_messages import PIECE_MARGIN, SEQUENCE_MARGIN, get_first_numbers
from sevenbag.contest.settings import MatchRules
from tests.contest.game.match_driver import game

RULES = MatchRules(first_sequence=7, first_piece_number=3)


def test_first_numbers_of_a_match() -> None:
    assert get_first_numbers((), RULES, 1) == (7, 3)


@pytest.mark.parametrize("are_finished", [False, True])
def test_numbers_rise_with_every_attempt_and_fit_into_32_bits(are_finished: bool) -> None:
    finished: tuple[ContestGameResult, ...] = ()
    sequence = piece = 0
    for attempt in range(1, 100):
        start = get_first_numbers(finished, RULES, attempt)
        assert start.sequence > sequence
        assert start.piece > piece
        # Number of messages of a long game.
        sequence, piece = start.sequence + 40_000, start.piece + 4_000
        assert max(sequence, piece) < 1 << 31
        if are_finished:
            finished = (game(1, 0, last_sequence=sequence, last_piece_number=piece),)


def test_the_game_that_was_broken_off_had_room() -> None:
    finished = (game(1, 0, last_sequence=900, last_piece_number=50),)
    start = get_first_numbers(finished, RULES, 1)
    assert start.sequence >= 900 + SEQUENCE_MARGIN
    assert start.piece >= 50 + PIECE_MARGIN
