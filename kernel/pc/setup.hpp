// A setup: a board to fill and the rules for it. Queries return the queues that solve it and their
// solutions.
#pragma once

#include <cstdint>

#include "board.hpp"
#include "kicks.hpp"
#include "pc/queue_set_search.hpp"

namespace sevenbag::pc {

class Setup {
  public:
    // Rows to clear, those of the board that are full already among them. Throws Error(board) for a
    // board that is not 10 wide or filled above these rows, more than kSmallBoardRows rows that are
    // not full, a number of empty cells that no pieces fill.
    Setup(const Board& board, std::int64_t lines, const Kicks& kicks, bool hold, DropMode drop);

    int needed() const { return setup_board_.needed; }
    const SetupBoard& setup_board() const { return setup_board_; }
    const Kicks& kicks() const { return kicks_; }
    // Without its full rows.
    const Board& board() const { return board_; }

    // Throws Error(queue) for queues of another length than can be placed.
    SolvableQueues solvable(const QueueAutomaton& queues, StopCheck stop_check) const;

    Setup(const Setup&) = delete;
    Setup& operator=(const Setup&) = delete;

  private:
    Kicks kicks_;
    MoveTables move_tables_;
    Board board_;
    SetupBoard setup_board_;
};

}  // namespace sevenbag::pc
