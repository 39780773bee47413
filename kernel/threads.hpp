// Work that falls into independent parts, shared out to threads.
//
// Threads live as long as the work: starting one takes some 20 microseconds, and none is left
// behind to be lost when the process forks.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace sevenbag {

inline constexpr int kMaxThreads = 256;

// Calls work(0) to work(count - 1), each in a thread of its own, the last in the caller's; where
// there are not so many threads to be had, the caller does the rest. Returns when all have ended,
// and throws what the first to fail threw.
void in_threads(int count, void (*work)(void* context, int index), void* context);

template <class Work>
void in_threads(int count, Work&& work) {
    in_threads(
        count,
        [](void* context, int index) {
            (*static_cast<std::remove_reference_t<Work>*>(context))(index);
        },
        std::addressof(work));
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
