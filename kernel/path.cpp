#include "path.hpp"

#include <algorithm>

namespace sevenbag {

namespace {

// How the piece last moved: it decides about spins, so states that differ in it are different.
enum Last : std::uint8_t { shifted, turned, kicked_full };
constexpr int kLast = 3;

struct State {
    std::int8_t x;
    std::int8_t y;
    std::uint8_t rotation;
    std::uint8_t last;
};

constexpr int kColumns = kMaxWidth + 4;  // an O's centre can stand outside the board
constexpr int kHeights = kMaxRows + 4;
constexpr int kStates = kColumns * kHeights * kRotations * kLast;

int index(const State& s) {
    return ((s.last * kRotations + s.rotation) * kHeights + s.y + 2) * kColumns + s.x + 2;
}

class Search {
  public:
    Search(const Board& board, Piece piece, const Kicks& kicks)
        : board_(board), piece_(piece), kicks_(kicks), from_(kStates, -1), key_(kStates) {}

    std::optional<std::vector<Key>> run(const Placement& target, Spawn spawn, bool spins) {
        const State start{spawn.x, spawn.y, 0, shifted};
        if (!fits(start)) return std::nullopt;
        from_[static_cast<std::size_t>(index(start))] = kStart;
        queue_.push_back(start);
        const Placement wanted = canonical(target);
        for (std::size_t head = 0; head < queue_.size(); ++head) {
            const State s = queue_[head];
            State down = s;
            fall(down);
            // hard_drop over a row or more ends a spin.
            if (down.y != s.y) down.last = shifted;
            Placement here = canonical({piece_, static_cast<Rotation>(s.rotation), s.x, down.y});
            if (spins && piece_ == Piece::T) here.spin = spin(down);
            const bool same = here.rotation == wanted.rotation && here.x == wanted.x &&
                              here.y == wanted.y && (!spins || here.spin == wanted.spin);
            if (same) return keys(s);
            expand(s, static_cast<int>(head));
        }
        return std::nullopt;
    }

  private:
    static constexpr int kStart = -2;

    bool fits(const State& s) const {
        return board_.fits({piece_, static_cast<Rotation>(s.rotation), s.x, s.y});
    }

    void fall(State& s) const {
        for (;;) {
            --s.y;
            if (!fits(s)) break;
        }
        ++s.y;
    }

    Spin spin(const State& s) const {
        if (s.last == shifted) return Spin::none;
        bool filled[4];
        int count = 0;
        for (int i = 0; i < 4; ++i) {
            const int corner = (s.rotation + i) % 4;
            filled[i] = board_.blocked(s.x + kCornerX[corner], s.y + kCornerY[corner]);
            count += filled[i];
        }
        if (count < 3) return Spin::none;
        return (filled[0] && filled[1]) || s.last == kicked_full ? Spin::full : Spin::mini;
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
            const State to{static_cast<std::int8_t>(s.x + dx), static_cast<std::int8_t>(s.y + dy),
                           s.rotation, shifted};
            if (fits(to)) visit(to, head, key);
        };
        shift(-1, 0, Key::left);
        shift(1, 0, Key::right);
        turn(s, 1, Key::cw, head);
        turn(s, 3, Key::ccw, head);
        turn(s, 2, Key::flip, head);
        State down = s;
        fall(down);
        down.last = shifted;
        if (down.y != s.y) visit(down, head, Key::sonic_drop);
        shift(0, -1, Key::soft_drop);
    }

    void turn(const State& s, int by, Key key, int head) {
        const int to = (s.rotation + by) % 4;
        const Tests& tests =
            kicks_.tests(piece_, static_cast<Rotation>(s.rotation), static_cast<Rotation>(to));
        for (int i = 0; i < tests.count; ++i) {
            const Cell d = tests.displacement[static_cast<std::size_t>(i)];
            const State next{static_cast<std::int8_t>(s.x + d.x),
                             static_cast<std::int8_t>(s.y + d.y), static_cast<std::uint8_t>(to),
                             is_full_kick(to, d) ? kicked_full : turned};
            if (!fits(next)) continue;
            visit(next, head, key);
            return;
        }
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
    std::vector<int> from_;  // index in queue_, kStart, or -1: not seen
    std::vector<Key> key_;
    std::vector<State> queue_;
};

}  // namespace

std::optional<std::vector<Key>> find_path(const Board& board, const Placement& placement,
                                          const Kicks& kicks, Spawn spawn, SpinMode spins) {
    return Search(board, placement.piece, kicks).run(placement, spawn, spins == SpinMode::t_spins);
}

}  // namespace sevenbag
