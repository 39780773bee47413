// Solver for the sequences of a block.
//
// Four lines: states (board, held letter) are searched forward, first all of them, then only the
// best, up to each prefix of six letters. The five following letters that bags may deal are a set
// of bits. Best states first, each state clears the suffixes that it can complete, until none is
// left. The remaining suffixes are decided exactly: all states that the letters can reach and whose
// board some multiset of the remaining letters can complete are tried.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "pc/block_solver.hpp"
#include "pc/state_list.hpp"

namespace sevenbag::pc {

namespace {

// Number of states expanded from the third, fourth and fifth layer. They only affect the speed:
// fewer leave more suffixes to the exact search.
constexpr std::size_t kKept[] = {500, 300, 300};

// Sets of five letters to follow: [first][second][third] is a word of bits 7 * fourth + fifth.
struct Suffixes {
    std::uint64_t words[kPieces][kPieces][kPieces];
    // The first letters in the set, and the second letters after each.
    std::uint8_t first;
    std::uint8_t second[kPieces];

    bool empty() const { return first == 0; }

    // Brings `first` and `second` up to date for one first letter.
    void refresh(int a) {
        std::uint8_t left = 0;
        for (int b = 0; b < kPieces; ++b) {
            std::uint64_t any = 0;
            for (std::uint64_t word : words[a][b]) any |= word;
            if (any) left = static_cast<std::uint8_t>(left | 1 << b);
        }
        second[a] = left;
        first = static_cast<std::uint8_t>((first & ~(1 << a)) | (left ? 1 << a : 0));
    }
};

constexpr int kSuffixLetters = 5;
constexpr std::size_t kSuffixCount = 7 * 7 * 7 * 7 * 7;

std::size_t suffix_number(int a, int b, int c, int pair) {
    return static_cast<std::size_t>(((a * 7 + b) * 7 + c) * 49 + pair);
}

// Calls visit(letter) for every bit.
template <class Visit>
void for_letters(unsigned letters, Visit&& visit) {
    for (; letters; letters &= letters - 1) visit(std::countr_zero(letters));
}

}  // namespace

class BlockSolver::FourLineSolver {
  public:
    FourLineSolver(const Tablebase& tablebase, bool paths)
        : tablebase_(tablebase), endgame_(tablebase.endgame_tables()), paths_(paths) {
        if (paths_) found_by_.resize(kSuffixCount);
    }

    void run(std::size_t block, SequenceVisitor& visitor) {
        visitor_ = &visitor;
        const auto& start = tablebase_.blocks()[block];
        SequencePrefix prefix(start[0], start[1]);
        std::copy(start.begin(), start.end(), letters_.begin());
        all_[0].clear();
        all_[0].add(state_of(0, start[0]), 0);
        for (std::size_t k = 0; k < 3; ++k) {
            follow(layer(k), all_[k], letters_[k + 1], seen_, all_[k + 1]);
            if (k > 0) prefix = *prefix.then(letters_[k + 1]);
        }
        keep_best(3, all_[3], best_[3]);
        for (int fifth = 0; fifth < kPieces; ++fifth) {
            const auto more = prefix.then(fifth);
            if (!more) continue;
            letters_[4] = static_cast<std::uint8_t>(fifth);
            follow(layer(3), best_[3], fifth, seen_, all_[4]);
            keep_best(4, all_[4], best_[4]);
            for (int sixth = 0; sixth < kPieces; ++sixth) {
                const auto whole = more->then(sixth);
                if (!whole) continue;
                letters_[5] = static_cast<std::uint8_t>(sixth);
                follow(layer(4), best_[4], sixth, seen_, all_[5]);
                keep_best(5, all_[5], best_[5]);
                finish(*whole);
            }
        }
    }

  private:
    // Solution of a suffix: the lists that lead to the fifth layer, and the next two states.
    struct Found {
        const StateList* lists[3];  // of layers 3 to 5
        std::uint32_t place;        // in the last
        State sixth, seventh;
    };

    const Layer& layer(std::size_t k) const { return tablebase_.graph().layers[k]; }

    void keep_best(int k, const StateList& all, StateList& best) {
        const std::size_t max = kKept[k - 3];
        ranking_.clear();
        for (std::size_t i = 0; i < all.size(); ++i)
            ranking_.push_back({endgame_.score(k, all.states[i]), static_cast<std::uint32_t>(i)});
        const auto better = [](const Ranked& a, const Ranked& b) {
            return a.score != b.score ? a.score > b.score : a.place < b.place;
        };
        if (ranking_.size() > max) {
            std::nth_element(ranking_.begin(), ranking_.begin() + static_cast<std::ptrdiff_t>(max),
                             ranking_.end(), better);
            ranking_.resize(max);
        }
        // Only the last states are tried one after another.
        if (k == kLastScoreLayer) std::sort(ranking_.begin(), ranking_.end(), better);
        best.clear();
        for (const Ranked& ranked : ranking_)
            best.add(all.states[ranked.place], all.parents[ranked.place]);
    }

    // All sequences that begin with the six letters.
    void finish(const SequencePrefix& prefix) {
        Suffixes& left = left_;
        std::memset(&left, 0, sizeof left);
        std::array<int, kSuffixLetters> suffix{};
        need(prefix, 0, suffix);
        for (int a = 0; a < kPieces; ++a) left.refresh(a);
        if (paths_) {
            std::memcpy(needed_, left.words, sizeof needed_);
            found_.clear();
            lists_ = {&best_[3], &best_[4], &best_[5]};
        }
        for (std::uint32_t i = 0; i < best_[5].size() && !left.empty(); ++i)
            clear(best_[5].states[i], i, left.first);
        if (!left.empty()) settle();
        report_results();
    }

    // Add the suffixes that bags may deal after the prefix.
    void need(const SequencePrefix& prefix, int depth, std::array<int, kSuffixLetters>& suffix) {
        for (int letter = 0; letter < kPieces; ++letter) {
            const auto next = prefix.then(letter);
            if (!next) continue;
            suffix[static_cast<std::size_t>(depth)] = letter;
            if (depth + 1 < kSuffixLetters) {
                need(*next, depth + 1, suffix);
            } else {
                left_.words[suffix[0]][suffix[1]][suffix[2]] |= std::uint64_t{1}
                                                                << (7 * suffix[3] + suffix[4]);
            }
        }
    }

    // Clears the suffixes with one of these first letters that the state of layer 5 can finish.
    void clear(State state, std::uint32_t place, unsigned firsts) {
        const std::uint32_t board = board_of(state);
        const int held = held_of(state);
        for_letters(firsts & left_.first, [&](int a) {
            clear_after(board, held, a, a, place);
            if (a != held) clear_after(board, a, held, a, place);
            left_.refresh(a);
        });
    }

    void clear_after(std::uint32_t board, int placed, int kept, int a, std::uint32_t place) {
        const unsigned seconds = left_.second[a];
        for (std::uint32_t child : layer(5).children(board, placed)) {
            const Found found{{}, place, state_of(child, kept), 0};
            for (std::uint32_t last : layer(6).children(child, kept))
                for_letters(seconds, [&](int b) { clear_suffixes(last, b, found, a, b); });
            for_letters(seconds, [&](int b) {
                if (b == kept) return;
                for (std::uint32_t last : layer(6).children(child, b))
                    clear_suffixes(last, kept, found, a, b);
            });
        }
    }

    // Clear the suffixes after a and b that the state of layer 7 can complete.
    void clear_suffixes(std::uint32_t board, int held, const Found& found, int a, int b) {
        std::uint64_t* words = left_.words[a][b];
        const std::uint64_t* completing_pairs = endgame_.completing_pairs(board, held);
        if (!paths_) {
            for (int c = 0; c < kPieces; ++c) words[c] &= ~completing_pairs[c];
            return;
        }
        bool any = false;
        for (int c = 0; c < kPieces; ++c) {
            std::uint64_t hits = words[c] & completing_pairs[c];
            words[c] &= ~hits;
            any = any || hits;
            for (; hits; hits &= hits - 1)
                found_by_[suffix_number(a, b, c, std::countr_zero(hits))] =
                    static_cast<std::uint32_t>(found_.size());
        }
        if (!any) return;
        found_.push_back(found);
        std::copy(lists_.begin(), lists_.end(), found_.back().lists);
        found_.back().seventh = state_of(board, held);
    }

    // Clears all suffixes left that any state can finish.
    void settle() {
        collect_multisets();
        filter(3, all_[3], exact_[3], [](int) { return 0; });
        follow(layer(3), exact_[3], letters_[4], seen_, unfiltered_);
        filter(4, unfiltered_, exact_[4], [](int) { return 1; });
        follow(layer(4), exact_[4], letters_[5], seen_, unfiltered_);
        exact_[5].clear();
        if (paths_) lists_ = {&exact_[3], &exact_[4], &exact_[5]};
        const CompletingSets& completing_sets = endgame_.completing_sets(5);
        for (std::size_t i = 0; i < unfiltered_.size() && !left_.empty(); ++i) {
            const State state = unfiltered_.states[i];
            const std::uint64_t* bits = completing_sets.of(board_of(state));
            unsigned firsts = 0;
            for_letters(left_.first, [&](int a) {
                if (meet(bits, wanted_[2 + a][held_of(state)], completing_sets.words()))
                    firsts |= 1u << a;
            });
            if (!firsts) continue;
            exact_[5].add(state, unfiltered_.parents[i]);
            clear(state, static_cast<std::uint32_t>(exact_[5].size() - 1), firsts);
        }
    }

    // The multisets that may complete a board: for layers 3 and 4, and for layer 5 by first letter;
    // all remaining letters and the held one, except one left over.
    void collect_multisets() {
        unsigned held = 0;
        for (std::size_t i = 0; i < 6; ++i) held |= 1u << letters_[i];
        std::memset(wanted_, 0, sizeof wanted_);
        const auto add = [&](int layer, Wanted& wanted, const LetterCounts& letters) {
            for_letters(held, [&](int h) {
                LetterCounts with = letters;
                ++with[static_cast<std::size_t>(h)];
                for (std::size_t spare = 0; spare < kPieces; ++spare) {
                    if (with[spare] == 0) continue;
                    --with[spare];
                    const std::size_t n = endgame_.completing_sets(layer).multisets.number(with);
                    wanted[h][n / 64] |= std::uint64_t{1} << (n % 64);
                    ++with[spare];
                }
            });
        };
        for (int a = 0; a < kPieces; ++a)
            for (int b = 0; b < kPieces; ++b)
                for (int c = 0; c < kPieces; ++c)
                    for (std::uint64_t left = left_.words[a][b][c]; left; left &= left - 1) {
                        const int pair = std::countr_zero(left);
                        LetterCounts letters{};
                        for (int letter : {a, b, c, pair / 7, pair % 7})
                            ++letters[static_cast<std::size_t>(letter)];
                        add(5, wanted_[2 + a], letters);
                        ++letters[letters_[5]];
                        add(4, wanted_[1], letters);
                        ++letters[letters_[4]];
                        add(3, wanted_[0], letters);
                    }
    }

    template <class Which>
    void filter(int k, const StateList& from, StateList& to, Which&& which) {
        const CompletingSets& completing_sets = endgame_.completing_sets(k);
        to.clear();
        for (std::size_t i = 0; i < from.size(); ++i) {
            const State state = from.states[i];
            if (meet(completing_sets.of(board_of(state)), wanted_[which(k)][held_of(state)],
                     completing_sets.words()))
                to.add(state, from.parents[i]);
        }
    }

    static bool meet(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
        std::uint64_t both = 0;
        for (std::size_t w = 0; w < words; ++w) both |= a[w] & b[w];
        return both != 0;
    }

    // In listing order.
    void report_results() {
        if (!paths_ && left_.empty()) return;
        for (int a = 0; a < kPieces; ++a)
            for (int b = 0; b < kPieces; ++b)
                for (int c = 0; c < kPieces; ++c) {
                    const std::uint64_t unsolvable = left_.words[a][b][c];
                    std::uint64_t reported = paths_ ? needed_[a][b][c] : unsolvable;
                    for (; reported; reported &= reported - 1) {
                        const int pair = std::countr_zero(reported);
                        const int suffix[] = {a, b, c, pair / 7, pair % 7};
                        std::copy(std::begin(suffix), std::end(suffix), letters_.begin() + 6);
                        if (unsolvable >> pair & 1) {
                            visitor_->unsolvable(letters_);
                        } else {
                            trace(found_[found_by_[suffix_number(a, b, c, pair)]]);
                            visitor_->solved(letters_, states_);
                        }
                    }
                }
    }

    void trace(const Found& found) {
        states_[7] = found.seventh;
        states_[6] = found.sixth;
        std::uint32_t place = found.place;
        for (std::size_t k = 5; k > 0; --k) {
            const StateList& list = k >= 3 ? *found.lists[k - 3] : all_[k];
            states_[k] = list.states[place];
            place = list.parents[place];
        }
        states_[0] = all_[0].states[0];
        trace_end(7);
    }

    bool trace_end(std::size_t k) {
        if (k == 10) return true;
        const int current = letters_[k + 1];
        const int held = held_of(states_[k]);
        const auto place = [&](int placed, int kept) {
            for (std::uint32_t child : layer(k).children(board_of(states_[k]), placed)) {
                states_[k + 1] = state_of(child, kept);
                if (trace_end(k + 1)) return true;
            }
            return false;
        };
        return place(current, held) || place(held, current);
    }

    struct Ranked {
        float score;
        std::uint32_t place;
    };
    using Wanted = std::uint64_t[kPieces][27];  // by held letter

    const Tablebase& tablebase_;
    const EndgameTables& endgame_;
    bool paths_;
    SequenceVisitor* visitor_ = nullptr;
    Letters letters_{};
    SeenStates seen_;
    StateList all_[6];  // from the fourth layer on of the best only
    StateList best_[6];
    StateList exact_[6];
    StateList unfiltered_;
    std::vector<Ranked> ranking_;
    Suffixes left_;
    Wanted wanted_[2 + kPieces];

    // For paths.
    std::uint64_t needed_[kPieces][kPieces][kPieces];
    std::vector<Found> found_;
    std::vector<std::uint32_t> found_by_;
    std::array<const StateList*, 3> lists_{};
    std::array<State, 11> states_{};
};

// Two lines: so few boards that all states are followed to the end.
class BlockSolver::TwoLineSolver {
  public:
    TwoLineSolver(const Tablebase& tablebase, bool paths) : tablebase_(tablebase), paths_(paths) {}

    void run(std::size_t block, SequenceVisitor& visitor) {
        visitor_ = &visitor;
        const auto& start = tablebase_.blocks()[block];
        std::copy(start.begin(), start.end(), letters_.begin());
        all_[0].clear();
        all_[0].add(state_of(0, start[0]), 0);
        follow(0);
        SequencePrefix prefix(start[0], start[1]);
        for (std::size_t i = 2; i < start.size(); ++i) {
            prefix = *prefix.then(letters_[i]);
            follow(i - 1);
        }
        extend(prefix, start.size());
    }

  private:
    static constexpr std::size_t kPiecesPlaced = 5;

    void follow(std::size_t k) {
        pc::follow(tablebase_.graph().layers[k], all_[k], letters_[k + 1], seen_, all_[k + 1]);
    }

    void extend(const SequencePrefix& prefix, std::size_t read) {
        if (read == kPiecesPlaced + 1) {
            report_results();
            return;
        }
        for (int letter = 0; letter < kPieces; ++letter) {
            const auto next = prefix.then(letter);
            if (!next) continue;
            letters_[read] = static_cast<std::uint8_t>(letter);
            follow(read - 1);
            extend(*next, read + 1);
        }
    }

    void report_results() {
        if (all_[kPiecesPlaced].size() == 0) {
            visitor_->unsolvable(letters_);
        } else if (paths_) {
            std::uint32_t place = 0;
            for (std::size_t k = kPiecesPlaced; k > 0; --k) {
                states_[k] = all_[k].states[place];
                place = all_[k].parents[place];
            }
            states_[0] = all_[0].states[0];
            visitor_->solved(letters_, states_);
        }
    }

    const Tablebase& tablebase_;
    bool paths_;
    SequenceVisitor* visitor_ = nullptr;
    Letters letters_{};
    SeenStates seen_;
    StateList all_[kPiecesPlaced + 1];
    std::array<State, kPiecesPlaced + 1> states_{};
};

BlockSolver::BlockSolver(const Tablebase& tablebase, bool paths) {
    if (tablebase.graph().height == 4)
        four_ = std::make_unique<FourLineSolver>(tablebase, paths);
    else
        two_ = std::make_unique<TwoLineSolver>(tablebase, paths);
}

BlockSolver::~BlockSolver() = default;

void BlockSolver::run(std::size_t block, SequenceVisitor& visitor) {
    if (four_)
        four_->run(block, visitor);
    else
        two_->run(block, visitor);
}

}  // namespace sevenbag::pc
