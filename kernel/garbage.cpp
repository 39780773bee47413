#include "garbage.hpp"

#include <algorithm>

namespace sevenbag {

GarbageQueue::GarbageQueue(const Rules& rules, std::int64_t seed)
    : random_(seed), width_(rules.width) {}

void GarbageQueue::receive(const Rules& rules, int lines, int frame, int hole) {
    const int since = rules.travel_unit == Travel::frames ? frame : 0;
    take_in(rules, {lines, since, hole, hole >= 0});
}

void GarbageQueue::announce(const Rules& rules, Ticket ticket, int lines, int hole) {
    take_in(rules, {lines, Batch::kUnconfirmed, hole, hole >= 0, ticket});
}

int GarbageQueue::confirm(const Rules& rules, Ticket ticket, int frame) {
    int lines = 0;
    for (Batch& batch : batches_)
        if (batch.since == Batch::kUnconfirmed && batch.ticket == ticket) {
            batch.since = rules.travel_unit == Travel::frames ? frame : 0;
            lines += batch.lines;
        }
    return lines;
}

Outcome GarbageQueue::cancel(const Rules& rules, const AttackList& attacks, int piece_number) {
    Outcome outcome;
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
        while (paid + free > 0 && used_up < batches_.size()) {
            Batch& batch = batches_[used_up];
            const int lines = std::min(batch.lines, paid + free);
            batch.lines -= lines;
            lines_ -= lines;
            outcome.cancelled += lines;
            free -= std::max(0, lines - paid);
            paid -= std::min(lines, paid);
            if (batch.lines == 0) {
                ++used_up;
                if (rules.holes == Holes::attacks) end_batch(rules, batch);
            }
        }
        if (paid > 0) {
            outcome.sent.add(paid);
            sent_ += paid;
            // Nothing is left to cancel, so what follows is sent whole; the opener rule does not
            // count it.
            cancelling = false;
        }
    }
    remove_used_up(used_up);
    return outcome;
}

void GarbageQueue::enter(const Rules& rules, int frame, LockedBy how, int cap,
                         std::vector<Holed>& rows) {
    rows.clear();
    if (batches_.empty()) return;
    auto earlier = [](const Batch& a, const Batch& b) { return a.since < b.since; };
    if (rules.travel_unit == Travel::frames &&
        !std::is_sorted(batches_.begin(), batches_.end(), earlier))
        std::stable_sort(batches_.begin(), batches_.end(), earlier);
    if (rules.hole_timeout > 0 && frame >= rules.hole_timeout) {
        draw_column(rules, rules.hole_other);
        changed_ = true;
    }

    std::size_t used_up = 0;
    const int latest = how == LockedBy::drop ? frame : frame - 1;
    for (int row = 0; row < cap && used_up < batches_.size(); ++row) {
        Batch& batch = batches_[used_up];
        if (!arrived(rules, batch, latest)) break;
        rows.push_back(next_row(rules, batch, row == 0));
        --lines_;
        if (--batch.lines == 0) {
            ++used_up;
            end_batch(rules, batch);
        }
    }
    remove_used_up(used_up);
}

void GarbageQueue::count_lock(const Rules& rules) {
    if (rules.travel_unit != Travel::own_locks) return;
    for (Batch& batch : batches_)
        if (batch.since < rules.travel) ++batch.since;
}

void GarbageQueue::take_in(const Rules& rules, Batch batch) {
    if (batch.lines <= 0) return;
    if (rules.holes != Holes::sent || batch.told) {
        append(rules, batch);
        return;
    }
    // Every row has its hole now; those with the same one stay together.
    const int lines = batch.lines;
    draw_column(rules, false);
    batch.lines = 1;
    batch.hole = column_;
    for (int line = 1; line < lines; ++line) {
        if (random_.fraction() < rules.hole_inner) draw_column(rules, rules.hole_other);
        if (column_ == batch.hole) {
            ++batch.lines;
            continue;
        }
        append(rules, batch);
        batch.lines = 1;
        batch.hole = column_;
    }
    append(rules, batch);
}

void GarbageQueue::append(const Rules& rules, Batch batch) {
    batch.lines = std::min(batch.lines, kMostPending - lines_);
    batches_.push_back(batch);
    lines_ += batch.lines;
    trim(rules.absolute_cap > 0 ? rules.absolute_cap : kMostPending);
}

// Takes lines off the tail until no more than so many wait.
void GarbageQueue::trim(int most) {
    while (!batches_.empty() && (lines_ > most || batches_.back().lines == 0)) {
        Batch& last = batches_.back();
        const int lines = std::min(last.lines, lines_ - most);
        last.lines -= lines;
        lines_ -= lines;
        if (last.lines == 0) batches_.pop_back();
    }
}

bool GarbageQueue::arrived(const Rules& rules, const Batch& batch, int frame) const {
    if (batch.since == Batch::kUnconfirmed) return false;
    if (rules.blocking == Blocking::instant) return true;
    if (rules.travel_unit == Travel::own_locks) return batch.since >= rules.travel;
    return batch.since + rules.travel <= frame;
}

Holed GarbageQueue::next_row(const Rules& rules, Batch& batch, bool first_of_entry) {
    if (batch.told) return row_of(rules, batch.hole);
    switch (rules.holes) {
        case Holes::attacks:
        case Holes::attacks_old: {
            // The draw is made even where a change has just been made: part of what a seed means.
            const bool change = column_ < 0 || random_.fraction() < rules.hole_inner;
            if (change && !changed_) draw_column(rules, rules.hole_other);
            changed_ = false;
            break;
        }
        case Holes::entries:
            if (first_of_entry) draw_column(rules, false);
            if (random_.fraction() < rules.hole_inner) draw_column(rules, rules.hole_other);
            break;
        case Holes::rounded: {
            const double chance = batch.hole < 0 ? rules.hole_change : rules.hole_inner;
            if (column_ < 0 || random_.fraction() < chance)
                column_ = static_cast<int>(random_.fraction() * (width_ - rules.hole_size) + 0.5);
            batch.hole = column_;
            break;
        }
        case Holes::sent:
            return row_of(rules, batch.hole);
        case Holes::coins:
            return tossed_row();
    }
    return row_of(rules, column_);
}

Holed GarbageQueue::tossed_row() {
    // A row without any hole is tossed again.
    Holed row = 0;
    while (row == 0)
        for (int x = 0; x < width_; ++x)
            row = static_cast<Holed>(row | (random_.fraction() < 0.5) << x);
    return row;
}

Holed GarbageQueue::row_of(const Rules& rules, int column) const {
    const unsigned full = (1u << width_) - 1;
    return static_cast<Holed>(((1u << rules.hole_size) - 1) << column & full);
}

void GarbageQueue::end_batch(const Rules& rules, const Batch& batch) {
    if (batch.told) return;
    if (rules.holes != Holes::attacks && rules.holes != Holes::attacks_old) return;
    if (random_.fraction() < rules.hole_change) {
        draw_column(rules, rules.hole_other);
        changed_ = rules.holes == Holes::attacks;
    }
}

void GarbageQueue::remove_used_up(std::size_t count) {
    batches_.erase(batches_.begin(), batches_.begin() + static_cast<std::ptrdiff_t>(count));
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
