"""Checks of the game: single moves, gravity, clears and garbage, and how games and matches end."""

from __future__ import annotations

import contextlib
import itertools
import time
from typing import TYPE_CHECKING, Final

from sevenbag.bots.builtin.beam_bot import BeamBot
from sevenbag.contest.client.bot_controller import BotController
from sevenbag.errors import ProtocolError
from sevenbag.protocols.pason.messages import GamePieceState, decode_state
from sevenbag.protocols.pason.pason_conversion import SHAPES
from tests.conformance.pason.server_check.lab import GoneError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sevenbag.protocols.pason.messages import PieceState
    from tests.conformance.pason.server_check.lab import Lab

    Known = Callable[[PieceState, PieceState], bool]


async def moves(lab: Lab) -> None:
    """One move after the other, and what the states say it did."""
    team = lab.sides[0].name
    other = lab.sides[1]
    await _turned_piece(lab, team)
    beside = lab.piece(other.name)
    await _shifts(lab, team)
    await _rotations(lab, team)
    await _numbers(lab, team)
    await _walls(lab, team)
    after = lab.piece(other.name)
    if other.password is not None and beside is not None and after is not None:
        lab.look_at("seats")
        if beside.number == after.number and (beside.col, beside.orient) != (
            after.col,
            after.orient,
        ):
            lab.note("seats", "error", "moves of one team have moved the other one's piece")
    await _drop(lab, team)


async def gravity(lab: Lab) -> None:
    """A piece that nobody moves: falls, is locked, and the next one comes a step later."""
    side = lab.sides[1] if lab.sides[1].password is not None else lab.sides[0]
    piece = await _piece(lab, side.name)
    lab.look_at("gravity")
    begun = len(lab.follower.rows[side.name]) - 1

    def fallen() -> list[int]:
        """The rows since it is left alone; none when there is another piece."""
        now = lab.piece(side.name)
        same = now is not None and now.number == piece.number
        return lab.follower.rows[side.name][begun:] if same else []

    if not await lab.until(lambda: len(fallen()) != 1, lab.timing.step):
        lab.note("gravity", "error", f"a piece has not fallen within {lab.timing.step:g} s")
        return
    await lab.until(lambda: len(fallen()) not in {1, 2}, lab.timing.step)
    rows = fallen()
    if any(after - before != 1 for before, after in itertools.pairwise(rows)):
        lab.note("gravity", "error", f"a piece falls by rows {rows}, must be by one at a time")
    await _lock_by_gravity(lab, side.name)


async def late_listener(lab: Lab) -> None:
    """Whoever subscribes in mid-game hears the state soon."""
    lab.look_at("repeat")
    channel = lab.subscribe()
    try:
        ends = time.monotonic() + lab.timing.step
        while (left := ends - time.monotonic()) > 0:
            await channel.wait(left)
            while channel.received:
                with contextlib.suppress(ProtocolError):
                    message = decode_state(b"".join(channel.received.popleft()[1:2]))
                    if isinstance(message, GamePieceState):
                        return
        what = f"who subscribes in mid-game hears nothing for {lab.timing.step:g} s"
        lab.note("repeat", "error", what)
    finally:
        channel.close()


async def clears(lab: Lab) -> None:
    """Our beam search plays, until rows were cleared and sent, or for some pieces."""
    side, other = lab.sides
    planner = BotController(BeamBot(nodes=400), side.name)
    await planner.prepare()
    forward, lab.follower.told = lab.follower.told, planner.handle_message
    games = len(lab.follower.games)
    ends = time.monotonic() + _MOST_SECONDS
    try:
        for message in lab.follower.newest:
            planner.handle_message(message, time.monotonic())
        while (
            len(lab.follower.games) == games
            and planner.counts.pieces < _MOST_PIECES
            # Where moves do something else, there is nothing to be seen here.
            and planner.counts.replanned < _MOST_STRAYS
            and time.monotonic() < ends
            and not _has_seen_all(lab)
        ):
            order = planner.next_move(time.monotonic())
            if order is not None:
                answer = await lab.move(side.name, order.move, order.number)
                _expect_done(lab, answer)
                planner.move_answered(time.monotonic())
            elif other.password is not None and _is_late(lab, other.name):
                await _tumble(lab, other.name)
            else:
                await lab.listen(_LISTENS)
    finally:
        lab.follower.told = forward
        await planner.quit()


async def ends(lab: Lab) -> None:
    """Stacks are piled up until games and the match are over, by one team and the other in turn."""
    side, other = lab.sides
    both = other.password is not None
    follower = lab.follower
    while not follower.ended:
        games = len(follower.games)
        loser = other if both and games != 1 else side
        winner = side if loser is other else other
        await _lose(lab, loser.name, games)
        if len(follower.games) > games:
            lab.look_at("top-out")
            told = follower.games[games].winner
            if told != winner.name:
                lab.note(
                    "top-out",
                    "error",
                    f"{loser.name} has piled up its board to the top, and {told} has won",
                )
        if not await lab.until(lambda: follower.ended or follower.pieces, lab.timing.begin):
            lab.note("next-game", "error", f"nothing has followed within {lab.timing.begin:g} s")
            raise GoneError("the match does not go on")


# --- helpers ------------------------------------------------------------------------------------

_MOST_PIECES: Final = 120
_MOST_STRAYS: Final = 10
_MOST_SECONDS: Final = 60.0
_MOST_DROPS: Final = 200
_LISTENS: Final = 0.005


def _is_late(lab: Lab, team: str) -> bool:
    """Whether rows are on their way to a team for a time step, and enter with a lock at the latest.

    It is not moved otherwise: what its piece has fallen, time has passed.
    """
    return lab.follower.is_sent(team) and len(lab.follower.rows.get(team, ())) > 1


def _has_seen_all(lab: Lab) -> bool:
    return all(lab.was_looked_at(clause) for clause in ("clears", "garbage"))


def _expect_done(lab: Lab, answer: dict[str, object] | None) -> bool:
    """Whether it is the answer to a move, with a finding where it is not quite."""
    lab.look_at("move-reply")
    if answer is None:
        return False
    if answer.get("comm_type") != "GameMoveResp":
        kind = f"{answer.get('comm_type')!r:.60}"
        lab.note("move-reply", "error", f"a move is answered by {kind}, must be 'GameMoveResp'")
        return False
    resp = answer.get("resp")
    if resp == "ok":
        what = "resp is 'ok', as in the text; the strongest client of 2012 waits for 'OK'"
        lab.note("move-reply", "warning", what)
    elif resp != "OK":
        lab.note("move-reply", "error", f"resp of a move is {resp!r:.60}, must be 'OK'")
    return True


async def _piece(lab: Lab, team: str) -> PieceState:
    """A piece of the team's; waits for one."""
    if not await lab.until(lambda: lab.piece(team) is not None, lab.timing.step):
        raise GoneError(f"{team} gets no piece for {lab.timing.step:g} s")
    piece = lab.piece(team)
    assert piece is not None
    return piece


async def _turned_piece(lab: Lab, team: str) -> None:
    """Drop pieces until there is one whose directions of rotation can be told apart."""
    for _ in range(_FRUITLESS):
        piece = await _piece(lab, team)
        if len(SHAPES[piece.piece]) == 4:
            return
        await _drop(lab, team)


async def _make(lab: Lab, team: str, move: str, known: Known) -> tuple[PieceState, PieceState]:
    """A move of the present piece: as it was, and as it is once something is known, or settled."""
    before = await _piece(lab, team)
    _expect_done(lab, await lab.move(team, move, before.number))

    def done() -> bool:
        now = lab.piece(team)
        return now is None or now.number != before.number or known(before, now)

    await lab.until(done, lab.timing.settle)
    after = lab.piece(team)
    if after is None or after.number != before.number:
        after = before
    return before, after


def _is_shifted(step: int) -> Known:
    return lambda before, after: after.col == before.col + step


def _is_turned(step: int, ring: int) -> Known:
    return lambda before, after: after.orient == (before.orient + step) % ring


async def _shifts(lab: Lab, team: str) -> None:
    lab.look_at("shifts", "down")
    for move, step in (("left", -1), ("right", 1)):
        before, after = await _make(lab, team, move, _is_shifted(step))
        if after.col != before.col + step or after.orient != before.orient:
            what = f"{move} moves a piece from column {before.col} to {after.col}"
            lab.note("shifts", "error", f"{what} within {lab.timing.settle:g} s")
    await _downs(lab, team)


async def _downs(lab: Lab, team: str) -> None:
    """Several times down; what gravity does meanwhile it does to the other one's piece, too."""
    before = await _piece(lab, team)
    beside = next((name for name in lab.follower.pieces if name != team), team)
    reference = lab.piece(beside)
    for _ in range(_DOWNS):
        _expect_done(lab, await lab.move(team, "down", before.number))

    def is_down() -> bool:
        now, other = lab.piece(team), lab.piece(beside)
        if now is None or now.number != before.number:
            return True
        fallen = now.row - before.row
        if reference is not None and other is not None and other.number == reference.number:
            fallen -= max(0, other.row - reference.row)
        return fallen >= _DOWNS

    if not await lab.until(is_down, lab.timing.settle):
        what = f"{_DOWNS} times down does not move a piece by {_DOWNS} rows"
        lab.note("down", "error", f"{what} within {lab.timing.settle:g} s")


async def _rotations(lab: Lab, team: str) -> None:
    piece = await _piece(lab, team)
    ring = len(SHAPES[piece.piece])
    if ring < 4:
        return
    lab.look_at("rotations")
    for move, step in (("lrotate", 1), ("rrotate", -1), ("rrotate", -1), ("lrotate", 1)):
        before, after = await _make(lab, team, move, _is_turned(step, ring))
        if after.orient != (before.orient + step) % ring:
            what = f"{move} turns {piece.piece} from orientation {before.orient} to {after.orient}"
            lab.note("rotations", "error", f"{what}, must be to {(before.orient + step) % ring}")
            return


async def _numbers(lab: Lab, team: str) -> None:
    lab.look_at("out-of-date", "no-number")
    before = await _piece(lab, team)
    _expect_done(lab, await lab.move(team, "right", before.number + 1_000_003))
    await lab.listen(lab.timing.quiet)
    after = lab.piece(team)
    if after is not None and after.number == before.number and after.col != before.col:
        lab.note("out-of-date", "error", "a move with another piece_number moves the piece")
    before = await _piece(lab, team)
    _expect_done(lab, await lab.move(team, "right"))
    moved = await lab.until(
        lambda: (now := lab.piece(team)) is None or now.col == before.col + 1, lab.timing.settle
    )
    if not moved:
        lab.note("no-number", "error", "a move without piece_number does not move the piece")


async def _walls(lab: Lab, team: str) -> None:
    """To the wall, and further."""
    lab.look_at("blocked")
    before = await _piece(lab, team)
    for _ in range(12):
        if not _expect_done(lab, await lab.move(team, "left", before.number)):
            lab.note("blocked", "error", "a move that collides is not answered as others are")
            return
    await lab.listen(lab.timing.quiet)
    after = lab.piece(team)
    if after is not None and after.number == before.number:
        leftmost = min(column for _, column in SHAPES[after.piece][after.orient])
        if after.col + leftmost != 0 and not lab.follower.boards.get(team):
            what = f"twelve times left moves a piece to column {after.col + leftmost}, must be 0"
            lab.note("blocked", "error", what)


async def _drop(lab: Lab, team: str) -> None:
    lab.look_at("drop")
    before = await _piece(lab, team)
    voids, games = lab.follower.voids[team], len(lab.follower.games)
    _expect_done(lab, await lab.move(team, "drop", before.number))
    if not await lab.until(_next_after(lab, team, before.number, games), lab.timing.settle):
        what = f"after a drop the next piece is not told within {lab.timing.settle:g} s"
        lab.note("drop", "error", what)
    elif lab.follower.voids[team] > voids:
        lab.note("drop", "error", "after a drop there is no piece for a while")


async def _lock_by_gravity(lab: Lab, team: str) -> None:
    """Move a piece to the floor, and let gravity lock it."""
    lab.look_at("gravity-lock")
    piece = await _piece(lab, team)
    voids, games = lab.follower.voids[team], len(lab.follower.games)
    for _ in range(_ROWS):
        now = lab.piece(team)
        # Not further: on some servers down locks a piece that rests.
        if now is None or now.number != piece.number or not lab.follower.rows_to_floor(team):
            break
        await _make(lab, team, "down", lambda before, after: after.row > before.row)
    if not await lab.until(_next_after(lab, team, piece.number, games), lab.timing.step):
        what = f"a piece on the floor is not locked within {lab.timing.step:g} s"
        lab.note("gravity-lock", "error", what)
    elif lab.follower.voids[team] == voids and len(lab.follower.games) == games:
        what = "a piece that gravity locked is followed by the next one at once, without null"
        lab.note("gravity-lock", "error", what)


def _next_after(lab: Lab, team: str, number: int, games: int) -> Callable[[], bool]:
    """Whether a team has another piece, or the game is over."""

    def is_there() -> bool:
        now = lab.piece(team)
        over = len(lab.follower.games) > games or lab.follower.ended
        return over or (now is not None and now.number != number)

    return is_there


async def _tumble(lab: Lab, team: str) -> None:
    """A drop without looking at it."""
    piece = lab.piece(team)
    if piece is not None:
        _expect_done(lab, await lab.move(team, "drop", piece.number))


async def _lose(lab: Lab, team: str, games: int) -> None:
    """Drop pieces where they enter until the game is over."""
    follower = lab.follower
    for _ in range(_MOST_DROPS):
        ready = await lab.until(
            lambda: len(follower.games) > games or follower.ended or lab.piece(team) is not None,
            lab.timing.step,
        )
        if not ready or len(follower.games) > games or follower.ended:
            break
        piece = lab.piece(team)
        assert piece is not None
        answer = await lab.move(team, "drop", piece.number)
        if answer is not None and answer.get("comm_type") == "ErrorResp":
            # The match may have ended meanwhile.
            await lab.until(lambda: follower.ended, lab.timing.settle)
            break
        await lab.until(_next_after(lab, team, piece.number, games), lab.timing.settle)
    if not await lab.until(lambda: len(follower.games) > games or follower.ended, lab.timing.step):
        what = f"{team} has dropped pieces on one another up to the top, and the game goes on"
        lab.note("top-out", "error", what)
        raise GoneError("the game does not end")


_FRUITLESS: Final = 12
_DOWNS: Final = 4
_ROWS: Final = 20
