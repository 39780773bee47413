"""Tests that the public API raises sevenbag errors for wrong types and values."""

from collections.abc import Callable
from typing import Any

import pytest

from sevenbag import (
    Board,
    Game,
    Kicks,
    Piece,
    Placement,
    Rotation,
    Rules,
    SpinRules,
    Versus,
    pc,
    perft,
)
from sevenbag.drawing import draw_board
from sevenbag.errors import (
    BoardError,
    FormatError,
    FumenError,
    InputError,
    KicksError,
    PatternError,
    PlacementError,
    QueueError,
    RulesError,
)
from sevenbag.formats.fumen import Fumen
from sevenbag.formats.replay_file import Replay
from sevenbag.formats.tetrio_file import load_tetrio_file
from sevenbag.game.frame_game import FrameGame

WRONG: list[Any] = [None, 3, 2.5, -1, 10**30, "nothing", b"T", [], {}, object(), "\ud800", "\0"]
"""Values that are invalid for every parameter below."""

GUIDELINE = Rules.preset("guideline")


def _versus(holds: Any) -> object:
    placement = Versus().players[0].placements(hold=False)[0]
    return Versus().play(placement, placement, holds=holds)


def _placements(piece: Any) -> object:
    return Board().placements("Q" if piece == "nothing" else piece)


def _but(right: object, wrong: Any, instead: Any) -> Any:
    """Return `instead` for the one value that would be valid."""
    return instead if wrong == right else wrong


def _or_zero(wrong: Any) -> Any:
    """Return 0 for empty values, which may be valid."""
    return wrong or 0


def _no_turn(value: Any) -> Any:
    return 9 if value == 3 else value


CALLS: dict[str, tuple[Callable[[Any], object], type[InputError]]] = {
    "Game rules": (Game, RulesError),
    "Game seed": (lambda wrong: Game(seed=_but(3, wrong, "3")), RulesError),
    "Game.play": (lambda wrong: Game().play(wrong), PlacementError),
    "Game.judge": (lambda wrong: Game().find_move(wrong), PlacementError),
    "Versus rules": (Versus, RulesError),
    "Versus.play": (lambda wrong: Versus().play(wrong, wrong), PlacementError),
    "Versus holds": (lambda wrong: _versus(holds=wrong), PlacementError),
    "Versus boards": (lambda wrong: Versus(boards=wrong), BoardError),
    "Versus.lock_at": (lambda wrong: Versus().lock_at(_but(3, wrong, -3)), RulesError),
    "FrameGame rules": (FrameGame, RulesError),
    "Rules.preset": (Rules.preset, RulesError),
    "Rules.from_dict": (Rules.from_dict, RulesError),
    "Rules.from_file": (Rules.from_file, RulesError),
    "Rules.replace": (lambda wrong: GUIDELINE.replace({"garbage": _or_zero(wrong)}), RulesError),
    "Rules.replace section": (lambda wrong: GUIDELINE.replace({"kicks": wrong}), RulesError),
    "Rules.attacks": (lambda wrong: GUIDELINE.compute_attack(_but(3, wrong, "3")), RulesError),
    "Rules.attacks spin": (lambda wrong: GUIDELINE.compute_attack(2, wrong), RulesError),
    "Board": (Board, BoardError),
    "Board.from_text": (lambda wrong: Board.from_text(_or_zero(wrong)), BoardError),
    "Board.from_rows": (lambda wrong: Board.from_rows([wrong]), BoardError),
    "Board cell": (lambda wrong: Board()[wrong], BoardError),
    "Board.row": (lambda wrong: Board().row(_but(3, wrong, "3")), BoardError),
    "Board.fits": (lambda wrong: Board().fits(wrong), PlacementError),
    "Board.lock": (lambda wrong: Board().lock(wrong), PlacementError),
    "Board.rotate": (lambda wrong: Board().rotate(wrong, Rotation.EAST), PlacementError),
    "Board.find_path": (lambda wrong: Board().find_path(wrong), PlacementError),
    "Board.apply_keys": (lambda wrong: Board().apply_keys("T", _or_zero(wrong)), InputError),
    "Board.placements piece": (_placements, InputError),
    "Board.placements kicks": (lambda wrong: Board().placements("T", wrong), KicksError),
    "Board.placements spins": (lambda wrong: Board().placements("T", spins=wrong), RulesError),
    "Board.placements spawn": (lambda wrong: Board().placements("T", spawn=wrong), PlacementError),
    "Board.add_garbage": (lambda wrong: Board().add_garbage(wrong, 99), BoardError),
    "Placement": (lambda wrong: Placement("T", Rotation.NORTH, wrong, 1000), PlacementError),
    "Placement rotation": (lambda wrong: Placement("T", _no_turn(wrong), 1, 1), PlacementError),
    "Kicks": (Kicks, KicksError),
    "Kicks.from_text": (Kicks.from_text, KicksError),
    "Kicks.from_file": (Kicks.from_file, KicksError),
    "Kicks.tests": (
        lambda wrong: Kicks("srs").tests("T", _no_turn(wrong), Rotation.EAST),
        KicksError,
    ),
    "Kicks.from_turns": (lambda wrong: Kicks.from_turns("own", _or_zero(wrong)), KicksError),
    "SpinRules": (SpinRules, RulesError),
    "SpinRules kicks": (lambda wrong: SpinRules("all", full_kicks=wrong), RulesError),
    "FrameGame seed": (
        lambda wrong: FrameGame(seed=_but(-1, _but(3, wrong, "3"), 2.5)),
        RulesError,
    ),
    "FrameGame time": (lambda wrong: FrameGame(frame_rules=_or_zero(wrong)), RulesError),
    "pc.solve field": (lambda wrong: pc.solve(_or_zero(wrong), "LSTI"), BoardError),
    "pc.solve queue": (lambda wrong: pc.solve("", _or_zero(wrong)), InputError),
    "pc.PcProblem field": (lambda wrong: pc.PcProblem(_or_zero(wrong)), BoardError),
    "pc.PcProblem hold": (lambda wrong: pc.PcProblem("", hold=wrong), RulesError),
    "pc.PcProblem drop": (lambda wrong: pc.PcProblem("", drop=wrong), RulesError),
    "pc.PcProblem kicks": (lambda wrong: pc.PcProblem("", kicks=wrong), KicksError),
    "pc.Pattern.parse": (pc.Pattern.parse, PatternError),
    "Fumen.parse": (Fumen.parse, FumenError),
    "Replay.load": (Replay.load, FormatError),
    "load_tetrio_file": (load_tetrio_file, FormatError),
    "draw_board": (draw_board, BoardError),
    "perft queue": (lambda wrong: perft(_or_zero(wrong)), InputError),
    "perft depth": (lambda wrong: perft("T", _but(None, wrong, "0")), QueueError),
    "perft board": (lambda wrong: perft("T", board=_or_zero(wrong)), BoardError),
}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_values_raise_the_documented_error(name: str) -> None:
    call, error = CALLS[name]
    for wrong in WRONG:
        with pytest.raises(error) as raised:
            call(wrong)
        assert "incompatible function arguments" not in str(raised.value)
        assert len(str(raised.value)) < 600


def test_games_print_as_boards() -> None:
    game = Game(seed=3)
    game.receive_garbage(2)
    for _ in range(2):
        game.play(game.placements(hold=False)[0])
    lines = str(game).splitlines()
    assert lines[0].startswith(f"hold -  queue {game.current.name} ")
    assert lines[-20:] == list(reversed(game.colors[:20]))
    assert repr(game) == "<Game guideline, seed 3, 2 pieces>"
    versus = Versus(seed=3)
    assert str(versus).count("..........") == 40
    assert repr(versus) == "<Versus guideline, seed 3, turn 0>"
    assert str(FrameGame(seed=3)).startswith("hold -  queue ")


def test_error_names_rotation_system_given_as_rules() -> None:
    assert {Kicks(name).name for name in ("srs+", "srsPlus", "SRS+", "SRS_plus")} == {"srs+"}
    assert Rules.preset("TETRIO") == Rules.preset("tetrio-league")
    with pytest.raises(KicksError, match=r"expected srs\+, TETR\.IO's in most modes"):
        Kicks("tetrio")
    with pytest.raises(RulesError, match=r"'srs\+'; that is a rotation system"):
        Rules.preset("srs+")
    with pytest.raises(RulesError, match="did you mean 'guideline'"):
        Rules.preset("guidline")
    assert Piece.T.name == "T"
