#include "pc/move_tables.hpp"

#include <algorithm>

namespace sevenbag::pc {

namespace {

// The box around a piece's cells.
struct Box {
    int left, bottom;  // from the centre
    int width, height;
};

Box box_of(const Cells& cells) {
    int left = cells[0].x, right = left, bottom = cells[0].y, top = bottom;
    for (Cell c : cells) {
        left = std::min<int>(left, c.x);
        right = std::max<int>(right, c.x);
        bottom = std::min<int>(bottom, c.y);
        top = std::max<int>(top, c.y);
    }
    return {left, bottom, right - left + 1, top - bottom + 1};
}

bool within(int x, const Box& box) { return x >= 0 && x + box.width <= kSmallBoardWidth; }

// Corners of which `keep(x, y)` holds.
template <class Keep>
std::uint64_t corners(Keep&& keep) {
    std::uint64_t set = 0;
    for (int y = 0; y < kSmallBoardRows; ++y)
        for (int x = 0; x < kSmallBoardWidth; ++x)
            if (keep(x, y)) set |= std::uint64_t{1} << (y * kSmallBoardWidth + x);
    return set;
}

void describe_turns(const KickTable& table, Piece piece, const std::array<Box, kRotations>& boxes,
                    MoveTable& m) {
    m.margin = 1;
    for (int direction = 0; direction < kDirections; ++direction)
        for (int from = 0; from < kRotations; ++from) {
            const int to = turned(from, direction);
            const Box& a = boxes[static_cast<std::size_t>(from)];
            const Box& b = boxes[static_cast<std::size_t>(to)];
            const KickTests& tests = table.of(piece, from, to);
            if (!tests.exists) continue;
            m.count[direction][from] = tests.count;
            m.tests[direction] = std::max<int>(m.tests[direction], tests.count);
            for (int i = 0; i < tests.count; ++i) {
                const Cell d = tests.displacement[static_cast<std::size_t>(i)];
                const int dx = d.x + b.left - a.left;
                const int dy = d.y + b.bottom - a.bottom;
                TurnTest& test = m.test[direction][i];
                test.step[from] = {static_cast<std::int8_t>(dx), static_cast<std::int8_t>(dy)};
                test.by.of[from] = static_cast<std::uint64_t>(dy * kSmallBoardWidth + dx) & 63;
                const auto lands = [&](int x) { return within(x, a) && within(x + dx, b); };
                test.inside.of[from] = corners([&](int x, int y) {
                    return lands(x) && y + dy >= 0 && y + dy < kSmallBoardRows;
                });
                test.above.of[from] =
                    corners([&](int x, int y) { return lands(x) && y + dy >= kSmallBoardRows; });
                if (dx != 0 || dy != 0 || m.cells[from] != m.cells[to]) m.turns = true;
            }
            // Far above the stack the walls alone decide which test fits.
            for (int x = 0; within(x, a); ++x)
                for (int i = 0; i < tests.count; ++i) {
                    const Cell step = m.test[direction][i].step[from];
                    if (!within(x + step.x, b)) continue;
                    m.margin = std::max<int>(m.margin, -step.y);
                    break;
                }
        }
}

MoveTable motion_of(const Kicks& kicks, Piece piece) {
    const auto& cells_of_piece = kCells[static_cast<std::size_t>(piece)];
    MoveTable m{};
    std::array<Box, kRotations> boxes{};
    for (std::size_t r = 0; r < kRotations; ++r) {
        const Box box = boxes[r] = box_of(cells_of_piece[r]);
        m.centre[r] = {static_cast<std::int8_t>(-box.left), static_cast<std::int8_t>(-box.bottom)};
        for (std::size_t i = 0; i < 4; ++i) {
            const Cell c = cells_of_piece[r][i];
            m.cell_places[i].of[r] =
                static_cast<std::uint64_t>((c.y - box.bottom) * kSmallBoardWidth + c.x - box.left);
            m.cells[r] |= std::uint64_t{1} << m.cell_places[i].of[r];
        }
        m.within_walls.of[r] = corners([&](int x, int) { return within(x, box); });
        for (int height = 0; height <= kSmallBoardRows; ++height)
            m.below_top[height].of[r] =
                corners([&](int, int y) { return y + box.height <= height; });
        m.not_first.of[r] = corners([&](int x, int) { return x != 0; });
        m.not_last.of[r] = corners([&](int x, int) { return x != kSmallBoardWidth - 1; });
    }
    const bool twins = m.cells[0] == m.cells[2] && m.cells[1] == m.cells[3];
    m.looks = !twins ? 4 : m.cells[0] == m.cells[1] ? 1 : 2;
    describe_turns(kicks.table(), piece, boxes, m);

    bool open[kRotations] = {};
    open[static_cast<int>(kicks.spawn(piece))] = true;
    for (int round = 0; round < kRotations; ++round)
        for (int from = 0; from < kRotations; ++from)
            for (int direction = 0; direction < kDirections; ++direction)
                if (open[from] && m.count[direction][from] > 0)
                    open[turned(from, direction)] = true;
    for (int r = 0; r < kRotations; ++r) {
        m.open.of[r] = open[r] ? ~std::uint64_t{0} : 0;
        m.symmetric.of[r] = twins ? ~std::uint64_t{0} : 0;
    }
    return m;
}

}  // namespace

MoveTables::MoveTables(const Kicks& kicks) {
    for (std::size_t p = 0; p < kPieces; ++p) pieces[p] = motion_of(kicks, static_cast<Piece>(p));
}

}  // namespace sevenbag::pc
