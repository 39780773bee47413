#include "bag.hpp"

#include <algorithm>

namespace sevenbag {

namespace {

// The order that shuffles start from: part of what a seed means.
constexpr std::array<Piece, kPieces> kBase = {Piece::Z, Piece::L, Piece::O, Piece::S,
                                              Piece::I, Piece::J, Piece::T};

constexpr std::array<std::uint8_t, 4> kExtra = {3, 2, 1, 1};

}  // namespace

Queue::Queue(BagKind kind, std::int64_t seed) : random_(seed), kind_(kind) {}

Piece Queue::peek(int i) {
    while (dealt_ - taken_ <= static_cast<std::uint64_t>(i)) deal_bag();
    return ring_[(taken_ + static_cast<std::uint64_t>(i)) % kRing];
}

Piece Queue::take() {
    const Piece piece = peek(0);
    ++taken_;
    return piece;
}

PieceCounts Queue::left_in_bag(int i) {
    const int size = kind_ == BagKind::fourteen ? 14 : 7;
    const int gone = static_cast<int>((taken_ + static_cast<std::uint64_t>(i)) %
                                      static_cast<std::uint64_t>(size));
    PieceCounts left{};
    for (int k = 0; k < size - gone; ++k) ++left[static_cast<int>(peek(i + k))];
    return left;
}

void Queue::deal_bag() {
    std::array<Piece, kLargestBag> bag{};
    int count = kPieces;
    std::copy(kBase.begin(), kBase.end(), bag.begin());
    switch (kind_) {
        case BagKind::seven:
            break;
        case BagKind::fourteen:
            std::copy(kBase.begin(), kBase.end(), bag.begin() + kPieces);
            count = 14;
            break;
        case BagKind::seven_plus_1:
            bag[count++] = kBase[random_.below(kPieces)];
            break;
        case BagKind::seven_plus_2:
            bag[count++] = kBase[random_.below(kPieces)];
            bag[count++] = kBase[random_.below(kPieces)];
            break;
        case BagKind::seven_plus_x: {
            const int extra = bags_ < kExtra.size() ? kExtra[bags_++] : 0;
            if (spare_count_ < extra) {
                spare_ = kBase;
                random_.shuffle(spare_.data(), kPieces);
                spare_count_ = kPieces;
            }
            for (int k = 0; k < extra; ++k) bag[count++] = spare_[kPieces - spare_count_--];
            break;
        }
        case BagKind::pairs: {
            random_.shuffle(bag.data(), kPieces);
            const Piece a = bag[0];
            const Piece b = bag[1];
            for (int k = 0; k < 6; ++k) bag[k] = k < 3 ? a : b;
            count = 6;
            break;
        }
        case BagKind::classic: {
            int drawn = random_.below(kPieces + 1);
            if (drawn == kPieces || drawn == last_) drawn = random_.below(kPieces);
            last_ = static_cast<std::int8_t>(drawn);
            append(&kBase[drawn], 1);
            return;
        }
        case BagKind::total_mayhem:
            append(&kBase[random_.below(kPieces)], 1);
            return;
    }
    random_.shuffle(bag.data(), count);
    append(bag.data(), count);
}

void Queue::append(const Piece* pieces, int count) {
    for (int k = 0; k < count; ++k) ring_[dealt_++ % kRing] = pieces[k];
}

}  // namespace sevenbag
