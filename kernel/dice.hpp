// A quick generator for what no rule fixes: the seeds of further games, the choices of a random
// player. What the rules draw comes from Random instead.
//
// SplitMix64 (Steele, Lea, Flood 2014): a counter, and a mixing of its bits.
#pragma once

#include <cstdint>

namespace sevenbag {

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

    // A seed for a game: of the numbers that Random tells apart, 1 to 2^31 - 2.
    constexpr std::int64_t seed() { return 1 + static_cast<std::int64_t>(next() % 2147483646u); }

  private:
    std::uint64_t state_;
};

}  // namespace sevenbag
