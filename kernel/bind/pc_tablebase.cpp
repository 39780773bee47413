// Perfect clears of all queues for Python; sevenbag.pc.odds and sevenbag.pc.batch_solver are the
// faces that people see.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "error.hpp"
#include "pc/odds.hpp"
#include "pc/record_writer.hpp"
#include "pc/sequences.hpp"
#include "pc_arguments.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sevenbag::bind {

namespace {

using Row = std::pair<std::int64_t, std::int64_t>;
using OddsAndLines = std::tuple<Row, Row, Row, nb::bytes>;

// Pool of searchers of a tablebase: a Searcher has memory, is built on a tablebase, and is used by
// one thread at a time.
template <class Searcher>
class SearcherPool {
  public:
    template <class Use>
    auto lend(const pc::Tablebase& tablebase, Use use) {
        std::unique_ptr<Searcher> way;
        {
            const std::lock_guard<std::mutex> alone(lending_);
            if (!idle_.empty()) {
                way = std::move(idle_.back());
                idle_.pop_back();
            }
        }
        if (!way) way = std::make_unique<Searcher>(tablebase);
        auto found = use(*way);
        const std::lock_guard<std::mutex> alone(lending_);
        idle_.push_back(std::move(way));
        return found;
    }

  private:
    std::mutex lending_;
    std::vector<std::unique_ptr<Searcher>> idle_;
};

struct BoundTablebase {
    BoundTablebase(const Kicks& kicks, int height, int threads, Progress& progress)
        : tablebase(kicks, height, threads, progress) {}

    pc::Tablebase tablebase;
    SearcherPool<pc::RecordWriter> batches;
    SearcherPool<pc::UnsolvableSequenceFinder> searches;
};

// Nothing if stopped.
std::unique_ptr<BoundTablebase> build_tablebase(nb::handle kicks, int height, int threads,
                                                Progress& progress) {
    const Kicks system = kicks_argument(kicks);
    check_threads(threads, ErrorKind::queue);
    if (height != 2 && height != 4)
        throw_invalid(ErrorKind::board, "height", "2 or 4", std::to_string(height));
    const nb::gil_scoped_release released;
    try {
        return std::make_unique<BoundTablebase>(system, height, threads, progress);
    } catch (const StoppedError&) {
        return nullptr;
    }
}

void expect_block(const BoundTablebase& tablebase, int block) {
    if (block < 0 || static_cast<std::size_t>(block) >= tablebase.tablebase.blocks().size())
        throw_invalid(ErrorKind::queue, "block",
                      "less than " + std::to_string(tablebase.tablebase.blocks().size()),
                      std::to_string(block));
}

void expect_letters(int letters) {
    check_range("letters", letters, pc::kBlockLetters, pc::kLongestSequence, ErrorKind::queue);
}

OddsAndLines odds_and_lines(std::span<const pc::SequenceCode> unsolvable, int length) {
    pc::Odds odds{};
    std::string lines;
    {
        const nb::gil_scoped_release released;
        odds = pc::compute_odds(unsolvable, length);
        lines = pc::lines_of(unsolvable, length);
    }
    const auto row = [](const pc::QueueShare& share) { return Row{share.possible, share.total}; };
    return {row(odds.opening), row(odds.none), row(odds.any),
            nb::bytes(lines.data(), lines.size())};
}

// Nothing, if it was stopped.
std::optional<OddsAndLines> odds(BoundTablebase& self, int threads, Progress& progress) {
    check_threads(threads, ErrorKind::queue);
    std::vector<pc::SequenceCode> unsolvable;
    {
        const nb::gil_scoped_release released;
        try {
            unsolvable = pc::find_unsolvable(self.tablebase, threads, progress);
        } catch (const StoppedError&) {
            return std::nullopt;
        }
    }
    return odds_and_lines(unsolvable, self.tablebase.length());
}

nb::bytes unsolvable(BoundTablebase& self, int block) {
    expect_block(self, block);
    std::vector<pc::SequenceCode> found;
    {
        const nb::gil_scoped_release released;
        found = self.searches.lend(self.tablebase, [block](pc::UnsolvableSequenceFinder& search) {
            return search.of(static_cast<std::size_t>(block));
        });
    }
    return nb::bytes(found.data(), found.size() * sizeof(pc::SequenceCode));
}

OddsAndLines compute_odds(const nb::bytes& unsolvable, int letters) {
    expect_letters(letters);
    std::vector<pc::SequenceCode> codes(unsolvable.size() / sizeof(pc::SequenceCode));
    if (!codes.empty())
        std::memcpy(codes.data(), unsolvable.c_str(), codes.size() * sizeof(pc::SequenceCode));
    const auto wrong = [letters](auto code) { return !pc::is_sequence_code(code, letters); };
    std::ranges::sort(codes);
    if (unsolvable.size() % sizeof(pc::SequenceCode) != 0 || std::ranges::any_of(codes, wrong) ||
        std::ranges::adjacent_find(codes) != codes.end())
        throw Error(ErrorKind::queue, "invalid sequences: expected different sequences of " +
                                          std::to_string(letters) + " letters");
    return odds_and_lines(codes, letters);
}

nb::bytes records(BoundTablebase& self, int block) {
    expect_block(self, block);
    std::vector<std::uint8_t> found;
    {
        const nb::gil_scoped_release released;
        found = self.batches.lend(self.tablebase, [block](pc::RecordWriter& batch) {
            return batch.records(static_cast<std::size_t>(block));
        });
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

// Counts are cached for later calls; a few thousand numbers in all.
pc::SequenceCounter& counter() {
    static thread_local pc::SequenceCounter counter;
    return counter;
}

std::int64_t count_sequences(int length, int phases) {
    check_range("length", length, 0, pc::kLongestSequence, ErrorKind::queue);
    return counter().count(length, phases & pc::kAllPhases);
}

std::vector<std::int64_t> block_sizes(int letters) {
    expect_letters(letters);
    return pc::block_sizes(letters);
}

std::int64_t sequence_number(const std::vector<Piece>& pieces) {
    const std::vector<std::uint8_t> letters = letters_of(pieces);
    if (static_cast<int>(letters.size()) > pc::kLongestSequence + 1 || !pc::is_sequence(letters))
        throw Error(ErrorKind::queue,
                    "invalid sequence: expected a held piece, a piece not after it in IOTSZLJ, and"
                    " further pieces as bags deal them");
    return counter().number(letters);
}

constexpr std::int64_t kMaxListedSequences = 65'536;

std::vector<std::vector<Piece>> sequences(int length, std::int64_t first, std::int64_t count) {
    const bool known = length >= 1 && length <= pc::kLongestSequence;
    const std::int64_t all = known ? counter().count(length) : 0;
    if (first < 0 || count < 0 || first > all || count > all - first)
        throw_invalid(
            ErrorKind::queue, "sequence",
            "a number below " + std::to_string(all) + " for length " + std::to_string(length),
            std::to_string(first < 0 ? first : std::max(first, all)));
    check_range("count", static_cast<double>(count), 0, kMaxListedSequences, ErrorKind::queue);
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

void bind_pc_tablebase(nb::module_& m) {
    nb::class_<Progress>(m, "PcProgress")
        .def(nb::init<>())
        .def_prop_ro("stage", [](const Progress& p) { return p.stage.load(); })
        .def_prop_ro("done", [](const Progress& p) { return p.done.load(); })
        .def_prop_ro("total", [](const Progress& p) { return p.total.load(); })
        .def("stop", [](Progress& p) { p.stop.store(true); });

    nb::class_<BoundTablebase>(m, "PcTablebase")
        .def_static("build", &build_tablebase, "kicks"_a, "height"_a, "threads"_a, "progress"_a)
        .def("count_solvable", &odds, "threads"_a, "progress"_a)
        .def("find_unsolvable", &unsolvable, "block"_a)
        .def("encode_records", &records, "block"_a);

    m.def("count_pc_sequences", &count_sequences, "length"_a, "phases"_a = pc::kAllPhases);
    m.def("find_pc_sequence_index", &sequence_number, "sequence"_a);
    m.def("compute_pc_odds", &compute_odds, "unsolvable"_a, "letters"_a);
    m.def("count_block_sequences", &block_sizes, "letters"_a);
    m.def("list_pc_sequences", &sequences, "length"_a, "first"_a, "count"_a);
    m.attr("MAX_THREADS") = kMaxThreads;
    m.attr("PC_GRAPH_STAGES") = static_cast<int>(pc::kGraphStages);
    m.attr("PC_TABLEBASE_STAGES") = static_cast<int>(pc::kTablebaseStages);
}

}  // namespace sevenbag::bind
