#include "path.hpp"

#include <algorithm>

#include "rotate.hpp"

namespace sevenbag {

namespace {

struct State {
    std::int8_t x;
    std::int8_t y;
    Rotation rotation;
    Spin spin;  // what the piece would be locked as: states that differ in it are different
};
constexpr int kSpins = 3;

constexpr int kColumns = kMaxWidth + 4;  // an O's centre can stand outside the board
constexpr int kHeights = kMaxRows + 4;
constexpr int kStates = kColumns * kHeights * kRotations * kSpins;

int index(const State& s) {
    const int turned = static_cast<int>(s.spin) * kRotations + static_cast<int>(s.rotation);
    return (turned * kHeights + s.y + 2) * kColumns + s.x + 2;
}

class Search {
  public:
    Search(const Board& board, Piece piece, const Kicks& kicks, SpinMode spins)
        : board_(board),
          piece_(piece),
          kicks_(kicks),
          spins_(spins),
          lasts_(spin_rule(spins, piece).lasts),
          from_(kStates, -1),
          key_(kStates) {}

    std::optional<std::vector<Key>> run(const Placement& target, Spawn spawn) {
        const State start{spawn.x, spawn.y, kicks_.spawn(piece_), Spin::none};
        if (!fits(start)) return std::nullopt;
        from_[static_cast<std::size_t>(index(start))] = kStart;
        queue_.push_back(start);
        const Placement wanted = canonical(target);
        for (std::size_t head = 0; head < queue_.size(); ++head) {
            const State s = queue_[head];
            const State down = fallen(s);
            const Placement here = canonical({piece_, s.rotation, s.x, down.y});
            const bool same = here.rotation == wanted.rotation && here.x == wanted.x &&
                              here.y == wanted.y &&
                              (spins_ == SpinMode::none || down.spin == wanted.spin);
            if (same) return keys(s);
            expand(s, static_cast<int>(head));
        }
        return std::nullopt;
    }

  private:
    static constexpr int kStart = -2;

    bool fits(const State& s) const { return board_.fits({piece_, s.rotation, s.x, s.y}); }

    State shifted(const State& s, int dx, int dy) const {
        return {static_cast<std::int8_t>(s.x + dx), static_cast<std::int8_t>(s.y + dy), s.rotation,
                lasts_ ? s.spin : Spin::none};
    }

    // On the floor below; the same if it is there already.
    State fallen(State s) const {
        for (State below = shifted(s, 0, -1); fits(below); below = shifted(s, 0, -1)) s = below;
        return s;
    }

    void visit(const State& s, int from, Key key) {
        const auto i = static_cast<std::size_t>(index(s));
        if (from_[i] != -1) return;
        from_[i] = from;
        key_[i] = key;
        queue_.push_back(s);
    }

    void expand(const State& s, int head) {
        const auto shift = [&](int dx, int dy, Key key) {
            const State to = shifted(s, dx, dy);
            if (fits(to)) visit(to, head, key);
        };
        shift(-1, 0, Key::left);
        shift(1, 0, Key::right);
        turn(s, 1, Key::cw, head);
        turn(s, 3, Key::ccw, head);
        turn(s, 2, Key::flip, head);
        const State down = fallen(s);
        if (down.y != s.y) visit(down, head, Key::sonic_drop);
        shift(0, -1, Key::soft_drop);
    }

    void turn(const State& s, int by, Key key, int head) {
        const auto to = static_cast<Rotation>((static_cast<int>(s.rotation) + by) % kRotations);
        const auto turned = rotate(board_, {piece_, s.rotation, s.x, s.y}, to, kicks_, spins_);
        if (!turned) return;
        const Placement& p = turned->placement;
        visit({p.x, p.y, p.rotation, p.spin}, head, key);
    }

    std::vector<Key> keys(State s) const {
        std::vector<Key> path{Key::hard_drop};
        for (;;) {
            const auto i = static_cast<std::size_t>(index(s));
            if (from_[i] == kStart) break;
            path.push_back(key_[i]);
            s = queue_[static_cast<std::size_t>(from_[i])];
        }
        std::reverse(path.begin(), path.end());
        return path;
    }

    const Board& board_;
    Piece piece_;
    const Kicks& kicks_;
    SpinMode spins_;
    bool lasts_;
    std::vector<int> from_;  // index in queue_, kStart, or -1: not seen
    std::vector<Key> key_;
    std::vector<State> queue_;
};

}  // namespace

std::optional<std::vector<Key>> find_path(const Board& board, const Placement& placement,
                                          const Kicks& kicks, Spawn spawn, SpinMode spins) {
    return Search(board, placement.piece, kicks, spins).run(placement, spawn);
}

}  // namespace sevenbag
