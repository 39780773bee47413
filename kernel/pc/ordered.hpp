// The search in the order of play: depth first over placements, the likeliest ones first.
//
// Trying only a few children of each position finds most perfect clears within a hundred positions;
// trying all of them is a proof.
#pragma once

#include <array>
#include <cstdint>

#include "pc/network.hpp"
#include "pc/problem.hpp"
#include "pc/visited.hpp"

namespace sevenbag::pc {

struct OrderedSearch {
    const Motion* motion;
    const Problem* problem;
    Visited* visited;  // empty
    Watch watch;
    int width;                         // children tried of each position, at most
    std::uint64_t budget;              // positions after which to give up
    const Network* network = nullptr;  // says which children are the likeliest; need not be there
    float* network_memory = nullptr;   // Network::memory numbers, all 0

    // What came of it.
    std::array<Step, kMaxSteps> steps{};  // if found, problem->needed of them
    std::uint64_t nodes = 0;
    bool complete = true;  // nothing was left out
};

}  // namespace sevenbag::pc
