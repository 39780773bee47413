// Many small jobs of unequal size, shared out to threads, while others look on.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>

namespace sevenbag::pc {

// Number of boards in one job.
inline constexpr std::int64_t kBoardsPerJob = 4096;

// What long work tells those who wait for it, and hears from them. Any thread may read it, and set
// `stop`, at any time.
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

// Thrown by work that was told to stop.
struct StoppedError : std::exception {
    const char* what() const noexcept override { return "stopped"; }
};

// Calls job(thread, index) for every index of [0, count): each thread takes the next one. What a
// job throws ends the work and is thrown here, and so is Stopped.
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

// The same for blocks of items: job(thread, begin, end).
template <class Job>
void run_blocks(std::int64_t items, std::int64_t block, int threads, Progress& progress,
                Job&& job) {
    run_jobs((items + block - 1) / block, threads, progress, [&](int thread, std::int64_t index) {
        const std::int64_t begin = index * block;
        job(thread, begin, begin + block < items ? begin + block : items);
    });
}

}  // namespace sevenbag::pc
