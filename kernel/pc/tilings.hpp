// Tilings of a board that use only the available pieces.
//
// For every node of the tile graph the multisets of pieces that lead there and to the end are found
// at once, as bits; every path through the graph that they allow is a tiling.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pc/problem.hpp"
#include "pc/tiles.hpp"

namespace sevenbag::pc {

// Number of pieces of each kind.
using Multiset = std::array<int, kPieces>;

// The pieces that tilings may use.
struct PieceSupply {
    Multiset given{};
    // Allowed multisets; if empty, any part of the given pieces.
    std::vector<Multiset> used;
    // A piece of which there is one, and which is placed last if it is placed; or kNoPiece.
    int last = kNoPiece;
};
PieceSupply supply_of(const Problem& problem);

class MultisetTable {
  public:
    // Maximum number of words of all sets; beyond it there is no result.
    static constexpr std::size_t kMaxWords = 1 << 19;

    // Return whether the sets fit into memory.
    bool run(const TileGraph& graph, const PieceSupply& supply, const MoveTables& move_tables);

    // Return whether there is any tiling.
    bool any() const { return can_complete(0, 0); }
    // Return whether placed pieces, by their index, can be completed from a node.
    bool can_complete(std::size_t node, int placed) const {
        return sets_[node * words_ + static_cast<std::size_t>(placed) / 64] >> (placed % 64) & 1;
    }
    // Increment of the index of the placed pieces for one piece.
    int step(int piece) const { return stride_[static_cast<std::size_t>(piece)]; }
    const Multiset& given() const { return given_; }
    // Whether a tile of the last piece cannot be placed last.
    bool is_excluded(const TileGraph::Edge& edge) const {
        return excluded_[static_cast<std::size_t>(edge.tile * kSmallBoardWidth + edge.column)] != 0;
    }

  private:
    void find_excluded(const TileGraph& graph, int last, const MoveTables& move_tables);
    int number_of(const Multiset& pieces) const;

    std::size_t words_ = 0;
    Multiset given_{};
    Multiset stride_{};
    // Of every node: multisets that lead there from the start; then those of them that lead on.
    std::vector<std::uint64_t> sets_;
    // Of every piece: multisets to which it can be added.
    std::array<std::vector<std::uint64_t>, kPieces> room_;
    std::vector<char> excluded_;
};

// Rows that must be gone before a row can be: a byte for each row.
using RowDependencies = std::uint64_t;
inline constexpr RowDependencies kNoOrder = ~RowDependencies{0};

// The rows of `gaps` must be gone before those of `rows`; kNoOrder if rows then wait for each
// other.
RowDependencies require_rows(RowDependencies before, unsigned rows, unsigned gaps);

// Goes through all tilings but those in which rows wait for each other.
class TilingEnumerator {
  public:
    TilingEnumerator(const TileGraph& graph, const MultisetTable& budget, int needed)
        : graph_(graph), budget_(budget), needed_(needed), left_(budget.given()) {}

    // Call take(edges) for each until it returns true; return whether it did.
    template <class Take>
    bool each(Take&& take) {
        return budget_.any() && enumerate(0, 0, 0, 0, take);
    }

  private:
    template <class Take>
    bool enumerate(std::size_t node, int placed, int depth, RowDependencies before, Take& take) {
        if (depth == needed_) return take(chosen_.data());
        for (const auto* edge = graph_.begin(node); edge != graph_.end(node); ++edge) {
            const Tile& tile = graph_.tile_set().tiles[edge->tile];
            if (left_[tile.piece] == 0 || budget_.is_excluded(*edge)) continue;
            const int with = placed + budget_.step(tile.piece);
            if (!budget_.can_complete(edge->to, with)) continue;
            RowDependencies then = before;
            if (tile.gaps) {
                then = require_rows(before, tile.rows, tile.gaps);
                if (then == kNoOrder) continue;
            }
            chosen_[static_cast<std::size_t>(depth)] = *edge;
            --left_[tile.piece];
            const bool done = enumerate(edge->to, with, depth + 1, then, take);
            ++left_[tile.piece];
            if (done) return true;
        }
        return false;
    }

    const TileGraph& graph_;
    const MultisetTable& budget_;
    int needed_;
    Multiset left_;
    std::array<TileGraph::Edge, kMaxSteps> chosen_{};
};

}  // namespace sevenbag::pc
