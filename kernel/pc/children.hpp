// The boards that follow a board of a perfect clear (see graph.hpp).
#pragma once

#include <cstdint>

#include "pc/motion.hpp"

namespace sevenbag::pc {

// As many placements as a field of four rows can have, of all pieces together: in each column, a
// piece that is one or two rows high comes to rest at two heights at most, a higher one at one.
inline constexpr int kMostChildren = 242;

// Boards that one more piece leads to and that walls do not rule out, piece after piece in the
// order given; ends[i] is where those of the i-th end. A board may occur twice.
using FindChildren = void (*)(const PieceMotion* const* pieces, std::uint64_t board, int height,
                              std::uint64_t* children, int* ends);

// For the best instruction set that this machine can run.
FindChildren find_children();

// The corner and rotation at which a piece comes to rest to make one board of another.
struct Landing {
    int rotation;
    int corner;
};

// Of several steps the first; rotation -1 if there is none.
Landing find_landing(const PieceMotion& piece, std::uint64_t board, std::uint64_t child,
                     int height);

}  // namespace sevenbag::pc
