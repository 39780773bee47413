// A field that is to be filled, and the rules by which it is: what is asked of it then are the
// queues that can do it, and how.
#pragma once

#include <cstdint>

#include "board.hpp"
#include "kicks.hpp"
#include "pc/chance.hpp"

namespace sevenbag::pc {

class Question {
  public:
    // Rows to clear, those of the board that are full already among them. Raises Error(board) for a
    // board that is not 10 wide or filled above these rows, more than kFieldRows rows that are not
    // full, a number of empty cells that no pieces fill.
    Question(const Board& board, std::int64_t lines, const Kicks& kicks, bool hold, Drop drop);

    int needed() const { return ground_.needed; }
    const Ground& ground() const { return ground_; }
    const Kicks& kicks() const { return kicks_; }
    // Without its full rows.
    const Board& board() const { return board_; }

    // Raises Error(queue) for queues of another length than can be placed.
    Chance chance(const QueueGraph& queues, Watch watch) const;

    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;

  private:
    Kicks kicks_;
    Motion motion_;
    Board board_;
    Ground ground_;
};

}  // namespace sevenbag::pc
