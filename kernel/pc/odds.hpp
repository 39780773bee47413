// Odds of a perfect clear: the count over all queues that bags deal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pc/block_solver.hpp"

namespace sevenbag::pc {

// Queues with a perfect clear, of all. A queue counts once for each different phase of the bag.
struct QueueShare {
    std::int64_t possible;
    std::int64_t total;
};

struct Odds {
    QueueShare opening;  // from the start of a bag, nothing held
    QueueShare none;     // from anywhere, nothing held
    QueueShare any;      // from anywhere, with any held piece or none
};

// A sequence in one number. They are ordered as the sequences are in the alphabet.
using SequenceCode = std::uint64_t;

// One thread's search for sequences without a perfect clear. It keeps memory from one block to the
// next.
class UnsolvableSequenceFinder {
  public:
    explicit UnsolvableSequenceFinder(const Tablebase& tablebase);
    std::vector<SequenceCode> of(std::size_t block);

  private:
    BlockSolver block_solver_;
    int length_;
};

// The sequences without a perfect clear, ascending.
std::vector<SequenceCode> find_unsolvable(const Tablebase& tablebase, int threads,
                                          Progress& progress);

// Return whether it is a sequence with this number of letters.
bool is_sequence_code(SequenceCode code, int length);

// `length` letters each; these are impossible, all others possible.
Odds compute_odds(std::span<const SequenceCode> unsolvable, int length);

// A line for each.
std::string lines_of(std::span<const SequenceCode> sequences, int length);

}  // namespace sevenbag::pc
