#include "pc/play_order_search.hpp"

#include "pc/small_board.hpp"
#include "pc/small_board_features.hpp"

namespace sevenbag {
namespace SB_ISA {
namespace pc {

using sevenbag::pc::kFeatures;
using sevenbag::pc::kNoPiece;
using sevenbag::pc::Outcome;
using sevenbag::pc::PlayOrderSearch;
using sevenbag::pc::Problem;
using sevenbag::pc::rank_of;
using sevenbag::pc::SearchNode;
using sevenbag::pc::Step;
using sevenbag::pc::VisitedSet;

namespace {

// Number of positions between two stop checks.
constexpr std::uint64_t kNodesPerStopCheck = 256;

// In a column of six rows at most three pieces can rest, in each of four rotations.
constexpr int kMaxChildren = 2 * kWidth * 3 * kRotations;

// Penalties of a board, tuned on some thousand queues of four and six lines.
constexpr int kRowChange = 28;     // a filled and an empty cell beside each other ...
constexpr int kStep = -18;         // ... of which this is given back on the surface
constexpr int kColumnChange = 10;  // a filled and an empty cell above each other
constexpr int kChecker = 12;       // excess of one checkerboard colour, in cells
constexpr int kEmpty = 3;          // a cell to fill

// Estimate how likely a board can be filled; higher is likelier.
SB_INLINE int estimate_fill(SmallBoard board) {
    const Word filled = board.filled;
    const Word under = under_surface(filled);
    const int cells = count_of(filled);
    return -(kRowChange * count_of((filled ^ filled >> 1) & kBorders) +
             kStep * count_of((under ^ under >> 1) & kBorders) +
             kColumnChange * count_of(filled ^ filled >> kWidth) +
             kChecker * distance(2 * count_of(filled & kCheckerboard), cells) +
             kEmpty * (kWidth * board.height - cells));
}

struct Child {
    SmallBoard board;
    std::uint8_t held;
    Step step;
};

// Move ordering: a network, or the sum above.
template <bool kByNetwork>
class DepthFirstSearch {
  public:
    explicit DepthFirstSearch(PlayOrderSearch& search)
        : search_(search),
          problem_(*search.problem),
          whole_(rows_below(problem_.height)),
          until_watched_(kNodesPerStopCheck) {
        for (int i = 0; i < problem_.count; ++i) ++left_[problem_.pieces[i]];
    }

    Outcome run() {
        const SearchNode* from = search_.from;
        Outcome outcome;
        if (from) {
            search_.steps = from->steps;
            for (int i = 0; i < from->depth; ++i)
                --left_[from->steps[static_cast<unsigned>(i)].piece];
            outcome = descend({from->filled, from->height}, from->held, from->next, from->depth);
        } else {
            outcome = descend({problem_.filled, problem_.height}, problem_.pieces[0], 1, 0);
        }
        search_.nodes += kNodesPerStopCheck - until_watched_;
        return outcome;
    }

  private:
    // Return whether a filled board with this piece left over is a solution.
    bool is_saved(int held) const { return problem_.save == kNoPiece || held == problem_.save; }

    Outcome descend(SmallBoard board, int held, int next, int depth) {
        if (!is_new(board, held)) return Outcome::none;
        if (depth == search_.horizon) {
            search_.tell(search_.context,
                         {board.filled, board.height, held, next, depth, search_.steps});
            return Outcome::none;
        }
        if (search_.budget == 0) {
            search_.complete = false;
            return Outcome::none;
        }
        --search_.budget;
        if (--until_watched_ == 0) {
            until_watched_ = kNodesPerStopCheck;
            search_.nodes += kNodesPerStopCheck;
            if (search_.stop_check.stop &&
                search_.stop_check.stop(search_.stop_check.context, kNodesPerStopCheck))
                return Outcome::stopped;
        }
        const int following = next < problem_.count ? problem_.pieces[next] : kNoPiece;
        if (depth + 1 == problem_.needed) return finish(board, held, following, depth);

        Child children[kMaxChildren];
        std::int64_t keys[kMaxChildren];
        int count = expand(board, held, following, children, keys, 0);
        if (problem_.hold && following != held && following != kNoPiece)
            count = expand(board, following, held, children, keys, count);
        for (int tried = 0; tried < count; ++tried) {
            if (tried == search_.width) {
                search_.complete = false;
                break;
            }
            int best = 0;
            for (int i = 1; i < count; ++i)
                if (keys[i] > keys[best]) best = i;
            keys[best] = INT64_MIN;
            const Child& child = children[best];
            search_.steps[static_cast<unsigned>(depth)] = child.step;
            --left_[child.step.piece];
            const Outcome outcome = descend(child.board, child.held, next + 1, depth + 1);
            ++left_[child.step.piece];
            if (outcome != Outcome::none) return outcome;
        }
        return Outcome::none;
    }

    // All that becomes of the board when a piece is placed and another one is left over.
    SB_INLINE int expand(SmallBoard board, int piece, int held, Child* children, std::int64_t* keys,
                         int count) {
        if (piece == problem_.save && left_[piece] == 1) return count;
        const MoveTable& move_table = search_.move_tables->pieces[static_cast<unsigned>(piece)];
        RestPositions rests;
        find_rest_positions(move_table, board, rests);
        for (int r = 0; r < move_table.looks; ++r)
            for (Word corners = rests.of[r]; corners; corners &= corners - 1) {
                const int corner = __builtin_ctzll(corners);
                const SmallBoard after = locked(board, move_table.cells[r] << corner);
                if (!can_be_divided(after) || (problem_.strict && after.filled == 0)) continue;
                children[count] = {after,
                                   static_cast<std::uint8_t>(held),
                                   {static_cast<std::uint8_t>(piece), static_cast<std::uint8_t>(r),
                                    static_cast<std::uint8_t>(corner)}};
                keys[count] = kByNetwork ? rank(board, after) : estimate_fill(after);
                ++count;
            }
        return count;
    }

    // Networks get the height before rows were cleared, which shows the number of cleared rows.
    SB_INLINE std::int64_t rank(SmallBoard before, SmallBoard after) {
        float features[kFeatures];
        find_features({after.filled, before.height}, search_.network->wanted(), features);
        return rank_of(search_.network->score(features, search_.network_memory));
    }

    // The last piece: the empty cells must have its shape.
    Outcome finish(SmallBoard board, int held, int following, int depth) {
        const Word empty = ~board.filled & rows_below(board.height);
        const auto fits = [&](int piece, int over) {
            if (piece == kNoPiece || !is_saved(over)) return false;
            const MoveTable& move_table = search_.move_tables->pieces[static_cast<unsigned>(piece)];
            for (int r = 0; r < move_table.looks; ++r) {
                const int corner = __builtin_ctzll(empty) - __builtin_ctzll(move_table.cells[r]);
                if (corner < 0 || move_table.cells[r] << corner != empty) continue;
                RestPositions rests;
                find_rest_positions(move_table, board, rests);
                if (!(rests.of[r] >> corner & 1)) return false;
                search_.steps[static_cast<unsigned>(depth)] = {static_cast<std::uint8_t>(piece),
                                                               static_cast<std::uint8_t>(r),
                                                               static_cast<std::uint8_t>(corner)};
                return true;
            }
            return false;
        };
        if (fits(held, following)) return Outcome::found;
        if (problem_.hold && fits(following, held)) return Outcome::found;
        return Outcome::none;
    }

    bool is_new(SmallBoard board, int held) {
        // Cleared rows are full rows on top, so the board defines its height.
        const Word packed = board.filled | (whole_ & ~rows_below(board.height));
        return search_.visited->insert((packed << 3 | static_cast<Word>(held)) + 1);
    }

    PlayOrderSearch& search_;
    const Problem& problem_;
    const Word whole_;
    std::uint64_t until_watched_;
    int left_[kPieces + 1] = {};
};

}  // namespace

Outcome search_in_play_order(PlayOrderSearch& search) {
    return search.network ? DepthFirstSearch<true>(search).run()
                          : DepthFirstSearch<false>(search).run();
}

}  // namespace pc
}  // namespace SB_ISA
}  // namespace sevenbag
