// Stop conditions of a search: a flag set from any thread, a deadline.
#pragma once

#include <atomic>
#include <chrono>

namespace sevenbag::bind {

struct StopFlag {
    std::atomic<bool> value{false};
};

struct Deadline {
    using Clock = std::chrono::steady_clock;

    Clock::time_point begun = Clock::now();
    double seconds;

    // The part of the time that is spent; past the deadline more than 1.
    double spent() const {
        const std::chrono::duration<double> passed = Clock::now() - begun;
        return passed.count() / seconds;
    }
};

}  // namespace sevenbag::bind
