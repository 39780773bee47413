#include "piece_motion.hpp"

#include "rotation.hpp"

namespace sevenbag {

std::optional<PieceMotion::State> PieceMotion::try_shift(const State& s, int dx, int dy) const {
    const bool marked = rule_.persists || (dy == 0 && rule_.on_shift != OnShift::ends);
    const State to{static_cast<std::int8_t>(s.x + dx), static_cast<std::int8_t>(s.y + dy),
                   s.rotation, marked ? s.mark : std::uint8_t{0}};
    if (!fits(to)) return std::nullopt;
    return to;
}

std::optional<PieceMotion::State> PieceMotion::try_turn(const State& s, int quarters) const {
    const auto to = static_cast<Rotation>((static_cast<int>(s.rotation) + quarters) % kRotations);
    const auto try_turn = rotate(board_, at(s, Spin::none), to, kicks_, spins_);
    if (!try_turn) return std::nullopt;
    const Placement& p = try_turn->placement;
    const int mark =
        detects_spin_at_lock() ? (try_turn->full_kick ? 2 : 1) : static_cast<int>(p.spin);
    return State{p.x, p.y, p.rotation, static_cast<std::uint8_t>(mark)};
}

PieceMotion::State PieceMotion::drop(State s) const {
    while (const auto below = try_shift(s, 0, -1)) s = *below;
    return s;
}

std::optional<PieceMotion::State> PieceMotion::try_press(const State& s, Key key) const {
    switch (key) {
        case Key::left:
            return try_shift(s, -1, 0);
        case Key::right:
            return try_shift(s, 1, 0);
        case Key::cw:
            return try_turn(s, 1);
        case Key::ccw:
            return try_turn(s, 3);
        case Key::flip:
            return try_turn(s, 2);
        case Key::soft_drop:
            return try_shift(s, 0, -1);
        case Key::sonic_drop:
        case Key::hard_drop: {
            const State down = drop(s);
            return down.y != s.y ? std::optional(down) : std::nullopt;
        }
        case Key::das_left:
            return try_slide(s, -1);
        case Key::das_right:
            return try_slide(s, 1);
    }
    return std::nullopt;
}

std::optional<PieceMotion::State> PieceMotion::try_slide(State s, int dx) const {
    const std::int8_t from = s.x;
    while (const auto beside = try_shift(s, dx, 0)) s = *beside;
    return s.x != from ? std::optional(s) : std::nullopt;
}

Spin PieceMotion::spin(const State& s) const {
    if (s.mark == 0 || !detects_spin_at_lock()) return static_cast<Spin>(s.mark);
    return detect_spin(board_, at(s, Spin::none), s.mark == 2, rule_);
}

}  // namespace sevenbag
