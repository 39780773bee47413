// Filled and empty cells.
//
// Rows are packed side by side into 64-bit words, as many whole rows as fit (six of width 10); bit
// (y % rows_per_word) * width + x of word y / rows_per_word is cell (x, y). The move generator
// works on these words as they are.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "piece.hpp"

namespace sevenbag {

inline constexpr int kMinWidth = 4;
inline constexpr int kMaxWidth = 16;
inline constexpr int kMinRows = 4;
inline constexpr int kMaxRows = 64;
inline constexpr int kDefaultWidth = 10;
inline constexpr int kDefaultRows = 40;
inline constexpr int kMaxWords = 16;

class Board {
  public:
    // Throws Error(board) outside 4..16 columns and 4..64 rows.
    explicit Board(int width = kDefaultWidth, int rows = kDefaultRows);

    int width() const { return width_; }
    int rows() const { return rows_; }
    int rows_per_word() const { return rows_per_word_; }
    int word_count() const { return (rows_ + rows_per_word_ - 1) / rows_per_word_; }
    const std::uint64_t* words() const { return words_.data(); }

    bool contains(int x, int y) const { return x >= 0 && x < width_ && y >= 0 && y < rows_; }
    bool is_occupied(int x, int y) const { return (row(y) >> x) & 1; }
    // Return whether the cell is filled, outside the walls or below the floor. `top_filled` applies
    // above the top.
    bool is_blocked(int x, int y, bool top_filled = false) const {
        return x < 0 || x >= width_ || y < 0 || (y < rows_ ? is_occupied(x, y) : top_filled);
    }
    void set(int x, int y, bool filled);

    // Bit x of the result is cell (x, y).
    std::uint32_t row(int y) const {
        return static_cast<std::uint32_t>(words_[y / rows_per_word_] >>
                                          (y % rows_per_word_ * width_)) &
               full_row();
    }
    void set_row(int y, std::uint32_t cells);
    std::uint32_t full_row() const { return (1u << width_) - 1; }

    // Rows up to the highest filled cell.
    int height() const;
    // Rows up to the highest filled cell of a column.
    int column_height(int x) const;
    int count() const;
    bool empty() const;

    bool fits(const Placement& placement) const;
    // Fits, and does not fit one row lower.
    bool is_resting(const Placement& placement) const;

    // Fills the cells without looking for full rows. The placement must fit.
    void fill(const Placement& placement);
    // Remove full rows; bit y of the result is set if row y was full.
    std::uint64_t clear_rows();
    // Fill the cells and remove full rows. Throws Error(placement) if the placement does not fit.
    std::uint64_t lock(const Placement& placement);
    // Push `count` copies of `cells` in from below; rows above the top are lost.
    void push_rows(std::uint32_t cells, int count);
    // The same with rows that are full but for column `hole`. Throws Error(board).
    void add_garbage(int hole, int count = 1);

    friend bool operator==(const Board&, const Board&) = default;
    std::uint64_t hash() const;

  private:
    std::array<std::uint64_t, kMaxWords> words_{};
    std::uint8_t width_;
    std::uint8_t rows_;
    std::uint8_t rows_per_word_;
};

}  // namespace sevenbag
