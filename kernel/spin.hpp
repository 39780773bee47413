// Spin detection. The spin is determined at each successful rotation and lost when the piece falls.
//
// Two tests, both only for a piece that cannot move down:
//  - corners: at least three of four cells around the piece are filled (walls and floor count). For
//    a T these are the cells diagonal to its centre: full if both on the side it points to are, or
//    if the rotation used a full kick; otherwise mini. Other pieces: full.
//  - immobile: the piece cannot move left, right, up or down by one cell.
//
// The mode selects the tests for each piece and their values; the higher spin counts. The other
// differences between games (full kicks, shifts, hold, the space above the board) are data as well.
#pragma once

#include <cstdint>
#include <string_view>

#include "piece.hpp"

namespace sevenbag {

class Board;

// Spin modes: which placements count as spins.
enum class SpinMode : std::uint8_t {
    none,
    t_spins,
    t_spins_plus,
    all,
    all_plus,
    all_mini,
    all_mini_plus,
    mini_only,
    handheld,
    stupid,
    immobile,
};
inline constexpr int kSpinModes = 11;

// Kicks that make a T's spin full for any corners.
enum class FullKicks : std::uint8_t {
    downward,  // two rows down and one column across, in a quarter turn into east or west
    fifth,     // the fifth test of any turn
    none,
};

// Effect of a sideways shift on the spin; a piece that cannot shift is not affected.
enum class OnShift : std::uint8_t {
    ends,
    keeps,     // the spin of the rotation is kept
    rejudges,  // corners are tested at the lock, as for a rotation into that position
};

struct SpinRules {
    SpinMode mode = SpinMode::none;
    FullKicks full_kicks = FullKicks::downward;
    OnShift on_shift = OnShift::ends;
    bool hold_keeps_spin = false;  // the next piece inherits the spin of the held one
    bool top_filled = false;       // corners above the board's top row count as filled

    constexpr SpinRules() = default;
    // Implicit, because most games only set the mode.
    constexpr SpinRules(SpinMode only) : mode(only) {}
    friend constexpr bool operator==(const SpinRules&, const SpinRules&) = default;
};

// The name used by protocols: "T-spins+".
std::string_view spin_mode_name(SpinMode mode);
// By name in any case; '-', '_' and blanks are the same. Throws Error(rules).
SpinMode find_spin_mode(std::string_view name);

// The spin rules for one piece.
struct SpinRule {
    bool corners = false;
    Spin immobile = Spin::none;
    Spin resting = Spin::none;  // worth of every piece that cannot move down
    bool persists = false;      // later moves keep the spin
    FullKicks full_kicks = FullKicks::downward;
    OnShift on_shift = OnShift::ends;
    bool top_filled = false;

    constexpr bool detects_spins() const {
        return corners || immobile != Spin::none || resting != Spin::none;
    }
};

namespace detail {

constexpr SpinRule tests_of(SpinMode mode, Piece piece) {
    const bool t = piece == Piece::T;
    switch (mode) {
        case SpinMode::none:
            return {};
        case SpinMode::t_spins:
            return {.corners = t};
        case SpinMode::t_spins_plus:
            return {.corners = t, .immobile = t ? Spin::mini : Spin::none};
        case SpinMode::all:
            return {.corners = t, .immobile = t ? Spin::none : Spin::full};
        case SpinMode::all_plus:
            return {.corners = t, .immobile = t ? Spin::mini : Spin::full};
        case SpinMode::all_mini:
            return {.corners = t, .immobile = t ? Spin::none : Spin::mini};
        case SpinMode::all_mini_plus:
            return {.corners = t, .immobile = Spin::mini};
        case SpinMode::mini_only:
            return {.immobile = Spin::mini};
        case SpinMode::handheld:
            return {.corners = piece != Piece::I && piece != Piece::O};
        case SpinMode::stupid:
            return {.resting = Spin::full, .persists = true};
        case SpinMode::immobile:
            return {.immobile = Spin::full};
    }
    return {};
}

}  // namespace detail

constexpr SpinRule spin_rule(const SpinRules& rules, Piece piece) {
    SpinRule rule = detail::tests_of(rules.mode, piece);
    rule.on_shift = rules.on_shift;
    rule.top_filled = rules.top_filled;
    // The corners of others are full as they are.
    if (piece == Piece::T) rule.full_kicks = rules.full_kicks;
    return rule;
}

// Corners around a T, clockwise; those in front of rotation r are r and r + 1 (modulo 4).
inline constexpr int kCornerX[4] = {-1, 1, 1, -1};
inline constexpr int kCornerY[4] = {1, 1, -1, -1};

namespace detail {

// TETR.IO's corners of L, J, S, Z in mode "handheld", by rotation, relative to the centre.
inline constexpr Cells kHandheldCorners[4][kRotations] = {
    {{{{-1, 1}, {0, 1}, {1, -1}, {-1, -1}}},  // L
     {{{-1, 1}, {1, 1}, {1, 0}, {-1, -1}}},
     {{{-1, 1}, {1, 1}, {1, -1}, {0, -1}}},
     {{{-1, 0}, {1, 1}, {1, -1}, {-1, -1}}}},
    {{{{0, 1}, {1, 1}, {1, -1}, {-1, -1}}},  // J
     {{{-1, 1}, {1, 0}, {1, -1}, {-1, -1}}},
     {{{-1, 1}, {1, 1}, {0, -1}, {-1, -1}}},
     {{{-1, 1}, {1, 1}, {1, -1}, {-1, 0}}}},
    {{{{-1, 1}, {2, 1}, {1, 0}, {-2, 0}}},  // S
     {{{0, 2}, {1, 1}, {1, -2}, {0, -1}}},
     {{{-1, 0}, {2, 0}, {1, -1}, {-2, -1}}},
     {{{-1, 2}, {0, 1}, {-1, -1}, {0, -2}}}},
    {{{{-2, 1}, {1, 1}, {2, 0}, {-1, 0}}},  // Z
     {{{0, 1}, {1, 2}, {0, -2}, {1, -1}}},
     {{{-2, 0}, {1, 0}, {2, -1}, {-1, -1}}},
     {{{-1, 1}, {0, 2}, {0, -1}, {-1, -2}}}},
};

}  // namespace detail

// The cells of the corner test, relative to the centre; of a T the first two are those in front.
// Not for I and O, which have none.
constexpr Cells corners_of(Piece piece, int rotation) {
    if (piece != Piece::T)
        return detail::kHandheldCorners[static_cast<int>(piece) - static_cast<int>(Piece::L)]
                                       [rotation];
    Cells corners{};
    for (int i = 0; i < 4; ++i)
        corners[static_cast<std::size_t>(i)] = {
            static_cast<std::int8_t>(kCornerX[(rotation + i) % 4]),
            static_cast<std::int8_t>(kCornerY[(rotation + i) % 4])};
    return corners;
}

// Return whether a rotation makes a T's spin full: `test` is the index of the test that fitted (0
// is the first), `displacement` that of the centre. `downward`: the kicks of the T-spin triple and
// the fin, toward the side opposite to the final direction of the T.
constexpr bool is_full_kick(FullKicks kicks, int from, int to, int test, Cell displacement) {
    switch (kicks) {
        case FullKicks::downward:
            return from % 2 == 0 && displacement.y == -2 &&
                   ((to == 1 && displacement.x == -1) || (to == 3 && displacement.x == 1));
        case FullKicks::fifth:
            return test == 4;
        case FullKicks::none:
            break;
    }
    return false;
}

// Return the spin that a rotation into `placement` makes.
Spin detect_spin(const Board& board, const Placement& placement, bool full_kick,
                 const SpinRule& rule);

}  // namespace sevenbag
