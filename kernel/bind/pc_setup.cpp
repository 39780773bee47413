// Bindings of setups and queue sets; the public interface is in sevenbag.pc.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "conversions.hpp"
#include "pc/set_cover.hpp"
#include "pc/setup.hpp"
#include "pc_arguments.hpp"

namespace nb = nanobind;

namespace sevenbag::bind {

namespace {

pc::StopCheck watch_of(StopCondition& outside) {
    return {[](void* context, std::uint64_t /*nodes*/) { return StopCondition::reached(context); },
            &outside};
}

// A bit for each number below `count`, the lowest bit of a byte first.
nb::bytes bytes_of(const std::uint64_t* words, std::uint64_t count) {
    std::string bytes((count + 7) / 8, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<char>(words[i / 8] >> (i % 8 * 8) & 0xff);
    return nb::bytes(bytes.data(), bytes.size());
}

// Sets of equally many bytes as sets of words.
std::vector<pc::Bits> sets_of(const std::vector<nb::bytes>& given) {
    std::vector<pc::Bits> sets;
    for (const nb::bytes& bytes : given) {
        if (bytes.size() != given[0].size())
            throw_invalid(ErrorKind::queue, "size of the sets",
                          std::to_string(given[0].size()) + " bytes", std::to_string(bytes.size()));
        pc::Bits& set = sets.emplace_back((bytes.size() + 7) / 8);
        for (std::size_t i = 0; i < bytes.size(); ++i)
            set[i / 8] |= std::uint64_t{static_cast<unsigned char>(bytes.c_str()[i])}
                          << (i % 8 * 8);
    }
    return sets;
}

}  // namespace

void bind_pc_setup(nb::module_& m) {
    nb::class_<pc::QueueAutomaton>(m, "PcQueues")
        .def(nb::init<const std::vector<std::int32_t>&>(), nb::arg("automaton"))
        .def("__len__", &pc::QueueAutomaton::count)
        .def_prop_ro("length", &pc::QueueAutomaton::length)
        .def("__getitem__", [](const pc::QueueAutomaton& queues, std::int64_t number) {
            if (number < 0 || number >= queues.count()) throw nb::index_error("no such queue");
            std::string letters;
            for (const Piece piece : queues.queue(static_cast<std::uint32_t>(number)))
                letters += kPieceLetters[static_cast<std::size_t>(piece)];
            return letters;
        });

    nb::class_<pc::Setup>(m, "PcProblem")
        .def(
            "__init__",
            [](pc::Setup* self, const Board& board, std::int64_t lines, nb::handle kicks, bool hold,
               const std::string& drop) {
                new (self)
                    pc::Setup(board, lines, kicks_argument(kicks), hold, drop_argument(drop));
            },
            nb::arg("board"), nb::kw_only(), nb::arg("height"), nb::arg("kicks"), nb::arg("hold"),
            nb::arg("drop"))
        .def_prop_ro("pieces_needed", &pc::Setup::needed)
        .def_prop_ro("kicks", [](const pc::Setup& question) { return question.kicks(); })
        .def_prop_ro("board", [](const pc::Setup& question) { return question.board(); })
        .def(
            "find_solvable_queues",
            [](const pc::Setup& question, const pc::QueueAutomaton& queues,
               std::optional<double> milliseconds, const StopFlag* stop) -> nb::object {
                pc::SolvableQueues solvable;
                {
                    StopCondition outside(stop, milliseconds);
                    const nb::gil_scoped_release released;
                    solvable = question.solvable(queues, watch_of(outside));
                }
                if (!solvable.complete) return nb::none();
                return bytes_of(solvable.solved.data(), queues.count());
            },
            nb::arg("queues"), nb::kw_only(), nb::arg("milliseconds") = nb::none(),
            nb::arg("stop") = nb::none());

    m.def(
        "find_smallest_cover",
        [](const std::vector<nb::bytes>& given, std::optional<double> milliseconds,
           const StopFlag* stop) {
            const std::vector<pc::Bits> sets = sets_of(given);
            pc::SetCover cover;
            {
                StopCondition outside(stop, milliseconds);
                const nb::gil_scoped_release released;
                cover = pc::find_smallest_cover(sets, watch_of(outside));
            }
            return nb::make_tuple(tuple_of(cover.sets), cover.at_least);
        },
        nb::arg("sets"), nb::kw_only(), nb::arg("milliseconds") = nb::none(),
        nb::arg("stop") = nb::none());
    m.def(
        "find_maximal_sets",
        [](const std::vector<nb::bytes>& given) {
            const std::vector<pc::Bits> sets = sets_of(given);
            const nb::gil_scoped_release released;
            return pc::find_maximal_sets(sets);
        },
        nb::arg("sets"));
}

}  // namespace sevenbag::bind
