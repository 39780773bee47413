// Auto shift: the two keys that move a piece sideways, one shift on press and repeats while held.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "frames/frame_rules.hpp"

namespace sevenbag {

enum class Side : int { left, right };

constexpr Side other(Side side) { return side == Side::left ? Side::right : Side::left; }

class AutoShift {
  public:
    // `hoisted`: the key was already down when the game began, so it is fully charged.
    void press(const Handling& handling, Side side, bool hoisted) {
        Key& key = key_of(side);
        key.held = true;
        key.charge = hoisted ? handling.das - handling.dcd : 0;
        // The repeat timer starts full: the first repeat comes when the charge is complete.
        key.repeat = handling.arr;
        last_ = side;
    }

    void release(const Handling& handling, Side side) {
        key_of(side).held = false;
        key_of(side).charge = 0;
        Key& opposite = key_of(other(side));
        if (opposite.held) last_ = other(side);
        if (handling.cancel) {
            opposite.repeat = handling.arr;
            opposite.charge = 0;
        }
    }

    // Advance the key of one side by a number of frames. Return the number of shifts due, at most
    // `width`.
    int advance(const Handling& handling, Side side, double frames, int width) {
        Key& key = key_of(side);
        // The side not pressed last neither moves nor charges.
        if (!key.held || last_ != side) return 0;
        const double beyond = std::max(0.0, frames - std::max(0.0, handling.das - key.charge));
        key.charge = std::min(key.charge + frames, handling.das);
        if (key.charge < handling.das) return 0;
        key.repeat += beyond;
        if (key.repeat < handling.arr) return 0;
        if (handling.arr == 0) return width;
        const double due = std::floor(key.repeat / handling.arr);
        key.repeat -= handling.arr * due;
        return static_cast<int>(std::min(due, static_cast<double>(width)));
    }

    // Reduce the charge, which delays repeats: after a turn, or at the next piece, if the last
    // shift was blocked.
    void cut_das(const Handling& handling) {
        if (!blocked_ || handling.dcd == 0) return;
        for (Key& key : keys_) {
            key.charge = std::min(key.charge, handling.das - handling.dcd);
            key.repeat = handling.arr;
        }
    }

    // The direction pressed last, in columns.
    int direction() const { return last_ == Side::left ? -1 : 1; }

    // Set whether the last shift was blocked.
    void set_blocked(bool blocked) { blocked_ = blocked; }

  private:
    struct Key {
        bool held = false;
        double charge = 0;  // frames it was held, up to the handling's `das`
        double repeat = 0;  // frames since the last repeat
    };

    Key& key_of(Side side) { return keys_[static_cast<std::size_t>(side)]; }

    std::array<Key, 2> keys_{};
    Side last_ = Side::left;
    bool blocked_ = false;
};

}  // namespace sevenbag
