// Bindings of tilings: all perfect clears of a board, and placements in any order; the public
// interface is in sevenbag.pc.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "conversions.hpp"
#include "pc/packed_rows.hpp"
#include "pc/playable_tilings.hpp"
#include "pc_arguments.hpp"

namespace nb = nanobind;

namespace sevenbag::bind {

namespace {

// Tiles on a board, with all that finding their orders needs.
struct BoundTiling {
    std::shared_ptr<const pc::MoveTables> move_tables;
    std::uint64_t filled;
    int height;
    bool strict;
    std::vector<pc::Tile> tiles;
    std::vector<int> columns;
    nb::object queues;  // bits of an int, or None
    pc::DropMode drop;

    pc::PlacementOrders orders() const {
        return pc::PlacementOrders(*move_tables, filled, height, tiles, columns, strict, drop);
    }
};

// The board's rows without the full ones.
std::uint64_t cleared_cells(const Board& board) {
    if (board.width() != pc::kSmallBoardWidth || board.height() > pc::kSmallBoardRows)
        throw_invalid(
            ErrorKind::board, "board",
            "10 columns and at most " + std::to_string(pc::kSmallBoardRows) + " filled rows",
            std::to_string(board.width()) + " columns and " + std::to_string(board.height()) +
                " rows");
    std::uint64_t filled = 0;
    for (int y = 0; y < pc::kSmallBoardRows; ++y)
        filled |= std::uint64_t{board.row(y)} << (y * pc::kSmallBoardWidth);
    return pc::without_rows(filled, pc::full_row_bits(filled));
}

nb::object as_int(const std::vector<std::uint64_t>& bits) {
    const nb::bytes bytes(reinterpret_cast<const char*>(bits.data()), bits.size() * 8);
    return nb::borrow<nb::object>(reinterpret_cast<PyObject*>(&PyLong_Type))
        .attr("from_bytes")(bytes, "little");
}

// Bits by the queues as they were given.
std::vector<std::uint64_t> by_given(const std::vector<std::uint64_t>& bits,
                                    const pc::SortedQueues& queues, std::size_t given) {
    std::vector<std::uint64_t> out((given + 63) / 64);
    for (std::size_t i = 0; i < given; ++i) {
        const std::size_t at = queues.place(i);
        if (bits[at / 64] >> (at % 64) & 1) out[i / 64] |= std::uint64_t{1} << (i % 64);
    }
    return out;
}

nb::list find_playable_tilings(LockedSolver& locked, const Board& board, nb::handle queue_list,
                               nb::handle hold, int height, bool use_hold, bool strict,
                               const std::string& drop_name, std::optional<double> milliseconds,
                               const StopFlag* stop) {
    const pc::DropMode drop = drop_argument(drop_name);
    const std::uint64_t filled = cleared_cells(board);
    const int cells = std::popcount(filled);
    if (height < 1 || height > pc::kSmallBoardRows ||
        filled >> (height * pc::kSmallBoardWidth) != 0)
        throw_invalid(ErrorKind::board, "height",
                      "the height of the field to " + std::to_string(pc::kSmallBoardRows),
                      std::to_string(height));
    const std::vector<std::vector<Piece>> given =
        queues_from(queue_list, use_hold ? hold : nb::handle(Py_None));
    nb::list list;
    const int empty = pc::kSmallBoardWidth * height - cells;
    if (empty % 4 != 0 || given.empty()) return list;
    const int needed = empty / 4;
    std::size_t shortest = given[0].size();
    for (const auto& queue : given) shortest = std::min(shortest, queue.size());
    const int seen = std::min(static_cast<int>(shortest), use_hold ? needed + 1 : needed);
    const pc::SortedQueues queues(given, seen);
    StopCondition outside(stop, milliseconds);
    const pc::StopCheck stop_check{
        [](void* context, std::uint64_t) { return StopCondition::reached(context); }, &outside};
    std::vector<pc::PlayableTiling> found;
    std::vector<BoundTiling> tiled;
    const auto move_tables = std::make_shared<const pc::MoveTables>(locked.solver.move_tables());
    pc::Outcome outcome;
    {
        const nb::gil_scoped_release released;
        const std::lock_guard<std::mutex> alone(locked.busy);
        const pc::TileGraph& graph = locked.solver.graph(height, filled);
        outcome = pc::find_playable_tilings(*move_tables, graph, queues, use_hold, strict, drop,
                                            stop_check, found);
        for (const pc::PlayableTiling& tiling : found) {
            BoundTiling& one = tiled.emplace_back(
                BoundTiling{move_tables, filled, height, strict, {}, {}, nb::object(), drop});
            for (const auto& edge : tiling.tiles) {
                one.tiles.push_back(graph.tile_set().tiles[edge.tile]);
                one.columns.push_back(edge.column);
            }
        }
    }
    if (outcome == pc::Outcome::stopped) {
        const nb::object error = nb::module_::import_("sevenbag.errors").attr("SearchStoppedError");
        PyErr_SetString(error.ptr(),
                        "the search was stopped: a limit was reached, or the field has too many "
                        "empty cells");
        throw nb::python_error();
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        tiled[i].queues = as_int(by_given(found[i].queues, queues, given.size()));
        list.append(nb::cast(std::move(tiled[i])));
    }
    return list;
}

// The tiles of placements in the order of play, by rows of the board as it was at the start.
BoundTiling tiled_by(LockedSolver& locked, const Board& board,
                     const std::vector<Placement>& placements, const std::string& drop) {
    check_range("number of placements", static_cast<double>(placements.size()), 0,
                pc::PlacementOrders::kMaxTiles, ErrorKind::placement);
    BoundTiling tiled{std::make_shared<const pc::MoveTables>(locked.solver.move_tables()),
                      cleared_cells(board),
                      pc::kSmallBoardRows,
                      false,
                      {},
                      {},
                      nb::none(),
                      drop_argument(drop)};
    std::uint64_t filled = tiled.filled;
    for (const Placement& given : placements) {
        const Placement placement = canonical(given);
        const unsigned full = pc::full_row_bits(filled);
        std::vector<int> rows;  // those that are left, from below
        for (int y = 0; y < pc::kSmallBoardRows; ++y)
            if (!(full >> y & 1)) rows.push_back(y);
        pc::Tile tile{};
        int left = pc::kSmallBoardWidth;
        for (Cell c : cells_of(placement)) left = std::min<int>(left, c.x);
        for (Cell c : cells_of(placement)) {
            if (c.x < 0 || c.x >= pc::kSmallBoardWidth || c.y < 0 ||
                c.y >= static_cast<int>(rows.size()))
                throw Error(ErrorKind::placement,
                            std::string("a placement of ") + letter(placement.piece) +
                                " is outside the lowest " + std::to_string(pc::kSmallBoardRows) +
                                " rows");
            const int row = rows[static_cast<std::size_t>(c.y)];
            tile.cells |= std::uint64_t{1} << (row * pc::kSmallBoardWidth + c.x - left);
            tile.rows |= static_cast<std::uint8_t>(1u << row);
        }
        if (tile.cells << left & filled)
            throw Error(
                ErrorKind::placement,
                std::string("a placement of ") + letter(placement.piece) + " covers a filled cell");
        tile.piece = static_cast<std::uint8_t>(placement.piece);
        tile.rotation = static_cast<std::uint8_t>(placement.rotation);
        tile.bottom = static_cast<std::uint8_t>(std::countr_zero(tile.rows));
        const unsigned between = (1u << std::bit_width(tile.rows)) - (1u << tile.bottom);
        tile.gaps = static_cast<std::uint8_t>(between & ~unsigned{tile.rows});
        filled |= tile.cells << left;
        tiled.tiles.push_back(tile);
        tiled.columns.push_back(left);
    }
    return tiled;
}

nb::object played_by(const BoundTiling& tiled, nb::handle queue_list, nb::handle hold,
                     bool use_hold) {
    const std::vector<std::vector<Piece>> given =
        queues_from(queue_list, use_hold ? hold : nb::handle(Py_None));
    std::size_t shortest = pc::kMaxPieces;
    for (const auto& queue : given) shortest = std::min(shortest, queue.size());
    const std::size_t seen = tiled.tiles.size() + (use_hold ? 1 : 0);
    const pc::SortedQueues queues(given, static_cast<int>(std::min(shortest, seen)));
    std::vector<std::uint64_t> bits((queues.size() + 63) / 64);
    {
        const nb::gil_scoped_release released;
        tiled.orders().mark(queues, use_hold, bits);
    }
    return as_int(by_given(bits, queues, given.size()));
}

// (placements, holds) in an order of play for a queue, or None.
nb::object order_for(const BoundTiling& tiled, nb::handle queue, nb::handle hold, bool use_hold) {
    const bool holding = use_hold && !hold.is_none();
    const std::vector<Piece> pieces = pieces_from(queue, use_hold ? hold : nb::handle(Py_None));
    const int seen =
        static_cast<int>(std::min(pieces.size(), tiled.tiles.size() + (use_hold ? 1 : 0)));
    const std::vector<std::vector<Piece>> one{pieces};
    const pc::SortedQueues queues(one, seen);
    pc::PlacementOrders orders = tiled.orders();
    std::vector<int> order;
    if (!orders.find(queues[0], seen, use_hold, order)) return nb::none();
    std::vector<Placement> placements;
    unsigned placed = 0;
    for (const int tile : order) {
        const pc::Step step = orders.step(tile, placed);
        placements.push_back(pc::placement_of(*tiled.move_tables, step));
        placed |= 1u << tile;
    }
    nb::list holds;
    for (const bool swaps : pc::holds_for(pieces, holding, placements))
        holds.append(nb::bool_(swaps));
    return nb::make_tuple(tuple_of(placements), nb::tuple(holds));
}

nb::tuple tiles_of(const BoundTiling& tiled) {
    nb::list tiles;
    for (std::size_t i = 0; i < tiled.tiles.size(); ++i) {
        nb::list cells;
        for (std::uint64_t left = tiled.tiles[i].cells << tiled.columns[i]; left;
             left &= left - 1) {
            const int bit = std::countr_zero(left);
            cells.append(nb::make_tuple(bit % pc::kSmallBoardWidth, bit / pc::kSmallBoardWidth));
        }
        tiles.append(nb::make_tuple(static_cast<Piece>(tiled.tiles[i].piece), nb::tuple(cells)));
    }
    return nb::tuple(tiles);
}

}  // namespace

void bind_pc_tilings(nb::module_& m, nb::class_<LockedSolver>& solver) {
    nb::class_<BoundTiling>(m, "PcTiling")
        .def_prop_ro("tiles", &tiles_of)
        .def_prop_ro("queues", [](const BoundTiling& tiled) { return tiled.queues; })
        .def("find_playable_queues", &played_by, nb::arg("queues"), nb::arg("hold").none(),
             nb::kw_only(), nb::arg("use_hold") = true)
        .def("find_order", &order_for, nb::arg("queue"), nb::arg("hold").none(), nb::kw_only(),
             nb::arg("use_hold") = true);
    solver
        .def("find_tilings", &find_playable_tilings, nb::arg("board"), nb::arg("queues"),
             nb::arg("hold").none(), nb::arg("height"), nb::kw_only(), nb::arg("use_hold") = true,
             nb::arg("strict") = false, nb::arg("drop") = "soft",
             nb::arg("milliseconds") = nb::none(), nb::arg("stop") = nb::none())
        .def("create_tiling", &tiled_by, nb::arg("board"), nb::arg("placements"), nb::kw_only(),
             nb::arg("drop") = "soft");
    m.attr("PC_MAX_TILES") = pc::PlacementOrders::kMaxTiles;
    m.attr("PC_MAX_TILED_ROWS") = pc::kSmallBoardRows;
}

}  // namespace sevenbag::bind
