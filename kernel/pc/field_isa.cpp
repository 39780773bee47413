// What low fields need for code that is not compiled once for each instruction set.
#include "pc/field.hpp"
#include "pc/field_features.hpp"

namespace sevenbag {
namespace SB_ISA {
namespace pc {

void find_rests(const PieceMotion& piece, std::uint64_t filled, int height,
                std::uint64_t* corners) {
    Rests rests;
    find_rests(piece, Field{filled, height}, rests);
    for (int r = 0; r < piece.looks; ++r) corners[r] = rests.of[r];
}

void find_features(std::uint64_t filled, int height, float* features) {
    find_features(Field{filled, height}, ~0u, features);
}

}  // namespace pc
}  // namespace SB_ISA
}  // namespace sevenbag
