// Work that falls into equal, independent items, shared out to threads.
//
// Threads live as long as the work: starting one takes some 20 microseconds, and none is left
// behind to be lost when the process forks.
#pragma once

#include <cstdint>
#include <thread>
#include <vector>

namespace sevenbag {

inline constexpr int kMaxThreads = 256;

// Calls part(thread, begin, end) for parts of [0, count) that follow one another, each in a thread;
// the last in the caller's own. `part` must not throw.
template <class Part>
void in_parts(int count, int threads, Part&& part) {
    const auto bound = [&](int thread) {
        return static_cast<int>(static_cast<std::int64_t>(count) * thread / threads);
    };
    std::vector<std::thread> others;
    for (int thread = 0; thread + 1 < threads; ++thread)
        others.emplace_back([&, thread] { part(thread, bound(thread), bound(thread + 1)); });
    part(threads - 1, bound(threads - 1), count);
    for (std::thread& other : others) other.join();
}

}  // namespace sevenbag
