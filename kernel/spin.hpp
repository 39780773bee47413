// What a spin is, as far as it can be said without a board.
//
// T only, by the three-corner rule: the last move into the resting place was a rotation, and at
// least three of the four cells diagonal to the centre are filled (walls and floor count). Both
// corners on the side the T points to: full. Otherwise mini, unless the rotation used the full
// kick.
#pragma once

#include <cstdint>

#include "piece.hpp"

namespace sevenbag {

// Which placements are told apart, and named, as spins.
enum class SpinMode : std::uint8_t { none, t_spins };

// Corners around the centre, clockwise; those in front of rotation r are r and r + 1 (modulo 4).
inline constexpr int kCornerX[4] = {-1, 1, 1, -1};
inline constexpr int kCornerY[4] = {1, 1, -1, -1};

// The kick of the T-spin triple and the fin: two rows down and one column toward the side that the
// T comes to point away from. Only the turns into east and west have it.
constexpr bool is_full_kick(int to, Cell displacement) {
    return displacement.y == -2 &&
           ((to == 1 && displacement.x == -1) || (to == 3 && displacement.x == 1));
}

}  // namespace sevenbag
