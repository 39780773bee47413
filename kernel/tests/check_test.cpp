// Tests of the test framework: a check that cannot fail proves nothing.

#include "check.hpp"

#include <cstdint>
#include <stdexcept>

namespace {

// Number of failures of a function, not counted for the calling test.
template <class Body>
std::size_t failures_of(Body body) {
    auto& all = sevenbag::check::failures();
    const std::size_t before = all.size();
    body();
    const std::size_t made = all.size() - before;
    all.resize(before);
    return made;
}

enum class Colour : std::uint8_t { kRed = 7 };

}  // namespace

TEST(a_true_check_is_silent) {
    CHECK_EQ(failures_of([] { CHECK(1 + 1 == 2); }), 0);
}

TEST(a_false_check_complains) {
    CHECK_EQ(failures_of([] { CHECK(1 + 1 == 3); }), 1);
    CHECK_EQ(failures_of([] { CHECK_EQ(1 + 1, 3); }), 1);
}

TEST(numbers_are_compared_by_value) {
    CHECK_EQ(std::uint64_t{3}, 3);
    CHECK_EQ(failures_of([] { CHECK_EQ(std::uint64_t{0} - 1, -1); }), 1);
}

TEST(values_are_shown_as_numbers) {
    CHECK_EQ(sevenbag::check::show(std::uint8_t{65}), "65");
    CHECK_EQ(sevenbag::check::show(Colour::kRed), "7");
    CHECK_EQ(sevenbag::check::show(true), "true");
}

TEST(a_missing_exception_complains) {
    CHECK_THROWS(std::runtime_error, throw std::range_error("too far"));
    CHECK_EQ(failures_of([] { CHECK_THROWS(std::runtime_error, 0); }), 1);
}
