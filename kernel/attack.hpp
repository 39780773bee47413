// Attack of a line clear: combo and back-to-back counters, and the attacks of one lock.
#pragma once

#include <algorithm>
#include <array>

#include "piece.hpp"
#include "random.hpp"
#include "rules.hpp"

namespace sevenbag {

// Upper limit of the counters; no rule depends on larger values.
inline constexpr int kMaxCounter = 1'000'000;

// State that continues from lock to lock.
struct Counters {
    int combo = 0;         // clears in a row so far
    int back_to_back = 0;  // difficult clears in a row so far

    friend constexpr bool operator==(const Counters&, const Counters&) = default;
};

// Result of a lock on the board.
struct LineClear {
    Piece piece = Piece::T;
    Spin spin = Spin::none;
    int lines = 0;
    int garbage_lines = 0;  // cleared rows that held garbage
    bool perfect = false;

    bool is_difficult() const { return lines > 0 && (spin != Spin::none || lines >= 4); }
};

// The attacks of one lock, in the order they are sent; none is zero.
class AttackList {
  public:
    // Three of a broken charge, the clear, the combo, the perfect clear.
    static constexpr int kMaxItems = 6;

    void add(int lines) {
        if (lines > 0) items_[count_++] = std::min(lines, kMaxAttack);
    }
    int size() const { return count_; }
    int operator[](int i) const { return items_[i]; }
    const int* begin() const { return items_.data(); }
    const int* end() const { return items_.data() + count_; }
    int total() const {
        int sum = 0;
        for (int lines : *this) sum += lines;
        return sum;
    }

  private:
    std::array<int, kMaxItems> items_{};
    int count_ = 0;
};

struct AttackResult {
    AttackList attacks;
    int surge = 0;          // lines of a broken charge; the first of `attacks`
    int clear = 0;          // lines of the clear itself, and of its combo unless that is apart
    bool withheld = false;  // it cancels, but the rest is not sent
};

// The counters after a lock. One without lines ends the combo and leaves the chain alone.
Counters counters_after(const Rules& rules, const LineClear& clear, Counters counters);

// Advance the counters by a lock and compute its attack. `multiplier` is the current one;
// `attackers` is the number of players who target this one; only random rounding draws from
// `random`.
AttackResult compute_attack(const Rules& rules, const LineClear& clear, Counters& counters,
                            double multiplier, MinstdRandom& random, int attackers = 0);

// The lines of a clear with its back-to-back bonus, before the combo; `counters` after the clear.
double compute_base_lines(const Rules& rules, const LineClear& clear, const Counters& counters);

// Return the lines after the combo rule; `counters` after the clear.
double apply_combo(const Rules& rules, double lines, const Counters& counters);

}  // namespace sevenbag
