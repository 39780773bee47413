// The small-board generator against the kernel's generic one.
#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "dispatch.hpp"
#include "movegen.hpp"
#include "pc/features.hpp"
#include "pc/move_tables.hpp"

using namespace sevenbag;

namespace {

std::uint64_t cells_of_field(const Board& board) {
    std::uint64_t filled = 0;
    for (int y = 0; y < pc::kSmallBoardRows; ++y)
        filled |= std::uint64_t{board.row(y)} << (y * pc::kSmallBoardWidth);
    return filled;
}

Board board_of(std::uint64_t filled) {
    Board board;
    for (int y = 0; y < pc::kSmallBoardRows; ++y)
        board.set_row(y, static_cast<std::uint32_t>(filled >> (y * pc::kSmallBoardWidth) & 0x3ff));
    return board;
}

// Cells of every placement below `height`.
std::vector<std::uint64_t> by_the_board(const Board& board, Piece piece, const Kicks& kicks,
                                        int height) {
    std::vector<Placement> placements;
    generate_placements(board, piece, kicks, {4, 25}, SpinMode::none, placements);
    std::vector<std::uint64_t> found;
    for (const Placement& p : placements) {
        std::uint64_t cells = 0;
        bool below = true;
        for (Cell c : cells_of(p)) {
            below = below && c.y < height;
            if (below) cells |= std::uint64_t{1} << (c.y * pc::kSmallBoardWidth + c.x);
        }
        if (below) found.push_back(cells);
    }
    std::ranges::sort(found);
    return found;
}

std::vector<std::uint64_t> by_the_field(const pc::MoveTables& move_tables, std::uint64_t filled,
                                        Piece piece, int height) {
    const pc::MoveTable& m = move_tables.of(piece);
    std::uint64_t corners[kRotations];
    dispatch_table().find_rest_positions(m, filled, height, corners);
    std::vector<std::uint64_t> found;
    for (int r = 0; r < m.looks; ++r)
        for (std::uint64_t left = corners[r]; left; left &= left - 1)
            found.push_back(m.cells[r] << std::countr_zero(left));
    std::ranges::sort(found);
    return found;
}

using Generator = std::mt19937_64;

// Rows with a share of filled cells, piled up by placements, or flat with holes: no row full.
std::uint64_t random_field(Generator& random, int height, const Kicks& kicks) {
    const auto below = [&](std::uint64_t n) { return random() % n; };
    if (below(2)) {
        Board board;
        std::vector<Placement> placements;
        for (std::uint64_t n = below(static_cast<std::uint64_t>(height) * 5 / 2); n > 0; --n) {
            generate_placements(board, static_cast<Piece>(below(kPieces)), kicks, {4, 25},
                                SpinMode::none, placements);
            std::erase_if(placements, [&](const Placement& p) {
                return std::ranges::any_of(cells_of(p), [&](Cell c) { return c.y >= height; });
            });
            if (placements.empty()) break;
            board.fill(placements[below(placements.size())]);
        }
        // Full rows are kept: the generator ignores them.
        return cells_of_field(board);
    }
    std::uint64_t filled = random();
    if (below(2)) filled |= random();
    if (below(3) == 0) filled &= random();
    filled &= (std::uint64_t{1} << (height * pc::kSmallBoardWidth)) - 1;
    return filled;
}

void expect_equal_placements(const Kicks& kicks, Generator& random, int fields) {
    const pc::MoveTables move_tables(kicks);
    int wrong = 0;
    for (int n = 0; n < fields && wrong < 3; ++n) {
        const int height = 1 + static_cast<int>(random() % pc::kSmallBoardRows);
        const std::uint64_t filled = random_field(random, height, kicks);
        const Board board = board_of(filled);
        for (int p = 0; p < kPieces; ++p) {
            const auto piece = static_cast<Piece>(p);
            if (by_the_field(move_tables, filled, piece, height) ==
                by_the_board(board, piece, kicks, height))
                continue;
            ++wrong;
            check::report_failure(__FILE__, __LINE__,
                                  kicks.name() + ": " + letter(piece) + " on field " +
                                      std::to_string(filled) + " of height " +
                                      std::to_string(height));
        }
    }
}

// An unusual system: any number of any tests, missing turns, any centres.
Kicks random_kicks(Generator& random) {
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const int reach = 1 + below(kMaxKick);
    std::vector<TurnTests> turns;
    std::array<Rotation, kPieces> spawn{};
    for (int p = 0; p < kPieces; ++p) {
        spawn[static_cast<std::size_t>(p)] = static_cast<Rotation>(below(kRotations));
        for (int from = 0; from < kRotations; ++from)
            for (int to = 0; to < kRotations; ++to) {
                if (from == to || below(4) == 0) continue;
                TurnTests turn{static_cast<Piece>(p), from, to, {}};
                for (int tests = 1 + below(6); tests > 0; --tests)
                    turn.tests.push_back({static_cast<std::int8_t>(below(2 * reach + 1) - reach),
                                          static_cast<std::int8_t>(below(2 * reach + 1) - reach)});
                turns.push_back(turn);
            }
    }
    Centres centres = box_centres(spawn);
    if (below(2))
        for (auto& of_piece : centres)
            for (Cell& centre : of_piece)
                centre = {static_cast<std::int8_t>(below(5) - 2),
                          static_cast<std::int8_t>(below(5) - 2)};
    return make_kicks("random", turns, spawn, centres);
}

}  // namespace

TEST(low_fields_have_the_placements_of_boards_under_every_system) {
    Generator random(1);
    for (const Kicks& kicks : all_kicks()) {
        expect_equal_placements(kicks, random, check::scale_cases(3000));
        expect_equal_placements(kicks.without_half_turns(), random, check::scale_cases(500));
    }
}

TEST(low_fields_have_the_placements_of_boards_under_systems_of_ones_own) {
    Generator random(2);
    for (int n = 0; n < check::scale_cases(200); ++n)
        expect_equal_placements(random_kicks(random), random, 100);
}

TEST(features_of_low_fields_are_those_of_boards) {
    Generator random(5);
    const Kicks& kicks = find_kicks("srs");
    int wrong = 0;
    for (int n = 0; n < check::scale_cases(20'000) && wrong < 3; ++n) {
        const int height = 1 + static_cast<int>(random() % pc::kSmallBoardRows);
        const std::uint64_t filled = random_field(random, height, kicks);
        std::array<float, pc::kFeatures> by_field{};
        std::array<float, pc::kFeatures> by_board{};
        dispatch_table().find_features(filled, height, by_field.data());
        pc::find_features(board_of(filled), height, by_board.data());
        if (by_field == by_board) continue;
        ++wrong;
        check::report_failure(
            __FILE__, __LINE__,
            "field " + std::to_string(filled) + " of height " + std::to_string(height));
    }
}
