// Spawn positions, block out and lock out.
#pragma once

#include <optional>

#include "board.hpp"
#include "movegen.hpp"
#include "piece.hpp"
#include "rules.hpp"

namespace sevenbag {

inline bool fits_at_spawn(const Rules& rules, const Board& board, Piece piece, int y) {
    return board.fits(rules.kicks.appear(piece, rules.spawn.x, y));
}

// The row to which a blocked piece is raised; -1 if it is not raised.
int find_raised_row(const Rules& rules, const Board& solid, Piece piece, bool cleared);

// The spawn position of a piece; none for a block out. `solid` is the board that moving pieces
// collide with; `cleared` is whether the last lock cleared rows.
inline std::optional<Spawn> spawn_of(const Rules& rules, const Board& board, const Board& solid,
                                     Piece piece, bool cleared) {
    int y = rules.spawn.y;
    if (fits_at_spawn(rules, solid, piece, y)) {
        for (int i = 0; i < rules.spawn_drop && fits_at_spawn(rules, solid, piece, y - 1); ++i) --y;
    } else {
        y = find_raised_row(rules, solid, piece, cleared);
        if (y < 0) return std::nullopt;
    }
    // It is not raised above rows that are not solid, but must not overlap them either.
    if (!rules.all_solid() && !fits_at_spawn(rules, board, piece, y)) return std::nullopt;
    return Spawn{rules.spawn.x, static_cast<std::int8_t>(y)};
}

// Return whether a lock there loses the game.
bool is_lock_out(const Rules& rules, const Placement& placement);

}  // namespace sevenbag
