// Visited positions: a hash table of keys.
#pragma once

#include <cstdint>

namespace sevenbag::pc {

// The caller of the search owns the memory.
struct VisitedSet {
    std::uint64_t* slots;
    std::uint64_t mask;   // number of slots - 1
    std::uint64_t count;  // of keys
    std::uint64_t limit;  // with more keys the table grows
    bool full;            // it cannot grow: new keys are not kept, and are new each time
    void* owner;
    void (*grow)(VisitedSet& visited);
    void (*forget)(VisitedSet& visited);

    // First slot of a key.
    [[gnu::always_inline]] static std::uint64_t scattered(std::uint64_t key) {
        key *= 0x9e3779b97f4a7c15u;
        return key ^ key >> 32;
    }

    // Insert a key, which is not zero; return whether it is new.
    [[gnu::always_inline]] bool insert(std::uint64_t key) {
        for (std::uint64_t i = scattered(key);; ++i) {
            std::uint64_t& slot = slots[i & mask];
            if (slot == key) return false;
            if (slot != 0) continue;
            if (full) return true;
            slot = key;
            if (++count > limit) grow(*this);
            return true;
        }
    }
};

}  // namespace sevenbag::pc
