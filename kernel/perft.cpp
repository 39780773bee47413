#include "perft.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "movegen_isa.hpp"
#include "parallel.hpp"

namespace sevenbag {

namespace {

struct PerftTask {
    std::span<const Piece> queue;
    const Kicks& kicks;
    Spawn spawn;
    SpinRules spins;
    int rows;  // of the boards
    const bool* stop;

    bool stopped() const { return __atomic_load_n(stop, __ATOMIC_RELAXED); }
};

constexpr bool kNever = false;

// One placement at a time, with the general rules: right for every board.
std::uint64_t count_generic(const PerftTask& task, const Board& board, std::size_t ply) {
    const auto list = std::make_unique<PlacementList>();
    generate_placements(board, task.queue[ply], task.kicks, task.spawn, task.spins, *list);
    if (ply + 1 == task.queue.size()) return static_cast<std::uint64_t>(list->size());
    std::uint64_t leaves = 0;
    for (const Placement& placement : *list) {
        if (task.stopped()) break;
        Board next = board;
        next.fill(placement);
        next.clear_rows();
        leaves += count_generic(task, next, ply + 1);
    }
    return leaves;
}

Board unpack(const std::uint64_t* words, int rows) {
    Board board(10, rows);
    for (int y = 0; y < 18 && y < rows; ++y)
        board.set_row(y, static_cast<std::uint32_t>(words[y / 6] >> (y % 6 * 10)) & 0x3ff);
    return board;
}

// Boards with `depth` pieces placed.
void expand(const PerftTask& task, const Board& board, std::size_t ply, std::size_t depth,
            std::vector<Board>& out) {
    if (ply == depth) {
        out.push_back(board);
        return;
    }
    std::vector<Placement> list;
    generate_placements(board, task.queue[ply], task.kicks, task.spawn, task.spins, list);
    for (const Placement& placement : list) {
        Board next = board;
        next.fill(placement);
        next.clear_rows();
        expand(task, next, ply + 1, depth, out);
    }
}

bool has_fast_path(const PerftTask& task) {
    return std::all_of(task.queue.begin(), task.queue.end(), [&](Piece piece) {
        return sevenbag::has_fast_path(spin_rule(task.spins, piece), piece);
    });
}

bool has_full_row(const Board& board) {
    for (int y = 0; y < board.height(); ++y)
        if (board.row(y) == board.full_row()) return true;
    return false;
}

std::uint64_t count(const PerftTask& task, const Board& board, std::size_t ply) {
    const FastSystem system = fast_system(board, task.kicks);
    // The multi-ISA code has 18 rows, its boards must not reach the top, and it looks for full rows
    // only in the rows of a placement.
    if (system == FastSystem::none || has_full_row(board) || task.queue.size() > kMaxFastPlies ||
        board.height() > 14 || task.rows < 24 || task.spawn.y + 4 > task.rows || task.spawn.x < 1 ||
        task.spawn.x > 7 || !has_fast_path(task))
        return count_generic(task, board, ply);
    const std::uint64_t words[1][3] = {{board.words()[0], board.words()[1], board.words()[2]}};
    struct Context {
        const PerftTask& task;
        std::size_t first;
    } context{task, ply};
    const PerftJob job{words,
                       1,
                       task.queue.data() + ply,
                       static_cast<int>(task.queue.size() - ply),
                       spin_rule(task.spins, Piece::T).corners,
                       task.stop};
    return dispatch_table().perft(
        system, job, task.spawn.y,
        [](void* c, const std::uint64_t* w, int deeper) {
            const auto& at = *static_cast<const Context*>(c);
            return count_generic(at.task, unpack(w, at.task.rows),
                                 at.first + static_cast<std::size_t>(deeper));
        },
        &context);
}

}  // namespace

std::uint64_t perft(const Board& board, std::span<const Piece> queue, const Kicks& kicks,
                    Spawn spawn, const SpinRules& spins, int threads, const bool* stop) {
    if (queue.empty()) return 1;
    const PerftTask task{queue, kicks, spawn, spins, board.rows(), stop ? stop : &kNever};
    if (threads <= 1 || queue.size() < 3) return count(task, board, 0);
    std::vector<Board> starts;
    expand(task, board, 0, 2, starts);
    if (starts.empty()) return 0;
    std::atomic<std::size_t> next{0};
    std::atomic<std::uint64_t> leaves{0};
    const int useful = static_cast<int>(std::min<std::size_t>(threads, starts.size()));
    run_in_threads(useful, [&](int) {
        for (std::size_t i; (i = next++) < starts.size();) leaves += count(task, starts[i], 2);
    });
    return leaves;
}

}  // namespace sevenbag
