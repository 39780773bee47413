// Key paths: keys that lead to a placement, and the placement that keys lead to.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "movegen.hpp"
#include "piece_motion.hpp"

namespace sevenbag {

// The keys that a host has.
class KeySet {
  public:
    constexpr KeySet() = default;
    constexpr KeySet(std::initializer_list<Key> keys) {
        for (Key key : keys) add(key);
    }
    constexpr void add(Key key) { bits_ |= bit(key); }
    constexpr bool has(Key key) const { return (bits_ & bit(key)) != 0; }

  private:
    static constexpr std::uint16_t bit(Key key) {
        return static_cast<std::uint16_t>(1u << static_cast<int>(key));
    }
    std::uint16_t bits_ = 0;
};

// Each moves a piece once; any number of them can be pressed between two steps of gravity.
inline constexpr KeySet kTapKeys{Key::left, Key::right,     Key::cw,         Key::ccw,
                                 Key::flip, Key::soft_drop, Key::sonic_drop, Key::hard_drop};

// Maximum of the `fallen` argument.
inline constexpr int kMaxGravityRows = 15;

// Find the shortest sequence of these keys that ends on the placement's cells and, if `spins`
// detects spins, with its spin. The last key is always hard_drop, even if it is not in the set.
// Return nothing if there is no path. Among shortest paths, rotations come early.
//
// The path begins at `start`, the current position of the piece, which has not just rotated.
//
// With `fallen` above 0 the path also works if gravity has moved the piece: it leads there from the
// start and from each of that many rows below, as far as the piece can fall. A key that moves
// nothing from one of these is harmless. Very long paths of this kind may not be found.
std::optional<std::vector<Key>> find_path(const Board& board, const Placement& placement,
                                          const Kicks& kicks, const Placement& start,
                                          const SpinRules& spins, KeySet keys = kTapKeys,
                                          int fallen = 0);

// The same, starting at the spawn position.
inline std::optional<std::vector<Key>> find_path(const Board& board, const Placement& placement,
                                                 const Kicks& kicks, Spawn spawn,
                                                 const SpinRules& spins, KeySet keys = kTapKeys,
                                                 int fallen = 0) {
    return find_path(board, placement, kicks, kicks.appear(placement.piece, spawn.x, spawn.y),
                     spins, keys, fallen);
}

// Return the position where the piece rests after these keys and a drop, with its spin; keys that
// move nothing are ignored, as in games. Nothing if the piece cannot spawn.
std::optional<Placement> follow_keys(const Board& board, Piece piece, std::span<const Key> keys,
                                     const Kicks& kicks, Spawn spawn, const SpinRules& spins);

}  // namespace sevenbag
