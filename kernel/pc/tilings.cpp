#include "pc/tilings.hpp"

#include <algorithm>
#include <bit>

#include "dispatch.hpp"
#include "pc/packed_rows.hpp"

namespace sevenbag::pc {

namespace {

// to |= from, every number larger by `by`; then smaller.
void merge_up(std::uint64_t* to, const std::uint64_t* from, const std::uint64_t* mask,
              std::size_t words, int by) {
    const std::size_t skip = static_cast<std::size_t>(by) / 64;
    const int shift = by % 64;
    for (std::size_t i = words; i-- > skip;) {
        std::uint64_t moved = (from[i - skip] & mask[i - skip]) << shift;
        if (shift != 0 && i > skip)
            moved |= (from[i - skip - 1] & mask[i - skip - 1]) >> (64 - shift);
        to[i] |= moved;
    }
}

void merge_down(std::uint64_t* to, const std::uint64_t* from, const std::uint64_t* mask,
                std::size_t words, int by) {
    const std::size_t skip = static_cast<std::size_t>(by) / 64;
    const int shift = by % 64;
    for (std::size_t i = 0; i + skip < words; ++i) {
        std::uint64_t moved = from[i + skip] >> shift;
        if (shift != 0 && i + skip + 1 < words) moved |= from[i + skip + 1] << (64 - shift);
        to[i] |= moved & mask[i];
    }
}

}  // namespace

PieceSupply supply_of(const Problem& problem) {
    PieceSupply supply;
    for (int i = 0; i < problem.count; ++i)
        ++supply.given[problem.pieces[static_cast<std::size_t>(i)]];
    if (problem.save != kNoPiece) {
        supply.used.push_back(supply.given);
        --supply.used[0][static_cast<std::size_t>(problem.save)];
    }
    // If hold has no spare piece, the last two can be exchanged.
    const int last = problem.pieces[static_cast<std::size_t>(problem.count - 1)];
    const bool comes_last = !problem.hold || problem.count > problem.needed;
    if (comes_last && supply.given[static_cast<std::size_t>(last)] == 1) supply.last = last;
    return supply;
}

bool MultisetTable::run(const TileGraph& graph, const PieceSupply& supply,
                        const MoveTables& move_tables) {
    given_ = supply.given;
    int numbers = 1;
    for (std::size_t p = 0; p < kPieces; ++p) {
        stride_[p] = numbers;
        numbers *= given_[p] + 1;
    }
    words_ = static_cast<std::size_t>(numbers + 63) / 64;
    const std::size_t nodes = graph.size();
    if (nodes * words_ > kMaxWords) return false;
    for (std::size_t p = 0; p < kPieces; ++p) {
        room_[p].assign(words_, 0);
        for (int n = 0; n < numbers; ++n)
            if (n / stride_[p] % (given_[p] + 1) < given_[p])
                room_[p][static_cast<std::size_t>(n) / 64] |= std::uint64_t{1} << (n % 64);
    }

    find_excluded(graph, supply.last, move_tables);
    sets_.assign(nodes * words_, 0);
    sets_[0] = 1;
    const auto& tiles = graph.tile_set().tiles;
    for (std::size_t node = 0; node < nodes; ++node)
        for (const auto* edge = graph.begin(node); edge != graph.end(node); ++edge) {
            const std::size_t piece = tiles[edge->tile].piece;
            if (given_[piece] > 0 && !is_excluded(*edge))
                merge_up(&sets_[edge->to * words_], &sets_[node * words_], room_[piece].data(),
                         words_, stride_[piece]);
        }

    // Pieces that may have been used at the end.
    std::uint64_t* last = &sets_[(nodes - 1) * words_];
    if (!graph.can_be_filled()) {
        std::fill_n(last, words_, 0);
    } else if (!supply.used.empty()) {
        std::vector<std::uint64_t> allowed(words_);
        for (const Multiset& used : supply.used) {
            const auto number = static_cast<std::size_t>(number_of(used));
            allowed[number / 64] |= std::uint64_t{1} << (number % 64);
        }
        for (std::size_t i = 0; i < words_; ++i) last[i] &= allowed[i];
    }
    std::vector<std::uint64_t> onwards(words_);
    for (std::size_t node = graph.can_be_filled() ? nodes - 1 : nodes; node-- > 0;) {
        std::ranges::fill(onwards, 0);
        for (const auto* edge = graph.begin(node); edge != graph.end(node); ++edge) {
            const std::size_t piece = tiles[edge->tile].piece;
            if (given_[piece] > 0 && !is_excluded(*edge))
                merge_down(onwards.data(), &sets_[edge->to * words_], room_[piece].data(), words_,
                           stride_[piece]);
        }
        for (std::size_t i = 0; i < words_; ++i) sets_[node * words_ + i] &= onwards[i];
    }
    return true;
}

void MultisetTable::find_excluded(const TileGraph& graph, int last, const MoveTables& move_tables) {
    const auto& tiles = graph.tile_set().tiles;
    excluded_.assign(tiles.size() * kSmallBoardWidth, 0);
    if (last == kNoPiece) return;
    const std::uint64_t whole =
        (std::uint64_t{1} << (graph.tile_set().height * kSmallBoardWidth)) - 1;
    const MoveTable& piece = move_tables.of(static_cast<Piece>(last));
    for (std::size_t t = 0; t < tiles.size(); ++t) {
        if (tiles[t].piece != last) continue;
        for (int column = 0; column < kSmallBoardWidth; ++column) {
            const std::uint64_t cells = tiles[t].cells << column;
            if (cells & ~whole || std::popcount(cells) != 4) continue;
            // All that is left is its rows, with its shape open in them.
            const std::uint64_t filled = whole & ~cells;
            const unsigned full = full_row_bits(filled);
            std::uint64_t corners[kRotations];
            dispatch_table().find_rest_positions(piece, without_rows(filled, full),
                                                 graph.tile_set().height - std::popcount(full),
                                                 corners);
            excluded_[t * kSmallBoardWidth + static_cast<std::size_t>(column)] =
                !(corners[tiles[t].rotation] >> column & 1);
        }
    }
}

int MultisetTable::number_of(const Multiset& pieces) const {
    int number = 0;
    for (std::size_t p = 0; p < kPieces; ++p) number += pieces[p] * stride_[p];
    return number;
}

RowDependencies require_rows(RowDependencies before, unsigned rows, unsigned gaps) {
    unsigned earlier = gaps;
    for (int y = 0; y < kSmallBoardRows; ++y)
        if (gaps >> y & 1) earlier |= static_cast<unsigned>(before >> (8 * y) & 0xff);
    if (earlier & rows) return kNoOrder;
    for (int y = 0; y < kSmallBoardRows; ++y)
        if (rows >> y & 1 || (before >> (8 * y) & rows) != 0)
            before |= std::uint64_t{earlier} << (8 * y);
    return before;
}

}  // namespace sevenbag::pc
