// States of one layer with their parents.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pc/board_graph.hpp"
#include "pc/endgame_tables.hpp"

namespace sevenbag::pc {

struct StateList {
    std::vector<State> states;
    std::vector<std::uint32_t> parents;  // their places in the list of the layer before

    std::size_t size() const { return states.size(); }
    void clear() {
        states.clear();
        parents.clear();
    }
    void add(State state, std::uint32_t parent) {
        states.push_back(state);
        parents.push_back(parent);
    }
};

// Set of visited states; clearing is free.
class SeenStates {
  public:
    void clear(std::size_t max) {
        if (max * 2 > slots_.size()) {
            slots_.assign(std::bit_ceil(max * 2), 0);
            round_ = 0;
        }
        // Slots of earlier rounds are free ones.
        if (++round_ == 0) {
            slots_.assign(slots_.size(), 0);
            round_ = 1;
        }
    }

    // Add a state; return whether it is new.
    bool add(State state) {
        const std::uint64_t mark = std::uint64_t{round_} << 32 | state;
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t i = state * 0x9E3779B97F4A7C15 >> 32 & mask;; i = (i + 1) & mask) {
            if (slots_[i] == mark) return false;
            if (slots_[i] >> 32 == round_) continue;
            slots_[i] = mark;
            return true;
        }
    }

  private:
    std::vector<std::uint64_t> slots_;
    std::uint32_t round_ = 0;
};

// The states that the current letter leads to.
inline void follow(const Layer& layer, const StateList& from, int current, SeenStates& seen,
                   StateList& to) {
    to.clear();
    std::size_t max = 1;
    for (State state : from.states) {
        const std::uint32_t board = board_of(state);
        max += layer.children(board, current).size() + layer.children(board, held_of(state)).size();
    }
    seen.clear(max);
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::uint32_t board = board_of(from.states[i]);
        const int held = held_of(from.states[i]);
        const auto place = [&](int placed, int kept) {
            for (std::uint32_t child : layer.children(board, placed))
                if (const State next = state_of(child, kept); seen.add(next))
                    to.add(next, static_cast<std::uint32_t>(i));
        };
        place(current, held);
        if (current != held) place(held, current);
    }
}

}  // namespace sevenbag::pc
