#include "parallel.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace sevenbag {

void run_in_threads(int count, void (*work)(void* context, int index), void* context) {
    std::exception_ptr failure;
    std::mutex failing;
    const auto run = [&](int i) noexcept {
        try {
            work(context, i);
        } catch (...) {
            const std::lock_guard lock(failing);
            if (!failure) failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;  // joined on every exit path
        if (count > 1) others.reserve(static_cast<std::size_t>(count - 1));
        int i = 0;
        try {
            for (; i + 1 < count; ++i) others.emplace_back(run, i);
        } catch (const std::system_error&) {
            // No more threads available; the caller runs the rest.
        }
        for (; i < count; ++i) run(i);
    }
    if (failure) std::rethrow_exception(failure);
}

void run_jobs(std::int64_t count, int threads, Progress& progress,
              void (*job)(void* context, int thread, std::int64_t index), void* context) {
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr failure;
    std::mutex failing;
    run_in_threads(threads, [&](int thread) {
        try {
            while (!progress.stopped() && !failed.load(std::memory_order_relaxed)) {
                const std::int64_t index = next.fetch_add(1, std::memory_order_relaxed);
                if (index >= count) return;
                job(context, thread, index);
                progress.done.fetch_add(1, std::memory_order_relaxed);
            }
        } catch (...) {
            const std::lock_guard<std::mutex> alone(failing);
            if (!failure) failure = std::current_exception();
            failed.store(true, std::memory_order_relaxed);
        }
    });
    if (failure) std::rethrow_exception(failure);
    if (progress.stopped()) throw StoppedError();
}

}  // namespace sevenbag
