// Problem for the searches: can this small board be filled to exactly this height?
#pragma once

#include <array>
#include <cstdint>

#include "pc/move_tables.hpp"

namespace sevenbag::pc {

// Pieces that fill six rows, and one to look ahead.
inline constexpr int kMaxSteps = kSmallBoardWidth * kSmallBoardRows / 4;
inline constexpr int kMaxPieces = kMaxSteps + 1;
inline constexpr int kNoPiece = kPieces;

// The hold in short: one of the first two remaining pieces is placed. It makes no difference
// whether the first piece is held or current.
struct Problem {
    std::uint64_t filled;  // no row is full, and the number of empty cells a multiple of four
    int height;
    int needed;  // pieces that fill the board
    std::array<std::uint8_t, kMaxPieces> pieces;
    int count;    // of pieces: as many as are needed, or one more if there is a hold
    bool hold;    // without it the first piece is placed
    int save;     // the piece that must be left over, or kNoPiece
    bool strict;  // the board must not be empty before the end
};

// A placement as the searches see it.
struct Step {
    std::uint8_t piece;
    std::uint8_t rotation;
    std::uint8_t corner;  // in the board as it is then
};

enum class Outcome { found, none, stopped };

// Called every few hundred nodes with the number of nodes since the last call; returns whether to
// stop.
struct StopCheck {
    bool (*stop)(void* context, std::uint64_t nodes);
    void* context;
};

}  // namespace sevenbag::pc
