#include "generators.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace sevenbag::fuzz {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Kicks read_custom_kicks(FuzzInput& input) {
    std::vector<TurnTests> turns;
    for (int i = input.between(0, 24); i > 0; --i) {
        TurnTests turn{read_piece(input), input.between(0, 3), input.between(0, 3), {}};
        for (int test = input.between(0, 8); test > 0; --test)
            turn.tests.push_back({static_cast<std::int8_t>(input.between(-kMaxKick, kMaxKick)),
                                  static_cast<std::int8_t>(input.between(-kMaxKick, kMaxKick))});
        turns.push_back(turn);
    }
    std::array<Rotation, kPieces> spawn{};
    if (input.flag())
        for (Rotation& rotation : spawn) rotation = input.pick<Rotation>(kRotations);
    return make_kicks("own", turns, spawn);
}

Growth read_growth(FuzzInput& input, double most_start, double most_growth) {
    Growth growth;
    growth.start = input.fraction(0, most_start, {1, 0, most_start, -1, kNan, kInfinity});
    growth.per_second = input.fraction(0, most_growth, {0, 0.01, most_growth, -1, kNan, kInfinity});
    growth.margin = input.number(0, 10000);
    if (input.flag()) {
        growth.end = input.fraction(0, most_start, {0, most_start, -1, kNan, kInfinity});
        growth.end_frame = input.number(0, 10000);
    }
    return growth;
}

void read_attack(FuzzInput& input, Rules& rules) {
    if (input.flag())
        for (auto& kinds : rules.attack)
            for (int& lines : kinds) lines = input.number(0, 20);
    if (input.flag()) {
        for (int& lines : rules.further) lines = input.number(0, 20);
        rules.spin_quads_send = input.flag();
        rules.attack_cap = input.number(0, 20);
        rules.targeting_size = input.number(0, kMaxTargeting);
        for (int& lines : rules.targeting) lines = input.number(0, 4);
    }
    rules.halve_other_spins = input.flag();
    rules.back_to_back = input.pick<BackToBackBonus>(3);
    rules.mini_single_bonus = input.flag();
    rules.charge_at = input.number(0, 5);
    rules.charge_base = input.number(0, 5);
    rules.combo = input.pick<ComboKind>(2);
    rules.combo_table_size = input.number(0, kMaxComboTable);
    if (input.flag())
        for (int& lines : rules.combo_table) lines = input.number(0, 20);
    rules.combo_apart = input.flag();
    rules.perfect_clear = input.pick<PerfectClearRule>(3);
    rules.perfect_clear_lines = input.number(0, 20);
    rules.perfect_clear_chain = input.number(0, 5);
    rules.garbage_bonus = input.flag();
    rules.multiplier = read_growth(input, 1000, 1000);
    rules.rounding = input.pick<RoundingMode>(2);
}

void read_garbage(FuzzInput& input, Rules& rules) {
    rules.travel_unit = input.pick<TravelUnit>(2);
    rules.travel = input.number(0, 60);
    rules.blocking = input.pick<GarbageBlocking>(4);
    rules.opener_pieces = input.number(0, 20);
    rules.cap = read_growth(input, 20, 20);
    rules.cap_limit = input.number(0, 40);
    rules.holes = input.pick<HolePattern>(6);
    rules.hole_change = input.fraction(0, 1, {0, 1, kNan});
    rules.hole_inner = input.fraction(0, 1, {0, 1, kNan});
    rules.hole_other = input.flag();
    rules.hole_centred = input.flag();
    rules.cut_off = input.pick<CutOffRule>(2);
    if (input.flag()) {
        rules.absolute_cap = input.number(0, 40);
        rules.bombs = input.flag();
        rules.hole_size = input.number(1, 3);
        rules.hole_timeout = input.number(0, 1000);
    }
}

}  // namespace

Piece read_piece(FuzzInput& input) { return input.pick<Piece>(kPieces); }

SpinMode read_spin_mode(FuzzInput& input) { return input.pick<SpinMode>(kSpinModes); }

void fill_board(FuzzInput& input, Board& board) {
    const int height = input.between(0, board.rows());
    const std::uint32_t full = board.full_row();
    for (int y = 0; y < height; ++y) {
        const auto cells = static_cast<std::uint32_t>(input.word(2));
        switch (input.byte() % 4) {
            case 0:
                board.set_row(y, cells & full);
                break;
            case 1:  // one hole, or none: full rows can be set, too
                board.set_row(y, full & ~(1u << cells % 20));
                break;
            case 2:  // a well
                board.set_row(y, full & ~(7u << cells % 18));
                break;
            default:
                board.set_row(y, cells & cells >> 3 & full);
        }
    }
}

Board read_board(FuzzInput& input) {
    // Half of all boards have the width of the multi-ISA code.
    const int width = input.flag() ? kDefaultWidth : input.between(kMinWidth, kMaxWidth);
    Board board(width, input.between(kMinRows, kMaxRows));
    fill_board(input, board);
    return board;
}

Kicks read_kicks(FuzzInput& input) {
    const std::vector<Kicks>& all = all_kicks();
    const int kind = input.between(0, static_cast<int>(all.size()) + 3);
    if (kind >= static_cast<int>(all.size())) return read_custom_kicks(input);
    const Kicks& kicks = all[static_cast<std::size_t>(kind)];
    return input.flag() ? kicks.without_half_turns() : kicks;
}

Spawn read_spawn(FuzzInput& input, const Board& board) {
    const int kind = input.byte() % 8;
    if (kind == 0)
        return {static_cast<std::int8_t>(input.between(-64, 64)),
                static_cast<std::int8_t>(input.between(-64, 64))};
    // Usually above the stack, as in games.
    const int lowest = kind < 5 ? board.height() : 0;
    return {static_cast<std::int8_t>(input.between(0, board.width() - 1)),
            static_cast<std::int8_t>(
                input.between(lowest < board.rows() ? lowest : 0, board.rows() - 1))};
}

Rules read_rules(FuzzInput& input) {
    Rules rules;
    if (input.flag()) {
        rules.width = input.number(kMinWidth, kMaxWidth);
        rules.rows = input.number(kMinRows, kMaxRows);
        rules.visible_rows = input.number(1, 20);
        rules.spawn = {static_cast<std::int8_t>(input.number(0, 15)),
                       static_cast<std::int8_t>(input.number(0, 63))};
        rules.spawn_drop = input.number(0, 4);
        rules.solid_rows = input.number(1, kMaxRows);
        rules.kept_rows = input.number(1, kMaxRows);
    }
    rules.bag = input.pick<Randomizer>(9);
    if (rules.bag == Randomizer::general)
        for (auto& count : rules.filled_bag) count = input.byte() % 12;
    rules.opening = input.pick<FirstPieceRule>(3);
    rules.previews = input.number(0, kMaxPreviews);
    rules.hold = input.flag();
    rules.kicks = read_kicks(input);
    rules.spins = read_spin_mode(input);
    rules.blocked_spawn = input.pick<BlockedSpawnRule>(3);
    rules.lock_out = input.pick<LockOutRule>(3);
    rules.garbage_out = input.flag();
    read_attack(input, rules);
    read_garbage(input, rules);
    validate(rules);
    return rules;
}

}  // namespace sevenbag::fuzz
