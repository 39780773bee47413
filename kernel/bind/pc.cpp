// Perfect clears for Python; sevenbag.pc is the face that people see.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "error.hpp"
#include "lists.hpp"
#include "pc/solver.hpp"
#include "stop.hpp"

namespace nb = nanobind;

namespace sevenbag::bind {

namespace {

// A solver and who may use it: one question at a time, as they share its memory.
struct LockedSolver {
    explicit LockedSolver(const Kicks& kicks) : solver(kicks) {}

    pc::Solver solver;
    std::mutex busy;
};

// Limits that need a clock or another thread.
struct Outside {
    const StopFlag* flag = nullptr;
    const Deadline* deadline = nullptr;

    static bool reached(void* self) {
        const auto& outside = *static_cast<const Outside*>(self);
        if (outside.flag && outside.flag->value.load(std::memory_order_relaxed)) return true;
        return outside.deadline && outside.deadline->spent() >= 1;
    }
};

// Letters or pieces, the held one first; no more than can be of use.
std::vector<Piece> pieces_from(nb::handle queue, nb::handle hold) {
    std::vector<Piece> pieces;
    if (!hold.is_none()) pieces.push_back(piece_argument(hold));
    for (nb::handle piece : nb::iter(queue)) {
        if (pieces.size() == pc::kMaxQueue)
            throw Error(ErrorKind::queue, "more than " + std::to_string(pc::kMaxQueue) +
                                              " pieces with the held one; no perfect clear of at "
                                              "most " +
                                              std::to_string(pc::kMaxHeight) + " rows needs them");
        pieces.push_back(piece_argument(piece));
    }
    return pieces;
}

pc::Answer solve(LockedSolver& locked, const Board& board, nb::handle queue, nb::handle hold,
                 bool use_hold, int min_height, int max_height, nb::handle save, bool strict,
                 std::optional<std::uint64_t> nodes, std::optional<double> milliseconds,
                 const StopFlag* stop) {
    pc::Request request;
    request.board = &board;
    request.pieces = pieces_from(queue, hold);
    request.holding = !hold.is_none();
    request.hold = use_hold;
    request.min_height = min_height;
    request.max_height = max_height;
    if (!save.is_none()) request.save = piece_argument(save);
    request.strict = strict;
    request.nodes = nodes.value_or(0);
    const Deadline deadline{.seconds = milliseconds.value_or(0) / 1000};
    Outside outside{stop, milliseconds ? &deadline : nullptr};
    if (stop || milliseconds) {
        request.stop = &Outside::reached;
        request.context = &outside;
    }
    const nb::gil_scoped_release released;
    const std::lock_guard<std::mutex> alone(locked.busy);
    return locked.solver.solve(request);
}

// Solves queues from the empty field at exactly this height, and times each: the shortest of
// `repeat` times, in microseconds, and whether there is a perfect clear.
std::vector<std::pair<double, bool>> time_queues(LockedSolver& locked,
                                                 const std::vector<std::vector<Piece>>& queues,
                                                 int height, int repeat) {
    const nb::gil_scoped_release released;
    const std::lock_guard<std::mutex> alone(locked.busy);
    const Board empty;
    std::vector<std::pair<double, bool>> times;
    for (const std::vector<Piece>& queue : queues) {
        double least = std::numeric_limits<double>::infinity();
        bool found = false;
        pc::Request request;
        request.board = &empty;
        request.pieces = queue;
        request.min_height = request.max_height = height;
        for (int i = 0; i < repeat; ++i) {
            const auto begun = std::chrono::steady_clock::now();
            found = locked.solver.solve(request).reason == pc::Reason::found;
            const std::chrono::duration<double, std::micro> passed =
                std::chrono::steady_clock::now() - begun;
            least = std::min(least, passed.count());
        }
        times.emplace_back(least, found);
    }
    return times;
}

nb::list times_of(LockedSolver& locked, nb::handle queues, int height, int repeat) {
    std::vector<std::vector<Piece>> all;
    for (nb::handle queue : nb::iter(queues)) all.push_back(pieces_from(queue, nb::none()));
    nb::list times;
    for (const auto& [microseconds, found] : time_queues(locked, all, height, repeat))
        times.append(nb::make_tuple(microseconds, found));
    return times;
}

}  // namespace

void bind_pc(nb::module_& m) {
    nb::enum_<pc::Reason>(m, "PcReason", nb::is_arithmetic())
        .value("FOUND", pc::Reason::found)
        .value("NONE", pc::Reason::none)
        .value("ODD", pc::Reason::odd)
        .value("FEW_PIECES", pc::Reason::few_pieces)
        .value("NOT_SAVED", pc::Reason::not_saved)
        .value("STOPPED", pc::Reason::stopped);

    nb::class_<pc::Answer>(m, "PcAnswer")
        .def_ro("reason", &pc::Answer::reason)
        .def_ro("height", &pc::Answer::height)
        .def_prop_ro("placements",
                     [](const pc::Answer& answer) { return tuple_of(answer.placements); })
        .def_prop_ro("holds",
                     [](const pc::Answer& answer) {
                         nb::list holds;
                         for (const bool hold : answer.holds) holds.append(nb::bool_(hold));
                         return nb::tuple(holds);
                     })
        .def_ro("nodes", &pc::Answer::nodes);

    nb::class_<LockedSolver>(m, "PcSolver")
        .def(
            "__init__",
            [](LockedSolver* self, nb::handle kicks) {
                new (self) LockedSolver(kicks_argument(kicks));
            },
            nb::arg("kicks"))
        .def_prop_ro("kicks", [](const LockedSolver& locked) { return locked.solver.kicks(); })
        .def("solve", &solve, nb::arg("board"), nb::arg("queue"), nb::arg("hold").none(),
             nb::kw_only(), nb::arg("use_hold") = true, nb::arg("min_height") = 0,
             nb::arg("max_height") = pc::kMaxHeight, nb::arg("save").none() = nb::none(),
             nb::arg("strict") = false, nb::arg("nodes") = nb::none(),
             nb::arg("milliseconds") = nb::none(), nb::arg("stop") = nb::none())
        .def("time", &times_of, nb::arg("queues"), nb::arg("height"), nb::arg("repeat"));
    m.attr("PC_MAX_HEIGHT") = pc::kMaxHeight;
}

}  // namespace sevenbag::bind
