// Which of many queues have a perfect clear of one field.
//
// A walk over positions (field, piece that is over, queues that follow), each of which remembers
// which of its queues it has been asked for and which of them it can play: so a position is only
// asked for queues that no other way has found yet, and queues share all they have in common.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pc/bit_set.hpp"
#include "pc/drop_mode.hpp"
#include "pc/problem.hpp"
#include "pc/queue_automaton.hpp"

namespace sevenbag::pc {

// A low field that is to be filled, and the rules for it.
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
