// Tiles: every cell of a solved board belongs to one piece.
//
// A tile is a placement in the rows of the start board. When it is placed, rows between its own may
// already be cleared; these are its gaps. A tiling is a set of tiles that fills the board. The
// order of placement is decided separately (see tiling_solver.hpp), and the same tilings serve
// every queue.
#pragma once

#include <cstdint>
#include <vector>

#include "pc/move_tables.hpp"

namespace sevenbag::pc {

inline constexpr int kMaxTiles = 320;  // of a height, at one column

struct Tile {
    std::uint64_t cells;    // leftmost in column 0
    std::uint64_t upright;  // the same cells, column by column: bit height * x + y
    std::uint8_t piece;
    std::uint8_t rotation;
    std::uint8_t bottom;  // its lowest row
    std::uint8_t rows;    // bit y: row y contains cells of the tile ...
    std::uint8_t gaps;    // ... or is between such rows and must be cleared
};

// Every tile for a height, in the order of the row of its first cell (leftmost, then lowest).
struct TileSet {
    TileSet(const MoveTables& move_tables, int height);

    int height;
    std::vector<Tile> tiles;
    int first[kSmallBoardRows + 1];  // tiles[first[y]] to tiles[first[y + 1]]: first cell in row y
};

// A tile at its column.
struct PlacedTile {
    std::uint16_t tile;
    std::uint16_t column;

    int id() const { return tile * kSmallBoardWidth + column; }
};

// Graph of all tilings of a board from left to right, always covering the first empty cell: nodes
// are the sets of filled cells. Pieces are not counted here.
class TileGraph {
  public:
    struct Edge {
        std::uint32_t to;
        std::uint16_t tile;
        std::uint16_t column;
    };
    // Beyond this many nodes there is no graph. An empty board of four rows has 1,717, one of five
    // 10,939, one of six 73,910.
    static constexpr std::size_t kMaxNodes = 1 << 15;

    // The board has no full row; a quarter of its empty cells must be whole.
    TileGraph(const TileSet& tile_set, std::uint64_t filled);

    const TileSet& tile_set() const { return *tile_set_; }
    std::uint64_t filled() const { return filled_; }
    // Return whether there is a graph.
    bool whole() const { return whole_; }
    // Nodes in the order of their filled cells: the first is the board, the last one (if it can be
    // filled at all) the full board.
    std::size_t size() const { return begin_.size() - 1; }
    bool can_be_filled() const { return can_be_filled_; }
    const Edge* begin(std::size_t node) const { return edges_.data() + begin_[node]; }
    const Edge* end(std::size_t node) const { return edges_.data() + begin_[node + 1]; }
    std::size_t edge_count() const { return edges_.size(); }

  private:
    const TileSet* tile_set_;
    std::uint64_t filled_;
    bool whole_ = true;
    bool can_be_filled_ = false;
    std::vector<std::uint32_t> begin_;
    std::vector<Edge> edges_;
};

}  // namespace sevenbag::pc
