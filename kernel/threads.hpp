// Work that falls into independent parts, shared out to threads.
//
// Threads live as long as the work: starting one takes some 20 microseconds, and none is left
// behind to be lost when the process forks.
#pragma once

#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace sevenbag {

inline constexpr int kMaxThreads = 256;

// Calls work(0) to work(count - 1), each in a thread of its own, the last in the caller's; where
// there are not so many threads to be had, the caller does the rest. Returns when all have ended,
// and throws what the first to fail threw.
template <class Work>
void in_threads(int count, Work&& work) {
    std::exception_ptr failure;
    std::mutex failing;
    const auto run = [&](int i) noexcept {
        try {
            work(i);
        } catch (...) {
            const std::lock_guard lock(failing);
            if (!failure) failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;  // joined, however this ends
        if (count > 1) others.reserve(static_cast<std::size_t>(count - 1));
        int i = 0;
        try {
            for (; i + 1 < count; ++i) others.emplace_back(run, i);
        } catch (const std::system_error&) {
            // The machine has no more.
        }
        for (; i < count; ++i) run(i);
    }
    if (failure) std::rethrow_exception(failure);
}

// Calls part(thread, begin, end) for parts of [0, count) that follow one another, as in_threads.
template <class Part>
void in_parts(int count, int threads, Part&& part) {
    const auto bound = [&](int thread) {
        return static_cast<int>(static_cast<std::int64_t>(count) * thread / threads);
    };
    in_threads(threads, [&](int thread) { part(thread, bound(thread), bound(thread + 1)); });
}

}  // namespace sevenbag
