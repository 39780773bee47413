#include "jobs.hpp"

#include <mutex>

#include "threads.hpp"

namespace sevenbag::pc {

void run_jobs(std::int64_t count, int threads, Progress& progress,
              void (*job)(void* context, int thread, std::int64_t index), void* context) {
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr failure;
    std::mutex failing;
    in_threads(threads, [&](int thread) {
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

}  // namespace sevenbag::pc
