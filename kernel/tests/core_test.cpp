// Boards, the move generator, paths and perft against a plain search: one state at a time, one
// cell at a time. All of it runs under the sanitizers too.
#include <algorithm>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "check.hpp"
#include "error.hpp"
#include "movegen.hpp"
#include "path.hpp"
#include "perft.hpp"

using namespace sevenbag;

namespace {

using Resting = std::tuple<int, int, int, int>;  // canonical rotation, x, y, spin

// Every resting place by depth-first search over (x, y, rotation, how it was entered).
std::set<Resting> plain_search(const Board& board, Piece piece, const Kicks& kicks, Spawn spawn,
                               SpinMode spins) {
    struct State {
        int x, y, rotation, entered;  // 0 moved, 1 turned, 2 turned by the full kick
        auto operator<=>(const State&) const = default;
    };
    const auto fits = [&](const State& s) {
        return board.fits({piece, static_cast<Rotation>(s.rotation), static_cast<std::int8_t>(s.x),
                           static_cast<std::int8_t>(s.y)});
    };
    std::set<State> seen;
    std::vector<State> waiting;
    const auto visit = [&](const State& s) {
        if (fits(s) && seen.insert(s).second) waiting.push_back(s);
    };
    visit({spawn.x, spawn.y, 0, 0});
    std::set<Resting> found;
    while (!waiting.empty()) {
        const State s = waiting.back();
        waiting.pop_back();
        visit({s.x - 1, s.y, s.rotation, 0});
        visit({s.x + 1, s.y, s.rotation, 0});
        visit({s.x, s.y - 1, s.rotation, 0});
        for (int to = 0; to < kRotations; ++to) {
            const Tests& tests =
                kicks.tests(piece, static_cast<Rotation>(s.rotation), static_cast<Rotation>(to));
            for (std::size_t i = 0; i < tests.count; ++i) {
                const Cell d = tests.displacement[i];
                const State next{s.x + d.x, s.y + d.y, to, is_full_kick(to, d) ? 2 : 1};
                if (!fits(next)) continue;
                visit(next);
                break;
            }
        }
        if (fits({s.x, s.y - 1, s.rotation, 0})) continue;
        Spin spin = Spin::none;
        if (spins == SpinMode::t_spins && piece == Piece::T && s.entered > 0) {
            int filled = 0;
            for (int i = 0; i < 4; ++i)
                filled += board.blocked(s.x + kCornerX[i], s.y + kCornerY[i]);
            const int a = s.rotation, b = (s.rotation + 1) % 4;
            const bool front = board.blocked(s.x + kCornerX[a], s.y + kCornerY[a]) &&
                               board.blocked(s.x + kCornerX[b], s.y + kCornerY[b]);
            if (filled >= 3) spin = front || s.entered == 2 ? Spin::full : Spin::mini;
        }
        const Placement p =
            canonical({piece, static_cast<Rotation>(s.rotation), static_cast<std::int8_t>(s.x),
                       static_cast<std::int8_t>(s.y), spin});
        found.insert({static_cast<int>(p.rotation), p.x, p.y, static_cast<int>(p.spin)});
    }
    return found;
}

Board random_board(std::mt19937& random, int width, int rows, int height, double density) {
    Board board(width, rows);
    std::uniform_real_distribution<double> chance;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) board.set(x, y, chance(random) < density);
        board.set(static_cast<int>(random() % static_cast<unsigned>(width)), y, false);
    }
    return board;
}

void compare(const Board& board, Piece piece, const Kicks& kicks, Spawn spawn, SpinMode spins) {
    static PlacementList list;
    generate(board, piece, kicks, spawn, spins, list);
    std::set<Resting> found;
    for (const Placement& p : list)
        found.insert({static_cast<int>(p.rotation), p.x, p.y, static_cast<int>(p.spin)});
    CHECK_EQ(static_cast<std::size_t>(list.size()), found.size());
    CHECK(found == plain_search(board, piece, kicks, spawn, spins));
}

std::uint64_t count(const char* letters, const char* kicks) {
    std::vector<Piece> queue;
    for (const char* c = letters; *c; ++c) queue.push_back(piece_from_letter(*c));
    return perft(Board(), queue, find_kicks(kicks), Spawn{}, SpinMode::none);
}

}  // namespace

TEST(every_width_and_system_generates_what_a_plain_search_finds) {
    std::mt19937 random(7);
    for (int width = kMinWidth; width <= kMaxWidth; ++width)
        for (const Kicks& kicks : all_kicks())
            for (int p = 0; p < kPieces; ++p) {
                const int rows = 20 + static_cast<int>(random() % 45);
                const int height = static_cast<int>(random() % static_cast<unsigned>(rows));
                const Board board = random_board(random, width, rows, height, 0.55);
                const Spawn spawn{static_cast<std::int8_t>(width / 2 - 1),
                                  static_cast<std::int8_t>(rows - 2)};
                compare(board, static_cast<Piece>(p), kicks, spawn, SpinMode::t_spins);
            }
}

TEST(low_and_high_stacks_of_width_ten) {
    std::mt19937 random(11);
    for (int height = 0; height <= 22; ++height)
        for (const char* name : {"srs", "srs+"})
            for (int p = 0; p < kPieces; ++p) {
                const Board board = random_board(random, 10, 40, height, 0.35);
                compare(board, static_cast<Piece>(p), find_kicks(name), {4, 19}, SpinMode::none);
                compare(board, static_cast<Piece>(p), find_kicks(name), {4, 21}, SpinMode::t_spins);
            }
}

TEST(perft_of_the_common_queue) {
    CHECK_EQ(count("IOLJ", "srs"), 188374u);
    CHECK_EQ(count("IOTLJ", "srs"), 6996708u);
    CHECK_EQ(count("IIII", "srs"), 92025u);
}

TEST(paths_end_on_their_placements) {
    std::mt19937 random(3);
    for (int i = 0; i < 20; ++i) {
        const Board board = random_board(random, 10, 40, 8, 0.4);
        std::vector<Placement> list;
        generate(board, Piece::T, find_kicks("srs+"), Spawn{}, SpinMode::t_spins, list);
        for (const Placement& p : list) {
            const auto keys = find_path(board, p, find_kicks("srs+"), Spawn{}, SpinMode::t_spins);
            CHECK(keys.has_value());
            if (keys) CHECK(keys->back() == Key::hard_drop);
        }
    }
}

TEST(rows_are_cleared_and_pushed) {
    Board board(10, 40);
    board.push_rows(board.full_row() & ~1u, 3);
    CHECK_EQ(board.height(), 3);
    CHECK_EQ(board.count(), 27);
    const std::uint64_t cleared = board.lock({Piece::I, Rotation::east, 0, 2});
    CHECK_EQ(cleared, std::uint64_t{7});
    CHECK_EQ(board.count(), 1);
    CHECK(board.occupied(0, 0));
    board.add_garbage(4, 40);
    CHECK_EQ(board.count(), 360);
}

TEST(wrong_input_is_refused) {
    CHECK_THROWS(Error, Board(3, 40));
    CHECK_THROWS(Error, Board(10, 65));
    CHECK_THROWS(Error, find_kicks("nothing"));
    CHECK_THROWS(Error, piece_from_letter('x'));
    Board board;
    CHECK_THROWS(Error, board.lock({Piece::T, Rotation::north, 0, 0}));
    CHECK_THROWS(Error, board.add_garbage(-1));
}
