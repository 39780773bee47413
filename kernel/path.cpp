#include "path.hpp"

#include <algorithm>

#include "flight.hpp"

namespace sevenbag {

namespace {

using State = Flight::State;

// The centre is one of the piece's own cells, hence always on the board.
constexpr int kStates = kMaxWidth * kMaxRows * kRotations * Flight::kMarks;

std::size_t index(const State& s) {
    const int turned = s.mark * kRotations + static_cast<int>(s.rotation);
    return static_cast<std::size_t>((turned * kMaxRows + s.y) * kMaxWidth + s.x);
}

class Search {
  public:
    Search(const Flight& flight, bool spins) : flight_(flight), spins_(spins) {}

    std::optional<std::vector<Key>> run(const Placement& target, const State& start) {
        if (!flight_.fits(start)) return std::nullopt;
        from_[index(start)] = kStart;
        queue_.push_back(start);
        const Placement wanted = canonical(target);
        for (std::size_t head = 0; head < queue_.size(); ++head) {
            const State s = queue_[head];
            const State down = flight_.fallen(s);
            const Placement here = canonical(flight_.placement(down));
            const bool same = here.rotation == wanted.rotation && here.x == wanted.x &&
                              here.y == wanted.y && (!spins_ || here.spin == wanted.spin);
            if (same) return keys(s);
            expand(s, down, static_cast<int>(head));
        }
        return std::nullopt;
    }

  private:
    static constexpr int kStart = -2;

    void visit(const std::optional<State>& s, int from, Key key) {
        if (!s || from_[index(*s)] != -1) return;
        from_[index(*s)] = from;
        key_[index(*s)] = key;
        queue_.push_back(*s);
    }

    void expand(const State& s, const State& down, int head) {
        visit(flight_.shifted(s, -1, 0), head, Key::left);
        visit(flight_.shifted(s, 1, 0), head, Key::right);
        visit(flight_.turned(s, 1), head, Key::cw);
        visit(flight_.turned(s, 3), head, Key::ccw);
        visit(flight_.turned(s, 2), head, Key::flip);
        if (down.y != s.y) visit(down, head, Key::sonic_drop);
        visit(flight_.shifted(s, 0, -1), head, Key::soft_drop);
    }

    std::vector<Key> keys(State s) const {
        std::vector<Key> path{Key::hard_drop};
        for (;;) {
            const int from = from_[index(s)];
            if (from == kStart) break;
            path.push_back(key_[index(s)]);
            s = queue_[static_cast<std::size_t>(from)];
        }
        std::reverse(path.begin(), path.end());
        return path;
    }

    const Flight& flight_;
    bool spins_;                                             // whether they are told apart
    std::vector<int> from_ = std::vector<int>(kStates, -1);  // index in queue_, or -1: not seen
    std::vector<Key> key_ = std::vector<Key>(kStates);
    std::vector<State> queue_;
};

}  // namespace

std::optional<std::vector<Key>> find_path(const Board& board, const Placement& placement,
                                          const Kicks& kicks, Spawn spawn, const SpinRules& spins) {
    const Flight flight(board, placement.piece, kicks, spins);
    const Placement start = kicks.appear(placement.piece, spawn.x, spawn.y);
    return Search(flight, spins.mode != SpinMode::none)
        .run(placement, {start.x, start.y, start.rotation});
}

}  // namespace sevenbag
