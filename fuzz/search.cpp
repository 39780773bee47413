// Beam search: any position, small budgets. Its moves are exactly the legal ones, and with a node
// limit the same position has the same result.
#include "search/beam_search.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "error.hpp"
#include "expect.hpp"
#include "generators.hpp"
#include "search/evaluation.hpp"

namespace sevenbag::fuzz {

namespace {

bool same(const SearchResult& a, const SearchResult& b) {
    return a.nodes == b.nodes && a.depth == b.depth &&
           std::equal(a.moves.begin(), a.moves.end(), b.moves.begin(), b.moves.end(),
                      [](const RankedMove& x, const RankedMove& y) {
                          return x.placement == y.placement && x.hold == y.hold &&
                                 x.depth == y.depth && x.score == y.score;
                      });
}

void run(FuzzInput& input) {
    const Rules rules = read_rules(input);
    SearchPosition position{Board(rules.width, rules.rows), {}, {}, {}, 0, {}};
    fill_board(input, position.board);
    for (int i = input.between(0, kMaxSearchQueue + 2); i > 0; --i)
        position.queue.push_back(read_piece(input));
    if (input.flag()) position.hold = read_piece(input);
    position.counters = {input.number(0, 20), input.number(0, 20)};
    position.pending = input.number(0, 20);
    if (input.flag())
        for (auto& copies : position.bag) copies = input.byte();

    SearchLimits limits;
    limits.nodes = input.between(1, 600);
    limits.width = input.number(1, 60);

    // One that has searched before, and one that has not.
    thread_local std::unique_ptr<BeamSearch> used;
    used = std::make_unique<BeamSearch>(rules);
    const SearchResult first = used->run(position, limits);
    EXPECT(same(first, used->run(position, limits)));

    for (std::size_t i = 0; i < first.moves.size(); ++i) {
        const RankedMove& move = first.moves[i];
        EXPECT(!rules.all_solid() || position.board.is_resting(move.placement));
        EXPECT(move.hold ? rules.hold : move.placement.piece == position.queue[0]);
        EXPECT(move.depth >= 0 && move.depth <= first.depth);
    }
    features_of(position.board);
}

}  // namespace

}  // namespace sevenbag::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sevenbag::fuzz::FuzzInput input(data, size);
    try {
        sevenbag::fuzz::run(input);
    } catch (const sevenbag::Error&) {
        // Refused, with words: as it should be.
    }
    return 0;
}
