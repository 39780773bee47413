// Features of small boards (features.hpp), in tens of nanoseconds.
//
// This file is compiled once per instruction set, see bitboard.hpp.
#pragma once

#include "pc/network.hpp"
#include "pc/small_board.hpp"

namespace sevenbag {
namespace SB_ISA {
namespace pc {

inline constexpr Word kEvenColumns = kFirstColumn * 0x155;
inline constexpr Word kCheckerboard =
    (1 | Word{1} << 20 | Word{1} << 40) * (0x155 | Word{0x2aa} << kWidth);
inline constexpr Word kBorders = kFirstColumn * 0x1ff;  // at the right of all columns but the last

SB_INLINE int count_of(Word set) { return __builtin_popcountll(set); }
SB_INLINE int distance(int a, int b) { return a < b ? b - a : a - b; }

// The board with every filled cell and all cells below one.
SB_INLINE Word under_surface(Word filled) {
    filled |= filled >> 10;
    filled |= filled >> 20;
    return filled | filled >> 40;
}

// Compute the features selected by bits; the others are not changed.
SB_INLINE void find_features(SmallBoard board, unsigned wanted, float* features) {
    const Word filled = board.filled;
    const Word under = under_surface(filled);
    const int cells = count_of(filled);
    const auto lacks = [wanted](int feature)
                           __attribute__((always_inline)) { return !(wanted >> feature & 1); };
    if (!lacks(0)) {
        // h * h is the sum of the first h odd numbers.
        int squares = 0;
        for (int y = 0; y < kWordRows; ++y)
            squares += (2 * y + 1) * count_of(under & kFullRow << (y * kWidth));
        features[0] = __builtin_sqrtf(static_cast<float>(squares));
    }
    if (!lacks(1)) {
        const Word left = under & ~(kFirstColumn << (kWidth - 1));
        const Word right = under & ~kFirstColumn;
        const Word reached = (left << 1 | right >> 1) << kWidth | kFullRow;
        Word caves = ~filled & filled >> kWidth & reached & rows_below(kWordRows);
        int sum = 0;
        for (; caves; caves = caves << kWidth & under) sum += count_of(caves & under);
        features[1] = static_cast<float>(sum);
    }
    if (!lacks(2)) {
        int heights[kWidth];
        for (int x = 0; x < kWidth; ++x) heights[x] = count_of(under & kFirstColumn << x);
        const auto weighed = [](int difference) __attribute__((always_inline)) {
            return difference > 2 ? difference * difference : difference;
        };
        const int first = heights[1] - heights[0];
        const int last = heights[kWidth - 2] - heights[kWidth - 1];
        int sum = (first > 0 ? weighed(first) : 0) + (last > 0 ? weighed(last) : 0);
        for (int x = 1; x + 1 < kWidth; ++x) {
            const int a = distance(heights[x], heights[x - 1]);
            const int b = distance(heights[x], heights[x + 1]);
            sum += weighed(a < b ? a : b);
        }
        features[2] = static_cast<float>(sum);
    }
    if (!lacks(3)) features[3] = static_cast<float>(count_of((filled ^ filled >> 1) & kBorders));
    if (!lacks(4)) features[4] = static_cast<float>(count_of(filled ^ filled >> kWidth));
    features[5] = static_cast<float>(board.height);
    features[6] = static_cast<float>(kWidth * board.height - cells);
    if (!lacks(7))
        features[7] = static_cast<float>(distance(2 * count_of(filled & kCheckerboard), cells));
    if (!lacks(8))
        features[8] = static_cast<float>(distance(2 * count_of(filled & kEvenColumns), cells));
}

}  // namespace pc
}  // namespace SB_ISA
}  // namespace sevenbag
