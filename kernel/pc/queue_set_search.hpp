// Search for the queues of a set that have a perfect clear of one board.
//
// The search visits positions (board, left-over piece, following queues). Each position stores the
// queues it was searched for and those it can play, so a position is searched only for queues
// without a solution so far, and queues share their common parts.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pc/bit_set.hpp"
#include "pc/drop_mode.hpp"
#include "pc/problem.hpp"
#include "pc/queue_automaton.hpp"

namespace sevenbag::pc {

// A small board to fill, and the rules for it.
struct SetupBoard {
    const MoveTables* move_tables;
    std::uint64_t filled;  // no row is full, and the number of empty cells a multiple of four
    int height;
    int needed;  // pieces that fill it
    bool hold;
    DropMode drop;
};

struct SolvableQueues {
    Bits solved;  // by the number of the queue
    bool complete = false;
    std::uint64_t positions = 0;
};

// QueueAutomaton are as long as the pieces needed, or one piece longer if there is a hold.
SolvableQueues find_solvable_queues(const SetupBoard& setup_board, const QueueAutomaton& queues,
                                    StopCheck stop_check);

}  // namespace sevenbag::pc
