// Sets of multisets of letters as bits: the multisets of pieces that can complete a board in some
// order. They prove quickly that a sequence cannot complete it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pc/board_graph.hpp"

namespace sevenbag::pc {

using LetterCounts = std::array<std::uint8_t, kPieces>;  // how many of each letter

// The multisets of one size, numbered in lexicographic order of their counts.
class MultisetIndex {
  public:
    explicit MultisetIndex(int size);

    std::size_t count() const { return all_.size(); }
    std::size_t words() const { return (all_.size() + 63) / 64; }
    const LetterCounts& operator[](std::size_t number) const { return all_[number]; }
    std::size_t number(const LetterCounts& counts) const;

  private:
    std::vector<LetterCounts> all_;
    // Handfuls before those with this count of a letter, the letters before it given, by the size
    // that is left.
    std::array<std::array<std::array<std::uint16_t, 12>, 12>, kPieces> before_{};
    int size_;
};

// For every board of a layer the multisets that can complete it, as bits.
struct CompletingSets {
    MultisetIndex multisets;
    std::vector<std::uint64_t> bits;

    std::size_t words() const { return multisets.words(); }
    const std::uint64_t* of(std::uint32_t board) const { return &bits[board * words()]; }
};

// For the layers from `first` to the last.
std::vector<CompletingSets> find_completing_sets(const Graph& graph, int first, int threads,
                                                 Progress& progress);

}  // namespace sevenbag::pc
