// All perfect clears of a low field for many queues at once.
//
// Two solutions are the same if the same cells belong to the same pieces, whatever the order of
// play; rows are those of the start field. For each solution it is told which queues can play it.
#pragma once

#include <cstdint>
#include <vector>

#include "pc/orders.hpp"
#include "pc/problem.hpp"
#include "pc/tilings.hpp"

namespace sevenbag::pc {

struct Tiling {
    std::vector<TileGraph::Edge> tiles;
    std::vector<std::uint64_t> queues;  // bit i: queue i of Queues
};

// Appends every tiling that any of the queues can play. `none`: all were looked at;
// `stopped`: the watch ended it, or there is no room for it.
Outcome all_tilings(const Motion& motion, const TileGraph& graph, const Queues& queues, bool hold,
                    bool strict, Drop drop, Watch watch, std::vector<Tiling>& found);

// The orders of a tiling.
Orders orders_of(const Motion& motion, const TileGraph& graph,
                 const std::vector<TileGraph::Edge>& tiles, bool strict, Drop drop);

}  // namespace sevenbag::pc
