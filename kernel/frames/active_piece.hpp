// Active piece of a frame-by-frame game: gravity, shifts, rotations and the lock timer.
//
// The height is a real number: the top row of the piece's box, with a fraction that gravity
// reduces. The arithmetic is part of the rules, operation by operation: recorded games depend on a
// millionth of a row.
#pragma once

#include <cmath>

#include "board.hpp"
#include "frames/frame_rules.hpp"
#include "piece.hpp"
#include "rules.hpp"

namespace sevenbag {

// Board, rules and handling that apply to the active piece.
struct FrameContext {
    const Rules& rules;
    const FrameRules& time;
    const Handling& handling;
    const Board& board;
    double gravity;  // rows a frame, now
    bool soft;       // the soft drop key is held
};

class ActivePiece {
  public:
    // Frames without hard drop after a piece has locked by time.
    static constexpr int kSafeLockFrames = 7;

    // A new piece at the place where pieces appear. What guards against hard drops is handed on
    // from piece to piece.
    void spawn(const FrameContext& context, Piece piece);

    Piece piece() const { return at_.piece; }
    // As it would lock here, with its spin.
    const Placement& placement() const { return at_; }
    double height() const { return height_; }
    bool fits(const FrameContext& context) const { return context.board.fits(at_); }
    // A hard drop would be one too many: the piece before has just locked by time.
    bool hard_drop_blocked() const { return safe_ > 0; }
    void end_spin() { at_.spin = Spin::none; }
    // The moves that began the lock time anew are used up.
    bool resets_exhausted(const FrameContext& context) const {
        return resets_ >= context.time.lock_resets && !context.time.infinite_movement;
    }

    // One row up, as far as there is one; not called for other than a piece that has just appeared.
    bool raise(const FrameContext& context);

    // Shift by one column. Return whether the piece moved.
    bool shift(const FrameContext& context, int direction);

    // Rotate by a number of quarter turns clockwise. Return whether the piece rotated.
    bool turn(const FrameContext& context, int quarters, const Kicks& kicks);

    struct FallResult {
        int rows = 0;
        bool locks = false;
    };
    // So many frames pass.
    FallResult advance(const FrameContext& context, double frames);

    // To the floor, at once. Returns how many rows.
    int drop(const FrameContext& context);

    // Move to the floor if gravity or a soft drop is fast enough to skip the rows between.
    void apply_20g(const FrameContext& context) {
        if (is_20g(context)) drop(context);
    }

  private:
    static constexpr int kMaxResets = 31;
    static constexpr int kMaxTurns = 63;
    // So many turns above the resets make a piece heavier.
    static constexpr int kExtraGravityTurns = 15;

    // Whether the row below is free is tested every frame, and changes as the piece moves.
    enum class Below : std::uint8_t { unknown, open, blocked };

    bool descend(const FrameContext& context, double rows);
    bool can_descend(const FrameContext& context);
    static bool is_20g(const FrameContext& context);
    void place(const FrameContext& context, Rotation rotation, int x, double height);
    void end_spin(const FrameContext& context);

    Placement at_{};
    double height_ = 0;
    int x_ = 0;              // of the origin, as rotation systems count it
    int row_ = 0;            // the whole rows of the height
    int lowest_row_ = 0;     // the lowest row so far
    double lock_timer_ = 0;  // frames it has stood still
    int resets_ = 0;         // moves since it reached its lowest row
    int turns_ = 0;          // turns among them
    int total_turns_ = 0;
    int safe_ = 0;
    bool forced_ = false;
    Below below_ = Below::unknown;
};

}  // namespace sevenbag
