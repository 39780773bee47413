#include "evaluation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "evaluation_isa.hpp"

namespace sevenbag {

namespace {

class FeatureCounter {
  public:
    explicit FeatureCounter(const Board& board) : board_(board), top_(board.height()) {
        for (int x = 0; x < board.width(); ++x) heights_[x + 1] = board.column_height(x);
        // Walls are as high as anything.
        heights_[0] = heights_[board.width() + 1] = kMaxRows + 1;
    }

    Features run() {
        for (int y = 0; y < top_; ++y) count_row(y);
        for (int x = 0; x < board_.width(); ++x) count_column(x);
        for (int y = 1; y <= top_; ++y)
            for (int x = 1; x + 1 < board_.width(); ++x) look_for_t(x, y);
        for (int y = 0; y < top_; ++y) count_slot_row(y);
        return f_;
    }

  private:
    int height(int x) const { return heights_[x + 1]; }
    bool filled(int x, int y) const { return board_.is_blocked(x, y); }
    bool open(int x, int y) const { return y >= height(x); }
    bool well(int x, int y) const { return open(x, y) && !open(x - 1, y) && !open(x + 1, y); }

    void count_row(int y) {
        bool has_hole = false;
        bool ready = true;
        bool has_well = false;
        for (int x = 0; x < board_.width(); ++x) {
            const bool hole = !filled(x, y) && !open(x, y);
            f_.holes += hole;
            has_hole |= hole;
            has_well |= well(x, y);
            ready &= filled(x, y) || well(x, y);
        }
        f_.hole_rows += has_hole;
        f_.ready_rows += ready && has_well;
        for (int x = -1; x < board_.width(); ++x)
            f_.row_changes += filled(x, y) != filled(x + 1, y);
    }

    void count_column(int x) {
        f_.surface += height(x);
        bool hole_below = false;
        bool deep = false;
        for (int y = 0; y < top_; ++y) {
            hole_below |= !filled(x, y);
            f_.cells_above_holes += hole_below && filled(x, y);
            f_.wells += well(x, y);
            if (well(x, y) && well(x, y + 1) && well(x, y + 2)) {
                ++f_.deep_wells;
                deep = true;
            }
        }
        f_.well_columns += deep;
        if (x + 1 < board_.width()) {
            const int step = std::abs(height(x) - height(x + 1));
            f_.steps += step;
            f_.tall_steps += std::max(step - 1, 0);
            f_.steep_steps += std::max(step - 2, 0);
        }
    }

    // A T pointing down with its centre at (x, y): its stem is in a gap between two filled cells;
    // one arm is under an overhang, the other arm and the centre are open.
    void look_for_t(int x, int y) {
        if (!open(x, y) || !open(x, y - 1)) return;
        if (!filled(x - 1, y - 1) || !filled(x + 1, y - 1)) return;
        const bool left = !filled(x - 1, y) && filled(x - 1, y + 1) && open(x + 1, y);
        const bool right = !filled(x + 1, y) && filled(x + 1, y + 1) && open(x - 1, y);
        if (left || right) {
            ++f_.t_slots;
            slots_[y] |= 7u << (x - 1);
            slots_[y - 1] |= 1u << x;
        } else if (open(x - 1, y) && open(x + 1, y)) {
            ++f_.open_t_slots;
        }
    }

    void count_slot_row(int y) {
        if (slots_[y] == 0) return;
        const std::uint32_t empty = board_.full_row() & ~(board_.row(y) | slots_[y]);
        f_.t_rows += empty == 0;
        f_.t_missing += std::popcount(empty);
    }

    const Board& board_;
    int top_;
    std::array<int, kMaxWidth + 2> heights_{};
    std::array<std::uint32_t, kMaxRows + 1> slots_{};
    Features f_;
};

}  // namespace

Features features_of(const Board& board) { return FeatureCounter(board).run(); }

void evaluate_placements_generic(const Board& board, const Placement* placements, int count,
                                 const Features& weights, EvaluatedBoard* out) {
    for (int i = 0; i < count; ++i) {
        Board after = board;
        const std::uint64_t rows = after.lock(placements[i]);
        const Features features = features_of(after);
        out[i] = {after.hash(),
                  weighted(features, weights),
                  static_cast<std::uint16_t>(after.count()),
                  static_cast<std::uint8_t>(std::popcount(rows)),
                  static_cast<std::uint8_t>(after.height()),
                  static_cast<std::uint8_t>(features.t_rows),
                  features.holes > 0};
    }
}

}  // namespace sevenbag
