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
using BlockStart = std::array<std::uint8_t, kBlockLetters>;
std::vector<BlockStart> list_blocks();

// Stages of a census as Progress tells them.
enum CensusStage { kEndings = kGraphStages, kSequences = kEndings + 3, kCensusStages };

class Census {
  public:
    // Height 2 or 4. Throws Stopped.
    Census(const Kicks& kicks, int height, int threads, Progress& progress);

    const Graph& graph() const { return graph_; }
    const Kicks& kicks() const { return kicks_; }
    const Endings& endings() const { return *endings_; }  // height 4
    int length() const { return graph_.pieces() + 1; }    // letters of a sequence

    const std::vector<BlockStart>& blocks() const { return blocks_; }

  private:
    Kicks kicks_;
    Graph graph_;
    std::optional<Endings> endings_;
    std::vector<BlockStart> blocks_;
};

// What is asked about the sequences of a block: each is told once, in listing order.
struct Answers {
    virtual ~Answers() = default;
    virtual void impossible(const Letters& letters) = 0;
    // A state of each layer, from the empty field on. Only if paths are wanted.
    virtual void solved(const Letters& letters, std::span<const State> path) = 0;
};

// One thread's way through blocks. It keeps memory from one to the next.
class Walk {
  public:
    Walk(const Census& census, bool paths);
    ~Walk();
    void run(std::size_t block, Answers& answers);

  private:
    class FourLines;
    class TwoLines;
    std::unique_ptr<FourLines> four_;
    std::unique_ptr<TwoLines> two_;
};

}  // namespace sevenbag::pc
