// Piece of a game that is moved by keys before it locks.
#pragma once

#include <memory>

#include "board.hpp"
#include "game.hpp"
#include "piece_motion.hpp"
#include "rules.hpp"

namespace sevenbag {

class FallingPiece {
  public:
    // The game's current piece at its spawn, or the piece that hold offers; the game does not
    // change. Throws Error(placement) if there is no such piece or it cannot spawn.
    FallingPiece(const Game& game, bool hold);

    // The current position, with the spin of a lock there.
    Placement placement() const { return motion().placement(at_); }
    bool is_resting() const { return board_.is_resting(placement()); }

    // Press a key; return whether the piece moved. hard_drop moves like sonic_drop: the game locks.
    bool press(Key key);

  private:
    PieceMotion motion() const { return {board_, piece_, rules_->kicks, rules_->spins}; }

    std::shared_ptr<const Rules> rules_;
    Board board_;
    Piece piece_;
    PieceMotion::State at_;
};

}  // namespace sevenbag
