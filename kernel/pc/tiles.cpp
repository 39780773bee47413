#include "pc/tiles.hpp"

#include <algorithm>
#include <bit>

#include "pc/key_index.hpp"

namespace sevenbag::pc {

namespace {

std::uint64_t upright(std::uint64_t cells, int height) {
    std::uint64_t turned = 0;
    for (std::uint64_t left = cells; left; left &= left - 1) {
        const int bit = std::countr_zero(left);
        turned |= std::uint64_t{1} << (bit % kSmallBoardWidth * height + bit / kSmallBoardWidth);
    }
    return turned;
}

// A shape with its rows, from below, put into the rows of `rows`.
Tile spread_over(std::uint64_t shape, int piece, int rotation, int rows, int height) {
    Tile tile{};
    tile.piece = static_cast<std::uint8_t>(piece);
    tile.rotation = static_cast<std::uint8_t>(rotation);
    tile.rows = static_cast<std::uint8_t>(rows);
    tile.bottom = static_cast<std::uint8_t>(std::countr_zero(tile.rows));
    const int top = std::bit_width(tile.rows) - 1;
    tile.gaps = static_cast<std::uint8_t>(((2 << top) - (1 << tile.bottom)) & ~rows);
    for (int y = 0; y < height; ++y)
        if (rows >> y & 1) {
            tile.cells |= (shape & 0x3ff) << (y * kSmallBoardWidth);
            shape >>= kSmallBoardWidth;
        }
    tile.upright = upright(tile.cells, height);
    return tile;
}

int rows_of(std::uint64_t shape) { return (std::bit_width(shape) - 1) / kSmallBoardWidth + 1; }

}  // namespace

TileSet::TileSet(const MoveTables& move_tables, int height) : height(height) {
    for (int piece = 0; piece < kPieces; ++piece) {
        const MoveTable& m = move_tables.of(static_cast<Piece>(piece));
        for (int rotation = 0; rotation < m.looks; ++rotation)
            for (int rows = 1; rows < 1 << height; ++rows)
                if (std::popcount(static_cast<unsigned>(rows)) == rows_of(m.cells[rotation]))
                    tiles.push_back(spread_over(m.cells[rotation], piece, rotation, rows, height));
    }
    const auto first_row = [](const Tile& tile) { return std::countr_zero(tile.upright); };
    std::ranges::stable_sort(tiles, {}, first_row);
    for (int y = 0; y <= kSmallBoardRows; ++y)
        first[y] =
            static_cast<int>(std::ranges::lower_bound(tiles, y, {}, first_row) - tiles.begin());
}

TileGraph::TileGraph(const TileSet& tile_set, std::uint64_t filled)
    : tile_set_(&tile_set), filled_(filled) {
    const int height = tile_set.height;
    const std::uint64_t full = (std::uint64_t{1} << (height * kSmallBoardWidth)) - 1;
    std::vector<std::uint64_t> nodes{upright(filled, height)};
    KeyIndex numbers(1 << 10);
    numbers.of(nodes[0], 0);
    // A tile fills four cells, so all paths to a node have equal length: nodes are numbered in the
    // order of their filled cells.
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        begin_.push_back(static_cast<std::uint32_t>(edges_.size()));
        const std::uint64_t empty = ~nodes[node] & full;
        if (!empty) {
            can_be_filled_ = true;
            break;
        }
        const int bit = std::countr_zero(empty);
        const int column = bit / height;
        const int row = bit % height;
        for (int t = tile_set.first[row]; t < tile_set.first[row + 1]; ++t) {
            const std::uint64_t cells = tile_set.tiles[static_cast<std::size_t>(t)].upright
                                        << (column * height);
            // Cells beyond the right border are lost by the shift or are outside the board.
            if (cells & ~empty ||
                cells >> (column * height) != tile_set.tiles[static_cast<std::size_t>(t)].upright)
                continue;
            const auto next = static_cast<std::uint32_t>(nodes.size());
            const std::uint32_t to = numbers.of(nodes[node] | cells, next);
            if (to == next) nodes.push_back(nodes[node] | cells);
            edges_.push_back(
                {to, static_cast<std::uint16_t>(t), static_cast<std::uint16_t>(column)});
        }
        if (nodes.size() > kMaxNodes) {
            whole_ = false;
            break;
        }
    }
    begin_.push_back(static_cast<std::uint32_t>(edges_.size()));
}

}  // namespace sevenbag::pc
