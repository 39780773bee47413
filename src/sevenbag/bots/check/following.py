"""Checks of a bot: whether it knows the position after all that can happen to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sevenbag._kernel import Rotation
from sevenbag.bots.check.basics import judge_all
from sevenbag.bots.check.table import Table, other_form

if TYPE_CHECKING:
    from sevenbag._kernel import Piece, Placement
    from sevenbag.bots.check.lab import Lab

Json = dict[str, Any]

_STACK: Final = ("XXXX.XXXXX", "XX...XXXXX", "XX.XXXXXX.")


async def game(lab: Lab) -> None:
    """A game, with garbage now and then."""
    table = Table(seed=3)
    async with lab.started(table) as session:
        for number in range(1, lab.settings.pieces + 1):
            moves = await lab.ask(session)
            if not moves:
                lab.find("error", f"gives up at piece {number}, though it is not lost", session)
                return
            place = judge_all(lab, session, table, moves)
            if place is None:
                return
            await session.tell(*table.play(place))
            if number % 9 == 0 and table.position.board.height < 8:
                table.add_garbage([number % 10])
                await session.say(table.start())
            if table.is_lost:
                return
        await session.say({"type": "stop"})


async def other_move(lab: Lab) -> None:
    """Moves that it did not suggest."""
    table = Table(seed=4)
    async with lab.started(table) as session:
        for _ in range(8):
            place = await lab.legal_move(
                session, table, after="after moves that it did not suggest"
            )
            if place is None:
                return
            await session.tell(*table.play(_another(table, place)))


async def hold(lab: Lab) -> None:
    """Check a first hold, then moves with and without a hold.

    A bot whose queue is off by one piece may suggest a legal piece by chance: its presumed current
    piece may be the held one. So every suggested move is checked, and holds alternate with moves of
    the current piece.
    """
    table = Table(seed=5)
    async with lab.started(table) as session:
        for number, holds in enumerate((True, False, False, True, False, True)):
            position = table.position
            held = position.queue[1] if position.hold is None else position.hold
            piece = held if holds else position.queue[0]
            await session.tell(*table.play(_flattest(_common_places(table, piece))))
            after = (
                f"after a first hold and {number} more moves" if number else "after a first hold"
            )
            if not number:
                session.pin()
            if await lab.legal_move(session, table, after=after, all_pieces=True) is None:
                return


async def forms(lab: Lab) -> None:
    """Send moves in another form than the bot's own."""
    table = Table(seed=6)
    async with lab.started(table) as session:
        for _ in range(8):
            after = "after a move in another form of the same cells"
            place = await lab.legal_move(session, table, after=after, severity="warning")
            if place is None:
                return
            form = other_form(place)
            _, pieces = table.play(place)
            move = form or {"location": _location(place), "spin": "none"}
            await session.tell({"type": "play", "move": move}, pieces)


async def order(lab: Lab) -> None:
    """Pieces before moves."""
    table = Table(seed=7)
    async with lab.started(table) as session:
        for _ in range(6):
            after = "after new_piece had come before play"
            place = await lab.legal_move(session, table, after=after, severity="warning")
            if place is None:
                return
            played, pieces = table.play(place)
            for piece in pieces:
                await session.say(piece)
            await session.say(played)


async def twice(lab: Lab) -> None:
    """The same question again."""
    table = Table(seed=8)
    async with lab.started(table) as session:
        for _ in range(4):
            place: Placement | None = None
            for _ in range(3):
                place = await lab.legal_move(session, table, after="asked again without a play")
                if place is None:
                    return
            assert place is not None
            await session.tell(*table.play(place))


async def again(lab: Lab) -> None:
    """Another position in mid-game."""
    table = Table(seed=9)
    async with lab.started(table) as session:
        for number in range(3):
            place = await lab.legal_move(session, table, after="after a start in mid-game")
            if place is None:
                return
            await session.tell(*table.play(place))
            table = Table(seed=90 + number, rows=_STACK[number:])
            await session.say(table.start())
        await lab.legal_move(session, table, after="after a start in mid-game")


async def next_game(lab: Lab) -> None:
    """Another game after a stop; asked and not answered in between."""
    table = Table(seed=10)
    async with lab.started(table) as session:
        for number in range(2):
            after = "in the game after a stop" if number else "in the first game"
            if await lab.legal_move(session, table, after=after) is None:
                return
            await session.say({"type": "stop"})
            for message in await session.overhear(0.1):
                what = f"said {message.get('type')!r} after stop"
                lab.find("error", what, session, clause="unasked", lines=3)
            table = Table(seed=11)
            await session.say(table.start())


async def garbage(lab: Lab) -> None:
    """Garbage as a message."""
    if "garbage" not in lab.features:
        lab.skip("it does not announce the feature garbage")
        return
    table = Table(seed=12)
    rules = {"type": "rules", "randomizer": "seven_bag", "garbage": "general"}
    async with lab.ready(rules) as session:
        await session.say(table.start())
        for number in range(5):
            place = await lab.legal_move(session, table, after="after garbage")
            if place is None:
                return
            played, pieces = table.play(place)
            rows = table.add_garbage([number, number, 9 - number])
            message = {"type": "garbage", "rows": rows}
            # It may come at any time.
            await session.tell(played, [message, *pieces] if number % 2 else [*pieces, message])
            if table.is_lost:
                return


# --- helpers ------------------------------------------------------------------------------------


def _another(table: Table, best: Placement) -> Placement:
    """A move as far from the best as can be, so that it leads to another position."""
    current = table.position.queue[0]
    places = _common_places(table, current)
    far = max(places, key=lambda place: (abs(place.x - best.x), -place.y))
    return _flattest([place for place in places if place.x == far.x])


def _common_places(table: Table, piece: Piece) -> list[Placement]:
    """Return legal moves of a piece in a form that every program uses; `forms` sends the others."""
    return [
        place
        for place in table.places(spins=False)
        if place.piece == piece and (place.rotation == Rotation.NORTH or other_form(place) is None)
    ]


def _flattest(places: list[Placement]) -> Placement:
    return min(places, key=lambda place: (max(y for _, y in place.cells), place.y, place.x))


def _location(place: Placement) -> Json:
    return {
        "type": place.piece.name,
        "orientation": place.rotation.name.lower(),
        "x": place.x,
        "y": place.y,
    }
