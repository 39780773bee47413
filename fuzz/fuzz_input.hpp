// Fuzzer input read as numbers. After its end everything is 0, so every input terminates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace sevenbag::fuzz {

class FuzzInput {
  public:
    FuzzInput(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

    bool is_empty() const { return at_ == end_; }

    std::uint8_t byte() { return is_empty() ? 0 : *at_++; }
    bool flag() { return byte() & 1; }

    std::uint64_t word(int bytes = 8) {
        std::uint64_t value = 0;
        for (int i = 0; i < bytes; ++i) value |= std::uint64_t{byte()} << 8 * i;
        return value;
    }

    // From `least` to `most`, both included.
    int between(int min, int max) {
        const auto range = static_cast<std::uint64_t>(std::int64_t{max} - min + 1);
        const std::uint64_t drawn = range <= 256 ? byte() : word(range <= 65536 ? 2 : 4);
        return static_cast<int>(min + static_cast<std::int64_t>(drawn % range));
    }

    // A value of an enum with values 0 to count - 1.
    template <class E>
    E pick(int count) {
        return static_cast<E>(between(0, count - 1));
    }

    // Usually a number in the range, sometimes one at the limits of int.
    int number(int min, int max) {
        switch (byte() % 16) {
            case 0:
                return min;
            case 1:
                return max;
            case 2:
                return static_cast<int>(static_cast<std::uint32_t>(word(4)));
            default:
                return between(min, max);
        }
    }

    // The same for fractions; never far from `least` to `most`, but for the values after them.
    double fraction(double min, double max, std::initializer_list<double> odd = {}) {
        const std::size_t kind = byte() % 16;
        if (kind < odd.size()) return odd.begin()[kind];
        return min + (max - min) * static_cast<double>(word(2)) / 65535;
    }

  private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

}  // namespace sevenbag::fuzz
