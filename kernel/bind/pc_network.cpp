// Bindings of networks that rate boards; the public interface is in sevenbag.pc.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "dispatch.hpp"
#include "pc/features.hpp"
#include "pc_arguments.hpp"

namespace nb = nanobind;

namespace sevenbag::bind {

namespace {

using Features = std::array<float, pc::kFeatures>;

std::shared_ptr<const pc::Network> made_network(
    const std::string& hidden, const std::string& score,
    const std::vector<std::tuple<std::int32_t, std::int32_t, double>>& edges) {
    std::vector<pc::Gene> genes;
    genes.reserve(edges.size());
    for (const auto& [input, output, weight] : edges)
        genes.push_back({input, output, static_cast<float>(weight)});
    return std::make_shared<const pc::Network>(pc::activation_named(hidden),
                                               pc::activation_named(score), genes);
}

Features features_of(const Board& board, int height) {
    if (board.width() != pc::kSmallBoardWidth)
        throw_invalid(ErrorKind::board, "board", "10 columns", std::to_string(board.width()));
    check_range("height", height, board.height(), kMaxRows, ErrorKind::board);
    Features features;
    if (height > pc::kSmallBoardRows) {
        pc::find_features(board, height, features.data());
        return features;
    }
    std::uint64_t filled = 0;
    for (int y = 0; y < height; ++y)
        filled |= std::uint64_t{board.row(y)} << (y * pc::kSmallBoardWidth);
    dispatch_table().find_features(filled, height, features.data());
    return features;
}

nb::tuple tuple_of_features(const Board& board, int height) {
    nb::list list;
    for (const float feature : features_of(board, height)) list.append(nb::float_(feature));
    return nb::tuple(list);
}

// Scores of consecutive boards: a network's state carries over to the next board.
std::vector<float> scores(const pc::Network& network, const std::vector<Features>& boards) {
    std::vector<float> memory(network.memory());
    std::vector<float> found;
    for (const Features& features : boards)
        found.push_back(network.score(features.data(), memory.data()));
    return found;
}

// Positions searched for each queue, and whether it was solved; see Solver::measure_effort.
nb::list efforts(LockedSolver& locked, nb::handle queues, int height) {
    const std::vector<std::vector<Piece>> all = queues_from(queues, nb::none());
    std::vector<pc::Solver::SearchEffort> found;
    {
        const nb::gil_scoped_release released;
        const std::lock_guard<std::mutex> alone(locked.busy);
        for (const std::vector<Piece>& queue : all)
            found.push_back(locked.solver.measure_effort(queue, height));
    }
    nb::list list;
    for (const pc::Solver::SearchEffort& effort : found)
        list.append(nb::make_tuple(effort.nodes, effort.found));
    return list;
}

}  // namespace

void bind_pc_network(nb::module_& m, nb::class_<LockedSolver>& solver) {
    nb::class_<pc::Network>(m, "PcNetwork")
        .def(nb::new_(&made_network), nb::arg("hidden"), nb::arg("output"), nb::arg("genes"))
        .def("score_boards", &scores, nb::arg("features"));
    m.def("compute_pc_features", &tuple_of_features, nb::arg("board"), nb::arg("height"));
    solver
        .def(
            "set_network",
            [](LockedSolver& locked, std::shared_ptr<const pc::Network> network) {
                const std::lock_guard<std::mutex> alone(locked.busy);
                locked.solver.set_network(std::move(network));
            },
            nb::arg("network").none())
        .def("measure_effort", &efforts, nb::arg("queues"), nb::arg("height"));
    nb::list names;
    for (const std::string_view name : pc::kActivationNames)
        names.append(nb::str(name.data(), name.size()));
    m.attr("PC_ACTIVATIONS") = nb::tuple(names);
    m.attr("PC_MAX_GENES") = pc::kMaxGenes;
}

}  // namespace sevenbag::bind
