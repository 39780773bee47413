// A perfect clear for every sequence, as records of .pc files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pc/block_solver.hpp"
#include "pc/move_tables.hpp"

namespace sevenbag::pc {

// Writes the records of blocks; one object per thread.
class RecordWriter {
  public:
    explicit RecordWriter(const Tablebase& tablebase);

    // Records of the block's sequences in listing order; those without a perfect clear have none.
    std::vector<std::uint8_t> records(std::size_t block);

  private:
    const Tablebase& tablebase_;
    MoveTables move_tables_;
    BlockSolver block_solver_;
};

// Number of sequences of this length in each block.
std::vector<std::int64_t> block_sizes(int length);

}  // namespace sevenbag::pc
