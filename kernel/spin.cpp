#include "spin.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "board.hpp"
#include "error.hpp"

namespace sevenbag {

namespace {

constexpr std::string_view kNames[kSpinModes] = {
    "none",      "T-spins",   "T-spins+", "all",    "all+",     "all-mini",
    "all-mini+", "mini-only", "handheld", "stupid", "immobile",
};

std::string normalized_mode_name(std::string_view text) {
    std::string out;
    for (char c : text)
        out += c == '_' || c == ' '
                   ? '-'
                   : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

Spin detect_corner_spin(const Board& board, const Placement& p, bool full_kick, bool top_filled) {
    const Cells corners = corners_of(p.piece, static_cast<int>(p.rotation));
    bool filled[4];
    int count = 0;
    for (std::size_t i = 0; i < 4; ++i)
        count += filled[i] = board.is_blocked(p.x + corners[i].x, p.y + corners[i].y, top_filled);
    if (count < 3) return Spin::none;
    if (p.piece != Piece::T || full_kick) return Spin::full;
    return filled[0] && filled[1] ? Spin::full : Spin::mini;
}

}  // namespace

std::string_view spin_mode_name(SpinMode mode) { return kNames[static_cast<int>(mode)]; }

SpinMode find_spin_mode(std::string_view text) {
    const std::string wanted = normalized_mode_name(text.substr(0, 64));
    std::string names;
    for (int i = 0; i < kSpinModes; ++i) {
        if (normalized_mode_name(kNames[i]) == wanted) return static_cast<SpinMode>(i);
        names += (names.empty() ? "" : ", ") + std::string(kNames[i]);
    }
    throw_invalid(ErrorKind::rules, "spin mode", "one of " + names,
                  "'" + std::string(text.substr(0, 64)) + "'");
}

Spin detect_spin(const Board& board, const Placement& p, bool full_kick, const SpinRule& rule) {
    if (!rule.detects_spins() || board.fits(shifted(p, 0, -1))) return Spin::none;
    Spin spin = rule.resting;
    if (rule.corners)
        spin = std::max(spin, detect_corner_spin(board, p, full_kick, rule.top_filled));
    if (rule.immobile > spin && !board.fits(shifted(p, -1, 0)) && !board.fits(shifted(p, 1, 0)) &&
        !board.fits(shifted(p, 0, 1)))
        spin = rule.immobile;
    return spin;
}

}  // namespace sevenbag
