#include "pc/many.hpp"

#include <algorithm>
#include <atomic>

#include "threads.hpp"

namespace sevenbag::pc {

std::vector<SolveStatus> solve_queues(const Kicks& kicks, const SolveRequest& request,
                                      std::span<const std::vector<Piece>> queues, int threads) {
    // Queues take very different times: threads fetch some at a time.
    constexpr std::size_t kAtATime = 16;
    std::vector<SolveStatus> reasons(queues.size(), SolveStatus::stopped);
    for (const std::vector<Piece>& queue : queues) {
        SolveRequest one = request;
        one.pieces = queue;
        validate_request(one);  // raises before any thread begins
    }
    std::atomic<std::size_t> next{0};
    const int parts = static_cast<int>(
        std::min<std::size_t>(static_cast<std::size_t>(std::clamp(threads, 1, kMaxThreads)),
                              queues.size() / kAtATime + 1));
    in_parts(parts, parts, [&](int, int, int) {
        Solver solver(kicks);
        SolveRequest one = request;
        for (;;) {
            const std::size_t begin = next.fetch_add(kAtATime);
            for (std::size_t i = begin; i < std::min(begin + kAtATime, queues.size()); ++i) {
                if (request.stop && request.stop(request.context)) return;
                one.pieces = queues[i];
                reasons[i] = solver.solve(one).reason;
            }
            if (begin + kAtATime >= queues.size()) return;
        }
    });
    return reasons;
}

}  // namespace sevenbag::pc
