// Set of queues of one length as a minimal automaton: equal suffixes share nodes, so searches visit
// them once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "piece.hpp"

namespace sevenbag::pc {

class QueueAutomaton {
  public:
    static constexpr std::uint64_t kMaxCount = 10'000'000;

    struct Node {
        std::array<std::int32_t, kPieces> to;       // -1: no queue continues with this piece
        std::array<std::uint32_t, kPieces> offset;  // queues that go on with a piece before it
        std::uint32_t count;                        // queues from here to the end
    };

    // Seven numbers per node: the next node for each piece, or -1. Nodes follow those that they
    // lead to; node 0 is the end, the last node the start. Throws Error(queue) for other input.
    explicit QueueAutomaton(const std::vector<std::int32_t>& successors);

    const Node& node(std::int32_t number) const { return nodes_[static_cast<std::size_t>(number)]; }
    std::int32_t begin() const { return static_cast<std::int32_t>(nodes_.size()) - 1; }
    static constexpr std::int32_t end() { return 0; }

    // QueueAutomaton have numbers in the order of their pieces.
    std::uint32_t count() const { return nodes_.back().count; }
    int length() const { return length_; }
    std::vector<Piece> queue(std::uint32_t number) const;

  private:
    std::vector<Node> nodes_;
    int length_ = 0;
};

}  // namespace sevenbag::pc
