// Beam search over the known pieces, with hold.
//
// Layer d holds the most promising boards after d pieces. The budget (nodes or time) is dealt out
// evenly over the layers that are left: the boards of a layer are expanded best first until its
// share is used up, so that the last known piece is always reached and nothing is left unspent. The
// piece after that is guessed: the best of the last boards are worth the mean, over all pieces that
// may come, of the best that can be done with each.
//
// Limited by nodes alone the answer is the same on every machine.
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

// What a move is searched for.
struct SearchPosition {
    Board board;
    std::vector<Piece> queue;  // the first is the current piece
    std::optional<Piece> hold;
    Counters counters;
    int pending = 0;    // lines of garbage that wait
    PieceCounts bag{};  // what the piece after the queue is drawn from; all 0: any piece
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
    // How much of the time is spent, 1 for all of it. The kernel knows no clock.
    double (*spent)(void* context) = nullptr;
    void* context = nullptr;
    // Ends the search at once.
    const std::atomic<bool>* stop = nullptr;
};

struct RankedMove {
    Placement placement;
    bool hold;  // comes out of the hold slot
    int depth;  // pieces of the best line that begins with it; 0: it loses
    int score;  // of that line
};

struct SearchResult {
    std::vector<RankedMove> moves;  // every legal one, best first
    std::int64_t nodes = 0;         // boards judged
    int depth = 0;                  // pieces of the longest line
};

class BeamSearch {
  public:
    explicit BeamSearch(const Rules& rules, const Weights& weights = kWeights);
    ~BeamSearch();

    // Only the first kMaxSearchQueue pieces of the queue are looked at. Raises Error(board) if the
    // board's size is not the rules', Error(queue) if the queue is empty, Error(rules) for counters
    // or limits that no search has.
    SearchResult run(const SearchPosition& position, const SearchLimits& limits);

  private:
    class Run;
    struct Memory;

    Rules rules_;
    Weights weights_;
    std::unique_ptr<Memory> memory_;
};

}  // namespace sevenbag
