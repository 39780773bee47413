// Minimal test framework of the kernel: TEST, CHECK, CHECK_EQ, CHECK_THROWS.
//
//     TEST(an_empty_row_is_not_full) {
//         Board board;
//         CHECK(!board.full(0));
//         CHECK_EQ(board.count(), 0);
//     }
//
// A failed check is reported with its location and the test continues; tests/main.cpp runs all
// tests.

#pragma once

#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sevenbag::check {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SB_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SB_SANITIZED
#endif

// Number of random cases to run: one in twenty under the sanitizers, which take twenty times as
// long and check memory accesses, not results.
constexpr int scale_cases(int max) {
#if defined(SB_SANITIZED)
    return (max + 19) / 20;
#else
    return max;
#endif
}

struct Test {
    const char* name;
    void (*body)();
};

// Every TEST of the program, in the order of its file.
inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

// Failures of the running test.
inline std::vector<std::string>& failures() {
    static std::vector<std::string> all;
    return all;
}

struct Registration {
    Registration(const char* name, void (*body)()) { tests().push_back({name, body}); }
};

inline void report_failure(const char* file, int line, const std::string& what) {
    failures().push_back(std::string(file) + ":" + std::to_string(line) + ": " + what);
}

// A value as text: numbers as numbers (also those of one byte), enums as their number, streamable
// values as streamed, and anything else as a question mark.
template <class T>
std::string show(const T& value) {
    std::ostringstream out;
    if constexpr (std::is_same_v<T, bool>) {
        out << (value ? "true" : "false");
    } else if constexpr (std::is_enum_v<T>) {
        out << +static_cast<std::underlying_type_t<T>>(value);
    } else if constexpr (std::is_integral_v<T>) {
        out << +value;
    } else if constexpr (requires { out << value; }) {
        out << value;
    } else {
        out << '?';
    }
    return out.str();
}

template <class A, class B>
bool equal(const A& a, const B& b) {
    // Integers are compared by value, whatever their signs: CHECK_EQ(list.size(), 3).
    constexpr bool numbers = std::is_integral_v<A> && std::is_integral_v<B> &&
                             !std::is_same_v<A, bool> && !std::is_same_v<B, bool>;
    if constexpr (numbers) {
        return static_cast<std::common_type_t<A, B>>(a) ==
                   static_cast<std::common_type_t<A, B>>(b) &&
               (a < A{}) == (b < B{});
    } else {
        return a == b;
    }
}

template <class A, class B>
void check_equal(const char* file, int line, const char* text, const A& a, const B& b) {
    if (!equal(a, b)) {
        report_failure(file, line, std::string(text) + ": " + show(a) + " is not " + show(b));
    }
}

}  // namespace sevenbag::check

#define TEST(name)                                                                      \
    static void test_##name();                                                          \
    static const sevenbag::check::Registration registration_##name{#name, test_##name}; \
    static void test_##name()

#define CHECK(...)                                                                             \
    do {                                                                                       \
        if (!(__VA_ARGS__)) sevenbag::check::report_failure(__FILE__, __LINE__, #__VA_ARGS__); \
    } while (false)

#define CHECK_EQ(a, ...) \
    sevenbag::check::check_equal(__FILE__, __LINE__, #a " == " #__VA_ARGS__, (a), (__VA_ARGS__))

// The statement must throw an exception of this type (or one derived from it).
#define CHECK_THROWS(type, ...)                                                                    \
    do {                                                                                           \
        bool thrown = false;                                                                       \
        try {                                                                                      \
            static_cast<void>(__VA_ARGS__);                                                        \
        } catch (const type&) {                                                                    \
            thrown = true;                                                                         \
        }                                                                                          \
        if (!thrown)                                                                               \
            sevenbag::check::report_failure(__FILE__, __LINE__, #__VA_ARGS__ " throws no " #type); \
    } while (false)
