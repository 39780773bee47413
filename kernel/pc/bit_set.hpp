// Sets of numbers from 0, as bits of an array of words.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sevenbag::pc {

using Bits = std::vector<std::uint64_t>;

constexpr std::size_t words_for(std::uint64_t count) {
    return static_cast<std::size_t>((count + 63) / 64);
}

// The words of the first `count` numbers: those of the last word that are in it.
constexpr std::uint64_t last_word(std::uint64_t count) {
    return count % 64 == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << count % 64) - 1;
}

inline std::uint64_t bits_count(const Bits& bits) {
    std::uint64_t count = 0;
    for (const std::uint64_t word : bits) count += static_cast<std::uint64_t>(std::popcount(word));
    return count;
}

// All numbers from 0 to count - 1.
inline void fill_bits(std::uint64_t* to, std::uint64_t count) {
    for (std::size_t i = 0; i < words_for(count); ++i) to[i] = ~std::uint64_t{0};
    to[words_for(count) - 1] &= last_word(count);
}

// Set `to` to the numbers offset to offset + count - 1 of `from`, shifted to 0. Return whether
// there is any.
inline bool take_bits(std::uint64_t* to, const std::uint64_t* from, std::uint64_t offset,
                      std::uint64_t count) {
    const std::size_t skip = static_cast<std::size_t>(offset / 64);
    const int shift = static_cast<int>(offset % 64);
    const std::size_t last = static_cast<std::size_t>((offset + count - 1) / 64);
    const std::size_t words = words_for(count);
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < words; ++i) {
        std::uint64_t word = from[skip + i] >> shift;
        if (shift != 0 && skip + i < last) word |= from[skip + i + 1] << (64 - shift);
        if (i + 1 == words) word &= last_word(count);
        to[i] = word;
        any |= word;
    }
    return any != 0;
}

// Add `from`, whose numbers are below `count`, to `to`, shifted up by `offset`.
inline void put_bits(std::uint64_t* to, const std::uint64_t* from, std::uint64_t offset,
                     std::uint64_t count) {
    const std::size_t skip = static_cast<std::size_t>(offset / 64);
    const int shift = static_cast<int>(offset % 64);
    const std::size_t last = static_cast<std::size_t>((offset + count - 1) / 64);
    for (std::size_t i = 0; i < words_for(count); ++i) {
        to[skip + i] |= from[i] << shift;
        if (shift != 0 && skip + i < last) to[skip + i + 1] |= from[i] >> (64 - shift);
    }
}

}  // namespace sevenbag::pc
