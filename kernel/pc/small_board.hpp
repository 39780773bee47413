// Boards of at most six rows in one 64-bit word, and resting positions of pieces on them: exact,
// under any rotation system, in tens of nanoseconds.
//
// Bit 10 * y + x of a board is its cell (x, y). Nothing is above the board, so a piece can enter in
// every column, in every rotation that it can take in open air.
//
// This file is compiled once per instruction set, see bitboard.hpp.
#pragma once

#include "bitboard.hpp"
#include "pc/move_tables.hpp"

namespace sevenbag {
namespace SB_ISA {
namespace pc {

using sevenbag::pc::ByRotation;
using sevenbag::pc::MoveTable;

inline constexpr Word kFirstColumn = word_rows(0, 1);
inline constexpr Word kFullRow = 0x3ff;

// Cells below row `height`.
SB_INLINE Word rows_below(int height) { return (Word{1} << (height * kWidth)) - 1; }

// Rows up to the highest filled cell.
SB_INLINE int stack_height(Word filled) {
    return filled ? (63 - __builtin_clzll(filled)) / kWidth + 1 : 0;
}

// A board and the height left to fill.
struct SmallBoard {
    Word filled;
    int height;

    friend bool operator==(const SmallBoard&, const SmallBoard&) = default;
};

// A mark in the first column of every full row.
SB_INLINE Word full_rows(Word filled) {
    const Word two = filled & (filled >> 1);
    const Word four = two & (two >> 2);
    return four & (four >> 4) & (two >> 8) & kFirstColumn;
}

// The board with these cells filled and full rows gone.
SB_INLINE SmallBoard locked(SmallBoard board, Word cells) {
    board.filled |= cells;
    for (Word full = full_rows(board.filled); full;) {
        const int row = 63 - __builtin_clzll(full);
        const Word below = (Word{1} << row) - 1;
        board.filled = (board.filled & below) | (board.filled >> kWidth & ~below);
        full ^= Word{1} << row;
        --board.height;
    }
    return board;
}

// Return whether every part of the board can be filled by itself. A wall is a border between two
// columns with a filled cell at its left or its right in every row. No piece crosses it, so each
// part needs a multiple of four empty cells.
SB_INLINE bool can_be_divided(SmallBoard board) {
    const Word inside = rows_below(board.height);
    Word wall = board.filled | board.filled >> 1 | ~inside;
    wall &= wall >> 30;
    wall &= wall >> 10 & wall >> 20;
    const Word empty = ~board.filled & inside;
    for (wall &= kFullRow >> 1; wall; wall &= wall - 1) {
        const Word columns = wall ^ (wall - 1);  // up to the lowest wall
        if (__builtin_popcountll(empty & columns * kFirstColumn) % 4 != 0) return false;
    }
    return true;
}

// Corners of the resting positions of a piece with all its cells below the board's height, by
// rotation; of equal rotations only the first counts (MoveTable::looks).
struct RestPositions {
    alignas(32) Word of[kRotations];
};

SB_INLINE void find_rest_positions(const MoveTable& piece, SmallBoard board, RestPositions& rests);

namespace detail {

// Four words, one for each rotation.
struct RotationWords {
#if defined(__AVX2__)
    __m256i v;

    SB_INLINE static RotationWords none() { return {_mm256_setzero_si256()}; }
    SB_INLINE static RotationWords all(Word word) {
        return {_mm256_set1_epi64x(static_cast<long long>(word))};
    }
    SB_INLINE static RotationWords load(const Word* words) {
        return {_mm256_load_si256(reinterpret_cast<const __m256i*>(words))};
    }
    SB_INLINE void store(Word* words) const {
        _mm256_store_si256(reinterpret_cast<__m256i*>(words), v);
    }
    SB_INLINE friend RotationWords operator&(RotationWords a, RotationWords b) {
        return {_mm256_and_si256(a.v, b.v)};
    }
    SB_INLINE friend RotationWords operator|(RotationWords a, RotationWords b) {
        return {_mm256_or_si256(a.v, b.v)};
    }
    // In a, not in b.
    SB_INLINE friend RotationWords operator-(RotationWords a, RotationWords b) {
        return {_mm256_andnot_si256(b.v, a.v)};
    }
    template <int Bits>
    SB_INLINE RotationWords up() const {
        return {_mm256_slli_epi64(v, Bits)};
    }
    template <int Bits>
    SB_INLINE RotationWords down() const {
        return {_mm256_srli_epi64(v, Bits)};
    }
    SB_INLINE friend RotationWords operator>>(RotationWords a, RotationWords by) {
        return {_mm256_srlv_epi64(a.v, by.v)};
    }
    SB_INLINE RotationWords rotated_up(RotationWords by) const {
#if defined(__AVX512VL__)
        return {_mm256_rolv_epi64(v, by.v)};
#else
        return {_mm256_or_si256(_mm256_sllv_epi64(v, by.v),
                                _mm256_srlv_epi64(v, _mm256_sub_epi64(all(64).v, by.v)))};
#endif
    }
    SB_INLINE RotationWords rotated_down(RotationWords by) const {
#if defined(__AVX512VL__)
        return {_mm256_rorv_epi64(v, by.v)};
#else
        return {_mm256_or_si256(_mm256_srlv_epi64(v, by.v),
                                _mm256_sllv_epi64(v, _mm256_sub_epi64(all(64).v, by.v)))};
#endif
    }
    // Word r of the result is word (r + By) % 4.
    template <int By>
    SB_INLINE RotationWords turned() const {
        constexpr int kOrder = By % 4 | (By + 1) % 4 << 2 | (By + 2) % 4 << 4 | (By + 3) % 4 << 6;
        return {_mm256_permute4x64_epi64(v, kOrder)};
    }
    SB_INLINE friend bool any(RotationWords a) { return !_mm256_testz_si256(a.v, a.v); }
    // Return whether a contains an element that b lacks.
    SB_INLINE friend bool exceeds(RotationWords a, RotationWords b) {
        return !_mm256_testc_si256(b.v, a.v);
    }
#else
    Word w[kRotations];

    template <class F>
    SB_INLINE static RotationWords each(F&& f) {
        RotationWords r;
        for (int i = 0; i < kRotations; ++i) r.w[i] = f(i);
        return r;
    }
    SB_INLINE static RotationWords none() { return all(0); }
    SB_INLINE static RotationWords all(Word word) {
        return each([&](int) { return word; });
    }
    SB_INLINE static RotationWords load(const Word* words) {
        return each([&](int i) { return words[i]; });
    }
    SB_INLINE void store(Word* words) const {
        for (int i = 0; i < kRotations; ++i) words[i] = w[i];
    }
    SB_INLINE friend RotationWords operator&(const RotationWords& a, const RotationWords& b) {
        return each([&](int i) { return a.w[i] & b.w[i]; });
    }
    SB_INLINE friend RotationWords operator|(const RotationWords& a, const RotationWords& b) {
        return each([&](int i) { return a.w[i] | b.w[i]; });
    }
    // In a, not in b.
    SB_INLINE friend RotationWords operator-(const RotationWords& a, const RotationWords& b) {
        return each([&](int i) { return a.w[i] & ~b.w[i]; });
    }
    template <int Bits>
    SB_INLINE RotationWords up() const {
        return each([&](int i) { return w[i] << Bits; });
    }
    template <int Bits>
    SB_INLINE RotationWords down() const {
        return each([&](int i) { return w[i] >> Bits; });
    }
    SB_INLINE friend RotationWords operator>>(const RotationWords& a, const RotationWords& by) {
        return each([&](int i) { return a.w[i] >> by.w[i]; });
    }
    SB_INLINE RotationWords rotated_up(const RotationWords& by) const {
        return each([&](int i) { return w[i] << by.w[i] | w[i] >> (-by.w[i] & 63); });
    }
    SB_INLINE RotationWords rotated_down(const RotationWords& by) const {
        return each([&](int i) { return w[i] >> by.w[i] | w[i] << (-by.w[i] & 63); });
    }
    // Word r of the result is word (r + By) % 4.
    template <int By>
    SB_INLINE RotationWords turned() const {
        return each([&](int i) { return w[(i + By) % 4]; });
    }
    SB_INLINE friend bool any(const RotationWords& a) {
        return (a.w[0] | a.w[1] | a.w[2] | a.w[3]) != 0;
    }
    // Return whether a contains an element that b lacks.
    SB_INLINE friend bool exceeds(const RotationWords& a, const RotationWords& b) {
        return any(a - b);
    }
#endif
};

SB_INLINE RotationWords load(const ByRotation& words) { return RotationWords::load(words.of); }

// Apply the turns in one direction to the corners `from`.
template <int Direction>
SB_INLINE RotationWords turns(const MoveTable& piece, RotationWords from, RotationWords free) {
    constexpr int kBy = Direction + 1;
    const RotationWords target = free.template turned<kBy>();
    RotationWords led = RotationWords::none();
    for (int i = 0; i < piece.tests[Direction]; ++i) {
        const auto& test = piece.test[Direction][i];
        const RotationWords by = load(test.by);
        const RotationWords fits = from & load(test.inside) & target.rotated_down(by);
        led = led | fits.rotated_up(by);
        from = from - (fits | load(test.above));
    }
    return led.template turned<4 - kBy>();
}

// Apply turns from above the six rows, for high stacks: row by row, test by test.
[[gnu::noinline]] inline void turns_from_above(const MoveTable& piece, int stack, const Word* free,
                                               Word* led) {
    for (int direction = 0; direction < sevenbag::pc::kDirections; ++direction)
        for (int from = 0; from < kRotations; ++from) {
            if (!piece.open.of[from]) continue;
            const int to = (from + direction + 1) % 4;
            const Word columns = piece.within_walls.of[from] & kFullRow;
            const Word to_columns = piece.within_walls.of[to] & kFullRow;
            for (int y = kWordRows; y < stack + piece.margin; ++y) {
                Word here = columns;
                for (int i = 0; i < piece.count[direction][from] && here; ++i) {
                    const Cell step = piece.test[direction][i].step[from];
                    const int row = y + step.y;
                    if (row < 0) continue;
                    const Word open =
                        row >= kWordRows ? to_columns : free[to] >> (row * kWidth) & kFullRow;
                    const Word fits = here & (step.x >= 0 ? open >> step.x : open << -step.x);
                    here &= ~fits;
                    if (row < kWordRows)
                        led[to] |= (step.x >= 0 ? fits << step.x : fits >> -step.x)
                                   << (row * kWidth);
                }
            }
        }
}

// All that shifts and drops lead to.
SB_INLINE RotationWords spread(const MoveTable& piece, RotationWords reach, RotationWords free) {
    const RotationWords from_left = free & load(piece.not_first);
    const RotationWords from_right = free & load(piece.not_last);
    for (;;) {
        const RotationWords more = (reach.up<1>() & from_left) | (reach.down<1>() & from_right) |
                                   (reach.down<kWidth>() & free);
        if (!exceeds(more, reach)) return reach;
        reach = reach | more;
    }
}

// Rotate, shift and drop until all wanted positions are reached or no new ones appear.
[[gnu::noinline]] inline void flood_fill(const MoveTable& piece, Word filled,
                                         const Word* free_words, const Word* wanted_words,
                                         Word* reach_words) {
    const RotationWords free = RotationWords::load(free_words);
    const RotationWords wanted = RotationWords::load(wanted_words);
    const RotationWords symmetric = load(piece.symmetric);
    const auto complete = [&](const RotationWords& reach) __attribute__((always_inline)) {
        return !exceeds(wanted, reach | (reach.template turned<2>() & symmetric));
    };
    RotationWords reach = spread(piece, RotationWords::load(reach_words), free);
    if (piece.turns && !complete(reach)) {
        const int stack = stack_height(filled);
        if (stack + piece.margin > kWordRows) {
            alignas(32) Word led[kRotations] = {};
            turns_from_above(piece, stack, free_words, led);
            reach = spread(piece, reach | RotationWords::load(led), free);
        }
        RotationWords done = RotationWords::none();
        for (;;) {
            const RotationWords fresh = reach - done;
            done = reach;
            RotationWords led = turns<0>(piece, fresh, free) | turns<2>(piece, fresh, free);
            if (piece.tests[1]) led = led | turns<1>(piece, fresh, free);
            if (!exceeds(led, reach)) break;
            reach = spread(piece, reach | led, free);
            if (complete(reach)) break;
        }
    }
    reach.store(reach_words);
}

}  // namespace detail

SB_INLINE void find_rest_positions(const MoveTable& piece, SmallBoard board, RestPositions& rests) {
    using detail::load;
    using detail::RotationWords;
    const RotationWords filled = RotationWords::all(board.filled);
    const RotationWords blocked =
        (filled >> load(piece.cell_places[0])) | (filled >> load(piece.cell_places[1])) |
        (filled >> load(piece.cell_places[2])) | (filled >> load(piece.cell_places[3]));
    const RotationWords free = load(piece.within_walls) - blocked;
    const RotationWords wanted =
        (free - free.template up<kWidth>()) & load(piece.below_top[board.height]);
    RotationWords covered = blocked | blocked.template down<10>();
    covered = covered | covered.template down<20>();
    covered = covered | covered.template down<40>();
    RotationWords reach = (free - covered) & load(piece.open);
    if (exceeds(wanted, reach)) {
        alignas(32) Word words[3][kRotations];
        free.store(words[0]);
        wanted.store(words[1]);
        reach.store(words[2]);
        detail::flood_fill(piece, board.filled, words[0], words[1], words[2]);
        reach = RotationWords::load(words[2]);
    }
    reach = reach & wanted;
    reach = reach | (reach.template turned<2>() & load(piece.symmetric));
    reach.store(rests.of);
    if (piece.looks == 1) rests.of[0] |= rests.of[1];
}

}  // namespace pc
}  // namespace SB_ISA
}  // namespace sevenbag
