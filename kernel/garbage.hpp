// Garbage queue: incoming attacks, cancelling, and the holes of rows that enter.
//
// There is no clock here: the caller passes frames. A game of placements receives attacks that are
// already travelling (`receive`). In a networked game attacks are announced first and confirmed
// when they start to travel (`announce`, `confirm`).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "attack.hpp"
#include "random.hpp"
#include "rules.hpp"

namespace sevenbag {

// Identifies an attack by its sender and the sender's attack count.
struct AttackId {
    int sender = 0;
    int number = 0;

    friend constexpr bool operator==(const AttackId&, const AttackId&) = default;
};

// One incoming attack, or the rest of it.
struct PendingAttack {
    // Announced, but it has not set out.
    static constexpr int kUnconfirmed = std::numeric_limits<int>::max();

    int lines;
    int travel_start;  // the frame it set out at, or own locks waited so far, by Rules::travel_unit
    int hole = -1;     // the column of all its rows, once it is known
    bool hole_given = false;  // the hole was sent with the attack; none is drawn
    AttackId attack_id{};
};

// Result of cancelling a lock's attacks.
struct CancelResult {
    AttackList sent;    // rest of each after cancelling
    int cancelled = 0;  // pending lines removed
};

// Cause of a lock: a key or the lock timer. Garbage that arrives in the very frame in which the
// timer expires is too late.
enum class LockCause : std::uint8_t { hard_drop, timeout };

// The open cells of a garbage row: bit x is column x. With bombs these cells are bombs.
using HoleMask = std::uint16_t;

class GarbageQueue {
  public:
    // Maximum number of lines in a queue, for all rules.
    static constexpr int kMaxPending = 1'000'000'000;

    GarbageQueue(const Rules& rules, std::int64_t seed);

    // Add an attack sent at `frame`. `hole` is the column sent with it, or -1.
    void receive(const Rules& rules, int lines, int frame, int hole = -1);

    // An attack is made known; it waits, and can be cancelled, but does not travel.
    void announce(const Rules& rules, AttackId attack_id, int lines, int hole = -1);

    // An announced attack sets out at `frame`. Returns the lines that are left of it.
    int confirm(const Rules& rules, AttackId attack_id, int frame);

    // Removes pending lines by the attacks of a clearing lock, the `piece_number`th of the game
    // (from 1).
    CancelResult cancel(const Rules& rules, const AttackList& attacks, int piece_number);

    // Replaces `rows` by the rows that enter at a lock at `frame`, in the order they are pushed in;
    // at most `cap`.
    void enter(const Rules& rules, int frame, LockCause how, int cap, std::vector<HoleMask>& rows);

    // Counts a lock at which garbage might have entered, for travel in own locks.
    void count_lock(const Rules& rules);

    const std::vector<PendingAttack>& pending() const { return pending_; }
    int pending_lines() const { return lines_; }

    // The stream that random rounding shares with the holes.
    MinstdRandom& random() { return random_; }

  private:
    void add_attack(const Rules& rules, PendingAttack pending_attack);
    void append(const Rules& rules, PendingAttack pending_attack);
    void trim(int max);
    bool has_arrived(const Rules& rules, const PendingAttack& pending_attack, int frame) const;
    HoleMask next_row(const Rules& rules, PendingAttack& pending_attack, bool first_of_entry);
    HoleMask draw_random_row();
    HoleMask hole_row(const Rules& rules, int column) const;
    void finish_attack(const Rules& rules, const PendingAttack& pending_attack);
    void remove_consumed(std::size_t count);
    void draw_column(const Rules& rules, bool other);

    std::vector<PendingAttack> pending_;
    MinstdRandom random_;
    int width_;
    int lines_ = 0;          // of all batches
    int column_ = -1;        // of the last row; -1 before the first
    bool changed_ = false;   // the column was drawn anew and not used yet
    std::int64_t sent_ = 0;  // lines sent so far, as the opener rule counts them
};

}  // namespace sevenbag
