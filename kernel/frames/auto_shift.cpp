#include "frames/auto_shift.hpp"

#include <algorithm>
#include <cmath>

namespace sevenbag {

int AutoShift::pass(const Handling& handling, Side side, double frames, int width) {
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

}  // namespace sevenbag
