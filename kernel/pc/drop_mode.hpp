// Drop mode: pieces may shift and turn at any height, or only drop straight.
#pragma once

#include <cstdint>

#include "pc/move_tables.hpp"

namespace sevenbag::pc {

enum class DropMode {
    soft,    // anything that the rotation system allows
    hard,    // turned and shifted above the board, then straight down
    t_soft,  // T as soft, all others as hard
};

// Corners of the resting positions of a piece below row `height`, for each distinct rotation
// (MoveTable::looks).
void find_rest_positions(const MoveTables& move_tables, DropMode drop, Piece piece,
                         std::uint64_t filled, int height, std::uint64_t* corners);

}  // namespace sevenbag::pc
