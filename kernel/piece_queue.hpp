// Piece queue: seeded randomizers and the pieces they deal.
#pragma once

#include <array>
#include <cstdint>

#include "piece.hpp"
#include "random.hpp"

namespace sevenbag {

enum class Randomizer : std::uint8_t {
    seven,         // every piece once, shuffled
    fourteen,      // every piece twice
    seven_plus_1,  // every piece once and one at random
    seven_plus_2,  // every piece once and two at random
    seven_plus_x,  // every piece once; 3, 2, 1, 1 more in the first four bags
    pairs,         // two pieces, three times each
    classic,       // one at a time, drawn once more if it repeats
    total_mayhem,  // one at a time, at random
    general,       // any number of each piece, shuffled
};

// Allowed first pieces; the queue is dealt again, up to a thousand times, until its start is
// allowed.
enum class FirstPieceRule : std::uint8_t {
    any,
    no_two_s_z,  // of the first two pieces at most one is S or Z
    no_s_z,      // nor is the first, nor the second after an O
};

inline constexpr int kMaxBagPieces = 63;

// Pieces counted by kind.
using PieceCounts = std::array<std::uint8_t, kPieces>;

// An endless queue of pieces with a lookahead of kMaxLookahead pieces.
class PieceQueue {
  public:
    static constexpr int kMaxLookahead = 40;

    // `filled` is the bag of Randomizer::general, one to kMaxBagPieces pieces.
    PieceQueue(Randomizer kind, std::int64_t seed,
               const PieceCounts& filled = {1, 1, 1, 1, 1, 1, 1},
               FirstPieceRule opening = FirstPieceRule::any);

    Randomizer kind() const { return kind_; }

    // The i-th next piece, i below kMaxLookahead.
    Piece peek(int i);

    // Takes the first piece off.
    Piece take();

    // The rest of the bag of piece number i after the next `i` pieces; a full bag if the next bag
    // begins at i. Undefined for bags with unknown contents: see `has_bag`.
    PieceCounts remaining_in_bag(int i);

    // Return whether the contents of every bag are known in advance.
    bool has_bag() const { return bag_size_ > 0; }

    // The contents of a full bag; nothing if they are not known in advance.
    const PieceCounts& filled_bag() const { return filled_; }

  private:
    // A power of two above kMaxLookahead + kMaxBagPieces: the ring is indexed with a mask.
    static constexpr std::uint64_t kRing = 128;

    bool is_allowed_start(FirstPieceRule opening);
    void deal_bag();
    void append(const Piece* pieces, int count);

    std::array<Piece, kRing> ring_{};
    std::uint64_t taken_ = 0;
    std::uint64_t dealt_ = 0;
    MinstdRandom random_;
    Randomizer kind_;
    std::uint8_t bags_ = 0;  // of 7+x; unchanged for other randomizers
    std::uint8_t spare_count_ = 0;
    std::int8_t last_ = -1;  // of classic
    std::array<Piece, kPieces> spare_{};
    PieceCounts filled_{};
    std::uint8_t bag_size_ = 0;  // of bags that are all alike
};

}  // namespace sevenbag
