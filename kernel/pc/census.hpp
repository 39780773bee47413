// All sequences of a height at once: which have a perfect clear, and one of theirs.
//
// Sequences are taken in blocks with the same first four letters. Within one, the boards reachable
// with the first pieces and what the last ones can finish meet in the middle (see walk.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kicks.hpp"
#include "pc/endings.hpp"
#include "pc/graph.hpp"
#include "pc/sequences.hpp"

namespace sevenbag::pc {

inline constexpr int kBlockLetters = 4;
using Letters = std::array<std::uint8_t, 16>;

// The first letters of each block, in listing order.
using BlockPrefix = std::array<std::uint8_t, kBlockLetters>;
std::vector<BlockPrefix> list_blocks();

// Stages of a census as Progress tells them.
enum TablebaseStage { kEndings = kGraphStages, kSequences = kEndings + 3, kTablebaseStages };

class Tablebase {
  public:
    // Height 2 or 4. Throws Stopped.
    Tablebase(const Kicks& kicks, int height, int threads, Progress& progress);

    const Graph& graph() const { return graph_; }
    const Kicks& kicks() const { return kicks_; }
    const EndgameTables& endings() const { return *endgame_; }  // height 4
    int length() const { return graph_.pieces() + 1; }          // letters of a sequence

    const std::vector<BlockPrefix>& blocks() const { return blocks_; }

  private:
    Kicks kicks_;
    Graph graph_;
    std::optional<EndgameTables> endgame_;
    std::vector<BlockPrefix> blocks_;
};

// What is asked about the sequences of a block: each is told once, in listing order.
struct SequenceVisitor {
    virtual ~SequenceVisitor() = default;
    virtual void unsolvable(const Letters& letters) = 0;
    // A state of each layer, from the empty field on. Only if paths are wanted.
    virtual void solved(const Letters& letters, std::span<const State> path) = 0;
};

// One thread's way through blocks. It keeps memory from one to the next.
class BlockSolver {
  public:
    BlockSolver(const Tablebase& tablebase, bool paths);
    ~BlockSolver();
    void run(std::size_t block, SequenceVisitor& answers);

  private:
    class FourLineSolver;
    class TwoLineSolver;
    std::unique_ptr<FourLineSolver> four_;
    std::unique_ptr<TwoLineSolver> two_;
};

}  // namespace sevenbag::pc
