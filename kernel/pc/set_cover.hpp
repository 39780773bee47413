// Smallest set cover: exact, by branch and bound after simple reductions.
#pragma once

#include <cstdint>
#include <vector>

#include "pc/bit_set.hpp"
#include "pc/problem.hpp"

namespace sevenbag::pc {

struct SetCover {
    std::vector<int> sets;  // their numbers, rising
    int at_least = 0;       // no cover has fewer; sets.size() if this one is proved to be smallest
};

// Elements are bits of the sets, all of the same number of words; those in no set are left out.
SetCover find_smallest_cover(const std::vector<Bits>& sets, StopCheck stop_check);

// The sets that are part of no other one; of equal ones the first. Their numbers, rising.
std::vector<int> find_maximal_sets(const std::vector<Bits>& sets);

}  // namespace sevenbag::pc
