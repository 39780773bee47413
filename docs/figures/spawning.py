"""Pictures of spawns and of ways to lose."""

from __future__ import annotations

from docs.figures.boards import board_of, seed_of
from sevenbag import Board, Game, Placement, Rotation, Rules
from sevenbag.drawing import Picture, add_caption, arrange_column, arrange_row, draw_board

TOP = range(16, 24)
"""The rows about the skyline of a board of 20 visible rows."""


def spawns() -> Picture:
    """Where a T appears under the presets; the dashed line is the top of the visible rows."""
    groups: dict[tuple[object, ...], list[str]] = {}
    for name in Rules.preset_names():
        rules = Rules.preset(name)
        where = rules.spawn.y, rules.spawn.drop, rules.pieces.kicks.spawn_rotation("T")
        groups.setdefault((rules.board.width, rules.board.visible, *where), []).append(name)
    pictures = [
        add_caption(_appearing(Rules.preset(names[0])), *names)
        for names in sorted(groups.values(), key=lambda names: -len(names))
    ]
    half = (len(pictures) + 1) // 2
    return arrange_column([arrange_row(pictures[:half]), arrange_row(pictures[half:])])


def blocked_spawns() -> Picture:
    """An I has cleared a row and lies where the T should appear: lost, raised by one, clutch."""
    boards = {"lost": 17, "raise": 17, "clutch": 18}
    pictures: list[Picture] = []
    for blocked, height in boards.items():
        board = board_of("####.#####", *[".#########"] * height)
        rules = Rules.preset("guideline").replace(
            {"spawn": {"y": 19, "drop": 0, "blocked": blocked}}
        )
        game = Game(rules, seed_of("IT"), board=board)
        game.play(Placement("I", Rotation.EAST, 4, height + 2))
        wanted = Placement("T", Rotation.NORTH, rules.spawn.x, rules.spawn.y)
        found = game.spawn
        picture = draw_board(
            game.board,
            colors=game.colors,
            ghosts=[wanted],
            placements=[Placement("T", Rotation.NORTH, *found)] if found else [],
            rows=TOP,
            skyline=20,
        )
        verdict = str(game.top_out) if found is None else f"appears in row {found[1]}"
        pictures.append(add_caption(picture, f'"{blocked}":', verdict))
    return arrange_row(pictures)


def top_outs() -> Picture:
    """Three ways to lose under guideline: block out, lock out, garbage out."""
    blocked = board_of("....##....", *[".#########"] * 18)
    locked = board_of("..#######.", *[".#########"] * 19)
    pushed = Board.from_rows([".........#"] * 39)
    pictures: list[Picture] = []
    for board, pieces, move, attack, rows in (
        (blocked, "OT", Placement("O", Rotation.NORTH, 4, 19), 0, TOP),
        (locked, "T", Placement("T", Rotation.NORTH, 4, 20), 0, TOP),
        (pushed, "I", Placement("I", Rotation.NORTH, 4, 0), 2, range(32, 40)),
    ):
        game = Game(
            Rules.preset("guideline").replace({"garbage": {"travel": 0}}),
            seed_of(pieces),
            board=board,
        )
        game.receive_garbage(attack)
        lock = game.play(move)
        next_piece = Placement("T", Rotation.NORTH, 4, 20)
        picture = draw_board(
            board,
            placements=[move],
            ghosts=[next_piece] if lock.top_out == "block out" else [],
            rows=rows,
            skyline=20,
        )
        words = {
            "block out": "T cannot appear",
            "lock out": "T lies above the line",
            "garbage out": f"{attack} rows push it over the top",
        }
        assert lock.top_out is not None
        pictures.append(add_caption(picture, f"{lock.top_out}:", words[lock.top_out]))
    return arrange_row(pictures)


# --- helpers ------------------------------------------------------------------------------------


def _appearing(rules: Rules) -> Picture:
    spawn = Game(rules).spawn
    assert spawn is not None
    pointing = rules.pieces.kicks.spawn_rotation("T")
    first = Placement("T", pointing, rules.spawn.x, rules.spawn.y)
    placement = Placement("T", pointing, *spawn)
    visible = rules.board.visible
    rows = range(max(0, visible - 3), min(visible + 3, rules.board.rows))
    return draw_board(
        Board(rules.board.width, rules.board.rows),
        placements=[placement],
        ghosts=[first] if first != placement else [],
        rows=rows,
        skyline=visible,
    )


PICTURES = (spawns, blocked_spawns, top_outs)
