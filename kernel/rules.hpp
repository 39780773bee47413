// Rules of a game, as data. The presets and their sources are in Python (src/sevenbag/game); the
// defaults here are those of the guideline.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "board.hpp"
#include "kicks.hpp"
#include "movegen.hpp"
#include "piece.hpp"
#include "piece_queue.hpp"

namespace sevenbag {

// Rule for a piece whose spawn cells are filled.
enum class BlockedSpawnRule : std::uint8_t {
    lost,
    raise,   // it may spawn one row higher
    clutch,  // after a lock that cleared rows it spawns in the lowest row where it fits
};

// Rule for locks above the visible rows.
enum class LockOutRule : std::uint8_t { none, whole, partial };

// The bonus of the second and every further difficult clear in a row.
enum class BackToBackBonus : std::uint8_t {
    none,
    flat,   // one line
    chain,  // grows with the logarithm of the chain
};

enum class ComboKind : std::uint8_t {
    table,       // lines added, by clears made before in a row
    multiplier,  // a quarter more for each of them, with a minimum for clears without attack
};

enum class PerfectClearRule : std::uint8_t {
    adds,           // a separate attack
    replaces_all,   // instead of everything else
    replaces_base,  // instead of the clear and its back-to-back bonus; the combo is kept
};

enum class RoundingMode : std::uint8_t {
    down,
    random,  // up with the probability of the fraction
};

// Unit of the garbage travel time.
enum class TravelUnit : std::uint8_t { frames, own_locks };

// When the hole of a garbage row is drawn, and how.
enum class HolePattern : std::uint8_t {
    attacks,       // as rows enter: may change between attacks and within one
    attacks_old,   // the same, but an attack that is cancelled changes nothing
    entries,       // anew at each entry, then before every row of it
    rounded,       // by attacks, the outermost columns half as likely
    sent,          // as the attack arrives: may change within one
    random_cells,  // every cell of every row by the toss of a coin
};

// Rows that are lost when the board is pushed over its top.
enum class CutOffRule : std::uint8_t {
    top,
    third_from_top,  // of one row that enters; of n at once, the n rows below the n + 1 at the top
};

// When arrived garbage enters the board, and whether attack cancels it before.
enum class GarbageBlocking : std::uint8_t {
    full,     // at a lock that clears nothing
    limited,  // at every lock; after a clear, the rest after cancelling
    none,     // at every lock; attack removes nothing
    instant,  // as soon as it is sent, without waiting for a lock
};

// A value that begins to change when a game has lasted `margin` frames: by a step every frame, or
// in a straight line to `end` at frame `end_frame`, where that is not 0.
struct Growth {
    double start = 1;
    double per_second = 0;
    int margin = 0;
    double end = 0;
    int end_frame = 0;
};

// The current value of a Growth.
struct GrowingValue {
    double value;

    // Apply the growth of the frames from `from` up to `to`.
    void advance(const Growth& growth, int from, int to);
};

// Lines by rows cleared, the last for 5; every row above adds `further`.
inline constexpr int kAttackLines = 5;
inline constexpr int kMaxPreviews = 32;
inline constexpr int kMaxComboTable = 32;
inline constexpr int kMaxTargeting = 16;
inline constexpr int kUnlimitedRows = 1 << 20;
// One day: longer than any game, and safe from overflow.
inline constexpr int kMaxFrame = 24 * 60 * 60 * 60;
inline constexpr int kMaxAttack = 100000;

struct Rules {
    // Board and pieces.
    int width = 10;
    int rows = 40;
    int visible_rows = 20;
    int solid_rows = kMaxRows;  // a moving piece does not collide with rows from here up
    int kept_rows = kMaxRows;   // cells that lock from here up are lost

    Randomizer bag = Randomizer::seven;
    PieceCounts filled_bag{1, 1, 1, 1, 1, 1, 1};  // of Randomizer::general
    FirstPieceRule opening = FirstPieceRule::any;
    int previews = 5;
    bool hold = true;
    Kicks kicks{"srs", &kSrs};
    SpinRules spins = SpinMode::t_spins;

    // Spawn and top-out rules.
    Spawn spawn{4, 20};
    int spawn_drop = 1;  // rows a new piece falls at once, as far as it can
    BlockedSpawnRule blocked_spawn = BlockedSpawnRule::lost;
    LockOutRule lock_out = LockOutRule::whole;
    bool garbage_out = true;  // a filled cell pushed over the top loses

    // Attack: lines by rows cleared and spin.
    std::array<std::array<int, 3>, kAttackLines + 1> attack{
        {{0, 0, 0}, {0, 0, 2}, {1, 1, 4}, {2, 2, 6}, {4, 4, 4}, {4, 4, 4}}};
    std::array<int, 3> further{};  // by spin, for every row above kAttackLines
    bool spin_quads_send = true;   // whether the rest of a quad with a spin is sent
    // Lines added to a clear by the number of players who target this one; the last value repeats.
    std::array<int, kMaxTargeting> targeting{};
    int targeting_size = 0;
    int attack_cap = 0;              // the largest single attack; 0 = off
    bool halve_other_spins = false;  // spins of pieces other than T are worth half
    BackToBackBonus back_to_back = BackToBackBonus::flat;
    bool mini_single_bonus = true;  // whether a mini single gets the bonus
    int charge_at = 0;              // a chain longer than this is released when it breaks; 0 = off
    int charge_base = 0;            // lines added to a surge
    ComboKind combo = ComboKind::table;
    // Lines by c = clears made before this one in the run; the last repeats.
    std::array<int, kMaxComboTable> combo_table{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5};
    int combo_table_size = 12;
    bool combo_apart = false;  // the combo's lines are a separate attack
    PerfectClearRule perfect_clear = PerfectClearRule::replaces_all;
    int perfect_clear_lines = 10;
    int perfect_clear_chain = 0;  // added to the chain instead of the clear's own increment
    bool garbage_bonus = false;   // a difficult clear of a garbage row sends one line more
    Growth multiplier;
    RoundingMode rounding = RoundingMode::down;

    // Garbage.
    TravelUnit travel_unit = TravelUnit::frames;
    int travel = 30;
    GarbageBlocking blocking = GarbageBlocking::full;
    int opener_pieces = 0;             // up to this piece, attack cancels twice its lines; 0 = off
    Growth cap{kUnlimitedRows, 0, 0};  // rows that may enter at one lock
    int cap_limit = kUnlimitedRows;
    int absolute_cap = 0;  // rows that may wait, the latest are lost; 0 = off
    bool bombs = false;    // holes are filled by bombs
    HolePattern holes = HolePattern::attacks;
    double hole_change = 1;     // probability of a new column after an attack
    double hole_inner = 0;      // probability of a new column between rows of an attack
    bool hole_other = false;    // a new column is never the old one
    bool hole_centred = false;  // the outer fifths have no holes
    int hole_size = 1;          // columns
    int hole_timeout = 0;       // from this frame on a new column for every entry; 0 = off
    CutOffRule cut_off = CutOffRule::top;

    bool cancels() const {
        return blocking == GarbageBlocking::full || blocking == GarbageBlocking::limited;
    }
    // Return whether moving pieces collide with every filled cell.
    bool all_solid() const { return solid_rows >= rows; }
};

// Throw Error(rules) for values that the kernel does not support.
void validate(const Rules& rules);

}  // namespace sevenbag
