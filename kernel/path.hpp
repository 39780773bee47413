// The fewest key presses from the spawn to a placement.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "movegen.hpp"

namespace sevenbag {

// soft_drop falls one row, sonic_drop to the floor without locking, hard_drop also locks.
enum class Key : std::uint8_t { left, right, cw, ccw, flip, soft_drop, sonic_drop, hard_drop };

// Keys that end on the placement's cells and, where `spins` tells spins apart, make its kind of
// spin; hard_drop is always the last. Nothing if there are none. Every key counts as one press.
std::optional<std::vector<Key>> find_path(const Board& board, const Placement& placement,
                                          const Kicks& kicks, Spawn spawn, const SpinRules& spins);

}  // namespace sevenbag
