// Search in play order: depth first over placements, the most promising ones first.
//
// Trying only a few successors of each position finds most perfect clears within a hundred
// positions; trying all of them is a proof.
#pragma once

#include <array>
#include <cstdint>

#include "pc/network.hpp"
#include "pc/problem.hpp"
#include "pc/visited_set.hpp"

namespace sevenbag::pc {

// A position and the steps to it.
struct SearchNode {
    std::uint64_t filled;
    int height;
    int held;   // the other piece that may be placed ...
    int next;   // ... the one of this number
    int depth;  // pieces placed
    std::array<Step, kMaxSteps> steps;
};

struct PlayOrderSearch {
    const MoveTables* move_tables;
    const Problem* problem;
    VisitedSet* visited;  // empty, or from searches of this problem that found none
    StopCheck stop_check;
    int width;                         // successors tried of each position, at most
    std::uint64_t budget;              // positions after which to give up
    const Network* network = nullptr;  // ranks the successors; may be null
    float* network_memory = nullptr;   // Network::memory numbers, all 0

    const SearchNode* from = nullptr;  // start node, if not the root
    // Positions at this depth are reported instead of searched; the search still counts as
    // complete.
    int horizon = kMaxSteps;
    void (*tell)(void* context, const SearchNode& waypoint) = nullptr;
    void* context = nullptr;

    // Result.
    std::array<Step, kMaxSteps> steps{};  // if found, problem->needed of them
    std::uint64_t nodes = 0;
    bool complete = true;  // the search was exhaustive
};

}  // namespace sevenbag::pc
