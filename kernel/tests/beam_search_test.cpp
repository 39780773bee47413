#include "search/beam_search.hpp"

#include <atomic>
#include <initializer_list>
#include <string_view>

#include "check.hpp"
#include "dispatch.hpp"
#include "error.hpp"
#include "movegen.hpp"
#include "random.hpp"
#include "search/evaluation_isa.hpp"

using namespace sevenbag;

namespace {

// Rows from the top down.
Board board_of(std::initializer_list<std::string_view> rows) {
    Board board;
    int y = static_cast<int>(rows.size());
    for (std::string_view row : rows) {
        --y;
        for (int x = 0; x < 10; ++x) board.set(x, y, row[static_cast<std::size_t>(x)] != '.');
    }
    return board;
}

SearchPosition position_of(const Board& board, std::string_view queue) {
    SearchPosition position{board, {}, std::nullopt, {}, 0};
    for (char letter : queue) position.queue.push_back(piece_from_letter(letter));
    return position;
}

SearchResult search(const SearchPosition& position, std::int64_t nodes) {
    SearchLimits limits;
    limits.nodes = nodes;
    return BeamSearch(Rules{}).run(position, limits);
}

Board random_board(MinstdRandom& random) {
    Board board;
    const int height = random.below(random.below(3) == 0 ? 34 : 14);
    const int filled = 2 + random.below(8);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < 10; ++x) board.set(x, y, random.below(10) < filled);
        if (board.row(y) == board.full_row()) board.set(random.below(10), y, false);
    }
    return board;
}

}  // namespace

TEST(fast_and_slow_judge_alike) {
    MinstdRandom random(7);
    static PlacementList list;
    static EvaluatedBoard fast[kMaxPlacements];
    static EvaluatedBoard slow[kMaxPlacements];
    for (int round = 0; round < 400; ++round) {
        const Board board = random_board(random);
        // Odd weights: no two features can make up for each other.
        const auto weight = [&] { return random.below(2001) - 1000; };
        const Features weights{weight(), weight(), weight(), weight(), weight(), weight(),
                               weight(), weight(), weight(), weight(), weight(), weight(),
                               weight(), weight(), weight(), weight()};
        generate_placements(board, static_cast<Piece>(random.below(kPieces)), find_kicks("srs"),
                            {4, 37}, SpinMode::t_spins, list);
        dispatch_table().evaluate_placements(
            {board.words(), board.height(), board.rows(), list.begin(), list.size(), &weights},
            fast);
        evaluate_placements_generic(board, list.begin(), list.size(), weights, slow);
        for (int i = 0; i < list.size(); ++i) {
            CHECK_EQ(fast[i].score, slow[i].score);
            CHECK_EQ(fast[i].lines, slow[i].lines);
            CHECK_EQ(fast[i].height, slow[i].height);
            CHECK_EQ(fast[i].t_rows, slow[i].t_rows);
        }
    }
}

TEST(features_of_a_board_that_can_be_counted_by_hand) {
    const Features f = features_of(board_of({
        "##........",
        "#...######",
        "##.#######",
    }));
    CHECK_EQ(f.holes, 1);  // under the overhang at the left
    CHECK_EQ(f.hole_rows, 1);
    CHECK_EQ(f.cells_above_holes, 1);
    CHECK_EQ(f.surface, 3 + 3 + 0 + 1 + 6 * 2);
    CHECK_EQ(f.t_slots, 1);
    CHECK_EQ(f.t_rows, 2);
    CHECK_EQ(f.t_missing, 0);
    CHECK_EQ(f.wells, 1);
}

TEST(every_legal_move_is_ranked_once) {
    const SearchPosition position = position_of(Board(), "TIOLJS");
    const SearchResult result = search(position, 5000);
    CHECK_EQ(result.moves.size(), 34u + 17u);
    CHECK_EQ(result.depth, 6);
    for (std::size_t i = 0; i < result.moves.size(); ++i)
        for (std::size_t j = i + 1; j < result.moves.size(); ++j)
            CHECK(result.moves[i].placement != result.moves[j].placement);
}

TEST(the_same_nodes_give_the_same_answer) {
    const SearchPosition position = position_of(Board(), "TIOLJSZ");
    const SearchResult a = search(position, 20000);
    const SearchResult b = search(position, 20000);
    CHECK_EQ(a.nodes, b.nodes);
    CHECK_EQ(a.nodes, 20000);
    for (std::size_t i = 0; i < a.moves.size(); ++i) {
        CHECK(a.moves[i].placement == b.moves[i].placement);
        CHECK_EQ(a.moves[i].score, b.moves[i].score);
    }
}

TEST(a_t_spin_double_is_taken) {
    const Board board = board_of({
        "##........",
        "#...######",
        "##.#######",
    });
    const Placement best = search(position_of(board, "TOLJSZ"), 5000).moves[0].placement;
    CHECK(best.piece == Piece::T);
    CHECK(best.spin == Spin::full);
}

TEST(a_perfect_clear_in_sight_is_found) {
    const Board board = board_of({
        "....######",
        "....######",
        "....######",
        "....######",
    });
    // Two O on two O, the only solution.
    SearchPosition position = position_of(board, "OOOO");
    BeamSearch beam{Rules{}};
    SearchLimits limits;
    limits.nodes = 20000;
    for (int left = 4; left > 0; --left) {
        const RankedMove move = beam.run(position, limits).moves[0];
        position.board.lock(move.placement);
        position.queue.erase(position.queue.begin());
    }
    CHECK(position.board.empty());
}

TEST(a_stopped_search_still_answers) {
    const std::atomic<bool> stop{true};
    SearchLimits limits;
    limits.stop = &stop;
    const SearchResult result = BeamSearch(Rules{}).run(position_of(Board(), "TIOLJS"), limits);
    CHECK(!result.moves.empty());
}

TEST(expired_time_ends_search_after_first_piece) {
    SearchLimits limits;
    limits.spent = [](void*) { return 2.0; };
    const SearchResult result = BeamSearch(Rules{}).run(position_of(Board(), "TIOLJS"), limits);
    CHECK(!result.moves.empty());
    CHECK_EQ(result.depth, 1);
}

TEST(other_widths_are_played_too) {
    Rules rules;
    rules.width = 6;
    rules.spawn.x = 2;
    SearchPosition position = position_of(Board(6, 40), "TIOL");
    SearchLimits limits;
    limits.nodes = 500;
    CHECK(!BeamSearch(rules).run(position, limits).moves.empty());
    CHECK_THROWS(Error, BeamSearch(Rules{}).run(position, limits));
}

TEST(empty_queue_is_an_error) {
    CHECK_THROWS(Error, search(position_of(Board(), ""), 100));
    Board full;
    for (int y = 0; y < 24; ++y) full.set_row(y, full.full_row() & ~1u);
    CHECK(search(position_of(full, "TI"), 100).moves.empty());
}
