// The nine features of a board used by networks:
//
//   0  square root of the sum of the squared column heights
//   1  caves: an empty cell right below a filled one, not above the higher of the neighbouring
//      columns; each counts its depth below its column's height
//   2  pillars: difference of each column to the neighbour with the nearer height, squared above 2;
//      the outermost columns count only if they are lower than their neighbour
//   3  horizontal pairs of a filled and an empty cell
//   4  vertical pairs of a filled and an empty cell
//   5  height to fill
//   6  empty cells up to that height
//   7  difference of the two colours of a checkerboard, in cells
//   8  difference of the even and the odd columns, in cells
#pragma once

#include "board.hpp"
#include "pc/network.hpp"

namespace sevenbag::pc {

// All features of a board of ten columns; small boards have a faster version
// (small_board_features.hpp).
void find_features(const Board& board, int height, float* features);

}  // namespace sevenbag::pc
