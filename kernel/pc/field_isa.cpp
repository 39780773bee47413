// The generator of low fields for code that is not compiled once for each instruction set.
#include "pc/field.hpp"

namespace sevenbag {
namespace SB_ISA {
namespace pc {

void find_rests(const PieceMotion& piece, std::uint64_t filled, int height,
                std::uint64_t* corners) {
    Rests rests;
    find_rests(piece, Field{filled, height}, rests);
    for (int r = 0; r < piece.looks; ++r) corners[r] = rests.of[r];
}

}  // namespace pc
}  // namespace SB_ISA
}  // namespace sevenbag
