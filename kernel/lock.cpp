#include "lock.hpp"

#include <algorithm>

namespace sevenbag {

void Lock::begin(const Placement& placed, int at_frame) {
    placement = placed;
    held = false;
    rows = 0;
    clear = {placed.piece, placed.spin, 0, 0, false};
    attacks = sent = {};
    released = cancelled = dealt_count = 0;
    garbage.clear();
    top_out = TopOut::none;
    frame = at_frame;
}

void Stats::count(const Lock& lock) {
    const Clear& clear = lock.clear;
    ++pieces;
    lines += clear.lines;
    attack += lock.attacks.total();
    cancelled += lock.cancelled;
    sent += lock.sent.total();
    garbage_cleared += clear.garbage_lines;
    spins += clear.spin != Spin::none;
    perfect_clears += clear.perfect;
    max_combo = std::max(max_combo, lock.counters.combo);
    max_back_to_back = std::max(max_back_to_back, lock.counters.back_to_back);
    if (clear.lines > 0)
        ++clears[static_cast<std::size_t>(clear.spin)]
                [static_cast<std::size_t>(std::min(clear.lines, kCountedLines))];
}

Attack clear_and_send(const Rules& rules, Field& field, Fight fight, Lock& lock) {
    lock.clear = field.clear(rules, lock.placement, lock.rows);
    const Attack attack = attack_of(rules, lock.clear, fight.counters, fight.multiplier,
                                    fight.garbage.random(), fight.attackers);
    lock.attacks = attack.list;
    lock.released = attack.released;
    if (lock.clear.lines == 0) return attack;
    const Outcome outcome = fight.garbage.cancel(rules, attack.list, fight.piece_number);
    if (!attack.withheld) lock.sent = outcome.sent;
    lock.cancelled = outcome.cancelled;
    return attack;
}

}  // namespace sevenbag
