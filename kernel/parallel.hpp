// Run independent parts of work in several threads.
//
// Threads exist only during the work: starting one takes about 20 microseconds, and a thread pool
// would not survive a fork.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>

namespace sevenbag {

inline constexpr int kMaxThreads = 256;

// Call work(0) to work(count - 1), each in its own thread and the last one in the calling thread.
// If the system has no more threads, the calling thread runs the rest. Return when all have ended,
// and rethrow the first exception.
void run_in_threads(int count, void (*work)(void* context, int index), void* context);

template <class Work>
void run_in_threads(int count, Work&& work) {
    run_in_threads(
        count,
        [](void* context, int index) {
            (*static_cast<std::remove_reference_t<Work>*>(context))(index);
        },
        std::addressof(work));
}

// Call part(thread, begin, end) for consecutive parts of [0, count), as run_in_threads does.
template <class Part>
void run_in_parts(int count, int threads, Part&& part) {
    const auto bound = [&](int thread) {
        return static_cast<int>(static_cast<std::int64_t>(count) * thread / threads);
    };
    run_in_threads(threads, [&](int thread) { part(thread, bound(thread), bound(thread + 1)); });
}

// Progress of long work. Any thread may read it and set `stop` at any time.
struct Progress {
    std::atomic<int> stage{0};
    std::atomic<std::int64_t> done{0};  // of `total`, in this stage
    std::atomic<std::int64_t> total{1};
    std::atomic<bool> stop{false};

    void enter(int new_stage, std::int64_t jobs) {
        done.store(0, std::memory_order_relaxed);
        total.store(jobs > 0 ? jobs : 1, std::memory_order_relaxed);
        stage.store(new_stage, std::memory_order_relaxed);
    }
    bool stopped() const { return stop.load(std::memory_order_relaxed); }
};

// Thrown by work that was stopped through `Progress::stop`.
struct StoppedError : std::exception {
    const char* what() const noexcept override { return "stopped"; }
};

// Call job(thread, index) for every index of [0, count); each thread takes the next index. The
// first exception of a job ends the work and is rethrown. Throws StoppedError after a stop.
void run_jobs(std::int64_t count, int threads, Progress& progress,
              void (*job)(void* context, int thread, std::int64_t index), void* context);

template <class Job>
void run_jobs(std::int64_t count, int threads, Progress& progress, Job&& job) {
    run_jobs(
        count, threads, progress,
        [](void* context, int thread, std::int64_t index) {
            (*static_cast<std::remove_reference_t<Job>*>(context))(thread, index);
        },
        std::addressof(job));
}

// Call job(thread, begin, end) for consecutive blocks of items, as run_jobs does.
template <class Job>
void run_blocks(std::int64_t items, std::int64_t block, int threads, Progress& progress,
                Job&& job) {
    run_jobs((items + block - 1) / block, threads, progress, [&](int thread, std::int64_t index) {
        const std::int64_t begin = index * block;
        job(thread, begin, begin + block < items ? begin + block : items);
    });
}

}  // namespace sevenbag
