#include "error.hpp"

#include <cmath>
#include <cstdio>

namespace sevenbag {

namespace {

std::string text_of(double number) {
    char text[32];
    const bool whole = number == std::floor(number) && std::abs(number) < 1e19;
    std::snprintf(text, sizeof text, whole ? "%.0f" : "%g", number);
    return text;
}

}  // namespace

void check_range(const char* name, double value, double min, double max) {
    if (value >= min && value <= max) return;  // false for NaN
    throw Error(ErrorKind::rules, std::string(name) + " is " + text_of(value) + ", must be " +
                                      text_of(min) + " to " + text_of(max));
}

}  // namespace sevenbag
