// The same question for many queues, in several threads.
#pragma once

#include <span>
#include <vector>

#include "pc/solver.hpp"

namespace sevenbag::pc {

// Solves `request` with each of the queues in the place of its pieces; what it says of a held piece
// is true of all of them. The request's limit of nodes holds for each queue, its `stop` for all:
// queues that are not reached then are Reason::stopped. `stop` is called from every thread.
std::vector<SolveStatus> solve_queues(const Kicks& kicks, const SolveRequest& request,
                                      std::span<const std::vector<Piece>> queues, int threads);

}  // namespace sevenbag::pc
