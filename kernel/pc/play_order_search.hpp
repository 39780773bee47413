// The search in the order of play: depth first over placements, the likeliest ones first.
//
// Trying only a few children of each position finds most perfect clears within a hundred positions;
// trying all of them is a proof.
#pragma once

#include <array>
#include <cstdint>

#include "pc/network.hpp"
#include "pc/problem.hpp"
#include "pc/visited_set.hpp"

namespace sevenbag::pc {

// A position on the way, and the steps to it.
struct SearchNode {
    std::uint64_t filled;
    int height;
    int held;   // the piece that may be placed besides ...
    int next;   // ... the one of this number
    int depth;  // pieces placed
    std::array<Step, kMaxSteps> steps;
};

struct PlayOrderSearch {
    const MoveTables* move_tables;
    const Problem* problem;
    VisitedSet* visited;  // empty, or from searches of this problem that found none
    StopCheck stop_check;
    int width;                         // children tried of each position, at most
    std::uint64_t budget;              // positions after which to give up
    const Network* network = nullptr;  // says which children are the likeliest; need not be there
    float* network_memory = nullptr;   // Network::memory numbers, all 0

    const SearchNode* from = nullptr;  // where to begin, if not at the start
    // Positions so deep are told instead of looked at; they are no reason to call it incomplete.
    int horizon = kMaxSteps;
    void (*tell)(void* context, const SearchNode& waypoint) = nullptr;
    void* context = nullptr;

    // What came of it.
    std::array<Step, kMaxSteps> steps{};  // if found, problem->needed of them
    std::uint64_t nodes = 0;
    bool complete = true;  // nothing was left out
};

}  // namespace sevenbag::pc
