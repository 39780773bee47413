#include "growth.hpp"

#include <algorithm>

namespace sevenbag {

void GrowingValue::advance(const Growth& growth, int from, int to) {
    if (growth.end_frame > 0) {
        const double passed = std::clamp(to, growth.margin, growth.end_frame) - growth.margin;
        value = growth.start +
                (growth.end - growth.start) * passed / (growth.end_frame - growth.margin);
        return;
    }
    if (growth.per_second == 0) return;
    // Added frame by frame, as the rule is written: a product would round otherwise.
    for (int frame = std::max(from, growth.margin); frame < to; ++frame)
        value += growth.per_second / 60;
}

}  // namespace sevenbag
