// Ways to a placement, and where keys lead: whatever a host calls its keys, these are they.
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

// Rows that a piece can be told to have fallen, at most.
inline constexpr int kMaxGravityRows = 15;

// The fewest presses of these keys that end on the placement's cells and, where `spins` tells spins
// apart, make its kind of spin; hard_drop is always the last, whether it is in the set or not.
// Nothing if there are none. Of equally many, rotations come early.
//
// They lead there from `start`, where the same piece is now, and which has not just turned.
//
// With `fallen` above 0 gravity may have had a hand in it: the keys lead there from the start and
// from each of so many rows below, as far as the piece can fall. A press that moves nothing from
// one of these does no harm there. Very long ways of that kind may not be found.
std::optional<std::vector<Key>> find_path(const Board& board, const Placement& placement,
                                          const Kicks& kicks, const Placement& start,
                                          const SpinRules& spins, KeySet keys = kTapKeys,
                                          int fallen = 0);

// The same from where the piece appears.
inline std::optional<std::vector<Key>> find_path(const Board& board, const Placement& placement,
                                                 const Kicks& kicks, Spawn spawn,
                                                 const SpinRules& spins, KeySet keys = kTapKeys,
                                                 int fallen = 0) {
    return find_path(board, placement, kicks, kicks.appear(placement.piece, spawn.x, spawn.y),
                     spins, keys, fallen);
}

// Where a piece comes to lie that is let fall after these presses, with its spin; a press that
// moves nothing is passed over, as games do. Nothing if the piece cannot appear.
std::optional<Placement> follow_keys(const Board& board, Piece piece, std::span<const Key> keys,
                                     const Kicks& kicks, Spawn spawn, const SpinRules& spins);

}  // namespace sevenbag
