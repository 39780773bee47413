#include "pc/solver.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <mutex>
#include <string>

#include "dispatch.hpp"
#include "error.hpp"
#include "parallel.hpp"
#include "pc/tall_board_search.hpp"

namespace sevenbag::pc {

namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

// Nearly every perfect clear is found by the first; the second finds most of the others.
constexpr Solver::SearchPass kQuickPasses[] = {{3, 1'500}, {6, 2'500}};
// Two lines: a dozen positions find nine in ten; then the pieces that tilings need are counted.
constexpr Solver::SearchPass kPassesForFew[] = {{2, 12}};
// With many pieces there are more perfect clears, and too many tilings to count: fewer successors
// are tried, and more positions searched.
constexpr int kManyPieces = 12;
constexpr Solver::SearchPass kPassesForMany[] = {
    {2, 30'000}, {3, 30'000}, {4, 30'000}, {12, 60'000}};
constexpr Solver::SearchPass kLongPasses[] = {
    {3, 100'000}, {6, 200'000}, {12, 400'000}, {24, 1'000'000}};
constexpr Solver::SearchPass kLastPass{1'000, kUnlimited};
// Of the parts that threads share, for each: they are of very different size.
constexpr std::size_t kPartsEach = 64;

std::span<const Solver::SearchPass> first_passes(int needed) {
    if (needed > kManyPieces) return kPassesForMany;
    return kQuickPasses;
}

}  // namespace

// --- memory that is used again ------------------------------------------------------------------

struct Solver::Memory {
    // Keys of one search: a small table while it suffices, which stays in the cache.
    static constexpr std::size_t kFewSlots = 1 << 10;
    static constexpr std::size_t kManySlots = 1 << 20;

    Memory() : slots(kFewSlots) {
        visited.owner = this;
        visited.grow = &grow;
        visited.forget = [](VisitedSet& visited) { static_cast<Memory*>(visited.owner)->forget(); };
        forget();
    }

    void forget() {
        if (slots.size() > 4 * kFewSlots)
            std::vector<std::uint64_t>(kFewSlots).swap(slots);
        else
            std::ranges::fill(slots, 0);
        publish();
        visited.count = 0;
        visited.full = false;
    }

    void publish() {
        visited.slots = slots.data();
        visited.mask = slots.size() - 1;
        visited.limit = slots.size() / 2;
    }

    // Keys beyond the largest table are not stored: searches then visit positions twice.
    static void grow(VisitedSet& visited) {
        auto& self = *static_cast<Memory*>(visited.owner);
        if (self.slots.size() >= kManySlots) {
            visited.full = true;
            return;
        }
        std::vector<std::uint64_t> old(self.slots.size() * 4);
        old.swap(self.slots);
        self.publish();
        visited.count = 0;
        for (std::uint64_t key : old)
            if (key != 0) visited.insert(key);
    }

    std::vector<std::uint64_t> slots;
    VisitedSet visited{};
    std::array<std::unique_ptr<TileSet>, kSmallBoardRows + 1> books;
    std::array<std::unique_ptr<TileGraph>, kSmallBoardRows + 1> graphs;  // the last of each height
    MultisetTable budget;
};

Solver::Solver(const Kicks& kicks)
    : kicks_(kicks), move_tables_(kicks), memory_(std::make_unique<Memory>()) {}

Solver::~Solver() = default;

// --- small boards -------------------------------------------------------------------------------

void Solver::set_network(std::shared_ptr<const Network> network) {
    network_ = std::move(network);
    network_memory_.resize(network_ ? network_->memory() : 0);
}

bool Solver::run_passes(std::span<const SearchPass> passes, const Problem& problem,
                        StopCheck stop_check, Outcome& outcome,
                        std::array<Step, kMaxSteps>& steps) {
    for (const SearchPass& pass : passes) {
        memory_->forget();
        PlayOrderSearch search = search_for(problem, stop_check, pass, *memory_, network_memory_);
        outcome = dispatch_table().search_in_play_order(search);
        nodes_ += search.nodes;
        if (outcome == Outcome::found) steps = search.steps;
        if (outcome != Outcome::none || search.complete) return true;
    }
    return false;
}

PlayOrderSearch Solver::search_for(const Problem& problem, StopCheck stop_check, SearchPass pass,
                                   Memory& memory, std::vector<float>& network_memory) const {
    PlayOrderSearch search{&move_tables_, &problem,   &memory.visited,
                           stop_check,    pass.width, pass.budget};
    if (network_) {
        network_memory.assign(network_->memory(), 0.0f);
        search.network = network_.get();
        search.network_memory = network_memory.data();
    }
    return search;
}

Outcome Solver::search_all(const Problem& problem, StopCheck stop_check,
                           std::array<Step, kMaxSteps>& steps, int threads) {
    constexpr int kFewestShared = 3;  // a placement, and more than the last one
    if (threads <= 1 || problem.needed < kFewestShared) {
        Outcome outcome = Outcome::none;
        run_passes({&kLastPass, 1}, problem, stop_check, outcome, steps);
        return outcome;
    }
    // The first positions, in the order of a single-threaded search.
    std::vector<SearchNode> parts;
    const std::size_t enough = kPartsEach * static_cast<std::size_t>(threads);
    for (int depth = 1; parts.size() < enough && depth + 1 < problem.needed; ++depth) {
        parts.clear();
        memory_->forget();
        PlayOrderSearch search =
            search_for(problem, stop_check, kLastPass, *memory_, network_memory_);
        search.horizon = depth;
        search.context = &parts;
        search.tell = [](void* context, const SearchNode& waypoint) {
            static_cast<std::vector<SearchNode>*>(context)->push_back(waypoint);
        };
        if (dispatch_table().search_in_play_order(search) == Outcome::stopped)
            return Outcome::stopped;
        if (parts.empty()) return Outcome::none;
    }

    // The first part with a perfect clear decides: later parts are cancelled, earlier ones are
    // searched to the end.
    struct Shared {
        StopCheck stop_check;
        std::atomic<std::size_t> first;
        std::atomic<bool> stopped{false};
    } shared{stop_check, parts.size()};
    struct Part {
        Shared& all;
        std::size_t number;

        static bool stop(void* self, std::uint64_t nodes) {
            const auto& part = *static_cast<const Part*>(self);
            const StopCheck& outer = part.all.stop_check;
            if (outer.stop && outer.stop(outer.context, nodes))
                part.all.stopped.store(true, std::memory_order_relaxed);
            return part.all.stopped.load(std::memory_order_relaxed) ||
                   part.all.first.load(std::memory_order_relaxed) < part.number;
        }
    };
    std::atomic<std::size_t> next{0};
    std::mutex finding;
    run_in_threads(threads, [&](int) {
        Memory memory;
        std::vector<float> network_memory;
        for (;;) {
            Part part{shared, next.fetch_add(1)};
            if (part.number >= shared.first.load(std::memory_order_relaxed) ||
                shared.stopped.load(std::memory_order_relaxed))
                return;
            // Positions visited by other parts are known to have no perfect clear.
            if (memory.visited.full) memory.forget();
            PlayOrderSearch search =
                search_for(problem, {&Part::stop, &part}, kLastPass, memory, network_memory);
            search.from = &parts[part.number];
            if (dispatch_table().search_in_play_order(search) != Outcome::found) continue;
            const std::lock_guard<std::mutex> alone(finding);
            if (part.number < shared.first.load(std::memory_order_relaxed)) {
                shared.first.store(part.number, std::memory_order_relaxed);
                steps = search.steps;
            }
        }
    });
    if (shared.first < parts.size()) return Outcome::found;
    return shared.stopped ? Outcome::stopped : Outcome::none;
}

const TileGraph& Solver::graph(int height, std::uint64_t filled) {
    const auto h = static_cast<std::size_t>(height);
    auto& tile_set = memory_->books[h];
    auto& graph = memory_->graphs[h];
    if (!tile_set) tile_set = std::make_unique<TileSet>(move_tables_, height);
    if (!graph || graph->filled() != filled) graph = std::make_unique<TileGraph>(*tile_set, filled);
    return *graph;
}

void Solver::use(const UnsolvableTable& table) {
    std::erase_if(tables_,
                  [&](const UnsolvableTable& old) { return old.height() == table.height(); });
    tables_.push_back(table);
}

Outcome Solver::solve_low(const Problem& problem, StopCheck stop_check,
                          std::array<Step, kMaxSteps>& steps, int threads) {
    for (const UnsolvableTable& table : tables_)
        if (table.rules_out(problem)) return Outcome::none;
    Outcome outcome = Outcome::none;
    const bool few = problem.needed <= 5 && problem.height <= 2;
    if (few && run_passes(kPassesForFew, problem, stop_check, outcome, steps)) return outcome;
    if (few &&
        memory_->budget.run(graph(problem.height, problem.filled), supply_of(problem),
                            move_tables_) &&
        !memory_->budget.any())
        return Outcome::none;
    if (run_passes(first_passes(problem.needed), problem, stop_check, outcome, steps))
        return outcome;
    const TileGraph& tiles = graph(problem.height, problem.filled);
    if (tiles.whole() && memory_->budget.run(tiles, supply_of(problem), move_tables_)) {
        TilingSolver search(move_tables_, problem, tiles, memory_->budget, memory_->visited,
                            stop_check);
        outcome = search.run();
        if (outcome == Outcome::found) steps = search.steps();
        return outcome;
    }
    if (run_passes(kLongPasses, problem, stop_check, outcome, steps)) return outcome;
    return search_all(problem, stop_check, steps, threads);
}

Solver::SearchEffort Solver::measure_effort(const std::vector<Piece>& pieces, int height) {
    const int needed = kSmallBoardWidth * height / 4;
    const auto count = static_cast<int>(pieces.size());
    if (height < 2 || height > kSmallBoardRows || height % 2 != 0)
        throw_invalid(ErrorKind::board, "height", "2, 4 or 6", std::to_string(height));
    if (count != needed && count != needed + 1)
        throw_invalid(ErrorKind::queue, "queue", std::to_string(needed + 1) + " pieces",
                      std::to_string(count));
    Problem problem{0, height, needed, {}, count, true, kNoPiece, false};
    std::ranges::transform(pieces, problem.pieces.begin(),
                           [](Piece piece) { return static_cast<std::uint8_t>(piece); });
    Outcome outcome = Outcome::none;
    std::array<Step, kMaxSteps> steps;
    const std::uint64_t before = nodes_;
    run_passes(first_passes(needed), problem, {}, outcome, steps);
    return {nodes_ - before, outcome == Outcome::found};
}

// --- any board ----------------------------------------------------------------------------------

namespace {

// Counts positions for the limits of a request.
struct NodeLimits {
    const SolveRequest& request;
    std::atomic<std::uint64_t> nodes{0};

    static bool stop(void* self, std::uint64_t nodes) {
        auto& limits = *static_cast<NodeLimits*>(self);
        const SolveRequest& request = limits.request;
        const std::uint64_t all = limits.nodes.fetch_add(nodes, std::memory_order_relaxed) + nodes;
        if (request.nodes != 0 && all > request.nodes) return true;
        return request.stop && request.stop(request.context);
    }
};

std::uint64_t low_cells(const Board& board) {
    std::uint64_t filled = 0;
    for (int y = 0; y < kSmallBoardRows; ++y)
        filled |= std::uint64_t{board.row(y)} << (y * kSmallBoardWidth);
    return filled;
}

}  // namespace

Placement placement_of(const MoveTables& move_tables, const Step& step) {
    const auto piece = static_cast<Piece>(step.piece);
    const Cell centre = move_tables.of(piece).centre[step.rotation];
    return {piece, static_cast<Rotation>(step.rotation),
            static_cast<std::int8_t>(step.corner % kSmallBoardWidth + centre.x),
            static_cast<std::int8_t>(step.corner / kSmallBoardWidth + centre.y), Spin::none};
}

void validate_request(const SolveRequest& request) {
    const Board& board = *request.board;
    if (board.width() != kSmallBoardWidth)
        throw_invalid(ErrorKind::board, "board", "10 columns", std::to_string(board.width()));
    if (board.height() > kMaxHeight)
        throw_invalid(ErrorKind::board, "board", "at most " + std::to_string(kMaxHeight) + " rows",
                      std::to_string(board.height()));
    if (request.pieces.empty())
        throw_invalid(ErrorKind::queue, "queue", "piece letters such as LSTIZJO", "none");
}

LowestClear lowest(const Board& cleared) {
    int height = cleared.height();
    int empty = kSmallBoardWidth * height - cleared.count();
    if (empty % 2 != 0) return {height, 0};
    if (empty % 4 == 2) {
        ++height;
        empty += kSmallBoardWidth;
    }
    if (empty == 0) {
        height = 2;
        empty = 2 * kSmallBoardWidth;
    }
    return {height, empty / 4};
}

std::vector<bool> holds_for(const std::vector<Piece>& pieces, bool holding,
                            const std::vector<Placement>& placements) {
    std::vector<bool> holds;
    std::size_t next = 0;
    std::optional<Piece> held;
    if (holding) held = pieces[next++];
    const auto take = [&]() -> std::optional<Piece> {
        return next < pieces.size() ? std::optional(pieces[next++]) : std::nullopt;
    };
    std::optional<Piece> current = take();
    // If both fit it makes no difference: the same pieces are left.
    for (const Placement& placement : placements) {
        const bool swap = current != placement.piece;
        if (swap) {
            std::optional<Piece> swapped = held ? held : take();
            held = current;
            current = swapped;
        }
        holds.push_back(swap);
        current = take();
    }
    return holds;
}

SolveResult Solver::solve(const SolveRequest& request) {
    validate_request(request);
    Board cleared(kSmallBoardWidth, kDefaultRows);
    for (int y = 0; y < request.board->height(); ++y) cleared.set_row(y, request.board->row(y));
    cleared.clear_rows();

    SolveResult result;
    const LowestClear start = lowest(cleared);
    result.height = start.height;
    if (start.pieces == 0) {
        result.status = SolveStatus::odd;
        return result;
    }
    std::vector<Piece> pieces = request.pieces;
    std::optional<Piece> save = request.save;
    if (!request.hold && request.holding) {
        // The held piece is kept.
        if (save == pieces[0]) save.reset();
        pieces.erase(pieces.begin());
    }
    const int given = static_cast<int>(pieces.size());
    NodeLimits limits{request};
    const StopCheck stop_check{&NodeLimits::stop, &limits};
    result.status = SolveStatus::too_few_pieces;
    for (int height = start.height, needed = start.pieces;
         height <= request.max_height && height <= kMaxHeight && needed <= given;
         height += 2, needed += 2 * kSmallBoardWidth / 4) {
        if (height < request.min_height) continue;
        const int seen = std::min(given, request.hold ? needed + 1 : needed);
        if (save) {
            if (seen == needed) break;
            if (std::find(pieces.begin(), pieces.begin() + seen, *save) == pieces.begin() + seen) {
                result.status = SolveStatus::cannot_save;
                continue;
            }
        }
        result.height = height;
        Outcome outcome;
        if (height <= kSmallBoardRows) {
            Problem problem{low_cells(cleared),
                            height,
                            needed,
                            {},
                            seen,
                            request.hold,
                            save ? static_cast<int>(*save) : kNoPiece,
                            request.strict};
            for (int i = 0; i < seen; ++i)
                problem.pieces[static_cast<std::size_t>(i)] =
                    static_cast<std::uint8_t>(pieces[static_cast<std::size_t>(i)]);
            std::array<Step, kMaxSteps> steps;
            outcome = solve_low(problem, stop_check, steps, request.threads);
            if (outcome == Outcome::found)
                for (int i = 0; i < needed; ++i)
                    result.placements.push_back(
                        placement_of(move_tables_, steps[static_cast<std::size_t>(i)]));
        } else {
            TallProblem problem{cleared,      height, {pieces.begin(), pieces.begin() + seen},
                                request.hold, save,   request.strict};
            outcome = solve_tall(problem, kicks_, stop_check, network_.get(), result.placements);
        }
        result.status = outcome == Outcome::found  ? SolveStatus::found
                        : outcome == Outcome::none ? SolveStatus::none
                                                   : SolveStatus::stopped;
        if (outcome != Outcome::none) break;
    }
    result.nodes = limits.nodes;
    if (result.status == SolveStatus::found)
        result.holds = holds_for(request.pieces, request.holding, result.placements);
    return result;
}

std::vector<SolveStatus> solve_queues(const Kicks& kicks, const SolveRequest& request,
                                      std::span<const std::vector<Piece>> queues, int threads) {
    // Queues take very different times: threads fetch a few at a time.
    constexpr std::size_t kAtATime = 16;
    std::vector<SolveStatus> statuses(queues.size(), SolveStatus::stopped);
    for (const std::vector<Piece>& queue : queues) {
        SolveRequest one = request;
        one.pieces = queue;
        validate_request(one);  // raises before any thread begins
    }
    std::atomic<std::size_t> next{0};
    const int parts = static_cast<int>(
        std::min<std::size_t>(static_cast<std::size_t>(std::clamp(threads, 1, kMaxThreads)),
                              queues.size() / kAtATime + 1));
    run_in_parts(parts, parts, [&](int, int, int) {
        Solver solver(kicks);
        SolveRequest one = request;
        for (;;) {
            const std::size_t begin = next.fetch_add(kAtATime);
            for (std::size_t i = begin; i < std::min(begin + kAtATime, queues.size()); ++i) {
                if (request.stop && request.stop(request.context)) return;
                one.pieces = queues[i];
                statuses[i] = solver.solve(one).status;
            }
            if (begin + kAtATime >= queues.size()) return;
        }
    });
    return statuses;
}

}  // namespace sevenbag::pc
