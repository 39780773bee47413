// All queues at once: sequences against their definition, the graph against the generic generator,
// the tablebase against one queue at a time.
#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "board.hpp"
#include "check.hpp"
#include "movegen.hpp"
#include "parallel.hpp"
#include "pc/block_solver.hpp"
#include "pc/board_set.hpp"
#include "pc/completing_sets.hpp"
#include "pc/odds.hpp"
#include "pc/record_writer.hpp"
#include "pc/sequences.hpp"

using namespace sevenbag;

namespace {

// Return whether some phase of the bag deals these letters, by the definition.
bool dealt(const std::vector<std::uint8_t>& window) {
    for (std::size_t phase = 0; phase < 7; ++phase) {
        std::set<int> bag;
        bool possible = true;
        for (std::size_t i = 0; i < window.size(); ++i) {
            if ((phase + i) % 7 == 0) bag.clear();
            possible = possible && bag.insert(window[i]).second;
        }
        if (possible) return true;
    }
    return false;
}

// All sequences of this length, by the definition, in listing order.
std::vector<std::vector<std::uint8_t>> sequences_by_definition(std::size_t letters) {
    std::vector<std::vector<std::uint8_t>> all;
    std::vector<std::uint8_t> sequence(letters, 0);
    for (;;) {
        std::vector<std::uint8_t> one(sequence.begin() + 1, sequence.end()), other = one;
        other[0] = sequence[0];
        if (sequence[0] >= sequence[1] && (dealt(one) || dealt(other))) all.push_back(sequence);
        std::size_t i = letters;
        while (i > 0 && sequence[i - 1] == 6) sequence[--i] = 0;
        if (i == 0) return all;
        ++sequence[i - 1];
    }
}

// Searches for perfect clears of two lines on the general board.
class PlainSearch {
  public:
    explicit PlainSearch(const Kicks& kicks) : kicks_(kicks) {}

    bool clears(const std::vector<Piece>& queue) { return clears({Board(), 2}, queue); }

  private:
    struct SolvingBoard {
        Board board;
        int height;  // left to fill
    };
    // Two rows, the height and the piece.
    using Key = std::tuple<std::uint32_t, std::uint32_t, int, Piece>;

    bool clears(const SolvingBoard& solving, const std::vector<Piece>& queue) {
        if (solving.height == 0) return true;
        for (std::size_t which = 0; which < 2 && which < queue.size(); ++which) {
            std::vector<Piece> rest = queue;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(which));
            for (const SolvingBoard& next : after(solving, queue[which]))
                if (clears(next, rest)) return true;
        }
        return false;
    }

    // The boards after each placement, stored because many queues share few boards.
    const std::vector<SolvingBoard>& after(const SolvingBoard& solving, Piece piece) {
        const Key key{solving.board.row(0), solving.board.row(1), solving.height, piece};
        const auto [entry, is_new] = after_.try_emplace(key);
        if (!is_new) return entry->second;
        std::vector<Placement> placements;
        generate_placements(solving.board, piece, kicks_, {4, 25}, SpinMode::none, placements);
        for (const Placement& placement : placements) {
            if (std::ranges::any_of(cells_of(placement),
                                    [&](Cell c) { return c.y >= solving.height; }))
                continue;
            SolvingBoard next = solving;
            next.height -= std::popcount(next.board.lock(placement));
            entry->second.push_back(next);
        }
        return entry->second;
    }

    const Kicks& kicks_;
    std::map<Key, std::vector<SolvingBoard>> after_;
};

// The multisets that complete a board in some order, by the edges of the graph.
std::set<pc::LetterCounts> completing_sets(const pc::Graph& graph, std::size_t layer,
                                           std::uint32_t board) {
    if (layer + 1 == graph.layers.size()) return {pc::LetterCounts{}};
    std::set<pc::LetterCounts> found;
    for (int letter = 0; letter < kPieces; ++letter)
        for (std::uint32_t child : graph.layers[layer].children(board, letter))
            for (pc::LetterCounts counts : completing_sets(graph, layer + 1, child)) {
                ++counts[static_cast<std::size_t>(letter)];
                found.insert(counts);
            }
    return found;
}

struct ResultRecorder final : pc::SequenceVisitor {
    explicit ResultRecorder(int sequence_length) : length(sequence_length) {}
    void unsolvable(const pc::Letters& letters) override { add(letters, false); }
    void solved(const pc::Letters& letters, std::span<const pc::State>) override {
        add(letters, true);
    }
    void add(const pc::Letters& letters, bool possible) {
        sequences.emplace_back(letters.begin(), letters.begin() + length);
        solvable.push_back(possible);
    }
    int length;
    std::vector<std::vector<std::uint8_t>> sequences;
    std::vector<bool> solvable;
};

}  // namespace

TEST(sequences_are_those_of_the_definition_in_their_order) {
    pc::SequenceCounter counter;
    for (std::size_t letters = 2; letters <= 7; ++letters) {
        const auto all = sequences_by_definition(letters);
        const int length = static_cast<int>(letters) - 1;
        CHECK_EQ(counter.count(length), all.size());
        for (std::size_t n = 0; n < all.size(); n += 1 + all.size() / 500) {
            CHECK_EQ(counter.number(all[n]), n);
            CHECK(counter.sequence(length, static_cast<std::int64_t>(n)) == all[n]);
            CHECK(pc::is_sequence(all[n]));
        }
    }
}

TEST(numbers_of_long_sequences_lead_back_to_them) {
    pc::SequenceCounter counter;
    for (const int length : {10, 15, 20}) {
        const std::int64_t count = counter.count(length);
        for (std::int64_t n = 0; n < count; n += count / 97)
            CHECK_EQ(counter.number(counter.sequence(length, n)), n);
    }
}

TEST(blocks_have_all_sequences) {
    for (const int letters : {6, 11}) {
        std::int64_t sum = 0;
        for (std::int64_t size : pc::block_sizes(letters)) sum += size;
        CHECK_EQ(sum, pc::SequenceCounter().count(letters - 1));
    }
}

TEST(two_lines_are_cleared_exactly_where_a_plain_search_clears_them) {
    for (const char* name : {"srs", "none", "srs+"}) {
        const Kicks& kicks = find_kicks(name);
        Progress progress;
        const pc::Tablebase tablebase(kicks, 2, 2, progress);
        pc::BlockSolver solver(tablebase, true);
        ResultRecorder results(tablebase.length());
        for (std::size_t block = 0; block < tablebase.blocks().size(); block += 41)
            solver.run(block, results);
        PlainSearch search(kicks);
        int possible = 0;
        const std::size_t step = 20 / static_cast<std::size_t>(check::scale_cases(20));
        for (std::size_t n = 0; n < results.sequences.size(); n += step) {
            std::vector<Piece> queue;
            for (std::uint8_t letter : results.sequences[n]) queue.push_back(pc::kLetters[letter]);
            CHECK_EQ(search.clears(queue), bool(results.solvable[n]));
            possible += results.solvable[n];
        }
        CHECK(possible > 0);
    }
}

TEST(sets_of_boards_keep_each_once_whoever_adds_it) {
    std::vector<std::uint64_t> boards;
    for (std::uint64_t n = 0; n < 300'000; ++n) boards.push_back(n * 7919 % 100'003 << 7);
    pc::BoardSet set;
    run_in_parts(static_cast<int>(boards.size()), 3, [&](int, int begin, int end) {
        pc::BoardSet::Adder adder(set);
        for (int i = begin; i < end; ++i) adder.add(boards[static_cast<std::size_t>(i)]);
        adder.flush();
    });
    const std::set<std::uint64_t> once(boards.begin(), boards.end());
    std::vector<std::uint64_t> taken = set.take();
    std::ranges::sort(taken);
    CHECK(std::ranges::equal(taken, once));
    const pc::BoardIndex numbers(taken);
    for (std::size_t n = 0; n < taken.size(); n += 97) {
        CHECK_EQ(numbers(taken[n]), n);
        CHECK_EQ(numbers(taken[n] + 1), pc::BoardIndex::kNone);
    }
}

TEST(handfuls_are_numbered_in_their_order) {
    for (int size = 0; size <= 7; ++size) {
        const pc::MultisetIndex multisets(size);
        for (std::size_t n = 0; n < multisets.count(); ++n) {
            CHECK_EQ(multisets.number(multisets[n]), n);
            if (n > 0) CHECK(multisets[n - 1] < multisets[n]);
        }
    }
    CHECK_EQ(pc::MultisetIndex(6).count(), 924);
}

TEST(finishers_are_those_of_some_order) {
    Progress progress;
    const pc::Graph graph = pc::build_graph(find_kicks("srs"), 2, 2, progress);
    const auto layers = pc::find_completing_sets(graph, 0, 2, progress);
    for (std::size_t k = 0; k < layers.size(); ++k)
        for (std::uint32_t board = 0; board < graph.layers[k].size(); ++board) {
            const std::set<pc::LetterCounts> expected = completing_sets(graph, k, board);
            std::set<pc::LetterCounts> found;
            const pc::CompletingSets& layer = layers[k];
            for (std::size_t n = 0; n < layer.multisets.count(); ++n)
                if (layer.of(board)[n / 64] >> (n % 64) & 1) found.insert(layer.multisets[n]);
            CHECK(found == expected);
        }
}

TEST(stopped_work_ends) {
    Progress progress;
    progress.stop = true;
    CHECK_THROWS(StoppedError, pc::Tablebase(find_kicks("srs"), 4, 2, progress));
}

TEST(exceptions_of_jobs_reach_the_caller) {
    Progress progress;
    CHECK_THROWS(int, (run_jobs(100, 3, progress,
                                [](int, std::int64_t index) {
                                    if (index == 50) throw 1;
                                }),
                       0));
}
