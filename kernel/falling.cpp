#include "falling.hpp"

#include <string>

#include "error.hpp"

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
    return game.rules().kicks.appear(*piece, spawn->x, spawn->y);
}

}  // namespace

Falling::Falling(const Game& game, bool hold) : rules_(game.shared_rules()), board_(game.solid()) {
    const Placement start = spawned(game, hold);
    piece_ = start.piece;
    at_ = {start.x, start.y, start.rotation};
}

bool Falling::press(Key key) {
    const Flight here = flight();
    switch (key) {
        case Key::left:
            return move(here.shifted(at_, -1, 0));
        case Key::right:
            return move(here.shifted(at_, 1, 0));
        case Key::cw:
            return move(here.turned(at_, 1));
        case Key::ccw:
            return move(here.turned(at_, 3));
        case Key::flip:
            return move(here.turned(at_, 2));
        case Key::soft_drop:
            return move(here.shifted(at_, 0, -1));
        case Key::sonic_drop:
        case Key::hard_drop: {
            const Flight::State down = here.fallen(at_);
            return down.y != at_.y && move(down);
        }
    }
    return false;
}

bool Falling::move(const std::optional<Flight::State>& to) {
    if (!to) return false;
    at_ = *to;
    return true;
}

}  // namespace sevenbag
