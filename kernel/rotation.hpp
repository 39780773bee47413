// One rotation of one piece, judged at once: the rules of kicks and spins where nothing is in bulk.
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

// Nothing if no test fits or there is no such turn. `placement` must fit; its spin does not matter.
std::optional<RotationResult> rotate(const Board& board, const Placement& placement, Rotation to,
                                     const Kicks& kicks, const SpinRules& spins);

}  // namespace sevenbag
