// Functions that are compiled once for each instruction set (`HOT` in CMakeLists.txt, see
// bitboard.hpp).
#pragma once

#include <cstdint>

#include "kicks.hpp"
#include "piece.hpp"
#include "spin.hpp"

namespace sevenbag {

struct PackedBoard;
struct PerftJob;
struct EvaluationJob;
struct EvaluatedBoard;
enum class FastSystem;

namespace pc {
struct RestPosition;
struct PlayOrderSearch;
struct MoveTable;
enum class Outcome;
}  // namespace pc

struct DispatchTable {
    const char* name;

    // Write the placements to `out` and return their number. Needs a spawn that fits, a rule that
    // has_fast_path, and, if the rule detects immobile pieces, a spawn above the stack.
    int (*generate_placements)(FastSystem kicks, const PackedBoard& board, Piece piece, int spawn_x,
                               int spawn_y, SpinRule rule, Placement* out);
    // Count the leaves below the start boards. Boards too high for the multi-ISA code, and boards
    // whose placements may depend on the spawn, are passed to `fallback(context, words, index in
    // queue)`, which returns the number of leaves below them.
    std::uint64_t (*perft)(FastSystem kicks, const PerftJob& job, int spawn_y,
                           std::uint64_t (*fallback)(void*, const std::uint64_t* words, int ply),
                           void* context);
    // Lock each placement on a copy of the board and evaluate the result.
    void (*evaluate_placements)(const EvaluationJob& job, EvaluatedBoard* out);

    // find_rest_positions of small_board.hpp.
    void (*find_rest_positions)(const pc::MoveTable& piece, std::uint64_t filled, int height,
                                std::uint64_t* corners);
    // find_features of pc/features.hpp, for boards of at most six rows.
    void (*find_features)(std::uint64_t filled, int height, float* features);
    // Outcome::none is a proof if the search is complete.
    pc::Outcome (*search_in_play_order)(pc::PlayOrderSearch& search);
    // Boards that one more piece leads to and that walls do not rule out, piece after piece in the
    // order given; ends[i] is the end of those of the i-th piece. A board may occur twice.
    void (*find_children)(const pc::MoveTable* const* pieces, std::uint64_t board, int height,
                          std::uint64_t* children, int* ends);
    // Find the first step that leads from one board to another; rotation -1 if there is none.
    pc::RestPosition (*find_rest_position)(const pc::MoveTable& piece, std::uint64_t board,
                                           std::uint64_t child, int height);
};

// The best that this machine can run; chosen once. Throws Error(input) if SEVENBAG_INSTRUCTION_SET
// names one that cannot be run here.
const DispatchTable& dispatch_table();

// Its name: "base", "x86-64-v3" or "avx512".
const char* instruction_set();

}  // namespace sevenbag
