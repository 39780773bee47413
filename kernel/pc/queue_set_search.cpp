#include "pc/queue_set_search.hpp"

#include <algorithm>
#include <bit>

#include "pc/key_index.hpp"
#include "pc/packed_rows.hpp"

namespace sevenbag::pc {

namespace {

// Memory limit: beyond it positions and boards are dropped, and fewer queues are searched at a
// time.
constexpr std::size_t kMaxWords = std::size_t{1} << 25;
constexpr std::uint64_t kNodesPerStopCheck = 1024;
// No held piece, because hold is off.
constexpr int kNoHeldPiece = 7;

// Return whether every part between walls can be filled by itself; see can_be_divided() of
// small_board.hpp.
bool can_be_divided(std::uint64_t filled, int height) {
    const std::uint64_t inside = (std::uint64_t{1} << (height * kSmallBoardWidth)) - 1;
    std::uint64_t wall = filled | filled >> 1 | ~inside;
    wall &= wall >> 30;
    wall &= wall >> 10 & wall >> 20;
    const std::uint64_t empty = ~filled & inside;
    constexpr std::uint64_t kFirstColumn = 0x0004010040100401;
    for (wall &= row_cells(0) >> 1; wall; wall &= wall - 1) {
        const std::uint64_t columns = wall ^ (wall - 1);  // up to the lowest wall
        if (std::popcount(empty & columns * kFirstColumn) % 4 != 0) return false;
    }
    return true;
}

// Roughness of a board; smoother boards are easier to fill.
int roughness(std::uint64_t filled) {
    constexpr std::uint64_t kInnerBorders = 0x0004010040100401 * 0x1ff;
    return 4 * std::popcount((filled ^ filled >> 1) & kInnerBorders) +
           std::popcount(filled ^ filled >> kSmallBoardWidth);
}

// Boards and their successors for each piece, computed on demand.
class BoardCache {
  public:
    explicit BoardCache(const SetupBoard& setup_board) : setup_board_(setup_board) {}

    // The index of a board: the part of `filled` below row `height`.
    std::uint32_t number(std::uint64_t filled, int height) {
        const std::uint64_t gone = rows(setup_board_.height) & ~rows(height);
        const auto next = static_cast<std::uint32_t>(boards_.size());
        const std::uint32_t number = index_.of(filled | gone, next);
        if (number == next) boards_.push_back({filled, height, {}});
        return number;
    }

    struct Range {
        std::uint32_t first;
        std::uint32_t count;
    };

    // After placing the piece; see child().
    Range children(std::uint32_t board, int piece) {
        const auto p = static_cast<std::size_t>(piece);
        if (!(boards_[board].known >> p & 1)) expand(board, p);
        return boards_[board].children[p];
    }
    std::uint32_t child(std::uint32_t at) const { return children_[at]; }

    std::size_t words() const {
        return index_.words() + boards_.size() * (sizeof(Entry) / 8) + children_.size() / 2;
    }
    std::uint64_t expanded() const { return expanded_; }

  private:
    struct Entry {
        std::uint64_t filled;
        int height;
        std::array<Range, kPieces> children;
        std::uint8_t known = 0;
    };
    struct Child {
        int roughness;
        std::uint64_t filled;
        int height;
    };

    static std::uint64_t rows(int height) {
        return (std::uint64_t{1} << (height * kSmallBoardWidth)) - 1;
    }

    void expand(std::uint32_t board, std::size_t piece) {
        ++expanded_;
        const std::uint64_t filled = boards_[board].filled;
        const int height = boards_[board].height;
        const MoveTable& move_table = setup_board_.move_tables->of(static_cast<Piece>(piece));
        std::array<std::uint64_t, kRotations> corners;
        find_rest_positions(*setup_board_.move_tables, setup_board_.drop, static_cast<Piece>(piece),
                            filled, height, corners.data());
        found_.clear();
        for (int r = 0; r < move_table.looks; ++r)
            for (std::uint64_t left = corners[static_cast<std::size_t>(r)]; left;
                 left &= left - 1) {
                const std::uint64_t with = filled | move_table.cells[r] << std::countr_zero(left);
                const unsigned full = full_row_bits(with);
                const std::uint64_t after = without_rows(with, full);
                const int after_height = height - std::popcount(full);
                if (can_be_divided(after, after_height))
                    found_.push_back({roughness(after), after, after_height});
            }
        std::ranges::stable_sort(found_, {}, &Child::roughness);
        const auto first = static_cast<std::uint32_t>(children_.size());
        for (const Child& child : found_) children_.push_back(number(child.filled, child.height));
        Entry& entry = boards_[board];
        entry.children[piece] = {first, static_cast<std::uint32_t>(found_.size())};
        entry.known |= static_cast<std::uint8_t>(1u << piece);
    }

    const SetupBoard& setup_board_;
    KeyIndex index_{1 << 12};
    std::vector<Entry> boards_;
    std::vector<std::uint32_t> children_;
    std::vector<Child> found_;
    std::uint64_t expanded_ = 0;
};

class QueueSetSearch {
  public:
    enum class SearchEnd { complete, out_of_memory, stopped };

    QueueSetSearch(const SetupBoard& setup_board, const QueueAutomaton& queues,
                   StopCheck stop_check)
        : setup_board_(setup_board),
          queues_(queues),
          stop_check_(stop_check),
          boards_(setup_board) {
        // Sets for each step of a queue, as large as the nodes of the step need.
        std::vector<std::uint32_t> max(static_cast<std::size_t>(queues.length()) + 1);
        std::vector<std::size_t> length(static_cast<std::size_t>(queues.begin()) + 1);
        for (std::int32_t n = 0; n <= queues.begin(); ++n) {
            const QueueAutomaton::Node& node = queues.node(n);
            for (const std::int32_t to : node.to)
                if (to >= 0)
                    length[static_cast<std::size_t>(n)] = length[static_cast<std::size_t>(to)] + 1;
            auto& largest = max[length[static_cast<std::size_t>(n)]];
            largest = std::max(largest, node.count);
        }
        std::size_t size = 0;
        for (const std::uint32_t count : max) size += kSets * words_for(count);
        scratch_.resize(size);
    }

    // Asks for some queues; those that are found are put into `found`.
    SearchEnd run(const std::uint64_t* wanted, std::uint64_t* found) {
        const std::uint32_t board = boards_.number(setup_board_.filled, setup_board_.height);
        const std::int32_t begin = queues_.begin();
        if (!setup_board_.hold) {
            place(board, kNoHeldPiece, begin, 0, wanted, found, 0);
            return end_;
        }
        const QueueAutomaton::Node& first = queues_.node(begin);
        for (std::size_t p = 0; p < kPieces && end_ == SearchEnd::complete; ++p) {
            if (first.to[p] < 0) continue;
            const std::uint32_t count = queues_.node(first.to[p]).count;
            std::uint64_t* part = scratch_.data();
            std::uint64_t* solved = part + words_for(count);
            if (!take_bits(part, wanted, first.offset[p], count)) continue;
            std::fill_n(solved, words_for(count), 0);
            ask(board, static_cast<int>(p), first.to[p], 0, part, solved, 2 * words_for(count));
            put_bits(found, solved, first.offset[p], count);
        }
        return end_;
    }

    std::uint64_t positions() const { return boards_.expanded(); }

  private:
    // Two of ask(), two of place().
    static constexpr std::size_t kSets = 4;

    // found |= those of `wanted` that can be played from here. `top` is the first free word of the
    // scratch memory.
    void ask(std::uint32_t board, int held, std::int32_t at, int placed,
             const std::uint64_t* wanted, std::uint64_t* found, std::size_t top) {
        const std::size_t words = words_for(queues_.node(at).count);
        const std::uint64_t key = (std::uint64_t{board} << 26 |
                                   static_cast<std::uint64_t>(static_cast<std::uint32_t>(at)) << 3 |
                                   static_cast<std::uint64_t>(held));
        const std::uint32_t next = records_;
        const std::uint32_t number = index_.of(key, next);
        if (number == next) {
            ++records_;
            places_.push_back(known_.size());
            known_.resize(known_.size() + 2 * words);
        }
        const std::size_t place_of = places_[number];
        std::uint64_t* left = scratch_.data() + top;
        std::uint64_t any = 0;
        for (std::size_t i = 0; i < words; ++i) {
            found[i] |= wanted[i] & known_[place_of + words + i];
            left[i] = wanted[i] & ~known_[place_of + i];
            any |= left[i];
        }
        if (!any) return;
        if (!may_go_on()) return;
        std::uint64_t* solved = left + words;
        std::fill_n(solved, words, 0);
        place(board, held, at, placed, left, solved, top + 2 * words);
        for (std::size_t i = 0; i < words; ++i) {
            // Results of a stopped search are unknown.
            if (end_ == SearchEnd::complete) known_[place_of + i] |= left[i];
            known_[place_of + words + i] |= solved[i];
            found[i] |= solved[i];
        }
    }

    void place(std::uint32_t board, int held, std::int32_t at, int placed,
               const std::uint64_t* wanted, std::uint64_t* found, std::size_t top) {
        const bool last = placed + 1 == setup_board_.needed;
        if (at == QueueAutomaton::end()) {
            if (last && boards_.children(board, held).count > 0) found[0] |= wanted[0];
            return;
        }
        const QueueAutomaton::Node& node = queues_.node(at);
        for (std::size_t p = 0; p < kPieces; ++p) {
            if (node.to[p] < 0) continue;
            const std::uint32_t count = queues_.node(node.to[p]).count;
            const std::size_t words = words_for(count);
            std::uint64_t* part = scratch_.data() + top;
            std::uint64_t* solved = part + words;
            if (!take_bits(part, wanted, node.offset[p], count)) continue;
            std::fill_n(solved, words, 0);
            const auto current = static_cast<int>(p);
            const bool swaps = held != kNoHeldPiece && held != current;
            if (last) {
                if (boards_.children(board, current).count > 0 ||
                    (held != kNoHeldPiece && boards_.children(board, held).count > 0))
                    std::copy_n(part, words, solved);
            } else {
                bool left = follow(board, current, held, node.to[p], placed, part, solved, top);
                if (left && swaps)
                    follow(board, held, current, node.to[p], placed, part, solved, top);
            }
            put_bits(found, solved, node.offset[p], count);
            if (end_ != SearchEnd::complete) return;
        }
    }

    // Place a piece in every position until no queue is wanted; return false then. Queues found are
    // removed from `wanted`. Both are sets of the node `to`, at `top` of the scratch memory.
    bool follow(std::uint32_t board, int piece, int over, std::int32_t to, int placed,
                std::uint64_t* wanted, std::uint64_t* found, std::size_t top) {
        const std::size_t words = words_for(queues_.node(to).count);
        const BoardCache::Range range = boards_.children(board, piece);
        for (std::uint32_t i = 0; i < range.count; ++i) {
            ask(boards_.child(range.first + i), over, to, placed + 1, wanted, found,
                top + 2 * words);
            std::uint64_t any = 0;
            for (std::size_t w = 0; w < words; ++w) any |= wanted[w] &= ~found[w];
            if (!any || end_ != SearchEnd::complete) return false;
        }
        return true;
    }

    bool may_go_on() {
        if (++positions_ % kNodesPerStopCheck == 0) {
            if (stop_check_.stop && stop_check_.stop(stop_check_.context, kNodesPerStopCheck))
                end_ = SearchEnd::stopped;
            else if (boards_.words() + index_.words() + places_.size() + known_.size() > kMaxWords)
                end_ = SearchEnd::out_of_memory;
        }
        return end_ == SearchEnd::complete;
    }

    const SetupBoard& setup_board_;
    const QueueAutomaton& queues_;
    StopCheck stop_check_;
    BoardCache boards_;
    KeyIndex index_{1 << 12};
    std::uint32_t records_ = 0;
    std::vector<std::size_t> places_;
    // For each position, the queues searched and the queues it can play.
    std::vector<std::uint64_t> known_;
    std::vector<std::uint64_t> scratch_;
    std::uint64_t positions_ = 0;
    SearchEnd end_ = SearchEnd::complete;
};

}  // namespace

SolvableQueues find_solvable_queues(const SetupBoard& setup_board, const QueueAutomaton& queues,
                                    StopCheck stop_check) {
    SolvableQueues solvable;
    const std::uint32_t all = queues.count();
    solvable.solved.resize(words_for(all));
    if (setup_board.needed == 0) {
        fill_bits(solvable.solved.data(), all);
        solvable.complete = true;
        return solvable;
    }
    std::uint32_t size = all;
    for (std::uint32_t first = 0; first < all;) {
        const std::uint32_t end = std::min(all, first + size);
        Bits wanted(solvable.solved.size());
        for (std::uint32_t i = first; i < end; ++i)
            if (!(solvable.solved[i / 64] >> (i % 64) & 1))
                wanted[i / 64] |= std::uint64_t{1} << (i % 64);
        QueueSetSearch search(setup_board, queues, stop_check);
        const QueueSetSearch::SearchEnd came = search.run(wanted.data(), solvable.solved.data());
        solvable.positions += search.positions();
        if (came == QueueSetSearch::SearchEnd::stopped ||
            (came == QueueSetSearch::SearchEnd::out_of_memory && size == 1))
            return solvable;
        if (came == QueueSetSearch::SearchEnd::out_of_memory) {
            size = std::max(1u, size / 8);
        } else {
            first = end;
            size = std::min(all, size * 2);
        }
    }
    solvable.complete = true;
    return solvable;
}

}  // namespace sevenbag::pc
