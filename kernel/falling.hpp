// A piece in the air, moved by keys: what a player's hands do between two locks.
#pragma once

#include <memory>

#include "board.hpp"
#include "game.hpp"
#include "path.hpp"
#include "rules.hpp"

namespace sevenbag {

class Falling {
  public:
    // The game's current piece as it appears, or the one that hold offers; the game itself does not
    // change. Raises Error(placement) if there is no such piece or it cannot appear.
    Falling(const Game& game, bool hold);

    // Where it is; its spin is that of the last rotation, if nothing has taken it back.
    const Placement& placement() const { return at_; }
    bool resting() const { return board_.resting(at_); }

    // Whether the key has moved it. hard_drop does what sonic_drop does: to lock is the game's.
    bool press(Key key);

  private:
    bool shift(int dx, int dy);
    bool turn(int by);

    std::shared_ptr<const Rules> rules_;
    Board board_;
    Placement at_;
};

}  // namespace sevenbag
