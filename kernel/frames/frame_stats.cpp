#include "frames/frame_stats.hpp"

#include <algorithm>
#include <cmath>

namespace sevenbag {

namespace {

constexpr int kSpikeFrames = 60;
constexpr int kMaxComboPower = 7;
constexpr int kPointsOfPerfectClear = 3500;
constexpr int kPointsOfCombo = 50;

// By spin, and lines up to four.
constexpr int kPoints[3][5] = {
    {0, 100, 300, 500, 800},
    {100, 200, 400, 600, 2600},
    {400, 800, 1200, 1600, 2600},
};

std::int64_t points_of(const LockResult& lock) {
    const LineClear& clear = lock.clear;
    std::int64_t points = kPoints[static_cast<std::size_t>(clear.spin)][std::min(clear.lines, 4)];
    if (clear.lines > 0) {
        if (lock.counters.back_to_back > 1) points = points * 3 / 2;
        points += std::int64_t{kPointsOfCombo} * (lock.counters.combo - 1);
    }
    if (clear.perfect) points += kPointsOfPerfectClear;
    return points;
}

}  // namespace

void FrameStats::count(const LockResult& lock, int own) {
    Stats::count(lock);
    if (lock.clear.lines == 0) ++spins_without_lines[static_cast<std::size_t>(lock.clear.spin)];
    // The first two clears of a combo have no power.
    combo_power =
        lock.counters.combo < 3 ? 0 : std::min(std::max(combo_power, own), kMaxComboPower);
    points += points_of(lock);
}

void FrameStats::send(const AttackList& attacks, double multiplier) {
    const int lines = attacks.total();
    if (lines == 0) return;
    double unmultiplied = 0;
    for (int attack : attacks) unmultiplied += std::floor(attack / multiplier);
    sent_unmultiplied += unmultiplied;
    spike += lines;
    spike_unmultiplied += unmultiplied;
    spike_frames = kSpikeFrames;
    max_spike = std::max(max_spike, spike);
    max_spike_unmultiplied = std::max(max_spike_unmultiplied, spike_unmultiplied);
}

void FrameStats::advance_frame() {
    if (spike_frames > 0 && --spike_frames == 0) {
        spike = 0;
        spike_unmultiplied = 0;
    }
}

int back_to_back_power(int back_to_back) {
    const int b = back_to_back - 1;
    return b > 0 ? static_cast<int>(std::floor(1 + std::log1p(0.8 * b))) : 0;
}

}  // namespace sevenbag
