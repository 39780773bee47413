#include "frames/frame_rules.hpp"

#include "error.hpp"

namespace sevenbag {

void validate(const Handling& handling) {
    check_range("das", handling.das, 0, kMaxFrames);
    // Otherwise more repeats are due than there are numbers.
    if (handling.arr != 0) check_range("arr", handling.arr, 0.001, kMaxFrames);
    check_range("dcd", handling.dcd, 0, kMaxFrames);
    check_range("soft_drop", handling.soft_drop, 0, kMaxFrames);
}

void validate(const FrameRules& rules) {
    check_range("gravity", rules.gravity.start, 0, kMaxGravity);
    check_range("gravity growth", rules.gravity.per_second, 0, kMaxGravity);
    check_range("gravity margin", rules.gravity.margin, 0, kMaxFrame);
    check_range("lock_time", rules.lock_time, 0, kMaxFrames);
    check_range("lock_resets", rules.lock_resets, 0, kMaxFrames);
}

}  // namespace sevenbag
