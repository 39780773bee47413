// Bindings of the beam search; the public interface is in sevenbag.bots.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "error.hpp"
#include "search/beam_search.hpp"
#include "stop_flag.hpp"

namespace nb = nanobind;

namespace sevenbag::bind {

namespace {

// Of a piece in a bag; more of them count as these.
constexpr std::uint8_t kMaxCopies = 255;

double spent(void* deadline) { return static_cast<const Deadline*>(deadline)->spent(); }

// A search with a lock: one run at a time, because runs share its memory.
struct LockedBeamSearch {
    explicit LockedBeamSearch(const Rules& rules) : search(rules) {}

    BeamSearch search;
    std::mutex busy;
};

SearchResult run(LockedBeamSearch& searcher, const Board& board, const std::vector<Piece>& queue,
                 std::optional<Piece> hold, int combo, int back_to_back, int pending,
                 const std::vector<Piece>& bag, std::optional<std::int64_t> nodes,
                 std::optional<double> milliseconds, std::optional<int> width,
                 const StopFlag* stop) {
    SearchPosition position{board, queue, hold, {combo, back_to_back}, pending, {}};
    for (Piece piece : bag) {
        auto& copies = position.bag[static_cast<std::size_t>(piece)];
        if (copies < kMaxCopies) ++copies;
    }
    // None means no limit; a limit of 0 is an error.
    if (nodes && *nodes < 1)
        throw_invalid(ErrorKind::rules, "nodes", "at least 1", std::to_string(*nodes));
    if (milliseconds && !(*milliseconds > 0))
        throw_invalid(ErrorKind::rules, "milliseconds", "more than 0",
                      std::to_string(*milliseconds));
    Deadline deadline{.seconds = milliseconds.value_or(0) / 1000};
    SearchLimits limits;
    limits.nodes = nodes.value_or(0);
    if (width) limits.width = *width;
    if (milliseconds) {
        limits.spent = &spent;
        limits.context = &deadline;
    }
    limits.stop = stop ? &stop->value : nullptr;

    const nb::gil_scoped_release released;
    const std::lock_guard<std::mutex> alone(searcher.busy);
    return searcher.search.run(position, limits);
}

nb::list moves_of(const SearchResult& result) {
    nb::list moves;
    for (const RankedMove& move : result.moves) moves.append(nb::cast(move.placement));
    return moves;
}

nb::list scores_of(const SearchResult& result) {
    nb::list scores;
    for (const RankedMove& move : result.moves) scores.append(nb::cast(move.score));
    return scores;
}

}  // namespace

void bind_beam_search(nb::module_& m) {
    nb::class_<StopFlag>(m, "StopFlag")
        .def(nb::init<>())
        .def("set", [](StopFlag& flag) { flag.value.store(true, std::memory_order_relaxed); })
        .def_prop_ro("is_set", [](const StopFlag& flag) {
            return flag.value.load(std::memory_order_relaxed);
        });

    nb::class_<SearchResult>(m, "SearchResult")
        .def_prop_ro("moves", &moves_of)
        .def_prop_ro("scores", &scores_of)
        .def_ro("nodes", &SearchResult::nodes)
        .def_ro("depth", &SearchResult::depth);

    nb::class_<LockedBeamSearch>(m, "BeamSearch")
        .def(
            "__init__",
            [](LockedBeamSearch* self, const Rules& rules) { new (self) LockedBeamSearch(rules); },
            nb::arg("rules"))
        .def("run", &run, nb::arg("board"), nb::arg("queue"), nb::arg("hold").none(),
             nb::arg("combo") = 0, nb::arg("back_to_back") = 0, nb::arg("pending") = 0,
             nb::arg("bag") = std::vector<Piece>(), nb::kw_only(), nb::arg("nodes") = nb::none(),
             nb::arg("milliseconds") = nb::none(), nb::arg("width") = nb::none(),
             nb::arg("stop") = nb::none());
}

}  // namespace sevenbag::bind
