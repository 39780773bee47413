#include "frames/settings.hpp"

#include "error.hpp"

namespace sevenbag {

void validate(const Handling& handling) {
    check_range("das", handling.das, 0, kMostFrames);
    // Otherwise more repeats are due than there are numbers.
    if (handling.arr != 0) check_range("arr", handling.arr, 0.001, kMostFrames);
    check_range("dcd", handling.dcd, 0, kMostFrames);
    check_range("soft_drop", handling.soft_drop, 0, kMostFrames);
}

void validate(const FrameRules& rules) {
    check_range("gravity", rules.gravity.start, 0, kMostGravity);
    check_range("gravity growth", rules.gravity.per_second, 0, kMostGravity);
    check_range("gravity margin", rules.gravity.margin, 0, kLastFrame);
    check_range("lock_time", rules.lock_time, 0, kMostFrames);
    check_range("lock_resets", rules.lock_resets, 0, kMostFrames);
}

}  // namespace sevenbag
