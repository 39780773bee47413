// Moves of the pieces of a rotation system, in the layout of the small-board generator (see
// small_board.hpp): the data of the four rotations is adjacent, so that one instruction processes
// all of them. Every system, custom ones included, is data for the same code.
//
// A position is the lower left corner of the bounding box of the piece's cells: bit 10 * y + x of a
// word of six rows. Equal rotations then have the same positions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kicks.hpp"
#include "piece.hpp"

namespace sevenbag::pc {

inline constexpr int kSmallBoardWidth = 10;
inline constexpr int kSmallBoardRows = 6;

// A number or a set of corners for each rotation.
struct alignas(32) ByRotation {
    std::uint64_t of[kRotations];
};

// The same test of the turns from each rotation, all in one direction.
struct TurnTest {
    ByRotation by;      // places the corner moves by, modulo 64
    ByRotation inside;  // corners that it leads to a place within the walls and the six rows ...
    ByRotation above;   // ... and above the six rows, within the walls
    Cell step[kRotations];  // the same as `by`
};

enum Direction { clockwise, half, counter_clockwise, kDirections };

constexpr int turned(int rotation, int direction) { return (rotation + direction + 1) % 4; }

struct MoveTable {
    ByRotation cell_places[4];  // of each cell, from the corner
    ByRotation within_walls;    // corners that keep all cells off the walls
    ByRotation
        below_top[kSmallBoardRows + 1];  // [height]: corners that keep all cells below that row
    ByRotation open;                     // all bits, if the piece turns so in open air
    ByRotation symmetric;                // all bits, if half a turn looks the same
    // A shift to the right never leads to the first column, one to the left never to the last.
    ByRotation not_first, not_last;

    std::uint64_t cells[kRotations];  // with the corner at bit 0
    Cell centre[kRotations];          // from the corner
    int looks;                        // rotations, from north, that look different: 1, 2 or 4
    bool turns;                       // whether a rotation ever moves or changes the piece
    // From this many rows above the stack no turn leads into the stack.
    int margin;

    int tests[kDirections];              // the most of any rotation
    int count[kDirections][kRotations];  // from each
    TurnTest test[kDirections][kMaxTests];
};

// All pieces of a system.
struct MoveTables {
    explicit MoveTables(const Kicks& kicks);

    const MoveTable& of(Piece piece) const { return pieces[static_cast<std::size_t>(piece)]; }

    std::array<MoveTable, kPieces> pieces;
};

// Maximum number of placements on a board of four rows, of all pieces together: in each column, a
// piece of height one or two rests at two heights at most, a higher one at one.
inline constexpr int kMaxSuccessors = 242;

// A resting position: the corner and rotation of a piece.
struct RestPosition {
    int rotation;
    int corner;
};

}  // namespace sevenbag::pc
