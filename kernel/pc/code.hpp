// What is compiled once for each instruction set, behind plain numbers (see window.hpp).
#pragma once

#include <cstdint>

#include "pc/motion.hpp"
#include "pc/ordered.hpp"

namespace sevenbag::pc {

struct Code {
    // find_rests of field.hpp.
    void (*find_rests)(const PieceMotion& piece, std::uint64_t filled, int height,
                       std::uint64_t* corners);
    // find_features of features.hpp, for fields of at most six rows.
    void (*find_features)(std::uint64_t filled, int height, float* features);
    // Outcome::none is a proof if the search is complete.
    Outcome (*run_ordered)(OrderedSearch& search);
};

// The best that this machine can run.
const Code& code();

}  // namespace sevenbag::pc
