// Boards, the move generator, paths and perft against a plain search: one state at a time, one
// cell at a time. All of it runs under the sanitizers too.
#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "check.hpp"
#include "error.hpp"
#include "key_path.hpp"
#include "movegen.hpp"
#include "parallel.hpp"
#include "perft.hpp"
#include "rotation.hpp"

using namespace sevenbag;

namespace {

using Resting = std::tuple<int, int, int, int>;  // canonical rotation, x, y, spin

// The spin of a rotation that ended here, test by test.
Spin plain_verdict(const Board& board, const Placement& p, bool full_kick, const SpinRules& rules) {
    const auto stuck = [&](int dx, int dy) {
        return !board.fits({p.piece, p.rotation, static_cast<std::int8_t>(p.x + dx),
                            static_cast<std::int8_t>(p.y + dy)});
    };
    if (!stuck(0, -1)) return Spin::none;
    const bool t = p.piece == Piece::T;
    const bool immobile = stuck(-1, 0) && stuck(1, 0) && stuck(0, 1);
    Spin corner = Spin::none;
    if (p.piece != Piece::I && p.piece != Piece::O) {
        const int r = static_cast<int>(p.rotation);
        int filled = 0;
        bool front = true;
        for (int i = 0; i < 4; ++i) {
            const Cell c = corners_of(p.piece, r)[static_cast<std::size_t>(i)];
            const bool is_filled = board.is_blocked(p.x + c.x, p.y + c.y, rules.top_filled);
            filled += is_filled;
            if (i < 2) front = front && is_filled;
        }
        if (filled >= 3) corner = !t || front || full_kick ? Spin::full : Spin::mini;
    }
    const auto if_immobile = [&](Spin worth) { return immobile ? worth : Spin::none; };
    switch (rules.mode) {
        case SpinMode::none:
            return Spin::none;
        case SpinMode::t_spins:
            return t ? corner : Spin::none;
        case SpinMode::t_spins_plus:
            return t ? std::max(corner, if_immobile(Spin::mini)) : Spin::none;
        case SpinMode::all:
            return t ? corner : if_immobile(Spin::full);
        case SpinMode::all_plus:
            return t ? std::max(corner, if_immobile(Spin::mini)) : if_immobile(Spin::full);
        case SpinMode::all_mini:
            return t ? corner : if_immobile(Spin::mini);
        case SpinMode::all_mini_plus:
            return t ? std::max(corner, if_immobile(Spin::mini)) : if_immobile(Spin::mini);
        case SpinMode::mini_only:
            return if_immobile(Spin::mini);
        case SpinMode::handheld:
            return corner;
        case SpinMode::stupid:
            return Spin::full;
        case SpinMode::immobile:
            return if_immobile(Spin::full);
    }
    return Spin::none;
}

// Every resting place by depth-first search over (x, y, rotation, spin).
std::set<Resting> plain_search(const Board& board, Piece piece, const Kicks& kicks, Spawn spawn,
                               const SpinRules& spins) {
    // The centre of a piece that fits may be outside the board, but at most this far.
    static constexpr int kMargin = 8;
    struct State {
        int x, y, rotation;
        Spin spin;    // as the last rotation made it
        bool turned;  // and if spins are detected at the lock: that there was a rotation,
        bool kicked;  // with a full kick

        std::size_t index() const {
            int index = (y + kMargin) * (kMaxWidth + 2 * kMargin) + x + kMargin;
            index = index * kRotations + rotation;
            index = index * 3 + static_cast<int>(spin);
            return static_cast<std::size_t>(index * 4 + turned * 2 + kicked);
        }
    };
    const auto placed = [&](const State& s) {
        return Placement{piece, static_cast<Rotation>(s.rotation), static_cast<std::int8_t>(s.x),
                         static_cast<std::int8_t>(s.y), s.spin};
    };
    const bool at_lock = spins.on_shift == OnShift::rejudges && spins.mode != SpinMode::stupid;
    // A std::set of states would double the time of the test.
    std::vector<bool> seen(
        State{kMaxWidth + kMargin, kMaxRows + kMargin, kRotations, Spin::full, true, true}.index());
    std::vector<State> waiting;
    const auto visit = [&](const State& s) {
        if (!board.fits(placed(s)) || seen[s.index()]) return;
        seen[s.index()] = true;
        waiting.push_back(s);
    };
    const Placement start = kicks.appear(piece, spawn.x, spawn.y);
    visit({start.x, start.y, static_cast<int>(start.rotation), Spin::none, false, false});
    std::set<Resting> found;
    while (!waiting.empty()) {
        const State s = waiting.back();
        waiting.pop_back();
        const bool persists = spins.mode == SpinMode::stupid;
        const bool slides = persists || spins.on_shift != OnShift::ends;
        for (const int dx : {-1, 1})
            visit({s.x + dx, s.y, s.rotation, slides ? s.spin : Spin::none, slides && s.turned,
                   slides && s.kicked});
        visit({s.x, s.y - 1, s.rotation, persists ? s.spin : Spin::none, false, false});
        for (int to = 0; to < kRotations; ++to) {
            const KickTests& tests =
                kicks.tests(piece, static_cast<Rotation>(s.rotation), static_cast<Rotation>(to));
            for (std::size_t i = 0; i < tests.count; ++i) {
                const Cell d = tests.displacement[i];
                State next{s.x + d.x, s.y + d.y, to, Spin::none, false, false};
                if (!board.fits(placed(next))) continue;
                const bool full =
                    is_full_kick(spins.full_kicks, s.rotation, to, static_cast<int>(i), d);
                next.turned = at_lock;
                next.kicked = at_lock && full;
                if (!at_lock) next.spin = plain_verdict(board, placed(next), full, spins);
                visit(next);
                break;
            }
        }
        if (!board.is_resting(placed(s))) continue;
        Placement p = placed(s);
        if (s.turned) p.spin = plain_verdict(board, p, s.kicked, spins);
        p = canonical(p);
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

// Any mode, and in half of all cases any variant of it.
SpinRules random_spins(std::mt19937& random) {
    SpinRules spins = static_cast<SpinMode>(random() % kSpinModes);
    if (random() % 2 == 0) return spins;
    spins.full_kicks = static_cast<FullKicks>(random() % 3);
    spins.on_shift = static_cast<OnShift>(random() % 3);
    spins.top_filled = random() % 2 == 0;
    return spins;
}

void compare(const Board& board, Piece piece, const Kicks& kicks, Spawn spawn,
             const SpinRules& spins) {
    static PlacementList list;
    generate_placements(board, piece, kicks, spawn, spins, list);
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
                compare(board, static_cast<Piece>(p), kicks, spawn, random_spins(random));
            }
}

// Half turns or none, the O included, any kicks.
Kicks random_kicks(std::mt19937& random) {
    std::vector<TurnTests> turns;
    for (int p = 0; p < kPieces; ++p)
        for (int from = 0; from < kRotations; ++from)
            for (int to = 0; to < kRotations; ++to) {
                if (from == to || random() % 4 == 0) continue;
                TurnTests turn{static_cast<Piece>(p), from, to, {}};
                for (auto n = 1 + random() % kMaxTests; n > 0; --n)
                    turn.tests.push_back({static_cast<std::int8_t>(random() % 9 - 4),
                                          static_cast<std::int8_t>(random() % 9 - 4)});
                turns.push_back(turn);
            }
    std::array<Rotation, kPieces> spawn{};
    for (Rotation& rotation : spawn) rotation = static_cast<Rotation>(random() % kRotations);
    return make_kicks("random", turns, spawn);
}

TEST(custom_rotation_systems) {
    std::mt19937 random(17);
    for (int i = 0; i < 60; ++i) {
        const int width = kMinWidth + static_cast<int>(random() % (kMaxWidth - kMinWidth + 1));
        const Board board = random_board(random, width, 24, static_cast<int>(random() % 20), 0.5);
        const Kicks kicks = random_kicks(random);
        for (int p = 0; p < kPieces; ++p)
            compare(board, static_cast<Piece>(p), kicks,
                    {static_cast<std::int8_t>(width / 2 - 1), 20}, random_spins(random));
    }
}

TEST(a_system_outlives_the_one_it_is_copied_from) {
    std::mt19937 random(5);
    Kicks kept = find_kicks("srs");
    {
        const Kicks made = random_kicks(random);
        kept = made.without_half_turns();
        CHECK(kept == made.without_half_turns());
        CHECK_EQ(kept.hash(), made.without_half_turns().hash());
        CHECK(!(made == find_kicks("srs")));
    }
    CHECK(!kept.tests(Piece::T, Rotation::north, Rotation::south).exists);
    CHECK_EQ(kept.name(), "random without 180");
    CHECK(&find_kicks("SRS-Tetrio without 180").table() == &kSrs);
    CHECK(find_kicks("srs without 180").name() == "srs");
}

// Width ten, SRS and SRS+: the code that other boards and systems do not use.
TEST(every_spin_mode) {
    std::mt19937 random(23);
    for (int mode = 0; mode < kSpinModes; ++mode)
        for (int height = 0; height <= 21; ++height)
            for (const char* name : {"srs", "srs+", "tetra-x"})
                for (int p = 0; p < kPieces; ++p) {
                    const Board board = random_board(random, 10, 24 + height % 3, height, 0.3);
                    compare(board, static_cast<Piece>(p), find_kicks(name),
                            {4, static_cast<std::int8_t>(21 - height % 2)},
                            static_cast<SpinMode>(mode));
                }
}

TEST(one_rotation_is_judged_at_once) {
    Board board;
    for (int x = 0; x < 10; ++x) {
        board.set(x, 0, x != 4);
        board.set(x, 1, x < 3 || x > 5);
    }
    board.set(3, 2, true);
    const Placement t{Piece::T, Rotation::east, 4, 1};
    const auto turned = rotate(board, t, Rotation::south, find_kicks("srs"), SpinMode::all_mini);
    CHECK(turned.has_value());
    CHECK(turned->placement == (Placement{Piece::T, Rotation::south, 4, 1, Spin::full}));
    CHECK_EQ(turned->test, 0);
    CHECK(!rotate(board, t, Rotation::west, find_kicks("srs"), SpinMode::none));
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
        generate_placements(board, Piece::T, find_kicks("srs+"), Spawn{}, SpinMode::t_spins, list);
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
    CHECK(board.is_occupied(0, 0));
    board.add_garbage(4, 40);
    CHECK_EQ(board.count(), 360);
}

TEST(exceptions_of_threads_reach_the_caller) {
    std::atomic<int> ended{0};
    for (int thrower = 0; thrower < 4; ++thrower) {
        ended = 0;
        CHECK_THROWS(Error, run_in_threads(4, [&](int i) {
                         ++ended;
                         if (i == thrower) throw Error(ErrorKind::queue, "thrown");
                     }));
        CHECK_EQ(ended.load(), 4);
    }
    std::vector<int> parts(10);
    run_in_parts(10, 3, [&](int thread, int begin, int end) {
        for (int i = begin; i < end; ++i) parts[static_cast<std::size_t>(i)] = thread + 1;
    });
    CHECK(std::count(parts.begin(), parts.end(), 0) == 0);
    CHECK(std::is_sorted(parts.begin(), parts.end()));
}

TEST(perft_can_be_stopped) {
    const bool stop = true;
    const std::vector<Piece> queue(40, Piece::T);  // would take for ever
    for (const char* name : {"srs", "tetra-x"})
        for (int threads : {1, 2})
            perft(Board(), queue, find_kicks(name), Spawn{}, SpinMode::none, threads, &stop);
}

TEST(custom_shapes) {
    const Cells lying{{{0, 0}, {1, 0}, {2, 0}, {3, 0}}};
    CHECK(centre_of(Piece::I, Rotation::north, lying) == (Cell{1, 0}));
    CHECK(centre_of(Piece::I, Rotation::south, lying) == (Cell{2, 0}));
    CHECK_THROWS(Error, centre_of(Piece::I, Rotation::east, lying));
    CHECK_THROWS(Error, centre_of(Piece::T, Rotation::north, lying));
    const Kicks& pason = find_kicks("pason");
    for (int p = 0; p < kPieces; ++p) {
        const auto piece = static_cast<Piece>(p);
        const Placement at = pason.appear(piece, 5, 19);
        CHECK(at.rotation == Rotation::south);
        CHECK_EQ(at.x, 5);
        CHECK_EQ(at.y, 19);
    }
}

TEST(wrong_input_is_refused) {
    CHECK_THROWS(Error, Board(3, 40));
    CHECK_THROWS(Error, Board(10, 65));
    CHECK_THROWS(Error, find_kicks("nothing"));
    CHECK_THROWS(Error, find_spin_mode("nothing"));
    const std::vector<TurnTests> far{{Piece::T, 0, 1, {{0, 5}}}};
    CHECK_THROWS(Error, make_kicks("far", far, {}));
    const std::vector<TurnTests> twice{{Piece::T, 0, 1, {{0, 0}}}, {Piece::T, 0, 1, {{0, 0}}}};
    CHECK_THROWS(Error, make_kicks("twice", twice, {}));
    const std::vector<TurnTests> same{{Piece::T, 1, 1, {{0, 0}}}};
    CHECK_THROWS(Error, make_kicks("same", same, {}));
    const std::vector<TurnTests> empty{{Piece::T, 0, 1, {}}};
    CHECK_THROWS(Error, make_kicks("empty", empty, {}));
    CHECK_THROWS(Error, piece_from_letter('x'));
    Board board;
    CHECK_THROWS(Error, board.lock({Piece::T, Rotation::north, 0, 0}));
    CHECK_THROWS(Error, board.add_garbage(-1));
}
