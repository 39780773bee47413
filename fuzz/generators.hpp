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

// A system that has a name, or one of one's own. Raises Error(kicks) for tables that are none.
Kicks read_kicks(FuzzInput& input);

// Where pieces could appear, or far outside.
Spawn read_spawn(FuzzInput& input, const Board& board);

// Every field drawn. Raises Error(rules) for what `validate` refuses.
Rules read_rules(FuzzInput& input);

}  // namespace sevenbag::fuzz
