// Perfect-clear solver for any board: finds a solution, or proves that there is none.
//
// Heights are tried in increasing order, starting at the lowest that the number of empty cells
// allows, in steps of two rows, while there are pieces. Up to six rows a board is one word, and
// three searches are combined: play order with a few successors of each position, which finds most
// perfect clears at once; tilings first, which finds the rare ones and proves that there is none
// (tiling_solver.hpp); play order with all successors. Higher boards use a simple search
// (tall_board_search.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "board.hpp"
#include "kicks.hpp"
#include "pc/move_tables.hpp"
#include "pc/network.hpp"
#include "pc/play_order_search.hpp"
#include "pc/problem.hpp"
#include "pc/tiles.hpp"
#include "pc/tiling_solver.hpp"
#include "pc/unsolvable_table.hpp"

namespace sevenbag::pc {

inline constexpr int kMaxHeight = 20;
// Longer queues are truncated: no more pieces fit below kMaxHeight.
inline constexpr int kMaxQueue = kSmallBoardWidth * kMaxHeight / 4 + 1;

struct SolveRequest {
    // Of width 10; full rows are removed before anything else.
    const Board* board;
    // In the order in which they can be placed: the held piece, if any, the current one, the next.
    std::vector<Piece> pieces;
    // Whether the first of `pieces` is the held one.
    bool holding = false;
    // Whether hold is allowed.
    bool hold = true;
    int min_height = 0;
    int max_height = kMaxHeight;
    // Piece that must be left over at the end: held, or current with an empty hold.
    std::optional<Piece> save;
    // Whether the board must not be empty before the end.
    bool strict = false;

    // Number of threads for long searches; the result does not depend on it.
    int threads = 1;
    // Maximum number of positions to search; 0: no limit.
    std::uint64_t nodes = 0;
    // Called at intervals, from any of the searching threads; may be null.
    bool (*stop)(void* context) = nullptr;
    void* context = nullptr;
};

enum class SolveStatus {
    found,
    none,            // proved: every height for which there are pieces was searched
    odd,             // an odd number of cells is empty: no height can be filled
    too_few_pieces,  // too few pieces for the lowest height
    cannot_save,     // the piece to save is not among the pieces that can be left over
    stopped,         // stopped before a result
};

struct SolveResult {
    SolveStatus status = SolveStatus::none;
    int height = 0;  // of the perfect clear; if none was found, the highest that was searched
    std::vector<Placement> placements;
    std::vector<bool> holds;  // whether hold is used before each placement
    std::uint64_t nodes = 0;
};

// Throws Error(board) for a board that is not 10 wide or has filled cells above kMaxHeight,
// Error(queue) for no pieces at all.
void validate_request(const SolveRequest& request);

// Solver with reusable memory: one object per thread.
class Solver {
  public:
    // A pass of the search in the order of play.
    struct SearchPass {
        int width;  // successors tried of each position
        std::uint64_t budget;
    };

    explicit Solver(const Kicks& kicks);
    ~Solver();

    // Use a table; it replaces a table of the same height. The table's constructor checks that it
    // is for this rotation system.
    void use(const UnsolvableTable& table);

    // From now on the searches in the order of play go by this network, or by none.
    void set_network(std::shared_ptr<const Network> network);

    SolveResult solve(const SolveRequest& request);

    // Measure the play-order search with few successors of each position, which depends on the move
    // ordering: from the empty board, with these pieces.
    struct SearchEffort {
        std::uint64_t nodes;
        bool found;
    };
    SearchEffort measure_effort(const std::vector<Piece>& pieces, int height);

    // Solve one height of a small board, without checking its number of cells.
    Outcome solve_low(const Problem& problem, StopCheck stop_check,
                      std::array<Step, kMaxSteps>& steps, int threads = 1);

    // The final pass: all positions, in play order. Threads share it; the result is that of one
    // thread.
    Outcome search_all(const Problem& problem, StopCheck stop_check,
                       std::array<Step, kMaxSteps>& steps, int threads);

    // The tilings of a board; cached until another one of this height is requested.
    const TileGraph& graph(int height, std::uint64_t filled);

    const Kicks& kicks() const { return kicks_; }
    const MoveTables& move_tables() const { return move_tables_; }

  private:
    struct Memory;

    // Run passes until one has a result; return whether there is one.
    bool run_passes(std::span<const SearchPass> passes, const Problem& problem,
                    StopCheck stop_check, Outcome& outcome, std::array<Step, kMaxSteps>& steps);

    PlayOrderSearch search_for(const Problem& problem, StopCheck stop_check, SearchPass pass,
                               Memory& memory, std::vector<float>& network_memory) const;

    Kicks kicks_;
    MoveTables move_tables_;
    std::vector<UnsolvableTable> tables_;
    std::shared_ptr<const Network> network_;
    std::vector<float> network_memory_;
    std::uint64_t nodes_ = 0;  // of all passes ever
    std::unique_ptr<Memory> memory_;
};

// The lowest perfect clear of a board without full rows: height and number of pieces; no pieces for
// an odd number of cells.
struct LowestClear {
    int height;
    int pieces;
};
LowestClear lowest(const Board& cleared);

// A step as a placement on the board.
Placement placement_of(const MoveTables& move_tables, const Step& step);

// The placements that need hold first, in a game that begins with `pieces`.
std::vector<bool> holds_for(const std::vector<Piece>& pieces, bool holding,
                            const std::vector<Placement>& placements);

// Solve `request` with each of the queues as its pieces; its `holding` applies to all of them. The
// node limit applies to each queue, `stop` to all: queues not reached are SolveStatus::stopped.
// `stop` is called from every thread.
std::vector<SolveStatus> solve_queues(const Kicks& kicks, const SolveRequest& request,
                                      std::span<const std::vector<Piece>> queues, int threads);

}  // namespace sevenbag::pc
