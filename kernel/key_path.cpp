#include "key_path.hpp"

#include <algorithm>
#include <array>

namespace sevenbag {

namespace {

using State = PieceMotion::State;

// In the order in which they are tried: gravity does least to a piece that turns first.
constexpr Key kKeyOrder[] = {Key::cw,        Key::ccw,        Key::flip,
                             Key::left,      Key::right,      Key::das_left,
                             Key::das_right, Key::sonic_drop, Key::soft_drop};

// A state in 14 bits.
using PackedState = std::uint16_t;
static_assert(kMaxWidth <= 16 && kMaxRows <= 64 && PieceMotion::kSpinMarks <= 4);

PackedState code(const State& s) {
    const int turned = s.mark * kRotations + static_cast<int>(s.rotation);
    return static_cast<PackedState>((turned * kMaxRows + s.y) * kMaxWidth + s.x);
}

State state(PackedState c) {
    const int turned = c / (kMaxRows * kMaxWidth);
    return {
        static_cast<std::int8_t>(c % kMaxWidth), static_cast<std::int8_t>(c / kMaxWidth % kMaxRows),
        static_cast<Rotation>(turned % kRotations), static_cast<std::uint8_t>(turned / kRotations)};
}

constexpr std::size_t kMaxStates = 1 << 14;

// Sets of states are unbounded; a path beyond this limit is not useful.
constexpr std::size_t kMaxStateSets = 4096;

// All states that the piece may be in, sorted; equal states are merged.
class StateSet {
  public:
    StateSet() { codes_.fill(kNone); }

    void add(const State& s) { codes_[size_++] = code(s); }
    void settle() {
        const auto end = codes_.begin() + static_cast<std::ptrdiff_t>(size_);
        std::sort(codes_.begin(), end);
        const auto last = std::unique(codes_.begin(), end);
        std::fill(last, end, kNone);
        size_ = static_cast<std::size_t>(last - codes_.begin());
    }

    std::size_t size() const { return size_; }
    State operator[](std::size_t i) const { return state(codes_[i]); }

    friend bool operator==(const StateSet&, const StateSet&) = default;
    std::size_t hash() const {
        std::uint64_t h = 0;
        for (std::size_t i = 0; i < size_; ++i) h = (h ^ codes_[i]) * 0x9E3779B97F4A7C15u;
        return static_cast<std::size_t>(h >> 32);
    }

  private:
    static constexpr PackedState kNone = 0xFFFF;
    std::array<PackedState, kMaxGravityRows + 1> codes_;
    std::size_t size_ = 0;
};

StateSet press_keys(const PieceMotion& motion, const StateSet& states, Key key) {
    StateSet to;
    for (std::size_t i = 0; i < states.size(); ++i)
        to.add(motion.try_press(states[i], key).value_or(states[i]));
    if (states.size() > 1) to.settle();
    return to;
}

StateSet press_keys(const PieceMotion& motion, StateSet states, std::span<const Key> keys) {
    for (Key key : keys) states = press_keys(motion, states, key);
    return states;
}

// The placement of a hard drop.
class Goal {
  public:
    Goal(const PieceMotion& motion, const Placement& target, bool spins)
        : motion_(motion), wanted_(canonical(target)), spins_(spins) {}

    // From all of these.
    bool reached(const StateSet& states) const {
        for (std::size_t i = 0; i < states.size(); ++i) {
            const Placement here = canonical(motion_.placement(motion_.drop(states[i])));
            if (here.rotation != wanted_.rotation || here.x != wanted_.x || here.y != wanted_.y ||
                (spins_ && here.spin != wanted_.spin))
                return false;
        }
        return true;
    }

  private:
    const PieceMotion& motion_;
    Placement wanted_;
    bool spins_;  // whether spins count
};

class KeySearch {
  public:
    KeySearch(const PieceMotion& motion, const Goal& goal, KeySet keys)
        : motion_(motion), goal_(goal) {
        for (Key key : kKeyOrder)
            if (keys.has(key)) keys_[key_count_++] = key;
    }

    std::optional<std::vector<Key>> run(const StateSet& start, std::size_t most) {
        visit({start, -1, Key::hard_drop});
        for (std::size_t head = 0; head < std::min(most, nodes_.size()); ++head) {
            if (goal_.reached(nodes_[head].states)) return presses(static_cast<int>(head));
            for (std::size_t i = 0; i < key_count_; ++i) {
                const StateSet to = press_keys(motion_, nodes_[head].states, keys_[i]);
                visit({to, static_cast<int>(head), keys_[i]});
            }
        }
        return std::nullopt;
    }

  private:
    struct Node {
        StateSet states;
        int from;  // index in nodes_
        Key key;   // that led here
    };

    // Keeps a node unless its cloud is known.
    void visit(const Node& node) {
        if (2 * nodes_.size() >= slots_.size()) grow();
        int& slot = slots_[slot_of(node.states)];
        if (slot != kFree) return;
        slot = static_cast<int>(nodes_.size());
        nodes_.push_back(node);
    }

    std::size_t slot_of(const StateSet& states) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = states.hash() & mask;
        while (slots_[at] != kFree && nodes_[static_cast<std::size_t>(slots_[at])].states != states)
            at = (at + 1) & mask;
        return at;
    }

    void grow() {
        slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), kFree);
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            slots_[slot_of(nodes_[i].states)] = static_cast<int>(i);
    }

    std::vector<Key> presses(int at) const {
        std::vector<Key> path{Key::hard_drop};
        for (; at > 0; at = nodes_[static_cast<std::size_t>(at)].from)
            path.push_back(nodes_[static_cast<std::size_t>(at)].key);
        std::reverse(path.begin(), path.end());
        return path;
    }

    static constexpr int kFree = -1;

    const PieceMotion& motion_;
    const Goal& goal_;
    std::array<Key, kKeys> keys_{};
    std::size_t key_count_ = 0;
    std::vector<Node> nodes_;
    std::vector<int> slots_;  // indices in nodes_, by hash
};

State at(const Placement& placement) { return {placement.x, placement.y, placement.rotation}; }

}  // namespace

std::optional<std::vector<Key>> find_path(const Board& board, const Placement& placement,
                                          const Kicks& kicks, const Placement& start,
                                          const SpinRules& spins, KeySet keys, int fallen) {
    const PieceMotion motion(board, placement.piece, kicks, spins);
    std::optional<State> below = at(start);
    if (!motion.fits(*below)) return std::nullopt;
    StateSet unfallen;
    StateSet any;
    unfallen.add(*below);
    for (int rows = 0; below && rows <= std::min(fallen, kMaxGravityRows); ++rows) {
        any.add(*below);
        below = motion.try_shift(*below, 0, -1);
    }
    any.settle();
    const Goal goal(motion, placement, spins.mode != SpinMode::none);
    // This is the common case: a path from the start also leads there from below, or none does.
    auto path = KeySearch(motion, goal, keys).run(unfallen, kMaxStates);
    if (!path || goal.reached(press_keys(motion, any, *path))) return path;
    return KeySearch(motion, goal, keys).run(any, kMaxStateSets);
}

std::optional<Placement> follow_keys(const Board& board, Piece piece, std::span<const Key> keys,
                                     const Kicks& kicks, Spawn spawn, const SpinRules& spins) {
    const PieceMotion motion(board, piece, kicks, spins);
    State here = at(kicks.appear(piece, spawn.x, spawn.y));
    if (!motion.fits(here)) return std::nullopt;
    for (Key key : keys) here = motion.try_press(here, key).value_or(here);
    return motion.placement(motion.drop(here));
}

}  // namespace sevenbag
