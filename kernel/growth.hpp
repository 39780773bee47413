// A value of the rules that grows with time.
#pragma once

#include "rules.hpp"

namespace sevenbag {

struct GrowingValue {
    double value;

    // The frames from `from` up to `to` pass.
    void advance(const Growth& growth, int from, int to);
};

}  // namespace sevenbag
