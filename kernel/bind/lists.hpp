// Lists of the kernel as tuples of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "garbage.hpp"
#include "grid.hpp"

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

}  // namespace sevenbag::bind
