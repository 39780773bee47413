"""Thousands of random moves on a host independent of the engine."""

import random

import pytest

from sevenbag.protocols.bot_actions import SendAction
from sevenbag.protocols.triangle import TriangleBotConnection, from_object
from sevenbag.protocols.triangle import messages as triangle
from sevenbag.protocols.triangle.triangle_connections import ExpectedBoard
from tests.fakes.triangle_host import Batch, Game, Json, Room, expect_taps
from tests.properties import cases

PIECES = cases(300)
LOWER_HALF = 12


@pytest.mark.parametrize("kicks", ["SRS", "SRS+", "SRS-X", "TETRA-X", "NRS", "ARS", "ASC", "none"])
def test_keys_reach_their_placement(kicks: str) -> None:
    chance = random.Random(kicks)
    pieces = spins = holds = waits = 0
    while pieces < PIECES:
        game = Game(Room(kicks=kicks, gravity=0.1, gravity_growth=0.0), chance.randrange(2**31))
        side = TriangleBotConnection()
        side.receive(message(game.config()))
        while pieces < PIECES and not game.dead and height(game) < LOWER_HALF:
            for _ in range(chance.randrange(25)):
                game.tick([])
                waits += 1
            places = side.placements()
            # Spins are few and far between; among them are the hard ways.
            rare = [place for place in places if place.spin]
            chosen = chance.choice(rare if rare and chance.random() < 0.5 else places)
            [sent] = [a.message for a in side.answer((chosen,)) if isinstance(a, SendAction)]
            assert isinstance(sent, triangle.TriangleMove)
            assert isinstance(sent.keys, tuple)
            assert isinstance(sent.data, ExpectedBoard)
            expect_taps(list(sent.keys))
            game.tick(list(sent.keys))
            assert game.locks[-1].board == sent.data.board
            assert side.position is not None
            combo, b2b = side.position.combo - 1, side.position.back_to_back - 1
            assert (game.combo, game.b2b) == (combo, b2b)
            pieces += 1
            spins += bool(chosen.spin)
            holds += sent.keys[0] == "hold"
            if game.dealt:
                side.receive(message({"type": "pieces", "pieces": game.dealt}))
                game.dealt.clear()
            if game.locks[-1].entered:
                side.receive(message(game.state()))
            if chance.random() < 0.2:
                game.pending.append(Batch(chance.randint(1, 3), game.frame - 20))
    assert spins >= PIECES // 30
    assert holds > PIECES // 10
    assert waits > PIECES


def test_up_to_the_top_of_the_board() -> None:
    """Two pieces a second: each has fallen by a row when it is moved, and there is little room."""
    chance = random.Random(2)
    pieces = high = 0
    while pieces < PIECES:
        game = Game(Room(), chance.randrange(2**31))
        side = TriangleBotConnection()
        side.receive(message(game.config()))
        while pieces < PIECES and not game.dead:
            for _ in range(29):
                game.tick([])
            low = sorted(side.placements(), key=lambda place: place.y)[:10]
            if not low:
                break
            chance.shuffle(low)
            high += height(game) >= 16
            [sent] = [a.message for a in side.answer(low) if isinstance(a, SendAction)]
            assert isinstance(sent, triangle.TriangleMove)
            assert isinstance(sent.keys, tuple)
            assert isinstance(sent.data, ExpectedBoard)
            game.tick(list(sent.keys))
            pieces += 1
            assert game.pieces == len(game.locks)
            assert game.locks[-1].board == sent.data.board
            if game.dealt:
                side.receive(message({"type": "pieces", "pieces": game.dealt}))
                game.dealt.clear()
            if game.locks[-1].entered:
                side.receive(message(game.state()))
            if chance.random() < 0.4:
                game.pending.append(Batch(chance.randint(1, 4), game.frame - 20))
    assert high > PIECES // 10


def height(game: Game) -> int:
    return sum(map(any, game.board))


def message(data: Json) -> triangle.TriangleMessage:
    read = from_object(data)
    assert read is not None
    return read
