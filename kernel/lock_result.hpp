// What happens when a piece locks, whatever brought it there: rows are cleared, attacks made and
// cancelled, and all of it counted.
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

// What happened when a piece locked.
struct LockResult {
    Placement placement{};   // with the spin as the kernel judged it
    bool from_hold = false;  // the piece came out of the hold slot
    std::uint64_t rows = 0;  // bit y: row y was cleared (before anything moved)
    LineClear clear;
    AttackList attacks;  // before cancelling
    int surge = 0;       // lines of a broken charge among them
    int cancelled = 0;
    AttackList sent;
    std::vector<HoleMask> garbage;  // the rows that entered, in order
    Counters counters;              // after the lock
    std::array<Piece, 2> dealt{};   // pieces that came into sight at the queue's end
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
    int garbage_entered = 0;     // rows of garbage that came onto the board
    int garbage_cleared = 0;     // cleared rows that held garbage
    int spins = 0;               // locks with a spin, with or without lines
    int perfect_clears = 0;
    int max_combo = 0;
    int max_back_to_back = 0;
    std::array<std::array<int, kMaxCountedLines + 1>, 3> clears{};  // by spin and lines

    // Counts a lock; what enters and what is held is counted where it happens.
    void count(const LockResult& lock);

    friend bool operator==(const Stats&, const Stats&) = default;
};

// What of a game a lock changes besides its board.
struct AttackContext {
    GarbageQueue& garbage;
    Counters& counters;
    double multiplier;  // in force
    int piece_number;   // of the game, from 1
    int attackers = 0;  // players who have chosen this one
};

// Clears the rows that the lock's placement, which has just been filled in, makes full; attacks,
// and cancels what is pending. Returns the attack as it was made.
AttackResult resolve_clear(const Rules& rules, ColoredBoard& field, AttackContext context,
                           LockResult& lock);

}  // namespace sevenbag
