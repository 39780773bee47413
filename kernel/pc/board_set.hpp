// Sets and indices of tens of millions of boards.
//
// A set consists of 256 hash tables, each with a lock. A thread collects boards for each table and
// then adds many at once, so that the table stays in its cache.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace sevenbag::pc {

constexpr std::uint64_t board_hash(std::uint64_t board) {
    board *= 0x9E3779B97F4A7C15;
    board ^= board >> 29;
    return board * 0xBF58476D1CE4E5B9;
}

class BoardSet {
    static constexpr int kTables = 256;
    static constexpr std::size_t kBatch = 512;

  public:
    BoardSet() : tables_(kTables) {}

    // Writer of one thread; it must be flushed at the end.
    class Adder {
      public:
        explicit Adder(BoardSet& set) : set_(set) {
            for (auto& batch : batches_) batch.reserve(kBatch);
        }

        void add(std::uint64_t board) {
            const std::uint64_t hash = board_hash(board);
            auto& batch = batches_[hash >> 56];
            batch.push_back(board);
            if (batch.size() == kBatch) flush(hash >> 56);
        }

        void flush() {
            for (std::size_t i = 0; i < kTables; ++i) flush(i);
        }

      private:
        void flush(std::size_t i) {
            set_.tables_[i].add(batches_[i]);
            batches_[i].clear();
        }

        BoardSet& set_;
        std::array<std::vector<std::uint64_t>, kTables> batches_;
    };

    // All boards, in no order; the set is empty afterwards.
    std::vector<std::uint64_t> take() {
        std::size_t total = 0;
        for (const Table& table : tables_) total += table.used;
        std::vector<std::uint64_t> boards;
        boards.reserve(total);
        for (Table& table : tables_) {
            for (std::uint64_t slot : table.slots)
                if (slot) boards.push_back(slot - 1);
            std::vector<std::uint64_t>().swap(table.slots);
            table.used = 0;
        }
        return boards;
    }

  private:
    struct Table {
        std::mutex lock;
        std::vector<std::uint64_t> slots;  // board + 1; 0 is free
        std::size_t used = 0;

        void add(const std::vector<std::uint64_t>& boards) {
            const std::lock_guard<std::mutex> alone(lock);
            if ((used + boards.size()) * 10 > slots.size() * 7) grow(boards.size());
            for (std::uint64_t board : boards) used += insert(board);
        }

        void grow(std::size_t more) {
            std::vector<std::uint64_t> old = std::move(slots);
            slots.assign(std::bit_ceil((used + more) * 2), 0);
            for (std::uint64_t slot : old)
                if (slot) insert(slot - 1);
        }

        bool insert(std::uint64_t board) {
            const std::size_t mask = slots.size() - 1;
            for (std::size_t i = board_hash(board) >> 20 & mask;; i = (i + 1) & mask) {
                if (slots[i] == board + 1) return false;
                if (slots[i]) continue;
                slots[i] = board + 1;
                return true;
            }
        }
    };

    std::vector<Table> tables_;
};

// The number of each board of a list. Looking up many is fast if all are `prefetch`ed before.
class BoardIndex {
  public:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    explicit BoardIndex(const std::vector<std::uint64_t>& boards)
        : slots_(std::bit_ceil(boards.size() * 2 + 2)), mask_(slots_.size() - 1) {
        for (std::size_t n = 0; n < boards.size(); ++n) {
            std::size_t i = board_hash(boards[n]) >> 20 & mask_;
            while (slots_[i].number != kNone) i = (i + 1) & mask_;
            slots_[i] = {static_cast<std::uint32_t>(boards[n]),
                         static_cast<std::uint32_t>(boards[n] >> 32),
                         static_cast<std::uint32_t>(n)};
        }
    }

    void prefetch(std::uint64_t board) const {
        __builtin_prefetch(&slots_[board_hash(board) >> 20 & mask_]);
    }

    // kNone if it is not in the list.
    std::uint32_t operator()(std::uint64_t board) const {
        for (std::size_t i = board_hash(board) >> 20 & mask_;; i = (i + 1) & mask_) {
            const Slot& slot = slots_[i];
            if (slot.number == kNone) return kNone;
            if (slot.low == static_cast<std::uint32_t>(board) && slot.high == board >> 32)
                return slot.number;
        }
    }

  private:
    struct Slot {
        std::uint32_t low = 0, high = 0;  // of the board
        std::uint32_t number = kNone;
    };

    std::vector<Slot> slots_;
    std::size_t mask_;
};

}  // namespace sevenbag::pc
