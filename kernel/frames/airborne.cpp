#include "frames/airborne.hpp"

#include <algorithm>
#include <array>

#include "rotate.hpp"

namespace sevenbag {

namespace {

// A new piece stands a little above the whole row, so that the first frames leave it there.
constexpr double kAppearsAbove = 2.04;
// A height is never a whole number; it keeps this far from one.
constexpr double kMillionth = 1e-6;
// A kicked piece stands so far below the top of its row.
constexpr double kBelowTop = 0.1;
// Rows a frame of a soft drop that knows no limit.
constexpr double kInstantRows = 400;
// A soft drop is no slower than by this gravity, however short the moment.
constexpr double kLeastGravity = 0.05;
// Rows by which a piece is pressed down that has to lock.
constexpr double kForcedRows = 20;

// Where a row lies in the words of a board.
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

// By width and row. A piece is tried some thirty times until it locks, cell by cell, and a division
// for each of them is most of what that costs.
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

// The column of the origin. Boxes of even width lie half a cell further left on odd boards.
int column_of(const Rules& rules, Piece piece) {
    const bool even_box = piece == Piece::I || piece == Piece::O;
    return rules.spawn.x - (even_box && rules.width % 2 == 1);
}

}  // namespace

// --- where it is ---------------------------------------------------------------------------------

void Airborne::appear(const Air& air, Piece piece) {
    at_ = {piece, air.rules.kicks.spawn(piece), 0, 0,
           air.rules.spins.hold_keeps ? at_.spin : Spin::none};
    low_ = air.rules.visible_rows + 2;
    clock_ = 0;
    resets_ = turns_ = total_turns_ = 0;
    forced_ = false;
    place(air, at_.rotation, column_of(air.rules, piece), air.rules.visible_rows + kAppearsAbove);
}

bool Airborne::raise(const Air& air) {
    if (row_ + 1 >= air.board.rows()) return false;
    ++low_;
    place(air, at_.rotation, x_, height_ + 1);
    return true;
}

void Airborne::place(const Air& air, Rotation rotation, int x, double height) {
    const Cell centre = air.rules.kicks.centre(at_.piece, rotation);
    x_ = x;
    height_ = height;
    row_ = static_cast<int>(std::floor(height));
    at_.rotation = rotation;
    at_.x = static_cast<std::int8_t>(x + centre.x);
    // The origin lies in the second row of every box.
    at_.y = static_cast<std::int8_t>(row_ - 1 + centre.y);
    below_ = Below::unknown;
}

bool Airborne::open_below(const Air& air) {
    if (below_ == Below::unknown) {
        Placement under = at_;
        --under.y;
        below_ = fits_on(air.board, under) ? Below::open : Below::blocked;
    }
    return below_ == Below::open;
}

// --- falling, and locking by time ----------------------------------------------------------------

Airborne::Fall Airborne::fall(const Air& air, double frames) {
    if (safe_ > 0) --safe_;
    double rows = air.gravity * frames;
    if (air.soft) {
        const double factor = air.handling.soft_drop;
        rows = factor >= Handling::kInstantDrop ? kInstantRows * frames
                                                : std::max(rows * factor, kLeastGravity * factor);
    }
    if (exhausted(air) && !open_below(air)) {
        rows = kForcedRows;
        forced_ = true;
    }
    const int heavy = turns_ - air.time.lock_resets - kHeavy;
    if (heavy > 0) rows += 0.5 * frames * heavy;

    Fall fall;
    const int begun = row_;
    while (rows > 0) {
        const double step = std::min(1.0, rows);
        if (!sink(air, step)) {
            clock_ += frames;
            fall.locks = clock_ > air.time.lock_time || forced_ || exhausted(air);
            break;
        }
        rows -= step;
    }
    fall.rows = begun - row_;
    if (fall.locks && air.handling.safe_lock) safe_ = kSafe;
    return fall;
}

// A row or a part of it. A piece that could not sink a whole row does not sink at all.
bool Airborne::sink(const Air& air, double rows) {
    if (!open_below(air)) return false;
    double height = height_ - rows;
    if (air.time.heights_are_rounded) height = std::floor(height * 1e6 + 0.5) / 1e6;
    if (height == std::floor(height)) height -= kMillionth;
    height_ = height;
    end_spin(air);
    if (height < row_) {
        --row_;
        --at_.y;
        below_ = Below::unknown;
    }
    if (height < low_) {
        resets_ = turns_ = 0;
        low_ = row_;
    }
    return true;
}

int Airborne::drop(const Air& air) {
    const int begun = row_;
    while (sink(air, 1)) {
    }
    return begun - row_;
}

bool Airborne::slams(const Air& air) {
    const double height = air.rules.visible_rows;
    const bool heavy = air.gravity > height && air.time.gravity_may_slam;
    if (!air.soft) return heavy;
    const double factor = air.handling.soft_drop;
    return (factor >= Handling::kInstantDrop || air.gravity * factor > height) &&
           (air.handling.may_slam || heavy);
}

// --- keys ----------------------------------------------------------------------------------------

bool Airborne::shift(const Air& air, int direction) {
    Placement beside = at_;
    beside.x = static_cast<std::int8_t>(beside.x + direction);
    if (!fits_on(air.board, beside)) return false;
    at_.x = beside.x;
    x_ += direction;
    below_ = Below::unknown;
    if (air.rules.spins.on_shift == OnShift::ends) end_spin(air);
    resets_ = std::min(resets_ + 1, kMostResets);
    slam(air);
    if (!exhausted(air)) clock_ = 0;
    return true;
}

bool Airborne::turn(const Air& air, int quarters, const Kicks& kicks) {
    const auto to = static_cast<Rotation>((static_cast<int>(at_.rotation) + quarters) % kRotations);
    const auto turned = rotate(air.board, at_, to, kicks, air.rules.spins);
    if (!turned) return false;
    const Cell centre = air.rules.kicks.centre(at_.piece, to);
    const int x = turned->placement.x - centre.x;
    // A kick moves it by whole rows; but in which part of its row it ends is a rule of its own.
    const int kick = turned->placement.y - centre.y + 1 - row_;
    double height = height_;
    if (turned->test > 0)
        height = total_turns_ > air.time.lock_resets + kHeavy
                     ? height_ + kick
                     : std::ceil(height_) - kBelowTop + kick;
    at_.spin = turned->placement.spin;
    place(air, to, x, height);
    resets_ = std::min(resets_ + 1, kMostResets);
    turns_ = std::min(turns_ + 1, kMostTurns);
    ++total_turns_;
    if (!exhausted(air)) clock_ = 0;
    return true;
}

void Airborne::end_spin(const Air& air) {
    if (at_.spin != Spin::none && !spin_rule(air.rules.spins, at_.piece).lasts)
        at_.spin = Spin::none;
}

}  // namespace sevenbag
