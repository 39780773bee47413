// Statistics of TETR.IO beyond those of every game: points, inputs, spikes, powers.
#pragma once

#include <array>
#include <cstdint>

#include "lock_result.hpp"

namespace sevenbag {

struct FrameStats : Stats {
    int inputs = 0;  // keys pressed
    // Lines sent, each attack divided by the attack multiplier and rounded down.
    double sent_unmultiplied = 0;
    std::int64_t points = 0;
    std::int64_t spike = 0;  // lines sent within a second of each other
    int spike_frames = 0;    // until it is over
    std::int64_t max_spike = 0;
    double spike_unmultiplied = 0;  // spike in `sent_unmultiplied`
    double max_spike_unmultiplied = 0;
    int combo_power = 0;                       // largest clear of the combo that is on
    std::array<int, 3> spins_without_lines{};  // by spin: those without cleared lines

    // Count a lock and its points. `own` is the attack of the clear itself.
    void count(const LockResult& lock, int own);
    // Counts the attacks sent at a lock and updates the spike.
    void send(const AttackList& attacks, double multiplier);
    // A frame is over.
    void advance_frame();
};

// Lines of a chain of difficult clears: TETR.IO's "btbpower".
int back_to_back_power(int back_to_back);

}  // namespace sevenbag
