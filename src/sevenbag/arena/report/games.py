"""Games as the report's script plays them: short texts, from which it builds every board anew.

A step is a placement and what came of it::

    0TS4,1fh@90a4g3,3t12.5n2000d7

player, piece, rotation, column, row, spin, ``h`` if it came out of the hold, in real time ``@`` and
the frame, ``a`` attack, ``g`` open columns of garbage rows, ``t`` milliseconds, ``n`` nodes and
``d`` depth as its bot told them. The script puts the piece there, removes full rows and lets the
garbage in. Where that is not what happened, as under rules with bombs or with rows that cannot be
cleared, the step ends with ``l`` and the number of rows cleared, and ``k`` and the board as it
really was. ``1k`` and a board is the second player's board changed by the first one's attack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sevenbag.arena.replay_steps import steps
from sevenbag.formats.replay import write_placement

if TYPE_CHECKING:
    from sevenbag.arena.playback import Playback
    from sevenbag.arena.replay_steps import Step

Rows = list[str]


def told_game(playback: Playback) -> dict[str, Any]:
    """A game in short; plays it to its end.

    Raises:
        FormatError: as `Playback.step`.
    """
    header = playback.replay.header
    players = playback.versus.players
    opening = _filled(players[0].colors)
    queues = [[piece.name for piece in player.queue] for player in players]
    boards = [opening, opening]
    told: list[str] = []
    turn = 0
    for step in steps(playback):
        if step.turn != turn:
            turn = step.turn
            told.append("|" if told else "")
        else:
            told.append(";")
        after = _filled(step.after)
        told.append(_told(step, in_real_time=header.in_real_time))
        lines, expected = _next_board(boards[step.player], step, playback.rules.board.width)
        if (lines, expected) != (step.lock.lines, after):
            told.append(f"l{step.lock.lines}k{'/'.join(after)}")
        boards[step.player] = after
        other = 1 - step.player
        theirs = _filled(step.boards[other])
        if playback.replay.turns[turn - 1].placements[other] is None and boards[other] != theirs:
            told.append(f";{other}k{'/'.join(theirs)}")
            boards[other] = theirs
        queues[step.player] += [piece.name for piece in step.lock.new_pieces]
    first, second = ("".join(queue) for queue in queues)
    # Both get the same pieces; who placed more has seen more of them.
    longer, shorter = sorted((first, second), key=len, reverse=True)
    same = longer.startswith(shorter)
    return {
        "names": list(playback.names),
        "width": playback.rules.board.width,
        "pieces": [longer] if same else [first, second],
        "opening": opening,
        "frames": header.frames_per_turn,
        "steps": "".join(told),
        "result": str(playback.result()),
    }


# --- helpers ------------------------------------------------------------------------------------


def _told(step: Step, *, in_real_time: bool) -> str:
    lock = step.lock
    parts = [str(step.player), write_placement(step.placement)]
    if lock.held:
        parts.append("h")
    if in_real_time:
        parts.append(f"@{step.frame}")
    if lock.attack:
        parts.append(f"a{lock.attack}")
    if lock.garbage:
        parts.append("g" + ",".join(map(str, lock.garbage)))
    info = step.info
    told = (
        ("t", step.milliseconds),
        ("n", info.nodes if info is not None else None),
        ("d", info.depth if info is not None else None),
    )
    parts += [f"{mark}{value:.3g}" for mark, value in told if value is not None]
    return "".join(parts)


def _next_board(before: Rows, step: Step, width: int) -> tuple[int, Rows]:
    """Rows cleared and the board after a step, as the script will have them."""
    rows = list(before)
    empty = "." * width
    letter = step.placement.piece.name
    for x, y in step.placement.cells:
        rows += [empty] * (y + 1 - len(rows))
        rows[y] = f"{rows[y][:x]}{letter}{rows[y][x + 1 :]}"
    left = [row for row in rows if "." in row]
    garbage = [f"{'G' * hole}.{'G' * (width - 1 - hole)}" for hole in step.lock.garbage]
    return len(rows) - len(left), _filled((*reversed(garbage), *left))


def _filled(rows: tuple[str, ...]) -> Rows:
    """Rows up to the highest one that is not empty."""
    height = len(rows)
    while height and not rows[height - 1].strip("."):
        height -= 1
    return list(rows[:height])
