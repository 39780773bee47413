// Which pieces come: seeded randomizers and the queue they fill.
#pragma once

#include <array>
#include <cstdint>

#include "piece.hpp"
#include "random.hpp"

namespace sevenbag {

enum class BagKind : std::uint8_t {
    seven,         // every piece once, shuffled
    fourteen,      // every piece twice
    seven_plus_1,  // every piece once and one at random
    seven_plus_2,  // every piece once and two at random
    seven_plus_x,  // every piece once; 3, 2, 1, 1 more in the first four bags
    pairs,         // two pieces, three times each
    classic,       // one at a time, drawn once more if it repeats
    total_mayhem,  // one at a time, at random
};

inline constexpr int kLargestBag = 14;

// The pieces still to come in a bag, counted by piece.
using PieceCounts = std::array<std::uint8_t, kPieces>;

// An endless row of pieces that can be looked into as far as kSight pieces.
class Queue {
  public:
    static constexpr int kSight = 40;

    Queue(BagKind kind, std::int64_t seed);

    BagKind kind() const { return kind_; }

    // The i-th piece to come, i below kSight.
    Piece peek(int i);

    // Takes the first piece off.
    Piece take();

    // What remains, after the next `i` pieces, of the bag that piece number i comes from; where the
    // next bag begins at i, that whole bag. Meaningless for bags that are not what they seem
    // beforehand: see `has_bag`.
    PieceCounts left_in_bag(int i);

    // Whether the contents of every bag are known beforehand.
    bool has_bag() const { return kind_ == BagKind::seven || kind_ == BagKind::fourteen; }

  private:
    // A power of two above kSight + kLargestBag, so that the ring is indexed by a mask.
    static constexpr std::uint64_t kRing = 64;

    void deal_bag();
    void append(const Piece* pieces, int count);

    std::array<Piece, kRing> ring_{};
    std::uint64_t taken_ = 0;
    std::uint64_t dealt_ = 0;
    Random random_;
    BagKind kind_;
    std::uint8_t bags_ = 0;  // of 7+x; stays where it no longer matters
    std::uint8_t spare_count_ = 0;
    std::int8_t last_ = -1;  // of classic
    std::array<Piece, kPieces> spare_{};
};

}  // namespace sevenbag
