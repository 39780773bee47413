#include "pc/queue_automaton.hpp"

#include <string>

#include "error.hpp"

namespace sevenbag::pc {

namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorKind::queue, "invalid queues: " + what);
}

}  // namespace

QueueAutomaton::QueueAutomaton(const std::vector<std::int32_t>& successors) {
    if (successors.size() % kPieces != 0 || successors.size() < 2 * kPieces)
        refuse("expected seven numbers for each of two nodes or more");
    const std::size_t size = successors.size() / kPieces;
    std::vector<int> lengths(size);
    nodes_.push_back({{-1, -1, -1, -1, -1, -1, -1}, {}, 1});
    for (std::size_t n = 1; n < size; ++n) {
        Node node{};
        std::uint64_t count = 0;
        for (std::size_t p = 0; p < kPieces; ++p) {
            const std::int32_t to = successors[n * kPieces + p];
            node.to[p] = to;
            node.offset[p] = static_cast<std::uint32_t>(count);
            if (to < 0) continue;
            if (static_cast<std::size_t>(to) >= n) refuse("a node leads to a later one");
            const int length = lengths[static_cast<std::size_t>(to)] + 1;
            if (lengths[n] != 0 && lengths[n] != length) refuse("expected queues of one length");
            lengths[n] = length;
            count += nodes_[static_cast<std::size_t>(to)].count;
            if (count > kMaxCount) refuse("expected at most " + std::to_string(kMaxCount));
        }
        if (lengths[n] == 0) refuse("a node has no successor");
        node.count = static_cast<std::uint32_t>(count);
        nodes_.push_back(node);
    }
    length_ = lengths.back();
}

std::vector<Piece> QueueAutomaton::queue(std::uint32_t number) const {
    std::vector<Piece> pieces;
    for (std::int32_t at = begin(); at != end();) {
        const Node& here = node(at);
        std::size_t p = kPieces;
        while (p-- > 0)
            if (here.to[p] >= 0 && here.offset[p] <= number) break;
        pieces.push_back(static_cast<Piece>(p));
        number -= here.offset[p];
        at = here.to[p];
    }
    return pieces;
}

}  // namespace sevenbag::pc
