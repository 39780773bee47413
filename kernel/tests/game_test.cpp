// Bags, attack, garbage and games, without data files. The Python tests replay recorded games of
// other engines.

#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "attack.hpp"
#include "check.hpp"
#include "colored_board.hpp"
#include "error.hpp"
#include "game.hpp"
#include "garbage.hpp"
#include "in_flight_attacks.hpp"
#include "piece_queue.hpp"
#include "spawn.hpp"
#include "versus.hpp"

using namespace sevenbag;

namespace {

std::string pieces_of(Randomizer kind, std::int64_t seed, int count) {
    PieceQueue queue(kind, seed);
    std::string pieces;
    for (int i = 0; i < count; ++i) pieces += letter(queue.take());
    return pieces;
}

AttackList attacks(int lines) {
    AttackList list;
    list.add(lines);
    return list;
}

int sum_of(const Rules& rules, const LineClear& clear, Counters counters) {
    MinstdRandom random(1);
    return compute_attack(rules, clear, counters, 1, random).attacks.total();
}

std::shared_ptr<const Rules> guideline() { return std::make_shared<const Rules>(); }

// A move, chosen by a stream of draws.
Game::Move any_move(const Game& game, MinstdRandom& random, std::vector<Placement>& list) {
    game.placements(true, list);
    const Placement& placement = list[random.below(static_cast<int>(list.size()))];
    return {placement, placement.piece != game.current()};
}

}  // namespace

TEST(a_seed_deals_the_same_pieces_everywhere) {
    CHECK_EQ(pieces_of(Randomizer::seven, 1, 21), "OJILSTZTOLJSIZLISOTZJ");
    CHECK_EQ(pieces_of(Randomizer::seven, 2147483646, 14), "ZSIOLJTOSIZJLT");
    CHECK_EQ(pieces_of(Randomizer::fourteen, 1, 14), "ZOSLITITJSJOLZ");
    CHECK_EQ(pieces_of(Randomizer::classic, 1, 14), "ZLTSILZJTSITZS");
}

TEST(every_seed_makes_a_stream) {
    for (std::int64_t seed :
         {std::int64_t{0}, std::int64_t{-1}, std::int64_t{2147483647}, INT64_MIN, INT64_MAX}) {
        MinstdRandom random(seed);
        for (int i = 0; i < 100; ++i) {
            const std::int64_t value = random.next();
            CHECK(value >= 1 && value <= 2147483646);
        }
    }
}

TEST(looking_ahead_changes_nothing) {
    for (int kind = 0; kind <= static_cast<int>(Randomizer::total_mayhem); ++kind) {
        PieceQueue seen(static_cast<Randomizer>(kind), 9);
        PieceQueue blind(static_cast<Randomizer>(kind), 9);
        for (int i = 0; i < 300; ++i) {
            const Piece far = seen.peek(PieceQueue::kMaxLookahead - 1);
            CHECK_EQ(far, seen.peek(PieceQueue::kMaxLookahead - 1));
            CHECK_EQ(seen.take(), blind.take());
        }
    }
}

TEST(a_seven_bag_knows_what_is_left) {
    PieceQueue queue(Randomizer::seven, 3);
    for (int i = 0; i < 100; ++i) {
        int left = 0;
        for (int count : queue.remaining_in_bag(5)) {
            CHECK(count <= 1);
            left += count;
        }
        CHECK_EQ(left, 7 - (i + 5) % 7);
        CHECK_EQ(queue.remaining_in_bag(5)[static_cast<int>(queue.peek(5))], 1);
        queue.take();
    }
}

TEST(guideline_attack) {
    const Rules rules;
    CHECK_EQ(sum_of(rules, {Piece::I, Spin::none, 1, 0, false}, {12, 0}), 5);
    CHECK_EQ(sum_of(rules, {Piece::I, Spin::none, 4, 0, false}, {0, 1}), 5);
    CHECK_EQ(sum_of(rules, {Piece::T, Spin::full, 3, 0, false}, {3, 1}), 8);
    CHECK_EQ(sum_of(rules, {Piece::T, Spin::mini, 1, 0, false}, {0, 1}), 1);
    CHECK_EQ(sum_of(rules, {Piece::I, Spin::none, 4, 0, true}, {2, 1}), 10);
    CHECK_EQ(sum_of(rules, {Piece::T, Spin::full, 0, 0, false}, {2, 1}), 0);
}

TEST(counters_run_on_from_lock_to_lock) {
    const Rules rules;
    MinstdRandom random(1);
    Counters counters;
    const auto clear = [&](Spin spin, int lines) {
        compute_attack(rules, {Piece::T, spin, lines, 0, false}, counters, 1, random);
        return counters;
    };
    CHECK(clear(Spin::full, 1) == Counters{1, 1});
    CHECK(clear(Spin::none, 4) == Counters{2, 2});
    CHECK(clear(Spin::full, 0) == Counters{0, 2});
    CHECK(clear(Spin::mini, 1) == Counters{1, 3});
    CHECK(clear(Spin::none, 3) == Counters{2, 0});
}

TEST(cancelling_takes_the_oldest_first) {
    const Rules rules;
    GarbageQueue queue(rules, 1);
    queue.receive(rules, 2, 0);
    queue.receive(rules, 3, 0);
    CancelResult outcome = queue.cancel(rules, attacks(4), 1);
    CHECK_EQ(outcome.cancelled, 4);
    CHECK_EQ(outcome.sent.size(), 0);
    CHECK_EQ(queue.pending().size(), 1);
    outcome = queue.cancel(rules, attacks(4), 2);
    CHECK_EQ(outcome.cancelled, 1);
    CHECK_EQ(outcome.sent.total(), 3);
}

TEST(the_opener_cancels_twice) {
    Rules rules;
    rules.opener_pieces = 14;
    for (int piece : {14, 15}) {
        GarbageQueue queue(rules, 1);
        queue.receive(rules, 10, 0);
        CHECK_EQ(queue.cancel(rules, attacks(4), piece).cancelled, piece == 14 ? 8 : 4);
    }
    GarbageQueue queue(rules, 1);
    queue.receive(rules, 5, 0);
    const CancelResult outcome = queue.cancel(rules, attacks(4), 1);
    CHECK_EQ(outcome.cancelled, 5);
    CHECK_EQ(outcome.sent.size(), 0);
}

TEST(garbage_waits_until_it_has_arrived) {
    const Rules rules;
    GarbageQueue queue(rules, 1);
    std::vector<HoleMask> holes;
    queue.receive(rules, 2, 10);
    queue.enter(rules, 39, LockCause::hard_drop, 100, holes);
    CHECK_EQ(holes.size(), 0);
    queue.enter(rules, 40, LockCause::hard_drop, 1, holes);
    CHECK_EQ(holes.size(), 1);
    queue.enter(rules, 40, LockCause::hard_drop, 100, holes);
    CHECK_EQ(holes.size(), 1);
    CHECK_EQ(queue.pending_lines(), 0);
}

TEST(garbage_may_travel_in_own_locks) {
    Rules rules;
    rules.travel_unit = TravelUnit::own_locks;
    rules.travel = 1;
    GarbageQueue queue(rules, 1);
    std::vector<HoleMask> holes;
    queue.receive(rules, 2, 0);
    queue.enter(rules, 0, LockCause::hard_drop, 100, holes);
    queue.count_lock(rules);
    CHECK_EQ(holes.size(), 0);
    queue.enter(rules, 0, LockCause::hard_drop, 100, holes);
    CHECK_EQ(holes.size(), 2);
}

TEST(holes_are_where_their_rule_puts_them) {
    struct Case {
        HolePattern holes;
        double inner;
        double changes;  // expected share of neighbours in an attack of ten with different columns
    };
    for (const Case& c : {Case{HolePattern::attacks, 0, 0}, Case{HolePattern::attacks, 0.3, 0.27},
                          Case{HolePattern::entries, 28.0 / 99, 28.0 / 99},
                          Case{HolePattern::rounded, 0, 0}, Case{HolePattern::sent, 0.05, 0.045}}) {
        Rules rules;
        rules.holes = c.holes;
        rules.hole_inner = c.inner;
        rules.hole_other = c.holes == HolePattern::entries;
        rules.travel = 0;
        GarbageQueue queue(rules, 5);
        std::vector<HoleMask> holes;
        std::vector<int> columns(10);
        int changes = 0;
        constexpr int kAttacks = 4000;
        for (int i = 0; i < kAttacks; ++i) {
            queue.receive(rules, 10, 0);
            queue.enter(rules, 0, LockCause::hard_drop, 100, holes);
            CHECK_EQ(holes.size(), 10);
            for (std::size_t row = 0; row < holes.size(); ++row) {
                ++columns[static_cast<std::size_t>(std::countr_zero(holes[row]))];
                if (row > 0) changes += holes[row] != holes[row - 1];
            }
        }
        const double share = static_cast<double>(changes) / (9 * kAttacks);
        CHECK(share > c.changes - 0.02 && share < c.changes + 0.02);
        const double edge = columns[0] / (10.0 * kAttacks);
        const double expected = c.holes == HolePattern::rounded ? 1.0 / 18 : 0.1;
        CHECK(edge > expected - 0.02 && edge < expected + 0.02);
    }
}

TEST(a_grid_moves_with_its_board) {
    ColorGrid grid(10, 40);
    for (int y = 0; y < 4; ++y) grid.set(y, y, 1 + static_cast<std::uint64_t>(y));
    grid.remove_rows(0b101);
    CHECK_EQ(grid.at(1, 0), 'O');
    CHECK_EQ(grid.at(3, 1), 'L');
    CHECK_EQ(grid.at(0, 0), '.');
    grid.push_garbage(1u << 3, false, 1, 40);
    CHECK_EQ(grid.at(3, 0), '.');
    CHECK_EQ(grid.at(4, 0), 'G');
    CHECK_EQ(grid.at(1, 1), 'O');
    CHECK(grid.has_garbage(0));
    CHECK(!grid.has_garbage(1));
}

// TETR.IO's list of rows: n rows enter at the bottom, and of the list that has grown by n the rows
// with index rows - n - 1 and above are removed, n of them.
TEST(the_cut_off_takes_rows_out_of_the_grown_list) {
    for (int count : {1, 2, 3, 7}) {
        Rules rules;
        rules.cut_off = CutOffRule::third_from_top;
        ColoredBoard colored_board(10, 40);
        std::vector<std::uint32_t> list;
        for (int y = 0; y < 40; ++y) {
            colored_board.board.set_row(y, 1u + static_cast<unsigned>(y));
            for (int x = 0; x < 10; ++x)
                if (colored_board.board.is_occupied(x, y)) colored_board.grid.set(x, y, 1);
            list.push_back(1u + static_cast<unsigned>(y));
        }
        list.insert(list.begin(), static_cast<std::size_t>(count), 0x3ffu & ~4u);
        list.erase(list.begin() + (40 - count - 1), list.begin() + 39);
        CHECK(colored_board.push(rules, 4, count));
        CHECK_EQ(list.size(), 40);
        for (int y = 0; y < 40; ++y) {
            CHECK_EQ(colored_board.board.row(y), list[static_cast<std::size_t>(y)]);
            for (int x = 0; x < 10; ++x)
                CHECK_EQ(colored_board.grid.at(x, y) != '.', colored_board.board.is_occupied(x, y));
        }
    }
}

TEST(rows_pushed_over_the_kept_ones_are_gone) {
    Rules rules;
    rules.kept_rows = 21;
    ColoredBoard colored_board(10, 25);
    colored_board.board.set_row(20, 1);
    colored_board.grid.set(0, 20, 1);
    CHECK(colored_board.push(rules, 1));
    CHECK_EQ(colored_board.board.row(20), 0);
    CHECK_EQ(colored_board.board.row(21), 0);
    CHECK_EQ(colored_board.grid.at(0, 21), '.');
    CHECK(!colored_board.push(rules, 1));
    CHECK_EQ(colored_board.board.height(), 2);
}

TEST(attacks_that_cross_meet_the_oldest_first) {
    InFlightAttacks attacks;
    CHECK_EQ(attacks.send(5, 4), 1);
    CHECK_EQ(attacks.send(5, 3), 2);
    CHECK_EQ(attacks.receive(5, 1, 6, 0), 0);
    CHECK_EQ(attacks.lines_in_flight(5), 1);
    CHECK_EQ(attacks.receive(5, 2, 6, 2), 6);
    CHECK_EQ(attacks.lines_in_flight(5), 0);
    CHECK_EQ(attacks.received(5), 2);
    CHECK_EQ(attacks.received(6), 0);
}

TEST(garbage_travels_once_it_is_confirmed) {
    Rules rules;
    rules.travel = 20;
    GarbageQueue queue(rules, 1);
    std::vector<HoleMask> rows;
    queue.announce(rules, {2, 1}, 3);
    queue.announce(rules, {2, 2}, 1);
    CHECK_EQ(queue.confirm(rules, {2, 2}, 10), 1);
    queue.enter(rules, 30, LockCause::timeout, 8, rows);
    CHECK_EQ(rows.size(), 0);
    queue.enter(rules, 30, LockCause::hard_drop, 8, rows);
    CHECK_EQ(rows.size(), 1);
    CHECK_EQ(queue.pending_lines(), 3);
    CHECK_EQ(queue.confirm(rules, {3, 1}, 10), 0);
}

TEST(no_rules_overflow_a_queue_or_an_attack) {
    Rules rules;
    rules.attack[1] = {1000, 1000, 1000};
    rules.multiplier.start = 1000;
    rules.charge_at = 1;
    rules.charge_base = 1000;
    rules.further = {1000, 1000, 1000};
    MinstdRandom random(1);
    Counters counters{kMaxCounter, kMaxCounter};
    const AttackResult attack =
        compute_attack(rules, {Piece::I, Spin::none, 1, 0, false}, counters, 1e300, random);
    for (int lines : attack.attacks) CHECK(lines <= kMaxAttack);
    CHECK_EQ(counters.combo, kMaxCounter);
    GarbageQueue queue(rules, 1);
    for (int i = 0; i < 30000; ++i) queue.receive(rules, kMaxAttack, 0);
    CHECK_EQ(queue.pending_lines(), GarbageQueue::kMaxPending);
}

TEST(cells_and_colours_agree_in_any_game) {
    std::vector<Placement> list;
    for (int width : {4, 7, 10, 16}) {
        auto rules = std::make_shared<Rules>();
        rules->width = width;
        rules->spawn.x = static_cast<std::int8_t>((width - 1) / 2);
        for (int seed = 1; seed <= 8; ++seed) {
            Game game(rules, seed, seed);
            MinstdRandom random(seed);
            int entered = 0;
            for (int turn = 1; !game.is_over(); ++turn) {
                game.receive(random.below(3) == 0 ? random.below(5) : 0, turn * 30 - 30);
                const LockResult& lock = game.play(any_move(game, random, list), turn * 30);
                entered += static_cast<int>(lock.garbage.size());
            }
            const Stats& stats = game.stats();
            if (game.top_out() != TopOut::garbage_out)
                CHECK_EQ(game.board().count(),
                         4 * stats.pieces + (width - 1) * entered - width * stats.lines);
            for (int y = 0; y < 40; ++y)
                for (int x = 0; x < width; ++x)
                    CHECK_EQ(game.grid().at(x, y) != '.', game.board().is_occupied(x, y));
        }
    }
}

TEST(every_listed_move_is_legal_and_judged_as_listed) {
    std::vector<Placement> list;
    Game game(guideline(), 11, 11);
    MinstdRandom random(2);
    for (int turn = 1; turn < 200 && !game.is_over(); ++turn) {
        game.placements(true, list);
        for (const Placement& placement : list)
            CHECK(game.find_move(placement).placement == placement);
        game.play(any_move(game, random, list), turn * 30);
    }
}

TEST(illegal_moves_are_refused) {
    Game game(guideline(), 1, 1);  // O J I L S T Z
    CHECK_THROWS(Error, game.find_move({Piece::S, Rotation::north, 4, 0, Spin::none}));
    CHECK_THROWS(Error, game.find_move({Piece::O, Rotation::north, 4, 1, Spin::none}));
    CHECK_THROWS(Error, game.find_move({Piece::O, Rotation::north, 9, 0, Spin::none}));
    CHECK_THROWS(Error, game.find_move({Piece::O, Rotation::north, 4, 0, Spin::none}, true));
    CHECK_THROWS(Error, game.find_move({Piece::O, Rotation::north, 127, 127, Spin::none}));
    CHECK_THROWS(Error, game.receive(-1, 0));
    CHECK_THROWS(Error, game.receive(1, -1));
    CHECK_EQ(game.stats().pieces, 0);
}

TEST(blocked_spawns) {
    Board wall;
    for (int y = 0; y < 20; ++y) wall.set(4, y, true);
    wall.set(4, 21, true);
    wall.set(4, 22, true);
    auto rules = std::make_shared<Rules>();
    rules->spawn = {4, 21};
    rules->spawn_drop = 0;
    Game lost(rules, 1, 1);
    lost.start_from(wall, {});
    CHECK(lost.is_over());
    rules->blocked_spawn = BlockedSpawnRule::raise;
    Game raised(rules, 1, 1);
    wall.set(4, 22, false);
    raised.start_from(wall, {});
    CHECK_EQ(raised.spawn_of(Piece::O)->y, 22);
}

TEST(impossible_rules_are_refused) {
    auto refused = [](auto change) {
        auto rules = std::make_shared<Rules>();
        change(*rules);
        CHECK_THROWS(Error, Game(rules, 1, 1));
    };
    refused([](Rules& rules) { rules.width = 17; });
    refused([](Rules& rules) { rules.rows = 100; });
    refused([](Rules& rules) { rules.previews = 33; });
    refused([](Rules& rules) { rules.combo_table_size = 40; });
    refused([](Rules& rules) { rules.spawn.x = 9; });
    refused([](Rules& rules) { rules.multiplier.start = -1; });
}

TEST(sent_attacks_are_received) {
    std::vector<Placement> list;
    MinstdRandom random(4);
    for (int seed = 1; seed <= 20; ++seed) {
        Versus versus(guideline(), seed, 30);
        CHECK_EQ(versus.player(0).current(), versus.player(1).current());
        while (!versus.is_over()) {
            const Game::Move first = any_move(versus.player(0), random, list);
            const Game::Move second = any_move(versus.player(1), random, list);
            versus.play(first, second);
        }
        for (int i : {0, 1})
            CHECK_EQ(versus.player(i).stats().sent, versus.player(1 - i).stats().received);
        CHECK(versus.winner() != 0 || versus.player(1).is_over());
        CHECK_THROWS(Error, versus.play({}, {}));
    }
}
