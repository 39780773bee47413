#include "board.hpp"

#include <string>

#include "error.hpp"

namespace sevenbag {

Board::Board(int width, int rows)
    : width_(static_cast<std::uint8_t>(width)),
      rows_(static_cast<std::uint8_t>(rows)),
      rows_per_word_(static_cast<std::uint8_t>(width > 0 ? 64 / width : 1)) {
    check_range("width", width, kMinWidth, kMaxWidth, ErrorKind::board);
    check_range("rows", rows, kMinRows, kMaxRows, ErrorKind::board);
}

void Board::set(int x, int y, bool filled) {
    const std::uint64_t bit = std::uint64_t{1} << (y % rows_per_word_ * width_ + x);
    std::uint64_t& word = words_[y / rows_per_word_];
    word = filled ? word | bit : word & ~bit;
}

void Board::set_row(int y, std::uint32_t cells) {
    const int shift = y % rows_per_word_ * width_;
    std::uint64_t& word = words_[y / rows_per_word_];
    word = (word & ~(std::uint64_t{full_row()} << shift)) | (std::uint64_t{cells} << shift);
}

int Board::height() const {
    for (int w = word_count() - 1; w >= 0; --w)
        if (words_[w]) return w * rows_per_word_ + (std::bit_width(words_[w]) - 1) / width_ + 1;
    return 0;
}

int Board::column_height(int x) const {
    for (int y = height() - 1; y >= 0; --y)
        if (is_occupied(x, y)) return y + 1;
    return 0;
}

int Board::count() const {
    int n = 0;
    for (std::uint64_t w : words_) n += std::popcount(w);
    return n;
}

bool Board::empty() const {
    std::uint64_t any = 0;
    for (std::uint64_t w : words_) any |= w;
    return any == 0;
}

bool Board::fits(const Placement& placement) const {
    for (Cell c : cells_of(placement))
        if (!contains(c.x, c.y) || is_occupied(c.x, c.y)) return false;
    return true;
}

bool Board::is_resting(const Placement& placement) const {
    Placement below = placement;
    --below.y;
    return fits(placement) && !fits(below);
}

void Board::fill(const Placement& placement) {
    for (Cell c : cells_of(placement)) set(c.x, c.y, true);
}

std::uint64_t Board::clear_rows() {
    std::uint64_t cleared = 0;
    const int top = height();
    int to = 0;
    for (int y = 0; y < top; ++y) {
        const std::uint32_t cells = row(y);
        if (cells == full_row()) {
            cleared |= std::uint64_t{1} << y;
            continue;
        }
        if (to != y) set_row(to, cells);
        ++to;
    }
    for (; to < top; ++to) set_row(to, 0);
    return cleared;
}

std::uint64_t Board::lock(const Placement& placement) {
    if (!fits(placement))
        throw Error(ErrorKind::placement,
                    std::string("piece ") + letter(placement.piece) + " at x " +
                        std::to_string(placement.x) + ", y " + std::to_string(placement.y) +
                        " does not fit: a cell is filled or outside the board");
    fill(placement);
    return clear_rows();
}

void Board::push_rows(std::uint32_t cells, int count) {
    if (count <= 0) return;
    for (int y = rows_ - 1; y >= 0; --y) set_row(y, y >= count ? row(y - count) : cells);
}

void Board::add_garbage(int hole, int count) {
    check_range("hole", hole, 0, width_ - 1, ErrorKind::board);
    check_range("count", count, 0, rows_, ErrorKind::board);
    push_rows(full_row() & ~(1u << hole), count);
}

std::uint64_t Board::hash() const {
    std::uint64_t h = 0x9e3779b97f4a7c15u ^ (std::uint64_t{width_} << 8) ^ rows_;
    for (std::uint64_t w : words_) {
        h ^= w;
        h *= 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

}  // namespace sevenbag
