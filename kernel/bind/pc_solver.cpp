// Bindings of the perfect-clear solver; the public interface is in sevenbag.pc.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conversions.hpp"
#include "pc_arguments.hpp"

namespace nb = nanobind;

namespace sevenbag::bind {

namespace {

pc::SolveRequest request_for(const Board& board, bool holding, bool use_hold, int min_height,
                             int max_height, nb::handle save, bool strict,
                             std::optional<std::uint64_t> nodes) {
    pc::SolveRequest request;
    request.board = &board;
    request.holding = holding;
    request.hold = use_hold;
    request.min_height = min_height;
    request.max_height = max_height;
    if (!save.is_none()) request.save = piece_argument(save);
    request.strict = strict;
    request.nodes = nodes.value_or(0);
    return request;
}

pc::SolveResult solve(LockedSolver& locked, const Board& board, nb::handle queue, nb::handle hold,
                      bool use_hold, int min_height, int max_height, nb::handle save, bool strict,
                      int threads, std::optional<std::uint64_t> nodes,
                      std::optional<double> milliseconds, const StopFlag* stop) {
    check_threads(threads, ErrorKind::queue);
    pc::SolveRequest request =
        request_for(board, !hold.is_none(), use_hold, min_height, max_height, save, strict, nodes);
    request.pieces = pieces_from(queue, hold);
    request.threads = threads;
    StopCondition outside(stop, milliseconds);
    request.stop = &StopCondition::reached;
    request.context = &outside;
    const nb::gil_scoped_release released;
    const std::lock_guard<std::mutex> alone(locked.busy);
    return locked.solver.solve(request);
}

nb::list solve_queues(LockedSolver& locked, const Board& board, nb::handle queues, nb::handle hold,
                      bool use_hold, int min_height, int max_height, nb::handle save, bool strict,
                      int threads, std::optional<double> milliseconds, const StopFlag* stop) {
    pc::SolveRequest request = request_for(board, !hold.is_none(), use_hold, min_height, max_height,
                                           save, strict, std::nullopt);
    const std::vector<std::vector<Piece>> all = queues_from(queues, hold);
    StopCondition outside(stop, milliseconds);
    request.stop = &StopCondition::reached;
    request.context = &outside;
    std::vector<pc::SolveStatus> statuses;
    {
        const nb::gil_scoped_release released;
        statuses = pc::solve_queues(locked.solver.kicks(), request, all, threads);
    }
    nb::list list;
    for (const pc::SolveStatus status : statuses) list.append(nb::cast(status));
    return list;
}

// Solve queues from the empty board at exactly this height, and time each: the shortest of `repeat`
// times, in microseconds, and whether there is a perfect clear.
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
        pc::SolveRequest request;
        request.board = &empty;
        request.pieces = queue;
        request.min_height = request.max_height = height;
        for (int i = 0; i < std::max(repeat, 1); ++i) {
            const auto begun = std::chrono::steady_clock::now();
            found = locked.solver.solve(request).status == pc::SolveStatus::found;
            const std::chrono::duration<double, std::micro> passed =
                std::chrono::steady_clock::now() - begun;
            least = std::min(least, passed.count());
        }
        times.emplace_back(least, found);
    }
    return times;
}

// The bytes of a table of these sequences.
nb::bytes table_bytes(LockedSolver& locked, int height, nb::handle sequences) {
    const std::vector<std::uint8_t> bytes = pc::UnsolvableTable::bytes(
        locked.solver.move_tables(), height, queues_from(sequences, nb::none()));
    return nb::bytes(bytes.data(), bytes.size());
}

// Use a table and return its height and size; the bytes are kept as long as the solver.
nb::tuple use_table(LockedSolver& locked, nb::object buffer) {
    Py_buffer view;
    if (PyObject_GetBuffer(buffer.ptr(), &view, PyBUF_SIMPLE) != 0) throw nb::python_error();
    const std::span<const std::uint8_t> bytes(static_cast<const std::uint8_t*>(view.buf),
                                              static_cast<std::size_t>(view.len));
    try {
        const pc::UnsolvableTable table(bytes, locked.solver.move_tables());
        const std::lock_guard<std::mutex> alone(locked.busy);
        locked.solver.use(table);
        locked.tables.push_back(view);
        return nb::make_tuple(table.height(), table.size());
    } catch (...) {
        PyBuffer_Release(&view);
        throw;
    }
}

nb::list times_of(LockedSolver& locked, nb::handle queues, int height, int repeat) {
    nb::list times;
    for (const auto& [microseconds, found] :
         time_queues(locked, queues_from(queues, nb::none()), height, repeat))
        times.append(nb::make_tuple(microseconds, found));
    return times;
}

}  // namespace

void bind_pc_solver(nb::module_& m) {
    nb::enum_<pc::SolveStatus>(m, "SolveStatus", nb::is_arithmetic())
        .value("FOUND", pc::SolveStatus::found)
        .value("NONE", pc::SolveStatus::none)
        .value("ODD_CELLS", pc::SolveStatus::odd)
        .value("TOO_FEW_PIECES", pc::SolveStatus::too_few_pieces)
        .value("CANNOT_SAVE", pc::SolveStatus::cannot_save)
        .value("STOPPED", pc::SolveStatus::stopped);

    nb::class_<pc::SolveResult>(m, "PcSolveResult")
        .def_ro("status", &pc::SolveResult::status)
        .def_ro("height", &pc::SolveResult::height)
        .def_prop_ro("placements",
                     [](const pc::SolveResult& answer) { return tuple_of(answer.placements); })
        .def_prop_ro("holds",
                     [](const pc::SolveResult& answer) {
                         nb::list holds;
                         for (const bool hold : answer.holds) holds.append(nb::bool_(hold));
                         return nb::tuple(holds);
                     })
        .def_ro("nodes", &pc::SolveResult::nodes);

    nb::class_<LockedSolver> solver(m, "PcSolver");
    solver
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
             nb::arg("strict") = false, nb::arg("threads") = 1, nb::arg("nodes") = nb::none(),
             nb::arg("milliseconds") = nb::none(), nb::arg("stop") = nb::none())
        .def("solve_queues", &solve_queues, nb::arg("board"), nb::arg("queues"),
             nb::arg("hold").none(), nb::kw_only(), nb::arg("use_hold") = true,
             nb::arg("min_height") = 0, nb::arg("max_height") = pc::kMaxHeight,
             nb::arg("save").none() = nb::none(), nb::arg("strict") = false, nb::arg("threads") = 1,
             nb::arg("milliseconds") = nb::none(), nb::arg("stop") = nb::none())
        .def("load_table", &use_table, nb::arg("buffer"))
        .def("encode_table", &table_bytes, nb::arg("height"), nb::arg("sequences"))
        .def_prop_ro(
            "fingerprint",
            [](const LockedSolver& locked) { return pc::fingerprint(locked.solver.move_tables()); })
        .def("time_queues", &times_of, nb::arg("queues"), nb::arg("height"), nb::arg("repeat"));
    bind_pc_tilings(m, solver);
    bind_pc_network(m, solver);
    m.attr("PC_MAX_HEIGHT") = pc::kMaxHeight;
}

}  // namespace sevenbag::bind
