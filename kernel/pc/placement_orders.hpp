// Orders in which given tiles can be placed, and the queues that allow one of them.
//
// A piece of the queue is placed or held, so after k pieces all but one are placed: the set of
// placed tiles defines the state. The reachable sets, with exact reachability at every step, are
// found once and used for every queue.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pc/drop_mode.hpp"
#include "pc/problem.hpp"
#include "pc/tiles.hpp"

namespace sevenbag::pc {

// Queues by piece numbers, in order, each once. Whether a queue begins with a held piece makes no
// difference to the searches.
class SortedQueues {
  public:
    // The pieces that count, and kNoPiece behind them.
    using Queue = std::array<std::uint8_t, kMaxPieces + 1>;

    // The first `count` pieces count, at most kMaxPieces. Throws Error(queue) if there is no queue,
    // or one has fewer pieces.
    SortedQueues(std::span<const std::vector<Piece>> queues, int count);

    std::size_t size() const { return sorted_.size(); }
    int length() const { return length_; }
    const Queue& operator[](std::size_t i) const { return sorted_[i]; }
    // Position of a given tile.
    std::size_t place(std::size_t given) const { return place_[given]; }

  private:
    std::vector<Queue> sorted_;
    std::vector<std::size_t> place_;
    int length_;
};

class PlacementOrders {
  public:
    static constexpr int kMaxTiles = kMaxSteps;

    // At most kMaxTiles tiles that do not overlap, on a board of at most six rows. `strict`: the
    // board must not be empty before all are placed.
    PlacementOrders(const MoveTables& move_tables, std::uint64_t filled, int height,
                    std::span<const Tile> tiles, std::span<const int> columns, bool strict,
                    DropMode drop = DropMode::soft);

    // Set bit i of `bits` for every queue i that can place all tiles; return whether there is any.
    bool mark(const SortedQueues& queues, bool hold, std::span<std::uint64_t> bits);

    // Find an order for a queue of this length: indices of `tiles`.
    bool find(const SortedQueues::Queue& queue, int length, bool hold, std::vector<int>& order);

    // Resting position of a tile when those of `placed` (bit i: tile i) are placed.
    Step step(int tile, unsigned placed) const;

  private:
    using Set = std::uint16_t;  // of tiles

    unsigned next(unsigned placed);
    void mark(const SortedQueues& queues, bool hold, std::size_t first, std::size_t end, int depth,
              const std::vector<Set>& sets, std::span<std::uint64_t> bits);
    void follow(const std::vector<Set>& sets, const std::uint8_t* drawn, int count, bool hold,
                std::vector<Set>& after);

    const MoveTables& move_tables_;
    std::uint64_t filled_;
    int height_;
    bool strict_;
    DropMode drop_;
    int count_;
    std::array<Tile, kMaxTiles> tiles_{};
    std::array<std::uint64_t, kMaxTiles> cells_{};
    std::array<int, kMaxTiles> columns_{};
    std::array<unsigned, kPieces + 1> of_piece_{};  // tiles of each piece, and of none
    // The tiles that can be placed after a set of them; kUnknown if not computed yet.
    static constexpr std::uint16_t kUnknown = 0xffff;
    std::vector<std::uint16_t> next_;
    bool any_ = false;
};

}  // namespace sevenbag::pc
