// What low fields need for code that is not compiled once for each instruction set.
#include "pc/field.hpp"
#include "pc/field_features.hpp"

namespace sevenbag {
namespace SB_ISA {
namespace pc {

void find_rest_positions(const MoveTable& piece, std::uint64_t filled, int height,
                         std::uint64_t* corners) {
    RestPositions rests;
    find_rest_positions(piece, SmallBoard{filled, height}, rests);
    for (int r = 0; r < piece.looks; ++r) corners[r] = rests.of[r];
}

void find_features(std::uint64_t filled, int height, float* features) {
    find_features(SmallBoard{filled, height}, ~0u, features);
}

}  // namespace pc
}  // namespace SB_ISA
}  // namespace sevenbag
