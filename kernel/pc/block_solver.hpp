// Solver for all sequences of a block of the tablebase.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "pc/tablebase.hpp"

namespace sevenbag::pc {

// Receives the result of every sequence of a block, in listing order.
struct SequenceVisitor {
    virtual ~SequenceVisitor() = default;
    virtual void unsolvable(const Letters& letters) = 0;
    // `path`: a state of each layer, starting at the empty board. Only called if paths are
    // requested.
    virtual void solved(const Letters& letters, std::span<const State> path) = 0;
};

// Solves the sequences of blocks. One object per thread; it reuses its memory between blocks.
class BlockSolver {
  public:
    BlockSolver(const Tablebase& tablebase, bool paths);
    ~BlockSolver();
    void run(std::size_t block, SequenceVisitor& visitor);

  private:
    class FourLineSolver;
    class TwoLineSolver;
    std::unique_ptr<FourLineSolver> four_;
    std::unique_ptr<TwoLineSolver> two_;
};

}  // namespace sevenbag::pc
