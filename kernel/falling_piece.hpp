// A piece in the air, moved by keys: what a player's hands do between two locks.
#pragma once

#include <memory>

#include "board.hpp"
#include "game.hpp"
#include "piece_motion.hpp"
#include "rules.hpp"

namespace sevenbag {

class FallingPiece {
  public:
    // The game's current piece as it appears, or the one that hold offers; the game itself does not
    // change. Raises Error(placement) if there is no such piece or it cannot appear.
    FallingPiece(const Game& game, bool hold);

    // Where it is, with the spin that it would lock with here.
    Placement placement() const { return motion().placement(at_); }
    bool is_resting() const { return board_.is_resting(placement()); }

    // Whether the key has moved it. hard_drop does what sonic_drop does: to lock is the game's.
    bool press(Key key);

  private:
    PieceMotion motion() const { return {board_, piece_, rules_->kicks, rules_->spins}; }

    std::shared_ptr<const Rules> rules_;
    Board board_;
    Piece piece_;
    PieceMotion::State at_;
};

}  // namespace sevenbag
