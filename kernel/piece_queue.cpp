#include "piece_queue.hpp"

#include <algorithm>
#include <cstddef>

namespace sevenbag {

namespace {

// The initial order of a shuffle: part of the meaning of a seed.
constexpr std::array<Piece, kPieces> kBase = {Piece::Z, Piece::L, Piece::O, Piece::S,
                                              Piece::I, Piece::J, Piece::T};

constexpr std::array<std::uint8_t, 4> kExtra = {3, 2, 1, 1};

// Maximum number of deals until the start of the queue is allowed, as in Jstris.
constexpr int kMaxDeals = 1000;

bool is_s_or_z(Piece piece) { return piece == Piece::S || piece == Piece::Z; }

}  // namespace

PieceQueue::PieceQueue(Randomizer kind, std::int64_t seed, const PieceCounts& filled,
                       FirstPieceRule opening)
    : random_(seed), kind_(kind) {
    const std::uint8_t each = kind == Randomizer::seven ? 1 : kind == Randomizer::fourteen ? 2 : 0;
    if (each > 0) filled_.fill(each);
    if (kind == Randomizer::general) filled_ = filled;
    for (int count : filled_) bag_size_ = static_cast<std::uint8_t>(bag_size_ + count);
    for (int deal = 1; deal < kMaxDeals && !is_allowed_start(opening); ++deal) {
        dealt_ = 0;
        bags_ = spare_count_ = 0;
        last_ = -1;
    }
}

bool PieceQueue::is_allowed_start(FirstPieceRule opening) {
    if (opening == FirstPieceRule::any) return true;
    const Piece first = peek(0);
    const Piece second = peek(1);
    if (opening == FirstPieceRule::no_s_z)
        return !is_s_or_z(first) && !(first == Piece::O && is_s_or_z(second));
    return !is_s_or_z(first) || !is_s_or_z(second);
}

Piece PieceQueue::peek(int i) {
    while (dealt_ - taken_ <= static_cast<std::uint64_t>(i)) deal_bag();
    return ring_[(taken_ + static_cast<std::uint64_t>(i)) % kRing];
}

Piece PieceQueue::take() {
    const Piece piece = peek(0);
    ++taken_;
    return piece;
}

PieceCounts PieceQueue::remaining_in_bag(int i) {
    const auto gone = static_cast<int>((taken_ + static_cast<std::uint64_t>(i)) % bag_size_);
    PieceCounts left{};
    for (int k = 0; k < bag_size_ - gone; ++k) ++left[static_cast<int>(peek(i + k))];
    return left;
}

void PieceQueue::deal_bag() {
    std::array<Piece, kMaxBagPieces> bag{};
    int count = kPieces;
    std::copy(kBase.begin(), kBase.end(), bag.begin());
    switch (kind_) {
        case Randomizer::seven:
            break;
        case Randomizer::fourteen:
        case Randomizer::general:
            // In rounds: so a bag with one of each is the 7-bag, one with two of each the 14-bag.
            count = 0;
            for (int round = 0; count < bag_size_; ++round)
                for (Piece piece : kBase)
                    if (filled_[static_cast<std::size_t>(piece)] > round) bag[count++] = piece;
            break;
        case Randomizer::seven_plus_1:
            bag[count++] = kBase[random_.below(kPieces)];
            break;
        case Randomizer::seven_plus_2:
            bag[count++] = kBase[random_.below(kPieces)];
            bag[count++] = kBase[random_.below(kPieces)];
            break;
        case Randomizer::seven_plus_x: {
            const int extra = bags_ < kExtra.size() ? kExtra[bags_++] : 0;
            if (spare_count_ < extra) {
                spare_ = kBase;
                random_.shuffle(spare_.data(), kPieces);
                spare_count_ = kPieces;
            }
            for (int k = 0; k < extra; ++k) bag[count++] = spare_[kPieces - spare_count_--];
            break;
        }
        case Randomizer::pairs: {
            random_.shuffle(bag.data(), kPieces);
            const Piece a = bag[0];
            const Piece b = bag[1];
            for (int k = 0; k < 6; ++k) bag[k] = k < 3 ? a : b;
            count = 6;
            break;
        }
        case Randomizer::classic: {
            int drawn = random_.below(kPieces + 1);
            if (drawn == kPieces || drawn == last_) drawn = random_.below(kPieces);
            last_ = static_cast<std::int8_t>(drawn);
            append(&kBase[drawn], 1);
            return;
        }
        case Randomizer::total_mayhem:
            append(&kBase[random_.below(kPieces)], 1);
            return;
    }
    random_.shuffle(bag.data(), count);
    append(bag.data(), count);
}

void PieceQueue::append(const Piece* pieces, int count) {
    for (int k = 0; k < count; ++k) ring_[dealt_++ % kRing] = pieces[k];
}

}  // namespace sevenbag
