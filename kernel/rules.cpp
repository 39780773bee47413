#include "rules.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "board.hpp"
#include "error.hpp"
#include "spawn.hpp"

namespace sevenbag {

void GrowingValue::advance(const Growth& growth, int from, int to) {
    if (growth.end_frame > 0) {
        const double passed = std::clamp(to, growth.margin, growth.end_frame) - growth.margin;
        value = growth.start +
                (growth.end - growth.start) * passed / (growth.end_frame - growth.margin);
        return;
    }
    if (growth.per_second == 0) return;
    // Added frame by frame, as the rule is written: a product would round otherwise.
    for (int frame = std::max(from, growth.margin); frame < to; ++frame)
        value += growth.per_second / 60;
}

namespace {

[[noreturn]] void refuse(const std::string& text) { throw Error(ErrorKind::rules, text); }

void validate_growth(const Growth& growth, const std::array<const char*, 5>& names, double max) {
    check_range(names[0], growth.start, 0, max);
    check_range(names[1], growth.per_second, 0, max);
    check_range(names[2], growth.margin, 0, kMaxFrame);
    check_range(names[3], growth.end, 0, max);
    check_range(names[4], growth.end_frame, 0, kMaxFrame);
    if (growth.end_frame == 0) return;
    if (growth.per_second != 0)
        refuse(std::string(names[0]) + ": a growth per second and an end value exclude each other");
    if (growth.end_frame <= growth.margin)
        throw_invalid(ErrorKind::rules, names[4],
                      "a frame after the margin, " + std::to_string(growth.margin),
                      std::to_string(growth.end_frame));
}

void validate_bag(const Rules& rules) {
    int pieces = 0;
    for (int count : rules.filled_bag) pieces += count;
    check_range("pieces in the bag", pieces, 1, kMaxBagPieces);
}

void validate_holes(const Rules& rules) {
    check_range("hole change", rules.hole_change, 0, 1);
    check_range("hole inner", rules.hole_inner, 0, 1);
    check_range("hole timeout", rules.hole_timeout, 0, kMaxFrame);
    const int margin = rules.hole_centred ? (rules.width + 2) / 5 : 0;
    // A column that is another one needs two to choose from.
    check_range("hole size", rules.hole_size, 1, rules.width - 2 * margin - rules.hole_other);
}

// Every piece that can be dealt must fit at its spawn on an empty board.
void validate_spawns(const Rules& rules) {
    const Board empty(rules.width, rules.rows);
    for (int p = 0; p < kPieces; ++p) {
        const auto piece = static_cast<Piece>(p);
        if (rules.bag == Randomizer::general && rules.filled_bag[static_cast<std::size_t>(p)] == 0)
            continue;
        if (!spawn_of(rules, empty, empty, piece, false))
            refuse("pieces cannot spawn at x " + std::to_string(rules.spawn.x) + ", y " +
                   std::to_string(rules.spawn.y) + " of a board of " + std::to_string(rules.width) +
                   " x " + std::to_string(rules.rows) + ": " + letter(piece) + " does not fit");
    }
}

}  // namespace

void validate(const Rules& rules) {
    check_range("board width", rules.width, kMinWidth, kMaxWidth);
    check_range("board rows", rules.rows, kMinRows, kMaxRows);
    check_range("visible rows", rules.visible_rows, 1, rules.rows);
    check_range("solid rows", rules.solid_rows, 1, kMaxRows);
    check_range("kept rows", rules.kept_rows, 1, kMaxRows);
    validate_bag(rules);
    check_range("previews", rules.previews, 0, kMaxPreviews);
    check_range("spawn x", rules.spawn.x, 0, rules.width - 1);
    check_range("spawn y", rules.spawn.y, 0, rules.rows - 1);
    check_range("spawn drop", rules.spawn_drop, 0, kMaxRows);
    check_range("combo table size", rules.combo_table_size, 0, kMaxComboTable);
    check_range("garbage travel", rules.travel, 0, kUnlimitedRows);
    validate_growth(rules.cap,
                    {"garbage cap", "garbage cap growth", "garbage cap margin", "garbage cap end",
                     "garbage cap end frame"},
                    kUnlimitedRows);
    check_range("garbage cap limit", rules.cap_limit, 0, kUnlimitedRows);
    check_range("garbage absolute cap", rules.absolute_cap, 0, kUnlimitedRows);
    check_range("opener pieces", rules.opener_pieces, 0, kUnlimitedRows);
    validate_growth(rules.multiplier,
                    {"attack multiplier", "attack multiplier growth", "attack multiplier margin",
                     "attack multiplier end", "attack multiplier end frame"},
                    1000);
    validate_holes(rules);
    for (const auto& kinds : rules.attack)
        for (int lines : kinds) check_range("attack", lines, 0, 2000);
    for (int lines : rules.further) check_range("attack", lines, 0, 1000);
    check_range("attack cap", rules.attack_cap, 0, kMaxAttack);
    check_range("targeting size", rules.targeting_size, 0, kMaxTargeting);
    for (int lines : rules.targeting) check_range("targeting bonus", lines, 0, 1000);
    for (int lines : rules.combo_table) check_range("combo", lines, 0, 1000);
    check_range("perfect clear lines", rules.perfect_clear_lines, 0, 1000);
    check_range("perfect clear chain", rules.perfect_clear_chain, 0, 1000);
    check_range("charge at", rules.charge_at, 0, 1000000);
    check_range("charge base", rules.charge_base, 0, 1000);
    validate_spawns(rules);
    if (rules.spins.hold_keeps_spin && rules.spins.on_shift == OnShift::rejudges)
        throw Error(ErrorKind::rules, "spin_hold and spin_shift 'rejudges' exclude each other");
}

}  // namespace sevenbag
