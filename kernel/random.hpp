// The minimal standard generator (Lehmer 1951, Park and Miller 1988): v -> 16807 v mod 2^31 - 1.
//
// Whole numbers and one division: every machine draws the same.
#pragma once

#include <cstdint>

namespace sevenbag {

class MinstdRandom {
  public:
    // Any seed is taken; those that would stand still (multiples of 2^31 - 1) become the largest.
    explicit constexpr MinstdRandom(std::int64_t seed) : value_(seed % kModulus) {
        if (value_ <= 0) value_ += kModulus - 1;
    }

    // 1 to 2^31 - 2.
    constexpr std::int64_t next() { return value_ = value_ * 16807 % kModulus; }

    // From 0 to below 1.
    constexpr double fraction() {
        return static_cast<double>(next() - 1) / static_cast<double>(kModulus - 1);
    }

    // From 0 to below `limit`.
    constexpr int below(int limit) { return static_cast<int>(fraction() * limit); }

    template <class T>
    constexpr void shuffle(T* items, int count) {
        for (int i = count - 1; i > 0; --i) {
            const int j = below(i + 1);
            const T item = items[i];
            items[i] = items[j];
            items[j] = item;
        }
    }

    friend constexpr bool operator==(const MinstdRandom&, const MinstdRandom&) = default;

  private:
    static constexpr std::int64_t kModulus = 2147483647;

    std::int64_t value_;
};

}  // namespace sevenbag
