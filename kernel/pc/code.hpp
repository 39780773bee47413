// What is compiled once for each instruction set, behind plain numbers (see window.hpp).
#pragma once

#include <cstdint>

#include "pc/motion.hpp"

namespace sevenbag::pc {

struct Code {
    // find_rests of field.hpp.
    void (*find_rests)(const PieceMotion& piece, std::uint64_t filled, int height,
                       std::uint64_t* corners);
};

// The best that this machine can run.
const Code& code();

}  // namespace sevenbag::pc
