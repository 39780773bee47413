// Boards, rotation systems and rules drawn from a fuzzer's input: all that the kernel takes, and
// some that it must refuse.
#pragma once

#include "board.hpp"
#include "fuzz_input.hpp"
#include "kicks.hpp"
#include "movegen.hpp"
#include "piece.hpp"
#include "rules.hpp"
#include "spin.hpp"

namespace sevenbag::fuzz {

Piece read_piece(FuzzInput& input);
SpinMode read_spin_mode(FuzzInput& input);

// Of any width and any number of rows.
Board read_board(FuzzInput& input);
// Fills its rows.
void fill_board(FuzzInput& input, Board& board);

// A built-in or custom system. Throws Error(kicks) for invalid tables.
Kicks read_kicks(FuzzInput& input);

// A plausible spawn position, or one far outside the board.
Spawn read_spawn(FuzzInput& input, const Board& board);

// Draw every field. Throws Error(rules) if `validate` rejects the rules.
Rules read_rules(FuzzInput& input);

}  // namespace sevenbag::fuzz
