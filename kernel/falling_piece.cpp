#include "falling_piece.hpp"

#include <string>

#include "error.hpp"

namespace sevenbag {

namespace {

Placement spawned(const Game& game, bool hold) {
    const std::optional<Piece> piece = hold ? game.offered_by_hold() : game.current();
    if (game.is_over() || !piece)
        throw Error(ErrorKind::placement, game.is_over() ? "the game is over: no piece falls"
                                                         : "these rules have no hold");
    const std::optional<Spawn> spawn = game.spawn_of(*piece);
    if (!spawn)
        throw Error(ErrorKind::placement,
                    std::string(1, letter(*piece)) + " cannot spawn: its cells are filled");
    return game.rules().kicks.appear(*piece, spawn->x, spawn->y);
}

}  // namespace

FallingPiece::FallingPiece(const Game& game, bool hold)
    : rules_(game.shared_rules()), board_(game.solid()) {
    const Placement start = spawned(game, hold);
    piece_ = start.piece;
    at_ = {start.x, start.y, start.rotation};
}

bool FallingPiece::press(Key key) {
    const auto to = motion().try_press(at_, key);
    if (!to) return false;
    at_ = *to;
    return true;
}

}  // namespace sevenbag
