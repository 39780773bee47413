// Motion of a piece by single keys: positions, and the spin of a lock there. Reference
// implementation of the spin rules, one position at a time.
#pragma once

#include <cstdint>
#include <optional>

#include "board.hpp"
#include "kicks.hpp"
#include "piece.hpp"
#include "spin.hpp"

namespace sevenbag {

// A press. soft_drop falls one row, sonic_drop to the floor without locking, hard_drop also locks;
// das_left and das_right hold a direction until the piece is at the wall.
enum class Key : std::uint8_t {
    left,
    right,
    cw,
    ccw,
    flip,
    soft_drop,
    sonic_drop,
    hard_drop,
    das_left,
    das_right
};
inline constexpr int kKeys = 10;

class PieceMotion {
  public:
    // All three outlive it.
    PieceMotion(const Board& board, Piece piece, const Kicks& kicks, const SpinRules& spins)
        : board_(board),
          piece_(piece),
          kicks_(kicks),
          spins_(spins),
          rule_(spin_rule(spins, piece)) {}

    // States that differ in anything are different.
    struct State {
        std::int8_t x;
        std::int8_t y;
        Rotation rotation;
        // Result of the last rotation: its spin, or, if corners are tested at the lock, 1 for a
        // rotation and 2 for one with a full kick.
        std::uint8_t mark = 0;
        friend constexpr bool operator==(const State&, const State&) = default;
    };
    static constexpr int kSpinMarks = 3;

    bool fits(const State& s) const { return board_.fits(at(s, Spin::none)); }
    // The state moved by (dx, dy); nothing if it does not fit.
    std::optional<State> try_shift(const State& s, int dx, int dy) const;
    // The state after a number of quarter turns clockwise; nothing if there is no such turn or
    // nothing fits.
    std::optional<State> try_turn(const State& s, int quarters) const;
    // On the floor below; the same if it is there already.
    State drop(State s) const;

    // The state after a key; nothing if the piece does not move. hard_drop moves like sonic_drop.
    std::optional<State> try_press(const State& s, Key key) const;

    // The spin of a lock in this state.
    Placement placement(const State& s) const { return at(s, spin(s)); }

  private:
    Placement at(const State& s, Spin spin) const { return {piece_, s.rotation, s.x, s.y, spin}; }
    Spin spin(const State& s) const;
    std::optional<State> try_slide(State s, int dx) const;
    bool detects_spin_at_lock() const {
        return rule_.on_shift == OnShift::rejudges && !rule_.persists;
    }

    const Board& board_;
    Piece piece_;
    const Kicks& kicks_;
    const SpinRules& spins_;
    SpinRule rule_;
};

}  // namespace sevenbag
