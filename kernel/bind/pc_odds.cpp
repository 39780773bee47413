// Perfect clears of all queues for Python; sevenbag.pc.odds and sevenbag.pc.batch are the faces
// that people see.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "error.hpp"
#include "pc/batch.hpp"
#include "pc/odds.hpp"
#include "pc/sequences.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sevenbag::bind {

namespace {

using Row = std::pair<std::int64_t, std::int64_t>;
using OddsAndLines = std::tuple<Row, Row, Row, nb::bytes>;

// A census, and for each thread that asks it a way through.
struct Census {
    Census(const Kicks& kicks, int height, int threads, pc::Progress& progress)
        : census(kicks, height, threads, progress) {}

    pc::Census census;
    std::mutex lending;
    std::vector<std::unique_ptr<pc::Batch>> idle;
};

void expect_threads(int threads) {
    if (threads < 1 || threads > kMaxThreads)
        throw Error(ErrorKind::queue, "threads is " + std::to_string(threads) + ", must be 1 to " +
                                          std::to_string(kMaxThreads));
}

// Nothing, if it was stopped.
std::unique_ptr<Census> take_census(nb::handle kicks, int height, int threads,
                                    pc::Progress& progress) {
    const Kicks system = kicks_argument(kicks);
    expect_threads(threads);
    if (height != 2 && height != 4)
        throw Error(ErrorKind::board,
                    "a height of " + std::to_string(height) + " lines; it must be 2 or 4");
    const nb::gil_scoped_release released;
    try {
        return std::make_unique<Census>(system, height, threads, progress);
    } catch (const pc::Stopped&) {
        return nullptr;
    }
}

// Nothing, if it was stopped.
std::optional<OddsAndLines> odds(Census& self, int threads, pc::Progress& progress) {
    expect_threads(threads);
    const int length = self.census.length();
    pc::Odds odds{};
    std::string lines;
    {
        const nb::gil_scoped_release released;
        try {
            const auto impossible = pc::find_impossible(self.census, threads, progress);
            odds = pc::odds_without(impossible, length);
            lines = pc::lines_of(impossible, length);
        } catch (const pc::Stopped&) {
            return std::nullopt;
        }
    }
    const auto row = [](const pc::Share& share) { return Row{share.possible, share.total}; };
    return OddsAndLines{row(odds.opening), row(odds.none), row(odds.any),
                        nb::bytes(lines.data(), lines.size())};
}

nb::bytes records(Census& self, int block) {
    if (block < 0 || static_cast<std::size_t>(block) >= self.census.blocks().size())
        throw Error(ErrorKind::queue, "there is no block " + std::to_string(block));
    std::vector<std::uint8_t> found;
    {
        const nb::gil_scoped_release released;
        std::unique_ptr<pc::Batch> batch;
        {
            const std::lock_guard<std::mutex> alone(self.lending);
            if (!self.idle.empty()) {
                batch = std::move(self.idle.back());
                self.idle.pop_back();
            }
        }
        if (!batch) batch = std::make_unique<pc::Batch>(self.census);
        found = batch->records(static_cast<std::size_t>(block));
        const std::lock_guard<std::mutex> alone(self.lending);
        self.idle.push_back(std::move(batch));
    }
    return nb::bytes(found.data(), found.size());
}

std::vector<std::uint8_t> letters_of(const std::vector<Piece>& pieces) {
    std::vector<std::uint8_t> letters;
    for (Piece piece : pieces)
        for (std::uint8_t letter = 0; letter < kPieces; ++letter)
            if (pc::kLetters[letter] == piece) letters.push_back(letter);
    return letters;
}

// What it has counted once serves all later calls; a few thousand numbers in all.
pc::SequenceCounter& counter() {
    static thread_local pc::SequenceCounter counter;
    return counter;
}

std::int64_t count_sequences(int length, int phases) {
    if (length < 0 || length > pc::kLongestSequence)
        throw Error(ErrorKind::queue, "sequences of length " + std::to_string(length) +
                                          "; it must be 0 to " +
                                          std::to_string(pc::kLongestSequence));
    return counter().count(length, phases & pc::kAllPhases);
}

std::vector<std::int64_t> block_sizes(int letters) {
    if (letters < pc::kBlockLetters || letters > pc::kLongestSequence)
        throw Error(ErrorKind::queue, "sequences of " + std::to_string(letters) +
                                          " letters; it must be " +
                                          std::to_string(pc::kBlockLetters) + " to " +
                                          std::to_string(pc::kLongestSequence));
    return pc::block_sizes(letters);
}

std::int64_t sequence_number(const std::vector<Piece>& pieces) {
    const std::vector<std::uint8_t> letters = letters_of(pieces);
    if (static_cast<int>(letters.size()) > pc::kLongestSequence + 1 || !pc::is_sequence(letters))
        throw Error(ErrorKind::queue,
                    "no sequence: it must be the held piece, one that is not after it in IOTSZLJ,"
                    " and more as bags deal them");
    return counter().number(letters);
}

constexpr std::int64_t kMostAtOnce = 65'536;

std::vector<std::vector<Piece>> sequences(int length, std::int64_t first, std::int64_t count) {
    const bool known = length >= 1 && length <= pc::kLongestSequence;
    const std::int64_t all = known ? counter().count(length) : 0;
    if (first < 0 || count < 0 || first > all || count > all - first)
        throw Error(ErrorKind::queue, "there is no sequence " +
                                          std::to_string(first < 0 ? first : std::max(first, all)) +
                                          " of length " + std::to_string(length));
    if (count > kMostAtOnce)
        throw Error(ErrorKind::queue, std::to_string(count) + " sequences at once; at most " +
                                          std::to_string(kMostAtOnce));
    std::vector<std::vector<Piece>> found;
    for (std::int64_t n = first; n < first + count; ++n) {
        std::vector<Piece> pieces;
        for (std::uint8_t letter : counter().sequence(length, n))
            pieces.push_back(pc::kLetters[letter]);
        found.push_back(std::move(pieces));
    }
    return found;
}

}  // namespace

void bind_pc_odds(nb::module_& m) {
    nb::class_<pc::Progress>(m, "PcProgress")
        .def(nb::init<>())
        .def_prop_ro("stage", [](const pc::Progress& p) { return p.stage.load(); })
        .def_prop_ro("done", [](const pc::Progress& p) { return p.done.load(); })
        .def_prop_ro("total", [](const pc::Progress& p) { return p.total.load(); })
        .def("stop", [](pc::Progress& p) { p.stop.store(true); });

    nb::class_<Census>(m, "PcCensus")
        .def_static("take", &take_census, "kicks"_a, "height"_a, "threads"_a, "progress"_a)
        .def("odds", &odds, "threads"_a, "progress"_a)
        .def("records", &records, "block"_a);

    m.def("count_pc_sequences", &count_sequences, "length"_a, "phases"_a = pc::kAllPhases);
    m.def("pc_sequence_number", &sequence_number, "sequence"_a);
    m.def("pc_block_sizes", &block_sizes, "letters"_a);
    m.def("pc_sequences", &sequences, "length"_a, "first"_a, "count"_a);
    m.attr("MAX_THREADS") = kMaxThreads;
    m.attr("PC_GRAPH_STAGES") = static_cast<int>(pc::kGraphStages);
    m.attr("PC_CENSUS_STAGES") = static_cast<int>(pc::kCensusStages);
}

}  // namespace sevenbag::bind
