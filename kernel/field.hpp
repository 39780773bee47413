// A board with its colours, and what rules do to both: pieces that lock, rows that are cleared,
// garbage that is pushed in.
#pragma once

#include <cstdint>

#include "attack.hpp"
#include "board.hpp"
#include "garbage.hpp"
#include "grid.hpp"
#include "piece.hpp"
#include "rules.hpp"

namespace sevenbag {

struct ColoredBoard {
    ColoredBoard(int width, int rows) : board(width, rows), grid(width, rows) {}

    Board board;
    ColorGrid grid;

    // Puts the cells of a placement where the rules keep them.
    void fill(const Rules& rules, const Placement& placement) {
        if (!rules.all_solid() || rules.kept_rows < rules.rows)
            return fill_in_part(rules, placement);
        board.fill(placement);
        grid.fill(placement);
    }

    // Removes what the placement that was just filled in clears: rows below its lowest one that
    // bombs blow up, and full rows. Bit y of `rows` is set where row y was removed.
    LineClear clear(const Rules& rules, const Placement& placement, std::uint64_t& rows);

    // Pushes `count` rows in from below at once, filled but for the cells of `open`. Returns
    // whether a filled cell lay where rows are pushed over the top.
    bool push(const Rules& rules, HoleMask open, int count = 1);

  private:
    void fill_in_part(const Rules& rules, const Placement& placement);
};

// What a moving piece collides with: the board without the rows that are not solid.
Board solid_part(const Rules& rules, const Board& board);

}  // namespace sevenbag
