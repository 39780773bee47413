// How the pieces of a rotation system move, in the form in which the generator of low fields wants
// it (see small_board.hpp): what differs between the four rotations lies side by side, so that one
// instruction serves all of them; and every system, a user's own too, is data for the same code.
//
// A position is the lower left corner of the box around the piece's cells: bit 10 * y + x of a word
// of six rows. Rotations that look alike then have the same positions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kicks.hpp"
#include "piece.hpp"

namespace sevenbag::pc {

inline constexpr int kFieldWidth = 10;
inline constexpr int kFieldRows = 6;

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
    ByRotation cell_places[4];             // of each cell, from the corner
    ByRotation within_walls;               // corners that keep all cells off the walls
    ByRotation below_top[kFieldRows + 1];  // [height]: corners that keep all cells below that row
    ByRotation open;                       // all bits, if the piece turns so in open air
    ByRotation twin;                       // all bits, if half a turn looks the same
    // A shift to the right never leads to the first column, one to the left never to the last.
    ByRotation not_first, not_last;

    std::uint64_t cells[kRotations];  // with the corner at bit 0
    Cell centre[kRotations];          // from the corner
    int looks;                        // rotations, from north, that look different: 1, 2 or 4
    bool turns;                       // whether turning ever moves or changes the piece
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

// As many placements as a field of four rows can have, of all pieces together: in each column, a
// piece that is one or two rows high comes to rest at two heights at most, a higher one at one.
inline constexpr int kMaxSuccessors = 242;

// The corner and rotation at which a piece comes to rest to make one board of another.
struct RestPosition {
    int rotation;
    int corner;
};

}  // namespace sevenbag::pc
