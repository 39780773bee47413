#include "rules.hpp"

#include <array>
#include <cstdio>
#include <string>

#include "board.hpp"
#include "error.hpp"
#include "topout.hpp"

namespace sevenbag {

namespace {

std::string short_text(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", number);
    return text;
}

void need(const char* name, double value, double least, double most) {
    if (value >= least && value <= most) return;  // not so for a NaN
    throw Error(ErrorKind::rules, std::string(name) + " is " + short_text(value) + ", must be " +
                                      short_text(least) + " to " + short_text(most));
}

[[noreturn]] void refuse(const std::string& text) { throw Error(ErrorKind::rules, text); }

void need_growth(const Growth& growth, const std::array<const char*, 5>& names, double most) {
    need(names[0], growth.start, 0, most);
    need(names[1], growth.per_second, 0, most);
    need(names[2], growth.margin, 0, kLastFrame);
    need(names[3], growth.end, 0, most);
    need(names[4], growth.end_frame, 0, kLastFrame);
    if (growth.end_frame == 0) return;
    if (growth.per_second != 0)
        refuse(std::string(names[0]) + " may grow every frame or up to an end, not both");
    if (growth.end_frame <= growth.margin)
        refuse(std::string(names[4]) + " is " + std::to_string(growth.end_frame) +
               ", must be after the margin, " + std::to_string(growth.margin));
}

void need_bag(const Rules& rules) {
    int pieces = 0;
    for (int count : rules.filled_bag) pieces += count;
    need("pieces in the bag", pieces, 1, kLargestBag);
}

void need_holes(const Rules& rules) {
    need("hole change", rules.hole_change, 0, 1);
    need("hole inner", rules.hole_inner, 0, 1);
    need("hole timeout", rules.hole_timeout, 0, kLastFrame);
    const int margin = rules.hole_centred ? (rules.width + 2) / 5 : 0;
    // A column that is another one needs two to choose from.
    need("hole size", rules.hole_size, 1, rules.width - 2 * margin - rules.hole_other);
}

// Every piece that may come must be able to appear on an empty board.
void need_spawns(const Rules& rules) {
    const Board empty(rules.width, rules.rows);
    for (int p = 0; p < kPieces; ++p) {
        const auto piece = static_cast<Piece>(p);
        if (rules.bag == BagKind::general && rules.filled_bag[static_cast<std::size_t>(p)] == 0)
            continue;
        if (!spawn_of(rules, empty, empty, piece, false))
            refuse("pieces cannot appear at x " + std::to_string(rules.spawn.x) + ", y " +
                   std::to_string(rules.spawn.y) + " of a board of " + std::to_string(rules.width) +
                   " x " + std::to_string(rules.rows) + ": " + letter(piece) + " does not fit");
    }
}

}  // namespace

void validate(const Rules& rules) {
    need("board width", rules.width, kMinWidth, kMaxWidth);
    need("board rows", rules.rows, kMinRows, kMaxRows);
    need("visible rows", rules.visible_rows, 1, rules.rows);
    need("solid rows", rules.solid_rows, 1, kMaxRows);
    need("kept rows", rules.kept_rows, 1, kMaxRows);
    need_bag(rules);
    need("previews", rules.previews, 0, kMaxPreviews);
    need("spawn x", rules.spawn.x, 0, rules.width - 1);
    need("spawn y", rules.spawn.y, 0, rules.rows - 1);
    need("spawn drop", rules.spawn_drop, 0, kMaxRows);
    need("combo table size", rules.combo_table_size, 0, kMaxComboTable);
    need("garbage travel", rules.travel, 0, kEverythingEnters);
    need_growth(rules.cap,
                {"garbage cap", "garbage cap growth", "garbage cap margin", "garbage cap end",
                 "garbage cap end frame"},
                kEverythingEnters);
    need("garbage cap limit", rules.cap_limit, 0, kEverythingEnters);
    need("garbage absolute cap", rules.absolute_cap, 0, kEverythingEnters);
    need("opener pieces", rules.opener_pieces, 0, kEverythingEnters);
    need_growth(rules.multiplier,
                {"attack multiplier", "attack multiplier growth", "attack multiplier margin",
                 "attack multiplier end", "attack multiplier end frame"},
                1000);
    need_holes(rules);
    for (const auto& kinds : rules.attack)
        for (int lines : kinds) need("attack", lines, 0, 2000);
    for (int lines : rules.further) need("attack", lines, 0, 1000);
    need("attack cap", rules.attack_cap, 0, kLargestAttack);
    need("targeting size", rules.targeting_size, 0, kMaxTargeting);
    for (int lines : rules.targeting) need("targeting bonus", lines, 0, 1000);
    for (int lines : rules.combo_table) need("combo", lines, 0, 1000);
    need("perfect clear lines", rules.perfect_clear_lines, 0, 1000);
    need("perfect clear chain", rules.perfect_clear_chain, 0, 1000);
    need("charge at", rules.charge_at, 0, 1000000);
    need("charge base", rules.charge_base, 0, 1000);
    need_spawns(rules);
    if (rules.spins.hold_keeps && rules.spins.on_shift == OnShift::rejudges)
        throw Error(ErrorKind::rules,
                    "spins that are judged at the lock have no verdict that a hold could keep");
}

}  // namespace sevenbag
