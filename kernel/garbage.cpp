#include "garbage.hpp"

#include <algorithm>

namespace sevenbag {

GarbageQueue::GarbageQueue(const Rules& rules, std::int64_t seed)
    : random_(seed), width_(rules.width) {}

void GarbageQueue::receive(const Rules& rules, int lines, int frame, int hole) {
    const int travel_start = rules.travel_unit == TravelUnit::frames ? frame : 0;
    add_attack(rules, {lines, travel_start, hole, hole >= 0});
}

void GarbageQueue::announce(const Rules& rules, AttackId attack_id, int lines, int hole) {
    add_attack(rules, {lines, PendingAttack::kUnconfirmed, hole, hole >= 0, attack_id});
}

int GarbageQueue::confirm(const Rules& rules, AttackId attack_id, int frame) {
    int lines = 0;
    for (PendingAttack& pending_attack : pending_)
        if (pending_attack.travel_start == PendingAttack::kUnconfirmed &&
            pending_attack.attack_id == attack_id) {
            pending_attack.travel_start = rules.travel_unit == TravelUnit::frames ? frame : 0;
            lines += pending_attack.lines;
        }
    return lines;
}

CancelResult GarbageQueue::cancel(const Rules& rules, const AttackList& attacks, int piece_number) {
    CancelResult outcome;
    std::size_t used_up = 0;
    bool cancelling = rules.cancels();
    for (int attack : attacks) {
        if (!cancelling) {
            outcome.sent.add(attack);
            continue;
        }
        int paid = attack;
        int free = 0;
        if (piece_number <= rules.opener_pieces && lines_ >= sent_) free = attack;
        while (paid + free > 0 && used_up < pending_.size()) {
            PendingAttack& pending_attack = pending_[used_up];
            const int lines = std::min(pending_attack.lines, paid + free);
            pending_attack.lines -= lines;
            lines_ -= lines;
            outcome.cancelled += lines;
            free -= std::max(0, lines - paid);
            paid -= std::min(lines, paid);
            if (pending_attack.lines == 0) {
                ++used_up;
                if (rules.holes == HolePattern::attacks) finish_attack(rules, pending_attack);
            }
        }
        if (paid > 0) {
            outcome.sent.add(paid);
            sent_ += paid;
            // Nothing is left to cancel: the remaining attacks are sent whole and not counted by
            // the opener rule.
            cancelling = false;
        }
    }
    remove_consumed(used_up);
    return outcome;
}

void GarbageQueue::enter(const Rules& rules, int frame, LockCause how, int cap,
                         std::vector<HoleMask>& rows) {
    rows.clear();
    if (pending_.empty()) return;
    auto earlier = [](const PendingAttack& a, const PendingAttack& b) {
        return a.travel_start < b.travel_start;
    };
    if (rules.travel_unit == TravelUnit::frames &&
        !std::is_sorted(pending_.begin(), pending_.end(), earlier))
        std::stable_sort(pending_.begin(), pending_.end(), earlier);
    if (rules.hole_timeout > 0 && frame >= rules.hole_timeout) {
        draw_column(rules, rules.hole_other);
        changed_ = true;
    }

    std::size_t used_up = 0;
    const int latest = how == LockCause::hard_drop ? frame : frame - 1;
    for (int row = 0; row < cap && used_up < pending_.size(); ++row) {
        PendingAttack& pending_attack = pending_[used_up];
        if (!has_arrived(rules, pending_attack, latest)) break;
        rows.push_back(next_row(rules, pending_attack, row == 0));
        --lines_;
        if (--pending_attack.lines == 0) {
            ++used_up;
            finish_attack(rules, pending_attack);
        }
    }
    remove_consumed(used_up);
}

void GarbageQueue::count_lock(const Rules& rules) {
    if (rules.travel_unit != TravelUnit::own_locks) return;
    for (PendingAttack& pending_attack : pending_)
        if (pending_attack.travel_start < rules.travel) ++pending_attack.travel_start;
}

void GarbageQueue::add_attack(const Rules& rules, PendingAttack pending_attack) {
    if (pending_attack.lines <= 0) return;
    if (rules.holes != HolePattern::sent || pending_attack.hole_given) {
        append(rules, pending_attack);
        return;
    }
    // Every row has its hole now; equal holes stay together.
    const int lines = pending_attack.lines;
    draw_column(rules, false);
    pending_attack.lines = 1;
    pending_attack.hole = column_;
    for (int line = 1; line < lines; ++line) {
        if (random_.fraction() < rules.hole_inner) draw_column(rules, rules.hole_other);
        if (column_ == pending_attack.hole) {
            ++pending_attack.lines;
            continue;
        }
        append(rules, pending_attack);
        pending_attack.lines = 1;
        pending_attack.hole = column_;
    }
    append(rules, pending_attack);
}

void GarbageQueue::append(const Rules& rules, PendingAttack pending_attack) {
    pending_attack.lines = std::min(pending_attack.lines, kMaxPending - lines_);
    pending_.push_back(pending_attack);
    lines_ += pending_attack.lines;
    trim(rules.absolute_cap > 0 ? rules.absolute_cap : kMaxPending);
}

// Remove the latest lines until at most `max` are pending.
void GarbageQueue::trim(int max) {
    while (!pending_.empty() && (lines_ > max || pending_.back().lines == 0)) {
        PendingAttack& last = pending_.back();
        const int lines = std::min(last.lines, lines_ - max);
        last.lines -= lines;
        lines_ -= lines;
        if (last.lines == 0) pending_.pop_back();
    }
}

bool GarbageQueue::has_arrived(const Rules& rules, const PendingAttack& pending_attack,
                               int frame) const {
    if (pending_attack.travel_start == PendingAttack::kUnconfirmed) return false;
    if (rules.blocking == GarbageBlocking::instant) return true;
    if (rules.travel_unit == TravelUnit::own_locks)
        return pending_attack.travel_start >= rules.travel;
    return pending_attack.travel_start + rules.travel <= frame;
}

HoleMask GarbageQueue::next_row(const Rules& rules, PendingAttack& pending_attack,
                                bool first_of_entry) {
    if (pending_attack.hole_given) return hole_row(rules, pending_attack.hole);
    switch (rules.holes) {
        case HolePattern::attacks:
        case HolePattern::attacks_old: {
            // The value is drawn even right after a change: the draws are part of the meaning of a
            // seed.
            const bool change = column_ < 0 || random_.fraction() < rules.hole_inner;
            if (change && !changed_) draw_column(rules, rules.hole_other);
            changed_ = false;
            break;
        }
        case HolePattern::entries:
            if (first_of_entry) draw_column(rules, false);
            if (random_.fraction() < rules.hole_inner) draw_column(rules, rules.hole_other);
            break;
        case HolePattern::rounded: {
            const double chance = pending_attack.hole < 0 ? rules.hole_change : rules.hole_inner;
            if (column_ < 0 || random_.fraction() < chance)
                column_ = static_cast<int>(random_.fraction() * (width_ - rules.hole_size) + 0.5);
            pending_attack.hole = column_;
            break;
        }
        case HolePattern::sent:
            return hole_row(rules, pending_attack.hole);
        case HolePattern::random_cells:
            return draw_random_row();
    }
    return hole_row(rules, column_);
}

HoleMask GarbageQueue::draw_random_row() {
    // A row without any hole is tossed again.
    HoleMask row = 0;
    while (row == 0)
        for (int x = 0; x < width_; ++x)
            row = static_cast<HoleMask>(row | (random_.fraction() < 0.5) << x);
    return row;
}

HoleMask GarbageQueue::hole_row(const Rules& rules, int column) const {
    const unsigned full = (1u << width_) - 1;
    return static_cast<HoleMask>(((1u << rules.hole_size) - 1) << column & full);
}

void GarbageQueue::finish_attack(const Rules& rules, const PendingAttack& pending_attack) {
    if (pending_attack.hole_given) return;
    if (rules.holes != HolePattern::attacks && rules.holes != HolePattern::attacks_old) return;
    if (random_.fraction() < rules.hole_change) {
        draw_column(rules, rules.hole_other);
        changed_ = rules.holes == HolePattern::attacks;
    }
}

void GarbageQueue::remove_consumed(std::size_t count) {
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
}

void GarbageQueue::draw_column(const Rules& rules, bool other) {
    const int margin = rules.hole_centred ? (width_ + 2) / 5 : 0;  // a fifth, to the nearest
    const int columns = width_ - (rules.hole_size - 1) - 2 * margin;
    if (other && column_ >= 0) {
        int column = margin + random_.below(columns - 1);
        if (column >= column_) ++column;
        column_ = column;
    } else {
        column_ = margin + random_.below(columns);
    }
}

}  // namespace sevenbag
