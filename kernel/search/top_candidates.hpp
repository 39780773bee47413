// The best of many candidates, equal boards once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sevenbag {

struct Candidate {
    std::uint64_t key;   // the score above, the move below: no two are equal
    std::uint64_t hash;  // of the board and its state
};

class TopCandidates {
  public:
    // Clear the list and keep the best `max` candidates, at least 1.
    void begin(std::size_t max) {
        max_ = max;
        least_ = 0;
        items_.clear();
    }

    void offer(const Candidate& candidate) {
        if (candidate.key <= least_) return;
        items_.push_back(candidate);
        if (items_.size() >= 2 * max_ + kSlack) shorten();
    }

    // Best first.
    const std::vector<Candidate>& finish() {
        shorten();
        return items_;
    }

  private:
    static constexpr std::size_t kSlack = 256;

    void shorten() {
        std::sort(items_.begin(), items_.end(),
                  [](const Candidate& a, const Candidate& b) { return a.key > b.key; });
        drop_equal();
        if (items_.size() < max_) return;
        items_.resize(max_);
        least_ = items_.back().key;
    }

    // Of candidates with the same board, the first (the best) is kept.
    void drop_equal() {
        std::size_t size = 1024;
        while (size < 2 * items_.size()) size *= 2;
        seen_.assign(size, 0);
        std::size_t kept = 0;
        for (const Candidate& item : items_) {
            if (kept == max_) break;
            std::size_t slot = item.hash & (size - 1);
            while (seen_[slot] != 0 && seen_[slot] != item.hash) slot = (slot + 1) & (size - 1);
            if (seen_[slot] == item.hash) continue;
            seen_[slot] = item.hash;
            items_[kept++] = item;
        }
        items_.resize(kept);
    }

    std::size_t max_ = 1;
    std::uint64_t least_ = 0;
    std::vector<Candidate> items_;
    std::vector<std::uint64_t> seen_;
};

}  // namespace sevenbag
