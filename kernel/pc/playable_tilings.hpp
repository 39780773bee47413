// All perfect clears of a low field for many queues at once.
//
// Two solutions are the same if the same cells belong to the same pieces, whatever the order of
// play; rows are those of the start field. For each solution it is told which queues can play it.
#pragma once

#include <cstdint>
#include <vector>

#include "pc/placement_orders.hpp"
#include "pc/problem.hpp"
#include "pc/tilings.hpp"

namespace sevenbag::pc {

struct PlayableTiling {
    std::vector<TileGraph::Edge> tiles;
    std::vector<std::uint64_t> queues;  // bit i: queue i of Queues
};

// Appends every tiling that any of the queues can play. `none`: all were looked at;
// `stopped`: the watch ended it, or there is no room for it.
Outcome find_playable_tilings(const MoveTables& move_tables, const TileGraph& graph,
                              const SortedQueues& queues, bool hold, bool strict, DropMode drop,
                              StopCheck stop_check, std::vector<PlayableTiling>& found);

// The orders of a tiling.
PlacementOrders orders_of(const MoveTables& move_tables, const TileGraph& graph,
                          const std::vector<TileGraph::Edge>& tiles, bool strict, DropMode drop);

}  // namespace sevenbag::pc
