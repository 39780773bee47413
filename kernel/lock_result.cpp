#include "lock_result.hpp"

#include <algorithm>

namespace sevenbag {

void LockResult::begin(const Placement& placed, int at_frame) {
    placement = placed;
    from_hold = false;
    rows = 0;
    clear = {placed.piece, placed.spin, 0, 0, false};
    attacks = sent = {};
    surge = cancelled = dealt_count = 0;
    garbage.clear();
    top_out = TopOut::none;
    frame = at_frame;
}

void Stats::count(const LockResult& lock) {
    const LineClear& clear = lock.clear;
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
                [static_cast<std::size_t>(std::min(clear.lines, kMaxCountedLines))];
}

AttackResult resolve_clear(const Rules& rules, ColoredBoard& colored_board, AttackContext context,
                           LockResult& lock) {
    lock.clear = colored_board.clear(rules, lock.placement, lock.rows);
    const AttackResult attack =
        compute_attack(rules, lock.clear, context.counters, context.multiplier,
                       context.garbage.random(), context.attackers);
    lock.attacks = attack.attacks;
    lock.surge = attack.surge;
    if (lock.clear.lines == 0) return attack;
    const CancelResult outcome =
        context.garbage.cancel(rules, attack.attacks, context.piece_number);
    if (!attack.withheld) lock.sent = outcome.sent;
    lock.cancelled = outcome.cancelled;
    return attack;
}

}  // namespace sevenbag
