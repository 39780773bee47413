#include "pc/features.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace sevenbag::pc {

void find_features(const Board& board, int height, float* features) {
    constexpr int kColumns = 10;
    const int rows = board.height();
    std::array<int, kColumns> heights{};
    for (int x = 0; x < kColumns; ++x)
        for (int y = 0; y < rows; ++y)
            if (board.row(y) >> x & 1) heights[static_cast<std::size_t>(x)] = y + 1;
    const auto height_of = [&](int x) { return heights[static_cast<std::size_t>(x)]; };

    int squares = 0, caves = 0, pillars = 0, beside = 0, above = 0, checkers = 0, even = 0;
    for (int x = 0; x < kColumns; ++x) {
        const int h = height_of(x);
        const int left = x > 0 ? height_of(x - 1) : height_of(1);
        const int right = x + 1 < kColumns ? height_of(x + 1) : height_of(x - 1);
        squares += h * h;
        for (int y = 0; y + 1 < h && y <= std::max(left, right); ++y)
            if (!(board.row(y) >> x & 1) && (board.row(y + 1) >> x & 1)) caves += h - y;
        const int difference = x == 0 || x + 1 == kColumns
                                   ? std::max(0, left - h)
                                   : std::min(std::abs(left - h), std::abs(right - h));
        pillars += difference > 2 ? difference * difference : difference;
    }
    for (int y = 0; y < rows; ++y) {
        const std::uint32_t row = board.row(y);
        beside += std::popcount((row ^ row >> 1) & 0x1ffu);
        above += std::popcount(row ^ (y + 1 < rows ? board.row(y + 1) : 0));
        const int balance = 2 * std::popcount(row & 0x155u) - std::popcount(row);
        checkers += y % 2 == 0 ? balance : -balance;
        even += balance;
    }
    const int figures[] = {caves,
                           pillars,
                           beside,
                           above,
                           height,
                           kColumns * height - board.count(),
                           std::abs(checkers),
                           std::abs(even)};
    features[0] = std::sqrt(static_cast<float>(squares));
    std::ranges::copy(figures, features + 1);
}

}  // namespace sevenbag::pc
