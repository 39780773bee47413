// How pieces may come down: with shifts and turns all the way, or straight.
#pragma once

#include <cstdint>

#include "pc/move_tables.hpp"

namespace sevenbag::pc {

enum class DropMode {
    soft,    // anything that the rotation system allows
    hard,    // turned and shifted above the field, then straight down
    t_soft,  // T as soft, all others as hard
};

// Corners at which a piece comes to rest below row `height`, for each rotation that looks different
// (MoveTable::looks).
void find_rest_positions(const MoveTables& move_tables, DropMode drop, Piece piece,
                         std::uint64_t filled, int height, std::uint64_t* corners);

}  // namespace sevenbag::pc
