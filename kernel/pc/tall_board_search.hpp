// Perfect clears of boards of any height: the search in the order of play on whole boards.
#pragma once

#include <optional>
#include <vector>

#include "board.hpp"
#include "kicks.hpp"
#include "pc/network.hpp"
#include "pc/problem.hpp"

namespace sevenbag::pc {

// As Problem, for a board that is too high for one word.
struct TallProblem {
    Board board;  // no row is full
    int height;
    std::vector<Piece> pieces;  // as many as are needed, or one more if there is a hold
    bool hold;
    std::optional<Piece> save;
    bool strict;
};

// Search with few successors of each position first, then with all; ordered by a network if there
// is one.
Outcome solve_tall(const TallProblem& problem, const Kicks& kicks, StopCheck stop_check,
                   const Network* network, std::vector<Placement>& placements);

}  // namespace sevenbag::pc
