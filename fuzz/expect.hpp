// Expectations for every input. A violation ends the program like a crash, so that the fuzzer keeps
// the input; these checks do not depend on NDEBUG.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace sevenbag::fuzz {

[[noreturn]] inline void fail_expectation(const char* file, int line, const char* what) {
    std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    std::abort();
}

}  // namespace sevenbag::fuzz

#define EXPECT(...)                                                                             \
    do {                                                                                        \
        if (!(__VA_ARGS__)) sevenbag::fuzz::fail_expectation(__FILE__, __LINE__, #__VA_ARGS__); \
    } while (false)
