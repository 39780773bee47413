// Rotation of one piece with kicks and spin detection. Reference implementation, one position at a
// time.
#pragma once

#include <optional>

#include "board.hpp"
#include "kicks.hpp"
#include "piece.hpp"
#include "spin.hpp"

namespace sevenbag {

struct RotationResult {
    Placement placement;  // with the spin that it makes
    int test;             // which of the system's tests fitted; 0 is the first
    bool full_kick;
};

// Rotate a piece; nothing if no test fits or there is no such turn. `placement` must fit; its spin
// is ignored.
std::optional<RotationResult> rotate(const Board& board, const Placement& placement, Rotation to,
                                     const Kicks& kicks, const SpinRules& spins);

}  // namespace sevenbag
