// All perfect clears of a small board for many queues at once.
//
// Solutions with the same piece in every cell are the same, whatever the order of play; rows are
// those of the start board. Each solution has the set of queues that can play it.
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

// Append every tiling that any of the queues can play. `none`: the search is complete; `stopped`:
// stopped by the stop check or by lack of memory.
Outcome find_playable_tilings(const MoveTables& move_tables, const TileGraph& graph,
                              const SortedQueues& queues, bool hold, bool strict, DropMode drop,
                              StopCheck stop_check, std::vector<PlayableTiling>& found);

// The orders of a tiling.
PlacementOrders orders_of(const MoveTables& move_tables, const TileGraph& graph,
                          const std::vector<TileGraph::Edge>& tiles, bool strict, DropMode drop);

}  // namespace sevenbag::pc
