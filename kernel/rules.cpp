#include "rules.hpp"

#include <cstdio>
#include <string>

#include "error.hpp"

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

}  // namespace

void validate(const Rules& rules) {
    need("board width", rules.width, kMinWidth, kMaxWidth);
    need("board rows", rules.rows, kMinRows, kMaxRows);
    need("visible rows", rules.visible_rows, 1, rules.rows);
    need("previews", rules.previews, 0, kMaxPreviews);
    need("spawn x", rules.spawn.x, 0, rules.width - 1);
    need("spawn y", rules.spawn.y, 0, rules.rows - 1);
    need("spawn drop", rules.spawn_drop, 0, kMaxRows);
    need("combo table size", rules.combo_table_size, 0, kMaxComboTable);
    need("garbage travel", rules.travel, 0, kEverythingEnters);
    need("garbage cap", rules.cap.start, 0, kEverythingEnters);
    need("garbage cap limit", rules.cap_limit, 0, kEverythingEnters);
    need("garbage cap growth", rules.cap.per_second, 0, kEverythingEnters);
    need("attack multiplier", rules.multiplier.start, 0, 1000);
    need("attack multiplier growth", rules.multiplier.per_second, 0, 1000);
    need("hole change", rules.hole_change, 0, 1);
    need("hole inner", rules.hole_inner, 0, 1);
    for (const auto& kinds : rules.attack)
        for (int lines : kinds) need("attack", lines, 0, 1000);
    for (int lines : rules.combo_table) need("combo", lines, 0, 1000);
    need("perfect clear lines", rules.perfect_clear_lines, 0, 1000);
    need("perfect clear chain", rules.perfect_clear_chain, 0, 1000);
    need("charge at", rules.charge_at, 0, 1000000);
    need("charge base", rules.charge_base, 0, 1000);
}

}  // namespace sevenbag
