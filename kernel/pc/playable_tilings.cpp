#include "pc/playable_tilings.hpp"

#include <algorithm>
#include <bit>

namespace sevenbag::pc {

namespace {

constexpr std::size_t kMaxFoundWords = std::size_t{1} << 26;

// Pieces that any of the queues may place.
PieceSupply supply_of(const SortedQueues& queues, bool hold, int needed) {
    PieceSupply supply;
    const bool spare = hold && queues.length() > needed;
    const int seen = spare ? needed + 1 : needed;
    for (std::size_t i = 0; i < queues.size(); ++i) {
        Multiset pieces{};
        for (int k = 0; k < seen; ++k) ++pieces[queues[i][static_cast<std::size_t>(k)]];
        for (std::size_t p = 0; p < kPieces; ++p)
            supply.given[p] = std::max(supply.given[p], pieces[p]);
        if (!spare) {
            supply.used.push_back(pieces);
            continue;
        }
        for (std::size_t p = 0; p < kPieces; ++p)
            if (pieces[p] > 0) {
                --pieces[p];
                supply.used.push_back(pieces);
                ++pieces[p];
            }
    }
    std::ranges::sort(supply.used);
    supply.used.erase(std::unique(supply.used.begin(), supply.used.end()), supply.used.end());
    return supply;
}

}  // namespace

PlacementOrders orders_of(const MoveTables& move_tables, const TileGraph& graph,
                          const std::vector<TileGraph::Edge>& tiles, bool strict, DropMode drop) {
    std::vector<Tile> shapes;
    std::vector<int> columns;
    for (const TileGraph::Edge& edge : tiles) {
        shapes.push_back(graph.tile_set().tiles[edge.tile]);
        columns.push_back(edge.column);
    }
    return PlacementOrders(move_tables, graph.filled(), graph.tile_set().height, shapes, columns,
                           strict, drop);
}

Outcome find_playable_tilings(const MoveTables& move_tables, const TileGraph& graph,
                              const SortedQueues& queues, bool hold, bool strict, DropMode drop,
                              StopCheck stop_check, std::vector<PlayableTiling>& found) {
    const int height = graph.tile_set().height;
    const int needed = (kSmallBoardWidth * height - std::popcount(graph.filled())) / 4;
    if (queues.length() < needed) return Outcome::none;
    MultisetTable budget;
    if (!graph.whole() || !budget.run(graph, supply_of(queues, hold, needed), move_tables))
        return Outcome::stopped;
    std::vector<TileGraph::Edge> tiles;
    std::vector<std::uint64_t> bits;
    const bool stopped =
        TilingEnumerator(graph, budget, needed).each([&](const TileGraph::Edge* edges) {
            tiles.assign(edges, edges + needed);
            bits.assign((queues.size() + 63) / 64, 0);
            if (orders_of(move_tables, graph, tiles, strict, drop).mark(queues, hold, bits))
                found.push_back({tiles, bits});
            // Words per tiling: its tiles, its queues.
            if (found.size() * (tiles.size() + bits.size()) > kMaxFoundWords) return true;
            return stop_check.stop && stop_check.stop(stop_check.context, 1);
        });
    return stopped ? Outcome::stopped : Outcome::none;
}

}  // namespace sevenbag::pc
