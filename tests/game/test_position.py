"""Tests of positions that are updated outside of the game."""

import random
from dataclasses import replace

import pytest

from sevenbag._kernel import Board, Piece, Placement, Rotation
from sevenbag.errors import PlacementError
from sevenbag.game import Game, Position
from sevenbag.game.position import append_piece, apply_placement


@pytest.mark.parametrize("seed", range(5))
def test_position_tracks_the_game(seed: int) -> None:
    choice = random.Random(seed)
    game = Game(seed=seed)
    position = game.position()
    while not game.over and game.stats.pieces < 100:
        # The lowest ones, so that rows are cleared.
        moves = sorted(game.placements(), key=lambda move: sum(y for _, y in move.cells))
        lock = game.play(choice.choice(moves[:3]))
        position = apply_placement(position, lock.placement)
        for piece in lock.new_pieces:
            position = append_piece(position, piece)
        if lock.top_out:
            break
        told = game.position()
        assert position.bag is not None
        assert told.bag is not None
        assert sorted(position.bag) == sorted(told.bag)
        assert replace(position, bag=None) == replace(told, bag=None)
    assert game.stats.lines > 0


def test_unavailable_piece() -> None:
    position = Position(Board(), (Piece.S, Piece.Z), hold=Piece.O)
    with pytest.raises(PlacementError, match="invalid piece: expected S or O, got T"):
        apply_placement(position, Placement("T", Rotation.NORTH, 4, 0))
    with pytest.raises(PlacementError, match="expected none, got T"):
        apply_placement(Position(Board(), ()), Placement("T", Rotation.NORTH, 4, 0))


def test_a_piece_that_the_bag_cannot_give() -> None:
    position = Position(Board(), (Piece.S,), bag=(Piece.T,))
    assert append_piece(position, Piece.T).bag == tuple(Piece)
    assert append_piece(position, Piece.I).bag is None
    assert append_piece(append_piece(position, Piece.I), Piece.T).bag is None
