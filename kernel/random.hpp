// Pseudorandom generators: MinstdRandom for draws that the rules define, SplitMix64 for all others.
//
// Both use integer arithmetic only, so every machine draws the same values.
#pragma once

#include <cstdint>

namespace sevenbag {

// The minimal standard generator (Lehmer 1951, Park and Miller 1988): v -> 16807 v mod 2^31 - 1.
class MinstdRandom {
  public:
    // Any seed is valid; multiples of 2^31 - 1, which would stay constant, become the largest seed.
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

// Generator for seeds of further games and for random players.
//
// SplitMix64 (Steele, Lea, Flood 2014): a counter and a mixing function of its bits.
class SplitMix64 {
  public:
    explicit constexpr SplitMix64(std::uint64_t seed) : state_(seed) {}

    constexpr std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    // From 0 to below `limit`. The upper half of the bits is scaled; for limits of some thousands
    // no value is likelier than another by more than a millionth.
    constexpr int below(int limit) {
        return static_cast<int>((next() >> 32) * static_cast<std::uint64_t>(limit) >> 32);
    }

    // A seed for MinstdRandom: 1 to 2^31 - 2.
    constexpr std::int64_t seed() { return 1 + static_cast<std::int64_t>(next() % 2147483646u); }

  private:
    std::uint64_t state_;
};

}  // namespace sevenbag
