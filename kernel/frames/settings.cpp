#include "frames/settings.hpp"

#include "error.hpp"

#include <cstdio>
#include <string>

namespace sevenbag {

namespace {

void need(const char* name, double value, double least, double most) {
    if (value >= least && value <= most) return;  // not so for a NaN
    char text[120];
    std::snprintf(text, sizeof text, "%s is %g, must be %g to %g", name, value, least, most);
    throw Error(ErrorKind::rules, text);
}

}  // namespace

void validate(const Handling& handling) {
    need("das", handling.das, 0, kMostFrames);
    // Otherwise more repeats are due than there are numbers.
    if (handling.arr != 0) need("arr", handling.arr, 0.001, kMostFrames);
    need("dcd", handling.dcd, 0, kMostFrames);
    need("soft_drop", handling.soft_drop, 0, kMostFrames);
}

void validate(const FrameRules& rules) {
    need("gravity", rules.gravity.start, 0, kMostGravity);
    need("gravity growth", rules.gravity.per_second, 0, kMostGravity);
    need("gravity margin", rules.gravity.margin, 0, kLastFrame);
    need("lock_time", rules.lock_time, 0, kMostFrames);
    need("lock_resets", rules.lock_resets, 0, kMostFrames);
}

}  // namespace sevenbag
