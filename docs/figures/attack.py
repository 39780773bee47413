"""Pictures and tables of attack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docs.figures.boards import board_of
from docs.figures.markdown import table
from sevenbag import Piece, Placement, Position, Rotation, Rules, Spin
from sevenbag.drawing import Picture, add_caption, arrange_column, arrange_row, draw_board
from sevenbag.game.position import apply_placement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PLAIN, MINI, FULL = Spin.NONE, Spin.MINI, Spin.FULL


def run_of_clears() -> Picture:
    """A T-spin double, a quad and a perfect clear, with what each sends."""
    position = Position(
        board=board_of(
            "##........",
            "#...######",
            "##.#######",
            "#########.",
            "#########.",
            "#########.",
            "#########.",
        ),
        queue=(Piece.T, Piece.I, Piece.I, Piece.I),
    )
    moves = [
        ("T-spin double", Placement("T", Rotation.SOUTH, 2, 5, Spin.FULL)),
        ("quad", Placement("I", Rotation.EAST, 9, 2)),
        ("nothing", Placement("I", Rotation.NORTH, 3, 0)),
        ("single, perfect clear", Placement("I", Rotation.NORTH, 7, 0)),
    ]
    pictures: list[Picture] = []
    for name, move in moves:
        after = apply_placement(position, move)
        lines = (position.board.cell_count + 4 - after.board.cell_count) // 10
        sent = (
            ", ".join(
                f"{preset} {_attack(preset, position, move, lines, after.board.is_empty)}"
                for preset in ("guideline", "league")
            )
            if lines
            else "the combo ends"
        )
        board = draw_board(position.board, placements=[move], rows=8)
        pictures.append(add_caption(board, name, sent))
        position = after
    return arrange_column([arrange_row(pictures[:2]), arrange_row(pictures[2:])])


def attack_of_clears() -> str:
    """Return the attack of a single clear under each preset."""
    clears = [
        *((lines, PLAIN) for lines in range(1, 5)),
        *((lines, MINI) for lines in (1, 2)),
        *((lines, FULL) for lines in range(1, 4)),
    ]
    head = ["preset", *(_name(lines, spin) for lines, spin in clears), "perfect single"]
    return _by_preset(
        head,
        lambda rules: [
            *(_sum(rules.compute_attack(lines, spin)) for lines, spin in clears),
            _sum(rules.compute_attack(1, perfect_clear=True)),
        ],
    )


def combos() -> str:
    """Return the attack of consecutive singles, by c."""
    counts = range(14)
    return _by_preset(
        ["singles, c =", *counts],
        lambda rules: [_sum(rules.compute_attack(1, combo=c)) for c in counts],
    )


def combo_multiplier() -> str:
    """Return the attack of five kinds of clear with the combo multiplier."""
    rules = Rules.preset("tetrio-league")
    clears = [(1, PLAIN), (2, PLAIN), (3, PLAIN), (4, PLAIN), (2, FULL), (3, FULL)]
    rows = [
        [_name(lines, spin), *(_sum(rules.compute_attack(lines, spin, combo=c)) for c in range(11))]
        for lines, spin in clears
    ]
    return table(["c =", *range(11)], rows)


def back_to_back() -> str:
    """Return the attack of a quad after b difficult clears."""
    lengths = (0, 1, 2, 3, 4, 5, 8, 12, 20, 40, 80)
    rows = [
        [name, *(_sum(Rules.preset(preset).compute_attack(4, back_to_back=b)) for b in lengths)]
        for name, preset in (
            ("`none`", "pason-2012"),
            ("`flat`", "guideline"),
            ("`chain`", "tetrio-season-1"),
        )
        if preset in Rules.preset_names()
    ]
    return table(["quad, b =", *lengths], rows)


def charge() -> str:
    """Return the attack of a single that breaks a chain, under tetrio-league."""
    rules = Rules.preset("tetrio-league")
    lengths = (4, 5, 6, 7, 8, 9, 12, 20)
    sent = [" + ".join(map(str, rules.compute_attack(1, back_to_back=b))) or "0" for b in lengths]
    return table(["clears in the chain", *lengths], [["sent by a single", *sent]])


def vectors() -> str:
    """Return the attack of several clears under every preset."""
    cases = [
        ("single", 1, PLAIN, 0, 2, False),
        ("single", 1, PLAIN, 0, 4, False),
        ("single", 1, PLAIN, 0, 10, False),
        ("single", 1, PLAIN, 0, 12, False),
        ("quad", 4, PLAIN, 1, 0, False),
        ("T-spin double", 2, FULL, 1, 1, False),
        ("T-spin triple", 3, FULL, 1, 3, False),
        ("mini single", 1, MINI, 1, 0, False),
        ("perfect clear, quad", 4, PLAIN, 1, 2, True),
    ]
    head = [f"{name}, b {chain}, c {combo}" for name, _, _, chain, combo, _ in cases]

    def sent(rules: Rules) -> list[str]:
        each = (
            rules.compute_attack(
                lines, spin, combo=combo, back_to_back=chain, perfect_clear=perfect
            )
            for _, lines, spin, chain, combo, perfect in cases
        )
        return [" + ".join(map(str, attacks)) or "0" for attacks in each]

    return _by_preset(["preset", *head], sent)


# --- helpers ------------------------------------------------------------------------------------


def _by_preset(head: Sequence[object], sent: Callable[[Rules], list[str]]) -> str:
    """Return a row for each preset, or for several with equal values."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for preset in Rules.preset_names():
        alike.setdefault(tuple(sent(Rules.preset(preset))), []).append(f"`{preset}`")
    return table(head, [[", ".join(names), *values] for values, names in alike.items()])


def _attack(preset: str, position: Position, move: Placement, lines: int, perfect: bool) -> str:
    rules = Rules.preset("tetrio-league" if preset == "league" else preset)
    sent = rules.compute_attack(
        lines,
        move.spin,
        combo=position.combo,
        back_to_back=position.back_to_back,
        perfect_clear=perfect,
    )
    return "+".join(map(str, sent))


def _name(lines: int, spin: Spin) -> str:
    size = ("single", "double", "triple", "quad")[lines - 1]
    return size if spin is Spin.NONE else f"{spin.name.lower()} {size}"


def _sum(attacks: tuple[int, ...]) -> str:
    return str(sum(attacks))


PICTURES = (run_of_clears,)
TABLES = {
    "attack-of-clears": attack_of_clears,
    "combos": combos,
    "combo-multiplier": combo_multiplier,
    "back-to-back": back_to_back,
    "charge": charge,
    "vectors": vectors,
}
