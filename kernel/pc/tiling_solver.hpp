// Search for tilings first, then for an order: it proves that there is no perfect clear if few
// tilings exist, and finds rare ones.
//
// Tilings are collected, some thousand at a time, and then tested together in the order of the
// queue: at each step a tiling remains if its tile for the piece to be placed is reachable.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pc/problem.hpp"
#include "pc/tilings.hpp"
#include "pc/visited_set.hpp"
#include "random.hpp"

namespace sevenbag::pc {

class TilingSolver {
  public:
    // The budget is that of the problem on the graph.
    TilingSolver(const MoveTables& move_tables, const Problem& problem, const TileGraph& graph,
                 const MultisetTable& budget, VisitedSet& visited, StopCheck stop_check);

    // `found`: see steps().
    Outcome run();

    const std::array<Step, kMaxSteps>& steps() const { return steps_; }
    std::uint64_t tilings() const { return tilings_seen_; }
    std::uint64_t positions() const { return positions_; }

  private:
    static constexpr std::uint16_t kNoTile = 0xffff;
    // Some at random are tried before all of them.
    static constexpr int kSamples[] = {128, 1024};
    static constexpr int kFirstPlay = 8192;
    static constexpr int kLargestBatch = 1 << 15;

    void add_tiling(const TileGraph::Edge* edges);
    void sample(int count);
    Outcome test_new_tilings();
    // From `first` on; `all`: these are all tilings there are.
    Outcome test_batch(int first, bool all);

    struct Position {
        std::uint64_t filled;  // in the rows as they were at the start
        std::uint64_t left;    // the remaining ones
        int height;
        unsigned full;
    };
    Outcome play(const Position& position, int held, int next, int depth, std::size_t begin,
                 std::size_t end);
    std::uint64_t key_of(const Position& position, int held, std::size_t begin) const;
    Outcome place(const Position& position, int piece, int held, int next, int depth,
                  std::size_t begin, std::size_t end);

    const MoveTables& move_tables_;
    const Problem& problem_;
    const TileGraph& graph_;
    const MultisetTable& budget_;
    VisitedSet& visited_;
    StopCheck watch_;
    std::uint64_t whole_;

    SplitMix64 random_{1};
    // Tilings of the batch, kMaxPieces tiles each, those of a piece side by side from
    // first_[piece].
    std::vector<std::uint16_t> batch_;
    std::array<int, kPieces + 1> first_{};
    int batch_count_ = 0;
    int next_play_ = kFirstPlay;
    int played_ = 0;
    bool all_in_batch_ = true;
    bool all_ = false;

    // Lists of tilings that are in the game, one after another along the path.
    std::vector<std::uint32_t> remaining_;
    std::size_t top_ = 0;
    struct Candidate {
        std::uint32_t tile;  // place in `tiles` of the position
        std::uint32_t tiling;
    };
    // Status of a tile at the last position that used it.
    struct TileStatus {
        std::uint64_t position = 0;
        std::int32_t place = 0;  // among the tiles that can be placed, or -1
    };
    std::vector<Candidate> candidates_;
    std::vector<TileStatus> statuses_;
    std::uint64_t positions_ = 0;
    std::uint64_t tilings_seen_ = 0;
    std::array<Step, kMaxSteps> steps_{};
};

}  // namespace sevenbag::pc
