// Tables of unsolvable problems: sequences of pieces from the empty board, of one height and
// rotation system. Listed sequences have no perfect clear; other inputs may be no sequence of a
// 7-bag.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pc/move_tables.hpp"
#include "pc/problem.hpp"

namespace sevenbag::pc {

inline constexpr std::uint32_t kTableVersion = 1;

// The same for systems that move pieces alike, on every machine and in every version.
std::uint64_t fingerprint(const MoveTables& move_tables);

class UnsolvableTable {
  public:
    // A table as bytes, from sequences (held and current piece in either order, then the next
    // ones), each as long as perfect clears of the height look ahead. Throws Error(queue) for
    // another length.
    static std::vector<std::uint8_t> bytes(const MoveTables& move_tables, int height,
                                           std::span<const std::vector<Piece>> sequences);

    // The bytes must outlive the table. Throws Error(rules) if they are not a table of this
    // version, are damaged, or are for another system; the message begins with `what`.
    UnsolvableTable(std::span<const std::uint8_t> bytes, const MoveTables& move_tables);

    int height() const { return height_; }
    std::size_t size() const { return count_; }

    // Return whether the table proves that the problem has no solution.
    bool rules_out(const Problem& problem) const;

  private:
    std::uint64_t code(std::size_t i) const;

    int height_ = 0;
    std::size_t count_ = 0;
    const std::uint8_t* codes_ = nullptr;
};

}  // namespace sevenbag::pc
