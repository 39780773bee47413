#include "spawn.hpp"

namespace sevenbag {

int find_raised_row(const Rules& rules, const Board& solid, Piece piece, bool cleared) {
    const bool climbs = rules.blocked_spawn == BlockedSpawnRule::clutch && cleared;
    if (!climbs && rules.blocked_spawn != BlockedSpawnRule::raise) return -1;
    const int last = climbs ? rules.rows - 1 : rules.spawn.y + 1;
    for (int y = rules.spawn.y + 1; y <= last; ++y)
        if (fits_at_spawn(rules, solid, piece, y)) return y;
    return -1;
}

bool is_lock_out(const Rules& rules, const Placement& placement) {
    if (rules.lock_out == LockOutRule::none || placement.y + 2 < rules.visible_rows) return false;
    int above = 0;
    for (Cell c : cells_of(placement)) above += c.y >= rules.visible_rows;
    return above >= (rules.lock_out == LockOutRule::whole ? 4 : 1);
}

}  // namespace sevenbag
