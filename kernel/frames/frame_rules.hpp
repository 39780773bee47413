// Rules of frame-by-frame games beyond those of games of placements: gravity, lock delay and
// handling. Data only; the defaults are TETR.IO's.
#pragma once

#include <cstdint>

#include "rules.hpp"

namespace sevenbag {

// When a key that is held turns the next piece as it appears, or puts it into hold. Games without
// entry delays, which are all that are played here, have no time in which a tap could count.
enum class InitialAction : std::uint8_t { off, hold, tap };

// Handling of a player. Times are frames and may be fractions.
struct Handling {
    // A soft drop by this factor, or more, falls to the floor within a frame.
    static constexpr double kInstantDrop = 41;

    double das = 10;        // a held key repeats after this long
    double arr = 2;         // and then once in so long; 0 is at once to the wall
    double dcd = 0;         // repeats wait so long after a piece has appeared or turned at a wall
    double soft_drop = 6;   // times the gravity
    bool safe_lock = true;  // no hard drop for a moment after a piece has locked by time
    bool cancel = false;    // releasing one side discharges the other
    bool may_20g = true;    // sliding pieces stay on the floor if a soft drop is fast enough
    InitialAction initial_rotation = InitialAction::off;
    InitialAction initial_hold = InitialAction::off;
};

// The rules of time.
struct FrameRules {
    Growth gravity{.start = 0.02};   // rows a frame
    bool gravity_may_20g = true;     // gravity of more than the board's height a frame is at once
    double lock_time = 30;           // frames a piece may rest
    int lock_resets = 15;            // moves that begin that time anew; then it locks as it lands
    bool infinite_movement = false;  // any number of them
    bool infinite_hold = false;      // hold as often as one likes
    bool hard_drop = true;           // whether the game has a hard drop
    bool sends_attacks = true;       // whether the game has opponents
    bool cancels_in_flight = true;   // attacks that cross on the network cancel out
    bool rounded_heights = true;     // to millionths, since version 19
};

inline constexpr double kMaxFrames = 100000;
inline constexpr double kMaxGravity = 100000;

// Throw Error(rules) for values that the kernel does not support.
void validate(const Handling& handling);
void validate(const FrameRules& rules);

}  // namespace sevenbag
