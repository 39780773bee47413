#include "threads.hpp"

#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace sevenbag {

void in_threads(int count, void (*work)(void* context, int index), void* context) {
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

}  // namespace sevenbag
