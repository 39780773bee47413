#include "pc/placement_orders.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "error.hpp"
#include "pc/packed_rows.hpp"

namespace sevenbag::pc {

SortedQueues::SortedQueues(std::span<const std::vector<Piece>> queues, int count)
    : place_(queues.size()), length_(count) {
    if (queues.empty()) throw_invalid(ErrorKind::queue, "queues", "at least one", "none");
    std::vector<Queue> all;
    for (const std::vector<Piece>& queue : queues) {
        if (static_cast<int>(queue.size()) < count)
            throw_invalid(ErrorKind::queue, "queue", std::to_string(count) + " pieces",
                          std::to_string(queue.size()));
        Queue& numbers = all.emplace_back();
        numbers.fill(kNoPiece);
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
            numbers[i] = static_cast<std::uint8_t>(queue[i]);
    }
    sorted_ = all;
    std::ranges::sort(sorted_);
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
    for (std::size_t i = 0; i < all.size(); ++i)
        place_[i] =
            static_cast<std::size_t>(std::ranges::lower_bound(sorted_, all[i]) - sorted_.begin());
}

PlacementOrders::PlacementOrders(const MoveTables& move_tables, std::uint64_t filled, int height,
                                 std::span<const Tile> tiles, std::span<const int> columns,
                                 bool strict, DropMode drop)
    : move_tables_(move_tables),
      filled_(filled),
      height_(height),
      strict_(strict),
      drop_(drop),
      count_(static_cast<int>(tiles.size())),
      next_(std::size_t{1} << tiles.size(), kUnknown) {
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        tiles_[i] = tiles[i];
        columns_[i] = columns[i];
        cells_[i] = tiles[i].cells << columns[i];
        of_piece_[tiles[i].piece] |= 1u << i;
    }
}

unsigned PlacementOrders::next(unsigned placed) {
    std::uint16_t& known = next_[placed];
    if (known != kUnknown) return known;
    std::uint64_t filled = filled_;
    for (unsigned left = placed; left; left &= left - 1)
        filled |= cells_[static_cast<std::size_t>(std::countr_zero(left))];
    const unsigned full = full_row_bits(filled);
    const std::uint64_t rest = without_rows(filled, full);
    known = 0;
    // Skip empty boards before the end.
    if (strict_ && placed != 0 && rest == 0) return known;
    for (std::size_t p = 0; p < kPieces; ++p) {
        const unsigned mine = of_piece_[p] & ~placed;
        if (!mine) continue;
        std::uint64_t corners[kRotations];
        find_rest_positions(move_tables_, drop_, static_cast<Piece>(p), rest,
                            height_ - std::popcount(full), corners);
        for (unsigned left = mine; left; left &= left - 1) {
            const int i = std::countr_zero(left);
            const Tile& tile = tiles_[static_cast<std::size_t>(i)];
            if (tile.gaps & ~full) continue;
            const int row = tile.bottom - std::popcount(full & ((1u << tile.bottom) - 1));
            const int corner = row * kSmallBoardWidth + columns_[static_cast<std::size_t>(i)];
            if (corners[tile.rotation] >> corner & 1) known |= static_cast<std::uint16_t>(1u << i);
        }
    }
    return known;
}

Step PlacementOrders::step(int tile, unsigned placed) const {
    std::uint64_t filled = filled_;
    for (unsigned left = placed; left; left &= left - 1)
        filled |= cells_[static_cast<std::size_t>(std::countr_zero(left))];
    const unsigned full = full_row_bits(filled);
    const Tile& t = tiles_[static_cast<std::size_t>(tile)];
    const int row = t.bottom - std::popcount(full & ((1u << t.bottom) - 1));
    return {t.piece, t.rotation,
            static_cast<std::uint8_t>(row * kSmallBoardWidth +
                                      columns_[static_cast<std::size_t>(tile)])};
}

// The tiles that can be placed when the last of the `count` pieces is drawn: its own, or one of the
// others not placed yet. After the end of a queue kNoPiece is drawn, which has no tile.
void PlacementOrders::follow(const std::vector<Set>& sets, const std::uint8_t* drawn, int count,
                             bool hold, std::vector<Set>& after) {
    std::array<int, kPieces> before{};
    for (int i = 0; i + 1 < count; ++i) ++before[drawn[i]];
    after.clear();
    for (const Set set : sets) {
        unsigned wanted = of_piece_[drawn[count - 1]];
        if (hold)
            for (std::size_t p = 0; p < kPieces; ++p)
                if (before[p] > std::popcount(set & of_piece_[p])) wanted |= of_piece_[p];
        for (unsigned tiles = next(set) & wanted; tiles; tiles &= tiles - 1)
            after.push_back(static_cast<Set>(set | (tiles & -tiles)));
    }
    std::ranges::sort(after);
    after.erase(std::unique(after.begin(), after.end()), after.end());
}

bool PlacementOrders::mark(const SortedQueues& queues, bool hold, std::span<std::uint64_t> bits) {
    any_ = false;
    if (queues.length() >= count_) mark(queues, hold, 0, queues.size(), 0, {0}, bits);
    return any_;
}

// `depth` pieces are drawn.
void PlacementOrders::mark(const SortedQueues& queues, bool hold, std::size_t first,
                           std::size_t end, int depth, const std::vector<Set>& sets,
                           std::span<std::uint64_t> bits) {
    if (depth == count_ + (hold ? 1 : 0)) {
        any_ = true;
        for (std::size_t i = first; i < end; ++i) bits[i / 64] |= std::uint64_t{1} << (i % 64);
        return;
    }
    const auto d = static_cast<std::size_t>(depth);
    std::vector<Set> after;
    for (std::size_t begin = first, stop = first; begin < end; begin = stop) {
        while (stop < end && queues[stop][d] == queues[begin][d]) ++stop;
        // With hold the first piece waits for the second one.
        if (hold && depth == 0)
            after = sets;
        else
            follow(sets, queues[begin].data(), depth + 1, hold, after);
        if (!after.empty()) mark(queues, hold, begin, stop, depth + 1, after, bits);
    }
}

bool PlacementOrders::find(const SortedQueues::Queue& queue, int length, bool hold,
                           std::vector<int>& order) {
    if (length < count_) return false;
    // Find all sets after each piece, then trace one path back.
    std::vector<std::vector<Set>> sets{{0}};
    for (int depth = hold ? 1 : 0; depth < count_ + (hold ? 1 : 0); ++depth) {
        std::vector<Set> after;
        follow(sets.back(), queue.data(), depth + 1, hold, after);
        if (after.empty()) return false;
        sets.push_back(after);
    }
    order.assign(static_cast<std::size_t>(count_), 0);
    Set set = sets.back()[0];
    for (std::size_t i = order.size(); i-- > 0;) {
        std::vector<Set> onwards;
        for (const Set before : sets[i]) {
            const unsigned placed = set & ~before;
            if ((before & ~set) != 0 || std::popcount(placed) != 1) continue;
            follow({before}, queue.data(), static_cast<int>(i) + (hold ? 2 : 1), hold, onwards);
            if (!std::ranges::binary_search(onwards, set)) continue;
            order[i] = std::countr_zero(placed);
            set = before;
            break;
        }
    }
    return true;
}

}  // namespace sevenbag::pc
