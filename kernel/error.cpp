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

void throw_invalid(ErrorKind kind, const std::string& name, const std::string& expected,
                   const std::string& got) {
    throw Error(kind, "invalid " + name + ": expected " + expected + ", got " + got);
}

void check_range(const char* name, double value, double min, double max, ErrorKind kind) {
    if (value >= min && value <= max) return;  // false for NaN
    throw_invalid(kind, name, text_of(min) + " to " + text_of(max), text_of(value));
}

}  // namespace sevenbag
