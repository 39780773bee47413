// Numbers for keys, given out one after another: a hash table that grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pc/visited_set.hpp"

namespace sevenbag::pc {

class KeyIndex {
  public:
    // Slots to begin with: a power of two.
    explicit KeyIndex(std::size_t slots) : keys_(slots), numbers_(slots) {}

    // The number of a key; `next`, if it is new.
    std::uint32_t of(std::uint64_t key, std::uint32_t next) {
        std::size_t i = place(++key);  // never zero
        if (keys_[i] == key) return numbers_[i];
        if (++count_ * 2 > keys_.size()) {
            grow();
            i = place(key);
        }
        keys_[i] = key;
        numbers_[i] = next;
        return next;
    }

    // Memory, in words of eight bytes.
    std::size_t words() const { return keys_.size() + keys_.size() / 2; }

  private:
    std::size_t place(std::uint64_t key) const {
        std::size_t i = VisitedSet::scattered(key) & (keys_.size() - 1);
        while (keys_[i] != 0 && keys_[i] != key) i = (i + 1) & (keys_.size() - 1);
        return i;
    }

    void grow() {
        std::vector<std::uint64_t> keys(keys_.size() * 4);
        std::vector<std::uint32_t> numbers(keys.size());
        keys.swap(keys_);
        numbers.swap(numbers_);
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (keys[i] != 0) {
                const std::size_t to = place(keys[i]);
                keys_[to] = keys[i];
                numbers_[to] = numbers[i];
            }
    }

    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> numbers_;
    std::size_t count_ = 0;
};

}  // namespace sevenbag::pc
