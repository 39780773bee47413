// The colours of a board: which piece, or garbage, each filled cell came from.
//
// A row is one word of four bits a cell, so that rows move as words; kept in step with the Board.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "board.hpp"
#include "piece.hpp"

namespace sevenbag {

class Grid {
  public:
    static constexpr char kLetters[] = ".IOTLJSZG";
    static constexpr std::uint64_t kGarbage = 8;

    Grid(int width, int rows) : width_(width), rows_(rows) {}

    // '.', a piece's letter, or G for garbage.
    char at(int x, int y) const { return kLetters[cells_[y] >> (4 * x) & 15]; }

    // Whether a row holds garbage.
    bool has_garbage(int y) const { return (cells_[y] & 0x8888888888888888u) != 0; }

    void fill(const Placement& placement) {
        const std::uint64_t color = static_cast<std::uint64_t>(placement.piece) + 1;
        for (Cell c : cells_of(placement)) set(c.x, c.y, color);
    }

    // Removes the rows whose bit is set.
    void remove_rows(std::uint64_t rows) {
        if (rows == 0) return;
        int to = std::countr_zero(rows);
        for (int y = to; y < rows_; ++y)
            if (!(rows >> y & 1)) cells_[to++] = cells_[y];
        for (; to < rows_; ++to) cells_[to] = 0;
    }

    // Pushes one row of garbage in from below, up to row `top`, which is lost; rows above stay.
    void push_garbage(int hole, int top) {
        std::memmove(&cells_[1], &cells_[0], static_cast<std::size_t>(top) * sizeof cells_[0]);
        cells_[0] = 0;
        for (int x = 0; x < width_; ++x)
            if (x != hole) set(x, 0, kGarbage);
    }

    // Takes the filled cells of a board, all as garbage.
    void assign(const Board& board) {
        cells_ = {};
        for (int y = 0; y < board.height(); ++y)
            for (int x = 0; x < width_; ++x)
                if (board.occupied(x, y)) set(x, y, kGarbage);
    }

    // `color`: 0 empty, 1 + piece, or kGarbage.
    void set(int x, int y, std::uint64_t color) {
        cells_[y] = (cells_[y] & ~(std::uint64_t{15} << (4 * x))) | color << (4 * x);
    }

  private:
    std::array<std::uint64_t, kMaxRows> cells_{};
    int width_;
    int rows_;
};

}  // namespace sevenbag
