// Perfect clears: the searches against a plain one, and against each other; every solution is
// played again on a board.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "dispatch.hpp"
#include "error.hpp"
#include "movegen.hpp"
#include "pc/packed_rows.hpp"
#include "pc/play_order_search.hpp"
#include "pc/playable_tilings.hpp"
#include "pc/solver.hpp"
#include "pc/tall_board_search.hpp"

using namespace sevenbag;

namespace {

using Generator = std::mt19937_64;
constexpr Spawn kHigh{4, 30};

int below(Generator& random, int n) {
    return static_cast<int>(random() % static_cast<unsigned>(n));
}

bool rises_above(const Placement& placement, int height) {
    return std::ranges::any_of(cells_of(placement), [&](Cell c) { return c.y >= height; });
}

// --- reference search: every placement of either piece, no pruning, no table
// ------------------------

struct Plain {
    const Kicks& kicks;
    std::vector<Piece> pieces;
    bool hold;
    std::optional<Piece> save;
    bool strict;

    // `first` is left over from before, pieces[next] is the one after it.
    // Not inlined into itself: g++ 12 then takes an optional that is empty for one that was not
    // written.
    [[gnu::noinline]] bool fills(const Board& board, int height, std::optional<Piece> first,
                                 std::size_t next) const {
        if (height == 0) return !save || first == save;
        if (strict && next > 1 && board.empty()) return false;
        const std::optional<Piece> second =
            next < pieces.size() ? std::optional(pieces[next]) : std::nullopt;
        return places(board, height, first, second, next) ||
               (hold && places(board, height, second, first, next));
    }

    bool places(const Board& board, int height, std::optional<Piece> piece,
                std::optional<Piece> over, std::size_t next) const {
        if (!piece) return false;
        std::vector<Placement> placements;
        generate_placements(board, *piece, kicks, kHigh, SpinMode::none, placements);
        for (const Placement& placement : placements) {
            if (rises_above(placement, height)) continue;
            Board after = board;
            const int rows = std::popcount(after.lock(placement));
            if (fills(after, height - rows, over, next + 1)) return true;
        }
        return false;
    }
};

// --- boards with few empty cells ----------------------------------------------------------------

// Rows of a height, made by removing some pieces from a full board, so that a solution is likely;
// sometimes random cells. Also returns the pieces.
std::uint64_t random_field(Generator& random, int height, int pieces, std::vector<Piece>& out) {
    out.clear();
    const std::uint64_t whole = (std::uint64_t{1} << (height * pc::kSmallBoardWidth)) - 1;
    std::uint64_t empty = 0;
    if (below(random, 4) == 0) {
        while (std::popcount(empty) < 4 * pieces)
            empty |= std::uint64_t{1} << below(random, height * pc::kSmallBoardWidth);
        return whole & ~empty;
    }
    for (int tries = 0; tries < 1000 && std::popcount(empty) < 4 * pieces; ++tries) {
        const auto p = static_cast<std::size_t>(below(random, kPieces));
        const auto r = static_cast<std::size_t>(below(random, kRotations));
        const int x = below(random, pc::kSmallBoardWidth);
        const int y = below(random, height);
        std::uint64_t cells = 0;
        for (Cell c : kCells[p][r]) {
            const int cx = x + c.x;
            const int cy = y + c.y;
            if (cx >= 0 && cx < pc::kSmallBoardWidth && cy >= 0 && cy < height)
                cells |= std::uint64_t{1} << (cy * pc::kSmallBoardWidth + cx);
        }
        if (std::popcount(cells) != 4 || (cells & empty) != 0) continue;
        empty |= cells;
        out.push_back(static_cast<Piece>(p));
    }
    return whole & ~empty;
}

Board board_of(std::uint64_t filled) {
    Board board;
    for (int y = 0; y < pc::kSmallBoardRows; ++y)
        board.set_row(y, static_cast<std::uint32_t>(filled >> (y * pc::kSmallBoardWidth) & 0x3ff));
    return board;
}

bool has_full_row(std::uint64_t filled) { return pc::full_row_bits(filled) != 0; }

std::vector<Piece> random_pieces(Generator& random, int count) {
    std::vector<Piece> pieces;
    while (static_cast<int>(pieces.size()) < count) {
        std::array<Piece, kPieces> bag{Piece::I, Piece::O, Piece::T, Piece::L,
                                       Piece::J, Piece::S, Piece::Z};
        std::ranges::shuffle(bag, random);
        for (Piece piece : bag)
            if (static_cast<int>(pieces.size()) < count) pieces.push_back(piece);
    }
    return pieces;
}

// Those that were taken out, and others after them, in any order; or just any.
std::vector<Piece> pieces_for(Generator& random, const std::vector<Piece>& taken, int count) {
    std::vector<Piece> pieces = random_pieces(random, count);
    if (below(random, 5) == 0) return pieces;
    for (std::size_t i = 0; i < taken.size() && i < pieces.size(); ++i) pieces[i] = taken[i];
    std::ranges::shuffle(pieces, random);
    return pieces;
}

// Play a solution: every placement is reachable, pieces follow the hold rules, the board is empty
// at the end, and before that only if allowed.
bool holds_good(const pc::SolveRequest& request, const pc::SolveResult& result,
                const Kicks& kicks) {
    Board board = *request.board;
    board.clear_rows();
    std::size_t next = 0;
    const auto take = [&]() -> std::optional<Piece> {
        if (next == request.pieces.size()) return std::nullopt;
        return request.pieces[next++];
    };
    std::optional<Piece> held;
    if (request.holding) held = take();
    int height = result.height;
    for (std::size_t i = 0; i < result.placements.size(); ++i) {
        if (i > 0 && request.strict && board.empty()) return false;
        std::optional<Piece> current = take();
        if (result.holds[i]) {
            if (!request.hold) return false;
            if (!held) held = take();
            std::swap(held, current);
        }
        const Placement& placement = result.placements[i];
        if (current != placement.piece || rises_above(placement, height)) return false;
        std::vector<Placement> reachable;
        generate_placements(board, placement.piece, kicks, kHigh, SpinMode::none, reachable);
        if (std::ranges::find(reachable, canonical(placement)) == reachable.end()) return false;
        height -= std::popcount(board.lock(placement));
    }
    if (request.save) {
        const bool current_is_left = !held && next < request.pieces.size();
        if (current_is_left ? request.pieces[next] != *request.save : held != request.save)
            return false;
    }
    return height == 0 && board.empty();
}

std::string described(const Kicks& kicks, std::uint64_t filled, int height,
                      const std::vector<Piece>& pieces) {
    std::string text = kicks.name() + ", field " + std::to_string(filled) + " of height " +
                       std::to_string(height) + ", ";
    for (Piece piece : pieces) text += letter(piece);
    return text;
}

}  // namespace

TEST(answers_are_those_of_a_plain_search_under_every_system) {
    Generator random(3);
    int found = 0;
    int none = 0;
    for (const Kicks& kicks : all_kicks()) {
        pc::Solver solver(kicks);
        for (int n = 0; n < check::scale_cases(600); ++n) {
            const int needed = 1 + below(random, 4);
            const int height = 1 + below(random, pc::kSmallBoardRows);
            if (4 * needed > pc::kSmallBoardWidth * height) continue;
            std::vector<Piece> taken;
            const std::uint64_t filled = random_field(random, height, needed, taken);
            if (has_full_row(filled) || std::popcount(filled) != 10 * height - 4 * needed) continue;
            const Board board = board_of(filled);
            if (board.height() != height) continue;
            pc::SolveRequest request;
            request.board = &board;
            request.pieces = pieces_for(random, taken, needed + below(random, 2));
            request.holding = below(random, 2);
            request.hold = below(random, 4) != 0;
            request.strict = below(random, 2);
            request.max_height = height;
            if (!request.hold) request.holding = false;
            if (below(random, 3) == 0 && request.hold)
                request.save = static_cast<Piece>(below(random, kPieces));
            const pc::SolveResult result = solver.solve(request);
            const std::size_t seen = std::min<std::size_t>(
                request.pieces.size(), static_cast<std::size_t>(needed) + (request.hold ? 1 : 0));
            Plain plain{kicks,
                        {request.pieces.begin(),
                         request.pieces.begin() + static_cast<std::ptrdiff_t>(seen)},
                        request.hold,
                        request.save,
                        request.strict};
            const bool exists = plain.fills(board, height, plain.pieces[0], 1);
            (exists ? found : none) += 1;
            if (exists != (result.status == pc::SolveStatus::found) ||
                (exists && !holds_good(request, result, kicks)))
                check::report_failure(__FILE__, __LINE__,
                                      described(kicks, filled, height, request.pieces));
        }
    }
    // The random give enough of both.
    CHECK(found > check::scale_cases(300));
    CHECK(none > check::scale_cases(300));
}

namespace {

pc::Problem problem_of(std::uint64_t filled, int height, const std::vector<Piece>& pieces) {
    pc::Problem problem{};
    problem.filled = filled;
    problem.height = height;
    problem.needed = (pc::kSmallBoardWidth * height - std::popcount(filled)) / 4;
    problem.count = std::min(static_cast<int>(pieces.size()), problem.needed + 1);
    problem.hold = true;
    problem.save = pc::kNoPiece;
    for (int i = 0; i < problem.count; ++i)
        problem.pieces[static_cast<std::size_t>(i)] =
            static_cast<std::uint8_t>(pieces[static_cast<std::size_t>(i)]);
    return problem;
}

// Tables for a search by itself.
struct SearchTable {
    std::vector<std::uint64_t> slots = std::vector<std::uint64_t>(1 << 15);
    pc::VisitedSet visited{slots.data(),
                           slots.size() - 1,
                           0,
                           slots.size() / 2,
                           false,
                           this,
                           [](pc::VisitedSet& v) { v.full = true; },
                           [](pc::VisitedSet& v) {
                               std::ranges::fill(static_cast<SearchTable*>(v.owner)->slots, 0);
                               v.count = 0;
                               v.full = false;
                           }};
};

// Any edges between a few nodes, circles and dead ends among them.
pc::Network random_network(Generator& random) {
    std::vector<pc::Gene> genes(static_cast<std::size_t>(below(random, 20)));
    for (pc::Gene& gene : genes) {
        gene.input = below(random, 15);
        gene.output = pc::kScoreNode + below(random, 5);
        gene.weight = static_cast<float>(below(random, 200) - 100) / 10;
    }
    const auto activation = [&] {
        return static_cast<pc::Activation>(
            below(random, static_cast<int>(std::size(pc::kActivationNames))));
    };
    const pc::Activation hidden = activation();
    return {hidden, activation(), genes};
}

pc::Outcome in_order_of_play(const pc::MoveTables& move_tables, const pc::Problem& problem,
                             const pc::Network* network = nullptr) {
    SearchTable table;
    pc::PlayOrderSearch search{&move_tables, &problem, &table.visited, {}, 1000, ~std::uint64_t{0}};
    std::vector<float> memory(network ? network->memory() : 0);
    search.network = network;
    search.network_memory = memory.data();
    return dispatch_table().search_in_play_order(search);
}

pc::Outcome tilings_first(const pc::MoveTables& move_tables, const pc::Problem& problem) {
    SearchTable table;
    const pc::TileSet tile_set(move_tables, problem.height);
    const pc::TileGraph graph(tile_set, problem.filled);
    pc::MultisetTable budget;
    if (!graph.whole() || !budget.run(graph, pc::supply_of(problem), move_tables))
        return pc::Outcome::stopped;
    return pc::TilingSolver(move_tables, problem, graph, budget, table.visited, {}).run();
}

pc::Outcome on_whole_boards(const Kicks& kicks, const pc::Problem& problem,
                            const std::vector<Piece>& pieces, const pc::Network* network) {
    std::vector<Placement> placements;
    return pc::solve_tall(
        {board_of(problem.filled),
         problem.height,
         {pieces.begin(), pieces.begin() + problem.count},
         problem.hold,
         problem.save == pc::kNoPiece ? std::nullopt
                                      : std::optional(static_cast<Piece>(problem.save)),
         problem.strict},
        kicks, {}, network, placements);
}

}  // namespace

TEST(the_searches_agree_on_fields_of_all_heights) {
    Generator random(4);
    int found = 0;
    int none = 0;
    const std::vector<Kicks>& all = all_kicks();
    const std::vector<pc::MoveTables> motions(all.begin(), all.end());
    for (int n = 0; n < check::scale_cases(4000); ++n) {
        const Kicks& kicks = all[static_cast<std::size_t>(n) % all.size()];
        const pc::MoveTables& move_tables = motions[static_cast<std::size_t>(n) % all.size()];
        const int height = 2 + below(random, 5);
        const int needed = 3 + below(random, 6);
        if (4 * needed > pc::kSmallBoardWidth * height) continue;
        std::vector<Piece> taken;
        const std::uint64_t filled = random_field(random, height, needed, taken);
        if (has_full_row(filled) || std::popcount(filled) != 10 * height - 4 * needed) continue;
        const std::vector<Piece> pieces =
            pieces_for(random, taken, needed + (below(random, 4) ? 1 : 0));
        pc::Problem problem = problem_of(filled, height, pieces);
        problem.strict = below(random, 2);
        if (problem.count == needed) {
            problem.hold = below(random, 2);
        } else if (below(random, 3) == 0) {
            problem.save = problem.pieces[static_cast<std::size_t>(below(random, problem.count))];
        }
        const pc::Outcome a = in_order_of_play(move_tables, problem);
        const pc::Outcome b = tilings_first(move_tables, problem);
        const pc::Network network = random_network(random);
        const pc::Network* order = n % 8 < 4 ? &network : nullptr;
        if (a != b || (order && a != in_order_of_play(move_tables, problem, order)) ||
            (n % 4 == 0 && a != on_whole_boards(kicks, problem, pieces, order)))
            check::report_failure(__FILE__, __LINE__, described(kicks, filled, height, pieces));
        (a == pc::Outcome::found ? found : none) += 1;
    }
    CHECK(found > check::scale_cases(300));
    CHECK(none > check::scale_cases(300));
}

TEST(some_tiling_is_played_by_exactly_the_queues_that_are_solved) {
    Generator random(5);
    int found = 0;
    int none = 0;
    const std::vector<Kicks>& all = all_kicks();
    for (int n = 0; n < check::scale_cases(2000); ++n) {
        const Kicks& kicks = all[static_cast<std::size_t>(n) % all.size()];
        pc::Solver solver(kicks);
        const int height = 2 + below(random, 5);
        const int needed = 2 + below(random, 6);
        if (4 * needed > pc::kSmallBoardWidth * height) continue;
        std::vector<Piece> taken;
        const std::uint64_t filled = random_field(random, height, needed, taken);
        if (has_full_row(filled) || std::popcount(filled) != 10 * height - 4 * needed) continue;
        const bool hold = below(random, 3) != 0;
        const bool strict = below(random, 2);
        const int length = needed + (hold ? below(random, 2) : 0);
        std::vector<std::vector<Piece>> given;
        for (int i = 0; i < 30; ++i) given.push_back(pieces_for(random, taken, length));
        const pc::SortedQueues queues(given, length);
        std::vector<pc::PlayableTiling> tilings;
        const pc::TileGraph& graph = solver.graph(height, filled);
        CHECK(pc::find_playable_tilings(solver.move_tables(), graph, queues, hold, strict,
                                        pc::DropMode::soft, {}, tilings) == pc::Outcome::none);
        for (std::size_t i = 0; i < given.size(); ++i) {
            const std::size_t at = queues.place(i);
            const bool played = std::ranges::any_of(tilings, [&](const pc::PlayableTiling& tiling) {
                return tiling.queues[at / 64] >> (at % 64) & 1;
            });
            pc::Problem problem = problem_of(filled, height, given[i]);
            problem.hold = hold;
            problem.strict = strict;
            std::array<pc::Step, pc::kMaxSteps> steps;
            const bool solved = solver.solve_low(problem, {}, steps) == pc::Outcome::found;
            if (played != solved)
                check::report_failure(__FILE__, __LINE__,
                                      described(kicks, filled, height, given[i]));
            (solved ? found : none) += 1;
        }
    }
    CHECK(found > check::scale_cases(300));
    CHECK(none > check::scale_cases(300));
}

TEST(threads_that_share_a_search_come_to_what_one_comes_to) {
    Generator random(8);
    int found = 0, none = 0;
    const std::vector<Kicks>& all = all_kicks();
    for (int n = 0; n < check::scale_cases(3000); ++n) {
        const Kicks& kicks = all[static_cast<std::size_t>(n) % all.size()];
        pc::Solver solver(kicks);
        const int height = 2 + below(random, 5);
        const int needed = 2 + below(random, 7);
        if (4 * needed > pc::kSmallBoardWidth * height) continue;
        std::vector<Piece> taken;
        const std::uint64_t filled = random_field(random, height, needed, taken);
        if (has_full_row(filled) || std::popcount(filled) != 10 * height - 4 * needed) continue;
        pc::Problem problem =
            problem_of(filled, height, pieces_for(random, taken, needed + below(random, 2)));
        problem.hold = below(random, 4) != 0;
        problem.strict = below(random, 2);
        if (!problem.hold) problem.count = needed;
        std::array<pc::Step, pc::kMaxSteps> alone{}, together{};
        const pc::Outcome outcome = solver.search_all(problem, {}, alone, 1);
        CHECK(outcome == solver.solve_low(problem, {}, together));
        CHECK(solver.search_all(problem, {}, together, 2 + below(random, 4)) == outcome);
        (outcome == pc::Outcome::found ? found : none) += 1;
        if (outcome != pc::Outcome::found) continue;
        for (std::size_t i = 0; i < static_cast<std::size_t>(needed); ++i)
            CHECK(alone[i].piece == together[i].piece && alone[i].corner == together[i].corner &&
                  alone[i].rotation == together[i].rotation);
    }
    CHECK(found > check::scale_cases(100));
    CHECK(none > check::scale_cases(100));
}

TEST(threads_that_share_a_search_are_stopped) {
    pc::Solver solver(find_kicks("srs"));
    pc::Problem problem = problem_of(0, 6, std::vector<Piece>(16, Piece::S));
    problem.pieces[3] = static_cast<std::uint8_t>(Piece::Z);
    std::array<pc::Step, pc::kMaxSteps> steps;
    std::atomic<int> asked{0};
    const pc::StopCheck stop_check{[](void* context, std::uint64_t) {
                                       return ++*static_cast<std::atomic<int>*>(context) > 50;
                                   },
                                   &asked};
    CHECK(solver.search_all(problem, stop_check, steps, 3) == pc::Outcome::stopped);
    CHECK(asked > 50);
}

TEST(a_tall_field_is_filled) {
    const Kicks& kicks = find_kicks("srs+");
    Board board;
    for (int y = 0; y < 8; ++y) board.set_row(y, 0x003);
    pc::Solver solver(kicks);
    pc::SolveRequest request;
    request.board = &board;
    request.pieces = std::vector<Piece>(17, Piece::O);
    const pc::SolveResult result = solver.solve(request);
    CHECK(result.status == pc::SolveStatus::found);
    CHECK_EQ(result.placements.size(), 16u);
    CHECK(holds_good(request, result, kicks));
}

TEST(a_search_stops_at_its_limits) {
    pc::Solver solver(find_kicks("srs"));
    const Board empty;
    pc::SolveRequest request;
    request.board = &empty;
    for (char c : std::string("OIZSOZOISLT")) request.pieces.push_back(piece_from_letter(c));
    request.min_height = request.max_height = 4;
    request.nodes = 500;
    CHECK(solver.solve(request).status == pc::SolveStatus::stopped);
    request.nodes = 0;
    request.stop = [](void*) { return true; };
    CHECK(solver.solve(request).status == pc::SolveStatus::stopped);
    request.stop = nullptr;
    CHECK(solver.solve(request).status == pc::SolveStatus::none);
}

TEST(invalid_requests_are_refused) {
    pc::Solver solver(find_kicks("srs"));
    Board board(8, 20);
    pc::SolveRequest request;
    request.board = &board;
    request.pieces = {Piece::I};
    CHECK_THROWS(Error, solver.solve(request));
    Board high;
    high.set(0, 20, true);
    request.board = &high;
    CHECK_THROWS(Error, solver.solve(request));
    const Board empty;
    request.board = &empty;
    request.pieces.clear();
    CHECK_THROWS(Error, solver.solve(request));
}
