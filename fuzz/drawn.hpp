// Boards, rotation systems and rules drawn from a fuzzer's input: all that the kernel takes, and
// some that it must refuse.
#pragma once

#include "board.hpp"
#include "input.hpp"
#include "kicks.hpp"
#include "movegen.hpp"
#include "piece.hpp"
#include "rules.hpp"
#include "spin.hpp"

namespace sevenbag::fuzz {

Piece drawn_piece(Input& input);
SpinMode drawn_spins(Input& input);

// Of any width and any number of rows.
Board drawn_board(Input& input);
// Fills its rows.
void fill_board(Input& input, Board& board);

// A system that has a name, or one of one's own. Raises Error(kicks) for tables that are none.
Kicks drawn_kicks(Input& input);

// Where pieces could appear, or far outside.
Spawn drawn_spawn(Input& input, const Board& board);

// Every field drawn. Raises Error(rules) for what `validate` refuses.
Rules drawn_rules(Input& input);

}  // namespace sevenbag::fuzz
