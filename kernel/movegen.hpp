// All placements of a piece: every position it can rest in that shifts, single-row drops and
// rotations reach from the spawn, in any order and number.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "board.hpp"
#include "kicks.hpp"
#include "piece.hpp"
#include "spin.hpp"

namespace sevenbag {

// Spawn position.
struct Spawn {
    std::int8_t x = 4;
    std::int8_t y = 19;
};

// A resting piece has a blocked cell below it, so at most every other row of a column holds one; a
// placement can differ in rotation and in spin.
inline constexpr int kMaxPlacements = kMaxWidth * (kMaxRows / 2) * kRotations * 3;

// A list for the generator to write to; large, and never cleared: keep one and use it again.
class PlacementList {
  public:
    void clear() { count_ = 0; }
    void add(const Placement& placement) { items_[count_++] = placement; }

    int size() const { return count_; }
    bool empty() const { return count_ == 0; }
    const Placement& operator[](int i) const { return items_[i]; }
    const Placement* begin() const { return items_; }
    const Placement* end() const { return items_ + count_; }

    Placement* data() { return items_; }
    void set_size(int count) { count_ = count; }

  private:
    int count_ = 0;
    Placement items_[kMaxPlacements];
};

// Verdicts that a piece may appear with, besides none: those of a piece put away before it
// (SpinRules::hold_keeps_spin).
struct InheritedSpins {
    bool mini = false;
    bool full = false;

    bool any() const { return mini || full; }
};

// Replaces `out` by all placements of `piece`, none twice; placements that fill the same cells (and
// are the same spin) are one, in canonical form. Empty if the spawn is blocked or outside the
// board.
void generate_placements(const Board& board, Piece piece, const Kicks& kicks, Spawn spawn,
                         const SpinRules& spins, PlacementList& out, InheritedSpins inherited = {});
void generate_placements(const Board& board, Piece piece, const Kicks& kicks, Spawn spawn,
                         const SpinRules& spins, std::vector<Placement>& out);

// Return the spins that the piece of these placements passes on to the next piece if it is held.
InheritedSpins inheritable_spins(const PlacementList& placements);

// Return whether the stack reaches the row below a spawned piece, so that the piece could lock
// before it falls.
bool can_lock_at_spawn(const Board& board, const Placement& start);

}  // namespace sevenbag
