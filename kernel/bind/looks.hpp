// What there is to see of a game, of placements or frame by frame.
#pragma once

#include <nanobind/nanobind.h>

#include "bag.hpp"
#include "garbage.hpp"
#include "lock.hpp"

namespace sevenbag::bind {

template <class AnyGame>
nanobind::tuple previews_of(const AnyGame& game) {
    nanobind::list items;
    for (int i = 0; i < game.rules().previews; ++i) items.append(nanobind::cast(game.preview(i)));
    return nanobind::tuple(items);
}

template <class AnyGame>
nanobind::tuple pending_of(const AnyGame& game) {
    nanobind::list items;
    for (const PendingAttack& batch : game.garbage().pending())
        items.append(nanobind::cast(batch.lines));
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
