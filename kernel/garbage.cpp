#include "garbage.hpp"

#include <algorithm>

namespace sevenbag {

GarbageQueue::GarbageQueue(const Rules& rules, std::int64_t seed)
    : random_(seed), width_(rules.width) {}

void GarbageQueue::receive(const Rules& rules, int lines, int frame) {
    if (lines <= 0) return;
    const int since = rules.travel_unit == Travel::frames ? frame : 0;
    if (rules.holes != Holes::sent) {
        batches_.push_back({lines, since});
        return;
    }
    // Rows with the same hole stay together.
    draw_column(false, rules.hole_centred);
    batches_.push_back({1, since, column_});
    for (int line = 1; line < lines; ++line) {
        if (random_.fraction() < rules.hole_inner)
            draw_column(rules.hole_other, rules.hole_centred);
        if (column_ == batches_.back().hole)
            ++batches_.back().lines;
        else
            batches_.push_back({1, since, column_});
    }
}

Outcome GarbageQueue::cancel(const Rules& rules, const AttackList& attacks, int piece_number) {
    Outcome outcome;
    std::size_t used_up = 0;
    bool cancelling = rules.cancelling;
    for (int attack : attacks) {
        if (!cancelling) {
            outcome.sent.add(attack);
            continue;
        }
        int paid = attack;
        int free = 0;
        if (piece_number <= rules.opener_pieces && pending_lines() >= sent_) free = attack;
        while (paid + free > 0 && used_up < batches_.size()) {
            Batch& batch = batches_[used_up];
            const int lines = std::min(batch.lines, paid + free);
            batch.lines -= lines;
            outcome.cancelled += lines;
            free -= std::max(0, lines - paid);
            paid -= std::min(lines, paid);
            if (batch.lines == 0) {
                ++used_up;
                end_batch(rules);
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
    batches_.erase(batches_.begin(), batches_.begin() + static_cast<std::ptrdiff_t>(used_up));
    return outcome;
}

void GarbageQueue::enter(const Rules& rules, int frame, int cap, std::vector<std::uint8_t>& holes) {
    holes.clear();
    auto earlier = [](const Batch& a, const Batch& b) { return a.since < b.since; };
    if (rules.travel_unit == Travel::frames &&
        !std::is_sorted(batches_.begin(), batches_.end(), earlier))
        std::stable_sort(batches_.begin(), batches_.end(), earlier);

    std::size_t used_up = 0;
    for (int row = 0; row < cap && used_up < batches_.size(); ++row) {
        Batch& batch = batches_[used_up];
        if (!arrived(rules, batch, frame)) break;
        holes.push_back(static_cast<std::uint8_t>(next_hole(rules, batch, row == 0)));
        if (--batch.lines == 0) {
            ++used_up;
            end_batch(rules);
        }
    }
    batches_.erase(batches_.begin(), batches_.begin() + static_cast<std::ptrdiff_t>(used_up));
}

void GarbageQueue::count_lock(const Rules& rules) {
    if (rules.travel_unit != Travel::own_locks) return;
    for (Batch& batch : batches_) ++batch.since;
}

int GarbageQueue::pending_lines() const {
    int lines = 0;
    for (const Batch& batch : batches_) lines += batch.lines;
    return lines;
}

bool GarbageQueue::arrived(const Rules& rules, const Batch& batch, int frame) const {
    if (rules.travel_unit == Travel::own_locks) return batch.since >= rules.travel;
    return batch.since + rules.travel <= frame;
}

int GarbageQueue::next_hole(const Rules& rules, Batch& batch, bool first_of_entry) {
    switch (rules.holes) {
        case Holes::attacks: {
            // The draw is made even where a change has just been made: part of what a seed means.
            const bool change = column_ < 0 || random_.fraction() < rules.hole_inner;
            if (change && !changed_) draw_column(rules.hole_other, rules.hole_centred);
            changed_ = false;
            break;
        }
        case Holes::entries:
            if (first_of_entry) draw_column(false, rules.hole_centred);
            if (random_.fraction() < rules.hole_inner)
                draw_column(rules.hole_other, rules.hole_centred);
            break;
        case Holes::rounded:
            if (batch.hole < 0)
                batch.hole = static_cast<int>(random_.fraction() * (width_ - 1) + 0.5);
            return batch.hole;
        case Holes::sent:
            return batch.hole;
    }
    return column_;
}

void GarbageQueue::end_batch(const Rules& rules) {
    if (rules.holes != Holes::attacks) return;
    if (random_.fraction() < rules.hole_change) {
        draw_column(rules.hole_other, rules.hole_centred);
        changed_ = true;
    }
}

void GarbageQueue::draw_column(bool other, bool centred) {
    const int margin = centred ? (width_ + 2) / 5 : 0;  // a fifth, rounded to the nearest
    const int columns = width_ - 2 * margin;
    if (other && column_ >= 0) {
        int column = margin + random_.below(columns - 1);
        if (column >= column_) ++column;
        column_ = column;
    } else {
        column_ = margin + random_.below(columns);
    }
}

}  // namespace sevenbag
