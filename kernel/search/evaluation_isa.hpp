// Interface between the search and the multi-ISA code: plain data only, see bitboard.hpp.
#pragma once

#include <cstdint>

#include "evaluation.hpp"
#include "piece.hpp"

namespace sevenbag {

// A board after a lock.
struct EvaluatedBoard {
    std::uint64_t hash;   // of the cells; equal for equal boards
    std::int32_t score;   // features by weights
    std::uint16_t cells;  // filled
    std::uint8_t lines;   // rows cleared by the lock
    std::uint8_t height;  // of the stack
    std::uint8_t t_rows;  // Features::t_rows
    bool holes;           // whether the board has holes
};

// Boards of width 10 and at most 42 rows.
struct EvaluationJob {
    const std::uint64_t* words;  // as Board has them
    int height;                  // of the stack
    int rows;                    // of the board
    const Placement* placements;
    int count;
    const Features* weights;
};

// The same for every board, slowly.
class Board;
void evaluate_placements_generic(const Board& board, const Placement* placements, int count,
                                 const Features& weights, EvaluatedBoard* out);

}  // namespace sevenbag
