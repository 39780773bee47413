#include "colored_board.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace sevenbag {

namespace {

int kept_rows(const Rules& rules, const Board& board) {
    return std::min(rules.kept_rows, board.rows());
}

// The rows below a piece that its fall onto a bomb blows up: downwards, as long as there is a bomb
// in one of the columns that were hit first.
std::uint64_t blown_rows(const ColorGrid& grid, const Placement& placement) {
    const Cells cells = cells_of(placement);
    int y = kMaxRows;
    for (Cell c : cells) y = std::min<int>(y, c.y);
    std::uint64_t rows = 0;
    std::uint32_t columns = 0;
    for (Cell c : cells)
        if (c.y == y && y > 0 && grid.is_bomb(c.x, y - 1)) columns |= 1u << c.x;
    const auto hit = [&](int row) {
        for (std::uint32_t left = columns; left != 0; left &= left - 1)
            if (grid.is_bomb(std::countr_zero(left), row)) return true;
        return false;
    };
    while (y > 0 && hit(y - 1)) rows |= std::uint64_t{1} << --y;
    return rows;
}

std::uint64_t full_rows(const Board& board, const ColorGrid& grid) {
    std::uint64_t rows = 0;
    for (int y = 0; y < board.rows(); ++y)
        if (board.row(y) == board.full_row() && !grid.has_bomb(y)) rows |= std::uint64_t{1} << y;
    return rows;
}

void remove_rows(Board& board, std::uint64_t rows) {
    if (rows == 0) return;
    int to = std::countr_zero(rows);
    for (int y = to; y < board.rows(); ++y)
        if (!(rows >> y & 1)) board.set_row(to++, board.row(y));
    for (; to < board.rows(); ++to) board.set_row(to, 0);
}

}  // namespace

void ColoredBoard::fill_in_part(const Rules& rules, const Placement& placement) {
    const std::uint64_t color = static_cast<std::uint64_t>(placement.piece) + 1;
    for (Cell c : cells_of(placement)) {
        // A row that is not solid keeps its cells.
        if (c.y >= rules.kept_rows || board.is_occupied(c.x, c.y)) continue;
        board.set(c.x, c.y, true);
        grid.set(c.x, c.y, color);
    }
}

LineClear ColoredBoard::clear(const Rules& rules, const Placement& placement, std::uint64_t& rows) {
    if (rules.bombs) {
        rows = blown_rows(grid, placement) | full_rows(board, grid);
        remove_rows(board, rows);
    } else {
        rows = board.clear_rows();
    }
    LineClear clear{placement.piece, placement.spin, std::popcount(rows), 0, false};
    for (std::uint64_t left = rows; left != 0; left &= left - 1)
        clear.garbage_lines += grid.has_garbage(std::countr_zero(left));
    grid.remove_rows(rows);
    clear.perfect = clear.lines > 0 && board.empty();
    return clear;
}

bool ColoredBoard::push(const Rules& rules, HoleMask open, int count) {
    const int top = kept_rows(rules, board);
    count = std::min(count, top);
    bool lost = false;
    for (int y = top - count; y < top; ++y) lost |= board.row(y) != 0;

    // The rows from `end` up, which do not move.
    const int end =
        rules.cut_off == CutOffRule::third_from_top ? std::max(top - count - 1, 0) : top;
    std::array<std::uint32_t, kMaxRows> staying{};
    for (int y = end; y < board.rows(); ++y) staying[static_cast<std::size_t>(y)] = board.row(y);
    const std::uint32_t gaps = rules.bombs ? 0 : open;
    board.push_rows(board.full_row() & ~gaps, count);
    for (int y = end; y < board.rows(); ++y) board.set_row(y, staying[static_cast<std::size_t>(y)]);
    grid.push_garbage(open, rules.bombs, count, end);
    return lost;
}

Board solid_part(const Rules& rules, const Board& board) {
    Board solid = board;
    for (int y = rules.solid_rows; y < board.rows(); ++y) solid.set_row(y, 0);
    return solid;
}

}  // namespace sevenbag
