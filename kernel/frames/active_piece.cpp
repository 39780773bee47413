#include "frames/active_piece.hpp"

#include <algorithm>
#include <array>

#include "rotation.hpp"

namespace sevenbag {

namespace {

// A new piece starts slightly above the row, so that it stays there in the first frames.
constexpr double kAppearsAbove = 2.04;
// A height is never an integer; this is its minimum distance from one.
constexpr double kMillionth = 1e-6;
// A kicked piece stands so far below the top of its row.
constexpr double kBelowTop = 0.1;
// Rows per frame of an unlimited soft drop.
constexpr double kInstantRows = 400;
// A soft drop is no slower than by this gravity, however short the moment.
constexpr double kLeastGravity = 0.05;
// Rows by which a piece is pressed down that has to lock.
constexpr double kForcedRows = 20;

// Position of a row in the words of a board.
struct RowPlace {
    std::uint8_t word;
    std::uint8_t shift;
};

consteval auto row_places() {
    std::array<std::array<RowPlace, kMaxRows>, kMaxWidth + 1> all{};
    for (int width = kMinWidth; width <= kMaxWidth; ++width)
        for (int y = 0; y < kMaxRows; ++y)
            all[static_cast<std::size_t>(width)][static_cast<std::size_t>(y)] = {
                static_cast<std::uint8_t>(y / (64 / width)),
                static_cast<std::uint8_t>(y % (64 / width) * width)};
    return all;
}

// By width and row. A piece is tested about thirty times until it locks, cell by cell; divisions
// would dominate the cost.
constexpr auto kRowPlaces = row_places();

bool fits_on(const Board& board, const Placement& p) {
    const auto& rows = kRowPlaces[static_cast<std::size_t>(board.width())];
    const std::uint64_t* words = board.words();
    for (Cell c : kCells[static_cast<std::size_t>(p.piece)][static_cast<std::size_t>(p.rotation)]) {
        const int x = p.x + c.x;
        const int y = p.y + c.y;
        if (!board.contains(x, y)) return false;
        const RowPlace row = rows[static_cast<std::size_t>(y)];
        if (words[row.word] >> (row.shift + x) & 1) return false;
    }
    return true;
}

// The column of the origin. Boxes of even width are half a cell further left on odd boards.
int column_of(const Rules& rules, Piece piece) {
    const bool even_box = piece == Piece::I || piece == Piece::O;
    return rules.spawn.x - (even_box && rules.width % 2 == 1);
}

}  // namespace

// --- position ----------------------------------------------------------------------------------

void ActivePiece::spawn(const FrameContext& context, Piece piece) {
    at_ = {piece, context.rules.kicks.spawn(piece), 0, 0,
           context.rules.spins.hold_keeps_spin ? at_.spin : Spin::none};
    lowest_row_ = context.rules.visible_rows + 2;
    lock_timer_ = 0;
    resets_ = turns_ = total_turns_ = 0;
    forced_ = false;
    place(context, at_.rotation, column_of(context.rules, piece),
          context.rules.visible_rows + kAppearsAbove);
}

bool ActivePiece::raise(const FrameContext& context) {
    if (row_ + 1 >= context.board.rows()) return false;
    ++lowest_row_;
    place(context, at_.rotation, x_, height_ + 1);
    return true;
}

void ActivePiece::place(const FrameContext& context, Rotation rotation, int x, double height) {
    const Cell centre = context.rules.kicks.centre(at_.piece, rotation);
    x_ = x;
    height_ = height;
    row_ = static_cast<int>(std::floor(height));
    at_.rotation = rotation;
    at_.x = static_cast<std::int8_t>(x + centre.x);
    // The origin is in the second row of every box.
    at_.y = static_cast<std::int8_t>(row_ - 1 + centre.y);
    below_ = Below::unknown;
}

bool ActivePiece::can_descend(const FrameContext& context) {
    if (below_ == Below::unknown) {
        Placement under = at_;
        --under.y;
        below_ = fits_on(context.board, under) ? Below::open : Below::blocked;
    }
    return below_ == Below::open;
}

// --- falling, and locking by time ----------------------------------------------------------------

ActivePiece::FallResult ActivePiece::advance(const FrameContext& context, double frames) {
    if (safe_ > 0) --safe_;
    double rows = context.gravity * frames;
    if (context.soft) {
        const double factor = context.handling.soft_drop;
        rows = factor >= Handling::kInstantDrop ? kInstantRows * frames
                                                : std::max(rows * factor, kLeastGravity * factor);
    }
    if (resets_exhausted(context) && !can_descend(context)) {
        rows = kForcedRows;
        forced_ = true;
    }
    const int heavy = turns_ - context.time.lock_resets - kExtraGravityTurns;
    if (heavy > 0) rows += 0.5 * frames * heavy;

    FallResult fall;
    const int begun = row_;
    while (rows > 0) {
        const double step = std::min(1.0, rows);
        if (!descend(context, step)) {
            lock_timer_ += frames;
            fall.locks =
                lock_timer_ > context.time.lock_time || forced_ || resets_exhausted(context);
            break;
        }
        rows -= step;
    }
    fall.rows = begun - row_;
    if (fall.locks && context.handling.safe_lock) safe_ = kSafeLockFrames;
    return fall;
}

// A row or a part of it. A piece that could not sink a whole row does not sink at all.
bool ActivePiece::descend(const FrameContext& context, double rows) {
    if (!can_descend(context)) return false;
    double height = height_ - rows;
    if (context.time.rounded_heights) height = std::floor(height * 1e6 + 0.5) / 1e6;
    if (height == std::floor(height)) height -= kMillionth;
    height_ = height;
    end_spin(context);
    if (height < row_) {
        --row_;
        --at_.y;
        below_ = Below::unknown;
    }
    if (height < lowest_row_) {
        resets_ = turns_ = 0;
        lowest_row_ = row_;
    }
    return true;
}

int ActivePiece::drop(const FrameContext& context) {
    const int begun = row_;
    while (descend(context, 1)) {
    }
    return begun - row_;
}

bool ActivePiece::is_20g(const FrameContext& context) {
    const double height = context.rules.visible_rows;
    const bool heavy = context.gravity > height && context.time.gravity_may_20g;
    if (!context.soft) return heavy;
    const double factor = context.handling.soft_drop;
    return (factor >= Handling::kInstantDrop || context.gravity * factor > height) &&
           (context.handling.may_20g || heavy);
}

// --- keys ----------------------------------------------------------------------------------------

bool ActivePiece::shift(const FrameContext& context, int direction) {
    Placement beside = at_;
    beside.x = static_cast<std::int8_t>(beside.x + direction);
    if (!fits_on(context.board, beside)) return false;
    at_.x = beside.x;
    x_ += direction;
    below_ = Below::unknown;
    if (context.rules.spins.on_shift == OnShift::ends) end_spin(context);
    resets_ = std::min(resets_ + 1, kMaxResets);
    apply_20g(context);
    if (!resets_exhausted(context)) lock_timer_ = 0;
    return true;
}

bool ActivePiece::turn(const FrameContext& context, int quarters, const Kicks& kicks) {
    const auto to = static_cast<Rotation>((static_cast<int>(at_.rotation) + quarters) % kRotations);
    const auto turned = rotate(context.board, at_, to, kicks, context.rules.spins);
    if (!turned) return false;
    const Cell centre = context.rules.kicks.centre(at_.piece, to);
    const int x = turned->placement.x - centre.x;
    // A kick moves the piece by whole rows; a separate rule sets the fraction of its row.
    const int kick = turned->placement.y - centre.y + 1 - row_;
    double height = height_;
    if (turned->test > 0)
        height = total_turns_ > context.time.lock_resets + kExtraGravityTurns
                     ? height_ + kick
                     : std::ceil(height_) - kBelowTop + kick;
    at_.spin = turned->placement.spin;
    place(context, to, x, height);
    resets_ = std::min(resets_ + 1, kMaxResets);
    turns_ = std::min(turns_ + 1, kMaxTurns);
    ++total_turns_;
    if (!resets_exhausted(context)) lock_timer_ = 0;
    return true;
}

void ActivePiece::end_spin(const FrameContext& context) {
    if (at_.spin != Spin::none && !spin_rule(context.rules.spins, at_.piece).persists)
        at_.spin = Spin::none;
}

}  // namespace sevenbag
