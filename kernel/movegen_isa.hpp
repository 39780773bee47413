// What the move generator and perft hand to code that is compiled once for each instruction set:
// plain numbers only, see bitboard.hpp.
#pragma once

#include <cstdint>

#include "dispatch.hpp"
#include "kicks.hpp"
#include "piece.hpp"
#include "spin.hpp"

namespace sevenbag {

// A board of width 10, as its packed words.
struct PackedBoard {
    const std::uint64_t* words;
    int height;  // of the stack
    int rows;    // of the board, at most 48
};

inline constexpr int kMaxFastPlies = 64;

struct PerftJob {
    const std::uint64_t (*boards)[3];  // start boards, at most 14 rows high
    int count;
    const Piece* queue;
    int depth;         // 1 to kMaxFastPlies
    bool corners;      // places of a T count by kind of spin
    const bool* stop;  // read atomically: whether to give up, with any count
};

// The rotation systems that the hot code is specialised on.
enum class FastSystem { none, srs, srs_plus };

// Whether the hot code can be used for a board, and how.
class Board;
FastSystem fast_system(const Board& board, const Kicks& kicks);
// Whether it can be used for spins judged so.
bool has_fast_path(const SpinRule& rule, Piece piece);

}  // namespace sevenbag
