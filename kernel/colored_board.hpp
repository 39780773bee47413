// Board with colours: piece cells, cleared rows and garbage change the filled cells and the colours
// together.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "attack.hpp"
#include "board.hpp"
#include "garbage.hpp"
#include "piece.hpp"
#include "rules.hpp"

namespace sevenbag {

// Colour of every cell: empty, piece, garbage or bomb.
//
// A row is one word with four bits per cell, so rows move as words.
class ColorGrid {
  public:
    static constexpr char kLetters[] = ".IOTLJSZGB";
    static constexpr std::uint64_t kGarbage = 8;
    static constexpr std::uint64_t kBomb = 9;

    ColorGrid(int width, int rows) : width_(width), rows_(rows) {}

    int width() const { return width_; }
    int rows() const { return rows_; }

    // '.', a piece's letter, G for garbage or B for a bomb.
    char at(int x, int y) const { return kLetters[cells_[y] >> (4 * x) & 15]; }

    // Return whether a row contains garbage; bombs count as garbage.
    bool has_garbage(int y) const { return (cells_[y] & kTops) != 0; }
    bool has_bomb(int y) const { return (cells_[y] & cells_[y] >> 3 & kTops >> 3) != 0; }
    bool is_bomb(int x, int y) const { return (cells_[y] >> (4 * x) & 15) == kBomb; }

    void fill(const Placement& placement) {
        const std::uint64_t color = static_cast<std::uint64_t>(placement.piece) + 1;
        for (Cell c : cells_of(placement)) set(c.x, c.y, color);
    }

    // Remove the rows whose bit is set.
    void remove_rows(std::uint64_t rows) {
        if (rows == 0) return;
        int to = std::countr_zero(rows);
        for (int y = to; y < rows_; ++y)
            if (!(rows >> y & 1)) cells_[to++] = cells_[y];
        for (; to < rows_; ++to) cells_[to] = 0;
    }

    // Push `count` garbage rows in from below; the cells of `open` are empty or bombs. Rows from
    // `end` up do not move; rows pushed there are lost.
    void push_garbage(unsigned open, bool bombs, int count, int end) {
        std::uint64_t row = 0;
        for (int x = 0; x < width_; ++x) {
            const std::uint64_t gap = bombs ? kBomb : 0;
            row |= (open >> x & 1 ? gap : kGarbage) << (4 * x);
        }
        count = std::min(count, end);
        std::memmove(&cells_[static_cast<std::size_t>(count)], &cells_[0],
                     static_cast<std::size_t>(end - count) * sizeof cells_[0]);
        std::fill_n(cells_.begin(), count, row);
    }

    // Takes the filled cells of a board, all as garbage.
    void assign(const Board& board) {
        cells_ = {};
        for (int y = 0; y < board.height(); ++y)
            for (int x = 0; x < width_; ++x)
                if (board.is_occupied(x, y)) set(x, y, kGarbage);
    }

    // `color`: 0 empty, 1 + piece, kGarbage or kBomb.
    void set(int x, int y, std::uint64_t color) {
        cells_[y] = (cells_[y] & ~(std::uint64_t{15} << (4 * x))) | color << (4 * x);
    }

  private:
    // The highest of the four bits of every cell.
    static constexpr std::uint64_t kTops = 0x8888888888888888u;

    std::array<std::uint64_t, kMaxRows> cells_{};
    int width_;
    int rows_;
};

struct ColoredBoard {
    ColoredBoard(int width, int rows) : board(width, rows), grid(width, rows) {}

    Board board;
    ColorGrid grid;

    // Fill the cells of a placement in the rows that the rules keep.
    void fill(const Rules& rules, const Placement& placement) {
        if (!rules.all_solid() || rules.kept_rows < rules.rows)
            return fill_in_part(rules, placement);
        board.fill(placement);
        grid.fill(placement);
    }

    // Remove the rows cleared by the placement that was just filled in: full rows, and rows below
    // the placement that bombs clear. Bit y of `rows` is set if row y was removed.
    LineClear clear(const Rules& rules, const Placement& placement, std::uint64_t& rows);

    // Push `count` rows in from below at once, filled except the cells of `open`. Return whether a
    // filled cell was in the rows pushed over the top.
    bool push(const Rules& rules, HoleMask open, int count = 1);

  private:
    void fill_in_part(const Rules& rules, const Placement& placement);
};

// Return the board without the rows that are not solid: moving pieces collide with it.
Board solid_part(const Rules& rules, const Board& board);

}  // namespace sevenbag
