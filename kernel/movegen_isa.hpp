// Interface between the move generator, perft and the multi-ISA code: plain data only, see
// bitboard.hpp.
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
    const bool* stop;  // read atomically: set to stop, with any count
};

// The rotation systems that the multi-ISA code is specialised for.
enum class FastSystem { none, srs, srs_plus };

// Whether the multi-ISA code supports a board, and how.
class Board;
FastSystem fast_system(const Board& board, const Kicks& kicks);
// Return whether the multi-ISA code supports these spin rules.
bool has_fast_path(const SpinRule& rule, Piece piece);

}  // namespace sevenbag
