// Arguments shared by the binding files of perfect clears.
#pragma once

#include <nanobind/nanobind.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "error.hpp"
#include "parallel.hpp"
#include "pc/drop_mode.hpp"
#include "pc/solver.hpp"
#include "stop_flag.hpp"

namespace sevenbag::bind {

// A solver with a lock: one call at a time, because calls share its memory.
struct LockedSolver {
    explicit LockedSolver(const Kicks& kicks) : solver(kicks) {}
    ~LockedSolver() {
        for (Py_buffer& table : tables) PyBuffer_Release(&table);
    }
    LockedSolver(const LockedSolver&) = delete;
    LockedSolver& operator=(const LockedSolver&) = delete;

    pc::Solver solver;
    std::mutex busy;
    std::vector<Py_buffer> tables;  // the bytes of the solver's tables
};

// Limits that need a clock or another thread.
struct StopCondition {
    StopCondition(const StopFlag* flag, std::optional<double> milliseconds)
        : flag(flag), deadline{.seconds = milliseconds.value_or(0) / 1000}, timed(milliseconds) {}

    static bool reached(void* self) {
        const auto& outside = *static_cast<const StopCondition*>(self);
        if (outside.flag && outside.flag->value.load(std::memory_order_relaxed)) return true;
        return outside.timed && outside.deadline.spent() >= 1;
    }

    const StopFlag* flag;
    Deadline deadline;
    bool timed;
};

// Convert letters or pieces, the held one first; ignores pieces beyond the longest useful queue.
inline std::vector<Piece> pieces_from(nanobind::handle queue, nanobind::handle hold) {
    std::vector<Piece> pieces;
    if (!hold.is_none()) pieces.push_back(piece_argument(hold));
    for (nanobind::handle piece : nanobind::iter(queue)) {
        if (pieces.size() == pc::kMaxQueue)
            throw_invalid(
                ErrorKind::queue, "queue",
                "at most " + std::to_string(pc::kMaxQueue) + " pieces, the held one included",
                "more");
        pieces.push_back(piece_argument(piece));
    }
    return pieces;
}

// The same for each queue of a list.
inline std::vector<std::vector<Piece>> queues_from(nanobind::handle queues, nanobind::handle hold) {
    std::vector<std::vector<Piece>> all;
    for (nanobind::handle queue : nanobind::iter(queues)) all.push_back(pieces_from(queue, hold));
    return all;
}

// soft, hard or t-soft.
inline pc::DropMode drop_argument(const std::string& name) {
    if (name == "soft") return pc::DropMode::soft;
    if (name == "hard") return pc::DropMode::hard;
    if (name == "t-soft") return pc::DropMode::t_soft;
    throw_invalid(ErrorKind::rules, "drop", "soft, hard or t-soft", "'" + name + "'");
}

// Classes and functions for all tilings of a board.
void bind_pc_tilings(nanobind::module_& m, nanobind::class_<LockedSolver>& solver);
// Bindings of networks and of the solver functions that use them.
void bind_pc_network(nanobind::module_& m, nanobind::class_<LockedSolver>& solver);

}  // namespace sevenbag::bind
