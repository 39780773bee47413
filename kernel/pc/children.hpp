// The boards that follow a board of a perfect clear (see graph.hpp).
#pragma once

#include "instruction_sets.hpp"
#include "pc/motion.hpp"

namespace sevenbag::pc {

// As many placements as a field of four rows can have, of all pieces together: in each column, a
// piece that is one or two rows high comes to rest at two heights at most, a higher one at one.
inline constexpr int kMostChildren = 242;

// The corner and rotation at which a piece comes to rest to make one board of another.
struct RestPosition {
    int rotation;
    int corner;
};

}  // namespace sevenbag::pc
