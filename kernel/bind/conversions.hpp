// Conversions of kernel values to Python tuples and names.
#pragma once

#include <nanobind/nanobind.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "colored_board.hpp"
#include "garbage.hpp"
#include "lock_result.hpp"
#include "piece_queue.hpp"

namespace sevenbag::bind {

template <class List>
nanobind::tuple tuple_of(const List& list) {
    nanobind::list items;
    for (const auto& item : list) items.append(nanobind::cast(item));
    return nanobind::tuple(items);
}

// The numbers of the bits that are set, lowest first.
inline nanobind::tuple bits_of(std::uint64_t bits) {
    nanobind::list items;
    for (; bits != 0; bits &= bits - 1) items.append(nanobind::cast(std::countr_zero(bits)));
    return nanobind::tuple(items);
}

// The first open column of every garbage row.
inline nanobind::tuple holes_of(const std::vector<HoleMask>& rows) {
    nanobind::list items;
    for (HoleMask row : rows) items.append(nanobind::cast(std::countr_zero(row)));
    return nanobind::tuple(items);
}

// All of them, by rows.
inline nanobind::tuple open_columns_of(const std::vector<HoleMask>& rows) {
    nanobind::list items;
    for (HoleMask row : rows) items.append(bits_of(row));
    return nanobind::tuple(items);
}

// Rows from the bottom, a letter a cell.
inline nanobind::tuple colors_of(const ColorGrid& grid) {
    nanobind::list items;
    std::string row(static_cast<std::size_t>(grid.width()), '.');
    for (int y = 0; y < grid.rows(); ++y) {
        for (int x = 0; x < grid.width(); ++x) row[static_cast<std::size_t>(x)] = grid.at(x, y);
        items.append(nanobind::cast(row));
    }
    return nanobind::tuple(items);
}

template <class AnyGame>
nanobind::tuple previews_of(const AnyGame& game) {
    nanobind::list items;
    for (int i = 0; i < game.rules().previews; ++i) items.append(nanobind::cast(game.preview(i)));
    return nanobind::tuple(items);
}

template <class AnyGame>
nanobind::tuple pending_of(const AnyGame& game) {
    nanobind::list items;
    for (const PendingAttack& attack : game.garbage().pending())
        items.append(nanobind::cast(attack.lines));
    return nanobind::tuple(items);
}

inline nanobind::tuple pieces_of(const PieceCounts& counts) {
    nanobind::list items;
    for (int p = 0; p < kPieces; ++p)
        for (int n = 0; n < counts[p]; ++n) items.append(nanobind::cast(static_cast<Piece>(p)));
    return nanobind::tuple(items);
}

template <class AnyGame>
nanobind::object bag_of(const AnyGame& game) {
    const auto counts = game.bag();
    if (!counts) return nanobind::none();
    return pieces_of(*counts);
}

template <class AnyGame>
nanobind::object filled_bag_of(const AnyGame& game) {
    const auto counts = game.filled_bag();
    if (!counts) return nanobind::none();
    return pieces_of(*counts);
}

inline nanobind::object name_of(TopOut top_out) {
    constexpr const char* kNames[] = {"", "block out", "lock out", "garbage out"};
    if (top_out == TopOut::none) return nanobind::none();
    return nanobind::cast(kNames[static_cast<int>(top_out)]);
}

}  // namespace sevenbag::bind
