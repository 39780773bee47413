// Beam search over the known pieces, with hold.
//
// Layer d holds the best boards after d pieces. The budget (nodes or time) is divided evenly over
// the remaining layers: the boards of a layer are expanded best first until its share is used, so
// the last known piece is always reached and the whole budget is used. The unknown piece after that
// is averaged: each of the last boards is scored with the mean, over all possible pieces, of the
// best result with each.
//
// With a node limit only, the result is the same on every machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "attack.hpp"
#include "board.hpp"
#include "evaluation.hpp"
#include "piece.hpp"
#include "piece_queue.hpp"
#include "rules.hpp"

namespace sevenbag {

// Position to search.
struct SearchPosition {
    Board board;
    std::vector<Piece> queue;  // the first is the current piece
    std::optional<Piece> hold;
    Counters counters;
    int pending = 0;    // lines of garbage that wait
    PieceCounts bag{};  // possible pieces after the queue; all 0: any piece
};

inline constexpr int kMaxSearchQueue = 16;
inline constexpr int kMaxSearchWidth = 1 << 15;
// Of the combo, the back-to-back chain and the lines that wait: far more than any game has, and few
// enough that no score overflows.
inline constexpr int kMaxSearchCounter = 1000000;

struct SearchLimits {
    // Maximum number of boards to evaluate; 0: no limit. All placements of the first piece are
    // evaluated even beyond the limit, so that every legal move is ranked.
    std::int64_t nodes = 0;
    // Boards that are expanded in a layer.
    int width = kMaxSearchWidth;
    // Fraction of the time used, 1 for all of it. The kernel has no clock.
    double (*spent)(void* context) = nullptr;
    void* context = nullptr;
    // Ends the search at once.
    const std::atomic<bool>* stop = nullptr;
};

struct RankedMove {
    Placement placement;
    bool hold;  // uses the hold
    int depth;  // pieces of the best line that begins with it; 0: it loses
    int score;  // of that line
};

struct SearchResult {
    std::vector<RankedMove> moves;  // every legal one, best first
    std::int64_t nodes = 0;         // boards evaluated
    int depth = 0;                  // pieces of the longest line
};

class BeamSearch {
  public:
    explicit BeamSearch(const Rules& rules, const Weights& weights = kWeights);
    ~BeamSearch();

    // Only the first kMaxSearchQueue pieces of the queue are used. Throws Error(board) if the
    // board's size is not that of the rules, Error(queue) if the queue is empty, Error(rules) for
    // invalid counters or limits.
    SearchResult run(const SearchPosition& position, const SearchLimits& limits);

  private:
    class Run;
    struct Memory;

    Rules rules_;
    Weights weights_;
    std::unique_ptr<Memory> memory_;
};

}  // namespace sevenbag
