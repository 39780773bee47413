#include "falling.hpp"

#include <optional>
#include <string>

#include "error.hpp"
#include "rotate.hpp"

namespace sevenbag {

namespace {

Placement spawned(const Game& game, bool hold) {
    const std::optional<Piece> piece = hold ? game.offered_by_hold() : game.current();
    if (game.over() || !piece)
        throw Error(ErrorKind::placement,
                    game.over() ? "the game is over: no piece falls" : "these rules have no hold");
    const std::optional<Spawn> spawn = game.spawn_of(*piece);
    if (!spawn)
        throw Error(ErrorKind::placement,
                    std::string(1, letter(*piece)) + " cannot appear: its cells are filled");
    return {*piece, game.rules().kicks.spawn(*piece), spawn->x, spawn->y, Spin::none};
}

}  // namespace

Falling::Falling(const Game& game, bool hold)
    : rules_(game.shared_rules()), board_(game.solid()), at_(spawned(game, hold)) {}

bool Falling::press(Key key) {
    switch (key) {
        case Key::left:
            return shift(-1, 0);
        case Key::right:
            return shift(1, 0);
        case Key::cw:
            return turn(1);
        case Key::ccw:
            return turn(3);
        case Key::flip:
            return turn(2);
        case Key::soft_drop:
            return shift(0, -1);
        case Key::sonic_drop:
        case Key::hard_drop: {
            bool moved = false;
            while (shift(0, -1)) moved = true;
            return moved;
        }
    }
    return false;
}

bool Falling::shift(int dx, int dy) {
    Placement to = at_;
    to.x = static_cast<std::int8_t>(to.x + dx);
    to.y = static_cast<std::int8_t>(to.y + dy);
    if (!board_.fits(to)) return false;
    if (!spin_rule(rules_->spins, at_.piece).lasts) to.spin = Spin::none;
    at_ = to;
    return true;
}

bool Falling::turn(int by) {
    const auto to = static_cast<Rotation>((static_cast<int>(at_.rotation) + by) % kRotations);
    const auto turned = rotate(board_, at_, to, rules_->kicks, rules_->spins);
    if (!turned) return false;
    at_ = turned->placement;
    return true;
}

}  // namespace sevenbag
