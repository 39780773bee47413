// Rows of a small board, for code that is compiled once (see small_board.hpp for the multi-ISA
// version).
#pragma once

#include <bit>
#include <cstdint>

#include "pc/move_tables.hpp"

namespace sevenbag::pc {

constexpr std::uint64_t row_cells(int row) {
    return std::uint64_t{0x3ff} << (row * kSmallBoardWidth);
}

// Bit y is set if row y is full.
constexpr unsigned full_row_bits(std::uint64_t filled) {
    unsigned rows = 0;
    for (int y = 0; y < kSmallBoardRows; ++y)
        if ((filled & row_cells(y)) == row_cells(y)) rows |= 1u << y;
    return rows;
}

// Remove these rows.
constexpr std::uint64_t without_rows(std::uint64_t filled, unsigned rows) {
    for (int y = kSmallBoardRows - 1; y >= 0; --y)
        if (rows >> y & 1) {
            const std::uint64_t below = (std::uint64_t{1} << (y * kSmallBoardWidth)) - 1;
            filled = (filled & below) | (filled >> kSmallBoardWidth & ~below);
        }
    return filled;
}

}  // namespace sevenbag::pc
