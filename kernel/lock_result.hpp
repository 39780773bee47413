// Lock of a piece, in every kind of game: clear rows, compute and cancel attacks, count statistics.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "attack.hpp"
#include "colored_board.hpp"
#include "garbage.hpp"
#include "piece.hpp"
#include "rules.hpp"

namespace sevenbag {

enum class TopOut : std::uint8_t {
    none,
    block_out,    // the next piece could not appear
    lock_out,     // a piece locked above the visible rows
    garbage_out,  // garbage pushed a filled cell over the top of the board
};

// Clears are counted by lines up to these; a clear of more counts here, too.
inline constexpr int kMaxCountedLines = 5;

// Result of a lock.
struct LockResult {
    Placement placement{};   // with the spin detected by the kernel
    bool from_hold = false;  // the piece was held
    std::uint64_t rows = 0;  // bit y: row y was cleared (before anything moved)
    LineClear clear;
    AttackList attacks;  // before cancelling
    int surge = 0;       // lines of a broken charge among them
    int cancelled = 0;
    AttackList sent;
    std::vector<HoleMask> garbage;  // the rows that entered, in order
    Counters counters;              // after the lock
    std::array<Piece, 2> dealt{};   // pieces that became visible at the end of the queue
    int dealt_count = 0;
    TopOut top_out = TopOut::none;
    int frame = 0;

    // Begins anew with a piece that has been put onto the board.
    void begin(const Placement& placed, int at_frame);
};

struct Stats {
    int pieces = 0;
    int holds = 0;
    int lines = 0;
    std::int64_t attack = 0;     // before cancelling
    std::int64_t cancelled = 0;  // own pending garbage removed by attack
    std::int64_t sent = 0;       // attack left after cancelling
    std::int64_t received = 0;   // lines announced by the other side
    int garbage_entered = 0;     // garbage rows that entered the board
    int garbage_cleared = 0;     // cleared rows that held garbage
    int spins = 0;               // locks with a spin, with or without lines
    int perfect_clears = 0;
    int max_combo = 0;
    int max_back_to_back = 0;
    std::array<std::array<int, kMaxCountedLines + 1>, 3> clears{};  // by spin and lines

    // Count a lock; entered garbage and held pieces are counted elsewhere.
    void count(const LockResult& lock);

    friend bool operator==(const Stats&, const Stats&) = default;
};

// The parts of a game that a lock changes besides the board.
struct AttackContext {
    GarbageQueue& garbage;
    Counters& counters;
    double multiplier;  // in force
    int piece_number;   // of the game, from 1
    int attackers = 0;  // players who target this one
};

// Clear the rows that the lock's placement, which has just been filled in, completes; attack, and
// cancel pending garbage. Return the attack before cancelling.
AttackResult resolve_clear(const Rules& rules, ColoredBoard& colored_board, AttackContext context,
                           LockResult& lock);

}  // namespace sevenbag
