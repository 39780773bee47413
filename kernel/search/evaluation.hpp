// Evaluation of a board: counted features with weights.
//
// Integers only, so every machine computes the same scores. A line of attack has the weight
// Weights::attack; all other weights are relative to it.
#pragma once

#include <cstdint>

#include "board.hpp"

namespace sevenbag {

// Features of a board. A cell is *under the surface* if it is at or below the highest filled cell
// of its column, otherwise *open*.
struct Features {
    std::int32_t holes = 0;              // empty cells under the surface
    std::int32_t hole_rows = 0;          // rows with at least one of them
    std::int32_t cells_above_holes = 0;  // filled cells with a hole somewhere below them
    std::int32_t row_changes =
        0;                        // neighbours in a row, one filled and one empty; walls are filled
    std::int32_t surface = 0;     // cells under the surface: the sum of all heights
    std::int32_t steps = 0;       // sum of differences between neighbouring heights
    std::int32_t tall_steps = 0;  // the same, without the first row of each difference
    std::int32_t steep_steps = 0;   // the same, without the first two
    std::int32_t wells = 0;         // open cells between cells (or walls) under the surface
    std::int32_t deep_wells = 0;    // wells with another two wells above them
    std::int32_t well_columns = 0;  // columns that hold a deep well
    std::int32_t ready_rows = 0;    // rows that are full except for a well
    std::int32_t t_slots = 0;       // positions of a T-spin under an overhang
    std::int32_t t_rows = 0;        // rows that would be full if there were a T in every slot
    std::int32_t t_missing = 0;     // cells that the other rows of these slots would lack
    std::int32_t open_t_slots = 0;  // the same places without an overhang

    friend bool operator==(const Features&, const Features&) = default;
};

// Count the features cell by cell, for boards of every width. The search uses a faster version for
// width 10, see evaluation_isa.cpp.
Features features_of(const Board& board);

struct Weights {
    // One for each feature.
    Features of{
        .holes = -34,
        .hole_rows = -64,
        .cells_above_holes = -11,
        .row_changes = -74,
        .surface = 10,
        .steps = 7,
        .tall_steps = 6,
        .steep_steps = 6,
        .wells = 1,
        .deep_wells = -1,
        .well_columns = 4,
        .ready_rows = -20,
        .t_slots = 23,
        .t_rows = 154,
        .t_missing = -3,
        .open_t_slots = 8,
    };

    // The stack's height, with the garbage that waits: for each row above ...
    std::int32_t above_4 = 3;
    std::int32_t above_7 = -34;
    std::int32_t above_11 = -46;
    std::int32_t above_15 = -257;

    // State that continues from lock to lock.
    std::int32_t in_back_to_back = 104;  // the last clear was difficult
    std::int32_t in_combo = 17;          // for each clear in a row
    std::int32_t held_t = 39;            // a T is held
    std::int32_t held_t_row = 92;        // ... for each of Features::t_rows
    std::int32_t held_i = 35;

    // Without holes, for each piece fewer than ten that a perfect clear needs at least.
    std::int32_t near_clear = 10;

    // Weights of a lock.
    std::int32_t attack = 100;        // for each line sent
    std::int32_t earlier_attack = 3;  // for each line sent and each piece that it is sent earlier
    std::int32_t cleared_row = -49;   // cleared rows are the resource of attacks
    std::int32_t wasted_t = -52;      // a T locked without a T-spin clear
    std::int32_t broken_back_to_back = -86;
};

inline constexpr Weights kWeights{};

// Minimum number of pieces of a perfect clear on a board of width 10: pieces have four cells, rows
// ten, so only every other height is possible.
constexpr int pieces_to_clear(int height, int cells) {
    int rows = height < 2 ? 2 : height;
    if ((10 * rows - cells) % 4 != 0) ++rows;
    return (10 * rows - cells) / 4;
}

inline std::int32_t weighted(const Features& f, const Features& w) {
    return f.holes * w.holes + f.hole_rows * w.hole_rows +
           f.cells_above_holes * w.cells_above_holes + f.row_changes * w.row_changes +
           f.surface * w.surface + f.steps * w.steps + f.tall_steps * w.tall_steps +
           f.steep_steps * w.steep_steps + f.wells * w.wells + f.deep_wells * w.deep_wells +
           f.well_columns * w.well_columns + f.ready_rows * w.ready_rows + f.t_slots * w.t_slots +
           f.t_rows * w.t_rows + f.t_missing * w.t_missing + f.open_t_slots * w.open_t_slots;
}

}  // namespace sevenbag
