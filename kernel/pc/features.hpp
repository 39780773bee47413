// The nine figures of a board that networks go by:
//
//   0  the root of the sum of the squares of the columns' heights
//   1  caves: an empty cell right below a filled one, not above the higher of the neighbouring
//      columns; each counts as many rows as it lies below its column's height
//   2  pillars: each column's difference to that neighbour whose height is nearer, above 2 squared;
//      the outermost columns count only where they are lower than their one neighbour
//   3  pairs of a filled and an empty cell side by side
//   4  pairs of a filled and an empty cell one above the other
//   5  the height to fill
//   6  empty cells up to that height
//   7  cells more of one colour than of the other, as on a checkerboard
//   8  cells more in the even columns than in the odd ones, or the other way round
#pragma once

#include "board.hpp"
#include "pc/network.hpp"

namespace sevenbag::pc {

// Of any board of ten columns, all features; low fields have code of their own (Code).
void find_features(const Board& board, int height, float* features);

}  // namespace sevenbag::pc
