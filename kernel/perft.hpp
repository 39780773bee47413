// Perft: count the sequences of placements of a queue.
#pragma once

#include <cstdint>
#include <span>

#include "board.hpp"
#include "kicks.hpp"
#include "movegen.hpp"

namespace sevenbag {

// Leaves of the tree in which every piece of `queue` is placed in turn, without hold; equal boards
// are not merged, full rows are removed, a placement that is blocked at the spawn has no leaves.
// The last ply is counted, not listed. Threads: 1 to 256, or as many as there are.
// `stop` is read atomically now and then: once it is true, the count ends soon, and is wrong.
std::uint64_t perft(const Board& board, std::span<const Piece> queue, const Kicks& kicks,
                    Spawn spawn, const SpinRules& spins, int threads = 1,
                    const bool* stop = nullptr);

}  // namespace sevenbag
