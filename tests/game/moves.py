"""Games that begin with a given piece, and moves for tests."""

from sevenbag._kernel import Board, Piece, Placement
from sevenbag.game import Game, Player, Rules


def start_with(rules: Rules, piece: Piece, board: Board) -> Game:
    """Return a game on a board that begins with a piece."""
    games = (Game(rules, seed=seed, board=board) for seed in range(200))
    return next(game for game in games if game.current is piece)


def lowest(player: Player, *, hold: bool = True) -> Placement:
    """Return the move with the lowest cells; such games last."""
    return min(
        player.placements(hold=hold),
        key=lambda p: (sum(y for _, y in p.cells), p.x, p.rotation, p.spin),
    )
