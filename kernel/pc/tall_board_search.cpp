#include "pc/tall_board_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <unordered_set>

#include "movegen.hpp"
#include "pc/features.hpp"

namespace sevenbag::pc {

namespace {

// Far enough above any board for the piece to turn.
constexpr Spawn kHigh{4, 32};
constexpr std::size_t kMaxRemembered = 1 << 19;

// Return whether every part between walls can be filled by itself; see can_be_divided() of
// small_board.hpp.
bool can_be_divided(const Board& board, int height) {
    std::uint32_t wall = board.full_row() >> 1;
    for (int y = 0; y < height; ++y) wall &= board.row(y) | board.row(y) >> 1;
    for (; wall; wall &= wall - 1) {
        const std::uint32_t columns = wall ^ (wall - 1);
        int empty = 0;
        for (int y = 0; y < height; ++y) empty += std::popcount(~board.row(y) & columns);
        if (empty % 4 != 0) return false;
    }
    return true;
}

// Estimate how likely a board can be filled; higher is likelier. As for small boards, see
// play_order_search_isa.cpp.
int estimate_fill(const Board& board, int height) {
    const std::uint32_t inner = board.full_row() >> 1;
    int row_changes = 0;
    int steps = 0;
    int column_changes = 0;
    int checkers = 0;
    std::uint32_t under = 0;
    for (int y = height - 1; y >= 0; --y) {
        const std::uint32_t row = board.row(y);
        const std::uint32_t above = y + 1 < height ? board.row(y + 1) : 0;
        under |= row;
        row_changes += std::popcount((row ^ row >> 1) & inner);
        steps += std::popcount((under ^ under >> 1) & inner);
        column_changes += std::popcount(row ^ above);
        const int even = 2 * std::popcount(row & 0x155) - std::popcount(row);
        checkers += y % 2 == 0 ? even : -even;
    }
    const int empty = board.width() * height - board.count();
    return -(28 * row_changes - 18 * steps + 10 * column_changes + 12 * std::abs(checkers) +
             3 * empty);
}

class TallBoardSearch {
  public:
    TallBoardSearch(const TallProblem& problem, const Kicks& kicks, StopCheck stop_check,
                    const Network* network, std::vector<Placement>& placements)
        : problem_(problem),
          kicks_(kicks),
          watch_(stop_check),
          network_(network),
          placements_(placements) {}

    Outcome run(int width, std::uint64_t budget, bool& complete) {
        width_ = width;
        budget_ = budget;
        complete_ = true;
        seen_.clear();
        placements_.clear();
        network_memory_.assign(network_ ? network_->memory() : 0, 0.0f);
        for (Piece piece : problem_.pieces) ++left_[static_cast<std::size_t>(piece)];
        const Outcome outcome = descend(problem_.board, problem_.height, problem_.pieces[0], 1);
        left_ = {};
        complete = complete_;
        return outcome;
    }

  private:
    struct Child {
        std::int64_t estimate_fill;
        Placement placement;
        Board board;
        int height;
        std::optional<Piece> over;
    };

    struct Key {
        Board board;
        int height;
        std::optional<Piece> over;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            const auto over = key.over ? static_cast<std::size_t>(*key.over) : kPieces;
            return static_cast<std::size_t>(key.board.hash()) * 31 +
                   static_cast<std::size_t>(key.height) * 8 + over;
        }
    };

    Outcome descend(const Board& board, int height, Piece first, std::size_t next) {
        if (seen_.size() < kMaxRemembered && !seen_.insert({board, height, first}).second)
            return Outcome::none;
        if (budget_ == 0) {
            complete_ = false;
            return Outcome::none;
        }
        --budget_;
        if (watch_.stop && watch_.stop(watch_.context, 1)) return Outcome::stopped;
        const std::optional<Piece> second =
            next < problem_.pieces.size() ? std::optional(problem_.pieces[next]) : std::nullopt;
        std::vector<Child> children;
        expand(board, height, first, second, children);
        if (problem_.hold && second && *second != first)
            expand(board, height, *second, first, children);
        std::ranges::stable_sort(children, std::greater(), &Child::estimate_fill);
        if (children.size() > static_cast<std::size_t>(width_)) {
            children.erase(children.begin() + width_, children.end());
            complete_ = false;
        }
        for (const Child& child : children) {
            placements_.push_back(child.placement);
            if (child.height == 0) return Outcome::found;
            const auto piece = static_cast<std::size_t>(child.placement.piece);
            --left_[piece];
            // A board that is not full is only left with pieces: their number is right.
            const Outcome outcome = descend(child.board, child.height, *child.over, next + 1);
            ++left_[piece];
            if (outcome != Outcome::none) return outcome;
            placements_.pop_back();
        }
        return Outcome::none;
    }

    void expand(const Board& board, int height, Piece piece, std::optional<Piece> over,
                std::vector<Child>& children) {
        if (piece == problem_.save && left_[static_cast<std::size_t>(piece)] == 1) return;
        generate_placements(board, piece, kicks_, kHigh, SpinMode::none, resting_);
        for (const Placement& placement : resting_) {
            const Cells cells = cells_of(placement);
            if (std::ranges::any_of(cells, [&](Cell c) { return c.y >= height; })) continue;
            Child child{0, placement, board, height, over};
            child.height -= std::popcount(child.board.lock(placement));
            if (child.height > 0) {
                if (!child.over || !can_be_divided(child.board, child.height)) continue;
                if (problem_.strict && child.board.empty()) continue;
                child.estimate_fill = estimate(child);
            } else {
                child.estimate_fill = std::numeric_limits<std::int64_t>::max();
            }
            children.push_back(child);
        }
    }

    std::int64_t estimate(const Child& child) {
        if (!network_) return estimate_fill(child.board, child.height);
        float features[kFeatures];
        find_features(child.board, child.height, features);
        return rank_of(network_->score(features, network_memory_.data()));
    }

    const TallProblem& problem_;
    const Kicks& kicks_;
    StopCheck watch_;
    const Network* network_;
    std::vector<float> network_memory_;
    std::vector<Placement>& placements_;
    std::vector<Placement> resting_;
    std::unordered_set<Key, Hash> seen_;
    std::array<int, kPieces> left_{};
    int width_ = 0;
    std::uint64_t budget_ = 0;
    bool complete_ = true;
};

}  // namespace

Outcome solve_tall(const TallProblem& problem, const Kicks& kicks, StopCheck stop_check,
                   const Network* network, std::vector<Placement>& placements) {
    constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
    constexpr struct {
        int width;
        std::uint64_t budget;
    } kPasses[] = {{3, 20'000}, {8, 50'000}, {24, 200'000}, {1'000'000, kUnlimited}};
    TallBoardSearch descent(problem, kicks, stop_check, network, placements);
    for (const auto& pass : kPasses) {
        bool complete = false;
        const Outcome outcome = descent.run(pass.width, pass.budget, complete);
        if (outcome != Outcome::none || complete) return outcome;
    }
    return Outcome::none;
}

}  // namespace sevenbag::pc
