// Tablebase: all sequences of a height, with or without a perfect clear, and one solution each.
//
// Sequences are solved in blocks with the same first four letters. Within a block, the boards
// reachable with the first pieces meet the completions of the last ones in the middle (see
// block_solver.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kicks.hpp"
#include "pc/board_graph.hpp"
#include "pc/endgame_tables.hpp"
#include "pc/sequences.hpp"

namespace sevenbag::pc {

inline constexpr int kBlockLetters = 4;
using Letters = std::array<std::uint8_t, 16>;

// The first letters of each block, in listing order.
using BlockPrefix = std::array<std::uint8_t, kBlockLetters>;
std::vector<BlockPrefix> list_blocks();

// Stages of building a tablebase, as reported by Progress.
enum TablebaseStage { kEndgames = kGraphStages, kSequences = kEndgames + 3, kTablebaseStages };

class Tablebase {
  public:
    // Height 2 or 4. Throws StoppedError.
    Tablebase(const Kicks& kicks, int height, int threads, Progress& progress);

    const Graph& graph() const { return graph_; }
    const Kicks& kicks() const { return kicks_; }
    const EndgameTables& endgame_tables() const { return *endgame_; }  // height 4
    int length() const { return graph_.pieces() + 1; }                 // letters of a sequence

    const std::vector<BlockPrefix>& blocks() const { return blocks_; }

  private:
    Kicks kicks_;
    Graph graph_;
    std::optional<EndgameTables> endgame_;
    std::vector<BlockPrefix> blocks_;
};

}  // namespace sevenbag::pc
