// Bindings of .pc records; the public interface is in sevenbag.formats.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "error.hpp"
#include "pc/pc_file.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sevenbag::bind {

namespace {

using Record = std::tuple<std::vector<Piece>, unsigned, std::vector<Placement>>;

std::span<const std::uint8_t> bytes_of(const nb::bytes& data) {
    return {static_cast<const std::uint8_t*>(data.data()), data.size()};
}

std::tuple<std::uint64_t, std::size_t, PcFault, int> check(const PcValidator& checker,
                                                           const nb::bytes& data) {
    const std::span<const std::uint8_t> bytes = bytes_of(data);
    const nb::gil_scoped_release released;
    const PcScanResult run = checker.run(bytes);
    return {run.records, run.bytes, run.fault, run.placement};
}

std::pair<std::vector<Record>, std::size_t> read(const nb::bytes& data, std::uint64_t max) {
    const std::span<const std::uint8_t> bytes = bytes_of(data);
    std::vector<Record> records;
    std::size_t at = 0;
    while (records.size() < max) {
        const PcScanResult next = skip_pc_records(bytes.subspan(at), 1);
        if (next.records == 0) break;
        const PcRecord record = read_pc_record(bytes.data() + at);
        const auto* pieces = record.sequence.data();
        const auto* placements = record.placements.data();
        records.emplace_back(
            std::vector<Piece>(pieces, pieces + record.length), record.holds,
            std::vector<Placement>(placements, placements + record.placement_count()));
        at += next.bytes;
    }
    return {std::move(records), at};
}

nb::bytes write(const std::vector<Piece>& sequence, unsigned holds,
                const std::vector<Placement>& placements) {
    check_range("length of the sequence", static_cast<double>(sequence.size()), 2, kPcSequence,
                ErrorKind::queue);
    if (placements.size() != sequence.size() - 1)
        throw_invalid(ErrorKind::queue, "number of placements", std::to_string(sequence.size() - 1),
                      std::to_string(placements.size()));
    PcRecord record{};
    record.length = static_cast<int>(sequence.size());
    record.holds = static_cast<std::uint16_t>(holds);
    for (std::size_t i = 0; i < sequence.size(); ++i) record.sequence[i] = sequence[i];
    for (std::size_t i = 0; i < placements.size(); ++i) record.placements[i] = placements[i];
    std::array<std::uint8_t, kPcMaxRecordBytes> bytes;
    const int size = write_pc_record(record, bytes.data());
    return nb::bytes(bytes.data(), static_cast<std::size_t>(size));
}

}  // namespace

void bind_pc_file(nb::module_& m) {
    nb::enum_<PcFault>(m, "PcFault", nb::is_arithmetic())
        .value("NONE", PcFault::none)
        .value("NO_PLACEMENT", PcFault::no_placement)
        .value("OUTSIDE", PcFault::outside)
        .value("OVERLAP", PcFault::overlap)
        .value("FLOATING", PcFault::floating)
        .value("UNREACHABLE", PcFault::unreachable)
        .value("CLEARED_EARLY", PcFault::cleared_early)
        .value("NOT_CLEARED", PcFault::not_cleared);

    nb::class_<PcValidator>(m, "PcValidator")
        .def(
            "__init__",
            [](PcValidator* self, const nb::list& systems, bool allow_early_clear) {
                std::vector<Kicks> kicks;
                for (nb::handle system : systems) kicks.push_back(kicks_argument(system));
                new (self) PcValidator(kicks, allow_early_clear);
            },
            "systems"_a, "allow_early_clear"_a = true)
        .def("validate", &check, "data"_a);
    m.def("read_pc_records", &read, "data"_a, "max_records"_a);
    m.def("write_pc_record", &write, "sequence"_a, "holds"_a, "placements"_a);
    m.def(
        "skip_pc_records",
        [](const nb::bytes& data, std::uint64_t max) {
            const std::span<const std::uint8_t> bytes = bytes_of(data);
            const nb::gil_scoped_release released;
            const PcScanResult run = skip_pc_records(bytes, max);
            return std::pair(run.records, run.bytes);
        },
        "data"_a, "max_records"_a);
}

}  // namespace sevenbag::bind
