#include "pc/drop_mode.hpp"

#include "dispatch.hpp"

namespace sevenbag::pc {

namespace {

void find_straight_drops(const MoveTable& piece, std::uint64_t filled, int height,
                         std::uint64_t* corners) {
    for (int rotation = 0; rotation < piece.looks; ++rotation) {
        const auto r = static_cast<std::size_t>(rotation);
        std::uint64_t blocked = 0;
        for (const ByRotation& place : piece.cell_places) blocked |= filled >> place.of[r];
        std::uint64_t covered = blocked >> kSmallBoardWidth;
        covered |= covered >> kSmallBoardWidth;
        covered |= covered >> 2 * kSmallBoardWidth;
        covered |= covered >> 4 * kSmallBoardWidth;
        bool open = false;  // by any rotation that looks like this one
        for (std::size_t like = r; like < kRotations; like += static_cast<std::size_t>(piece.looks))
            open = open || piece.open.of[like] != 0;
        const std::uint64_t free = piece.within_walls.of[r] & ~blocked;
        corners[r] = open ? free & ~(free << kSmallBoardWidth) & ~covered &
                                piece.below_top[static_cast<std::size_t>(height)].of[r]
                          : 0;
    }
}

}  // namespace

void find_rest_positions(const MoveTables& move_tables, DropMode drop, Piece piece,
                         std::uint64_t filled, int height, std::uint64_t* corners) {
    if (drop == DropMode::soft || (drop == DropMode::t_soft && piece == Piece::T))
        dispatch_table().find_rest_positions(move_tables.of(piece), filled, height, corners);
    else
        find_straight_drops(move_tables.of(piece), filled, height, corners);
}

}  // namespace sevenbag::pc
