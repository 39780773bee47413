#include "pc/odds.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

namespace sevenbag::pc {

namespace {

constexpr int kLetterBits = 3;
constexpr char kAlphabet[] = "IJLOSTZ";

char letter_of(std::uint8_t number) { return letter(kLetters[number]); }

// Of each letter by number, and back.
constexpr auto kRanks = [] {
    std::array<std::uint8_t, kPieces> ranks{};
    for (std::size_t n = 0; n < kPieces; ++n)
        for (std::uint8_t rank = 0; rank < kPieces; ++rank)
            if (kAlphabet[rank] == letter(kLetters[n])) ranks[n] = rank;
    return ranks;
}();

constexpr auto kNumbers = [] {
    std::array<std::uint8_t, kPieces> numbers{};
    for (std::uint8_t n = 0; n < kPieces; ++n) numbers[kRanks[n]] = n;
    return numbers;
}();

SequenceCode encode(const Letters& letters, int length) {
    SequenceCode code = 0;
    for (int i = 0; i < length; ++i)
        code = code << kLetterBits | kRanks[letters[static_cast<std::size_t>(i)]];
    return code;
}

Letters decode(SequenceCode code, int length) {
    Letters letters{};
    for (int i = length; i-- > 0; code >>= kLetterBits)
        letters[static_cast<std::size_t>(i)] = kNumbers[code & 7];
    return letters;
}

struct Collector final : SequenceVisitor {
    explicit Collector(int sequence_length) : length(sequence_length) {}
    void unsolvable(const Letters& letters) override { found.push_back(encode(letters, length)); }
    void solved(const Letters&, std::span<const State>) override {}

    int length;
    std::vector<SequenceCode> found;
};

}  // namespace

UnsolvableSequenceFinder::UnsolvableSequenceFinder(const Tablebase& tablebase)
    : block_solver_(tablebase, false), length_(tablebase.length()) {}

std::vector<SequenceCode> UnsolvableSequenceFinder::of(std::size_t block) {
    Collector collector(length_);
    block_solver_.run(block, collector);
    return std::move(collector.found);
}

std::vector<SequenceCode> find_unsolvable(const Tablebase& tablebase, int threads,
                                          Progress& progress) {
    struct Worker {
        explicit Worker(const Tablebase& tablebase) : search(tablebase) {}
        UnsolvableSequenceFinder search;
        std::vector<SequenceCode> found;
    };
    std::vector<std::unique_ptr<Worker>> workers;
    for (int thread = 0; thread < threads; ++thread)
        workers.push_back(std::make_unique<Worker>(tablebase));
    const auto blocks = static_cast<std::int64_t>(tablebase.blocks().size());
    progress.enter(kSequences, blocks);
    run_jobs(blocks, threads, progress, [&](int thread, std::int64_t block) {
        Worker& worker = *workers[static_cast<std::size_t>(thread)];
        const auto found = worker.search.of(static_cast<std::size_t>(block));
        worker.found.insert(worker.found.end(), found.begin(), found.end());
    });
    std::vector<SequenceCode> all;
    for (auto& worker : workers) {
        all.insert(all.end(), worker->found.begin(), worker->found.end());
        worker.reset();
    }
    std::ranges::sort(all);
    return all;
}

bool is_sequence_code(SequenceCode code, int length) {
    if (code >> (kLetterBits * length) != 0) return false;
    for (SequenceCode rest = code; rest != 0; rest >>= kLetterBits)
        if ((rest & 7) == kPieces) return false;
    const Letters letters = decode(code, length);
    return is_sequence(std::span(letters).first(static_cast<std::size_t>(length)));
}

Odds compute_odds(std::span<const SequenceCode> unsolvable, int length) {
    std::int64_t any = 0, none = 0, opening = 0;
    for (SequenceCode code : unsolvable) {
        const Letters letters = decode(code, length);
        const DealCounts weights =
            count_deals(std::span(letters).first(static_cast<std::size_t>(length)));
        any += weights.any;
        none += weights.none;
        opening += weights.opening;
    }
    const auto without = [](std::int64_t total, std::int64_t lost) {
        return QueueShare{total - lost, total};
    };
    return {without(count_opening_windows(length), opening), without(count_windows(length), none),
            without(count_windows(length) + kPieces * count_windows(length - 1), any)};
}

std::string lines_of(std::span<const SequenceCode> sequences, int length) {
    std::string lines;
    lines.reserve(sequences.size() * static_cast<std::size_t>(length + 1));
    for (SequenceCode code : sequences) {
        const Letters letters = decode(code, length);
        for (int i = 0; i < length; ++i) lines += letter_of(letters[static_cast<std::size_t>(i)]);
        lines += '\n';
    }
    return lines;
}

}  // namespace sevenbag::pc
