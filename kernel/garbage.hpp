// Garbage on its way: the queue of incoming attacks, cancelling, and the holes of rows that enter.
#pragma once

#include <cstdint>
#include <vector>

#include "attack.hpp"
#include "random.hpp"
#include "rules.hpp"

namespace sevenbag {

// One incoming attack, or what is left of it.
struct Batch {
    int lines;
    int since;      // the frame it set out at, or own locks waited so far, by Rules::travel_unit
    int hole = -1;  // where all its rows have one, and it has been drawn
};

// What became of a lock's attacks.
struct Outcome {
    AttackList sent;    // what is left of each after cancelling
    int cancelled = 0;  // pending lines removed
};

class GarbageQueue {
  public:
    GarbageQueue(const Rules& rules, std::int64_t seed);

    // An attack sets out at `frame`.
    void receive(const Rules& rules, int lines, int frame);

    // Removes pending lines by the attacks of a clearing lock, the `piece_number`th of the game
    // (from 1).
    Outcome cancel(const Rules& rules, const AttackList& attacks, int piece_number);

    // Replaces `holes` by the columns of the rows that enter at a lock at `frame`, in the order
    // they are pushed in; at most `cap`.
    void enter(const Rules& rules, int frame, int cap, std::vector<std::uint8_t>& holes);

    // Counts a lock at which garbage might have entered, for travel in own locks.
    void count_lock(const Rules& rules);

    const std::vector<Batch>& pending() const { return batches_; }
    int pending_lines() const;

    // The stream that random rounding shares with the holes.
    Random& random() { return random_; }

  private:
    bool arrived(const Rules& rules, const Batch& batch, int frame) const;
    int next_hole(const Rules& rules, Batch& batch, bool first_of_entry);
    void end_batch(const Rules& rules);
    void draw_column(bool other, bool centred);

    std::vector<Batch> batches_;
    Random random_;
    int width_;
    int column_ = -1;       // of the last row; -1 before the first
    bool changed_ = false;  // the column was drawn anew and not used yet
    int sent_ = 0;          // lines sent so far, as the opener rule counts them
};

}  // namespace sevenbag
