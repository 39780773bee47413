// The lowest rows of a board of width 10 as N words of six rows, one board or several side by side.
//
// V is a 64-bit word or a vector of words. With a vector, every operation works on one board per
// lane; lanes never mix. Bits 60 to 63 of a word are not part of any row. Shifts may set them, so
// every shift is followed by an "and" with a set of positions, which clears them.
//
// This file is compiled once per instruction set. Everything in it is in a namespace named after
// the set, and uses nothing that the linker could merge across sets.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#if defined(__AVX2__) || defined(__AVX512F__)
#if defined(__GNUC__) && !defined(__clang__)
// gcc's own header makes its undefined vectors by reading an uninitialized one.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif

namespace sevenbag {
namespace SB_ISA {

#define SB_INLINE [[gnu::always_inline]] inline

inline constexpr int kWidth = 10;
inline constexpr int kWordRows = 6;
inline constexpr int kWordBits = kWidth * kWordRows;
inline constexpr std::uint64_t kWordMask = (std::uint64_t{1} << kWordBits) - 1;

#if defined(__AVX512F__)
inline constexpr int kLanes = 8;
#elif defined(__AVX2__)
inline constexpr int kLanes = 4;
#else
inline constexpr int kLanes = 2;
#endif

using Word = std::uint64_t;
typedef std::uint64_t Lanes __attribute__((vector_size(kLanes * 8)));

// Call f(integral_constant<0>) to f(integral_constant<Count - 1>): a loop with a constant index.
template <int Count, class F>
SB_INLINE constexpr void unrolled(F&& f) {
    static_assert(Count <= 8);
    if constexpr (Count > 0) f(std::integral_constant<int, 0>{});
    if constexpr (Count > 1) f(std::integral_constant<int, 1>{});
    if constexpr (Count > 2) f(std::integral_constant<int, 2>{});
    if constexpr (Count > 3) f(std::integral_constant<int, 3>{});
    if constexpr (Count > 4) f(std::integral_constant<int, 4>{});
    if constexpr (Count > 5) f(std::integral_constant<int, 5>{});
    if constexpr (Count > 6) f(std::integral_constant<int, 6>{});
    if constexpr (Count > 7) f(std::integral_constant<int, 7>{});
}

template <class V>
SB_INLINE V splat(std::uint64_t word) {
    return V{} + word;
}

SB_INLINE bool any(Word v) { return v != 0; }
SB_INLINE bool any(Lanes v) {
#if defined(__AVX512F__)
    return _mm512_test_epi64_mask(reinterpret_cast<__m512i>(v), reinterpret_cast<__m512i>(v)) != 0;
#elif defined(__AVX2__)
    return !_mm256_testz_si256(reinterpret_cast<__m256i>(v), reinterpret_cast<__m256i>(v));
#else
    return (v[0] | v[1]) != 0;
#endif
}

SB_INLINE int count_bits(Word v) { return __builtin_popcountll(v); }
SB_INLINE int count_bits(Lanes v) {
#if defined(__AVX512VPOPCNTDQ__)
    return static_cast<int>(
        _mm512_reduce_add_epi64(_mm512_popcnt_epi64(reinterpret_cast<__m512i>(v))));
#else
    int n = 0;
    for (int i = 0; i < kLanes; ++i) n += __builtin_popcountll(v[i]);
    return n;
#endif
}

// Rows `first` and up of every word's rows, as a number; bit x of `columns` is column x.
constexpr std::uint64_t word_rows(int first, unsigned columns) {
    std::uint64_t word = 0;
    for (int y = first > 0 ? first : 0; y < kWordRows; ++y)
        word |= std::uint64_t{columns} << (y * kWidth);
    return word;
}

// Takes the place of a word that a window does not have.
template <int I>
struct NoWord {};

// One to three words. They are members because the compiler keeps members in registers from its
// first pass on, unlike array elements. No function is called per word: calls cost compile time.
template <class V, int N>
struct Bitboard {
    static_assert(1 <= N && N <= 3);

    V w0;
    [[no_unique_address]] std::conditional_t<(N > 1), V, NoWord<1>> w1{};
    [[no_unique_address]] std::conditional_t<(N > 2), V, NoWord<2>> w2{};

    SB_INLINE static Bitboard none() { return above<kWordRows * N, 0>(); }
    SB_INLINE static Bitboard load(const V* words) {
        if constexpr (N == 1)
            return {words[0]};
        else if constexpr (N == 2)
            return {words[0], words[1]};
        else
            return {words[0], words[1], words[2]};
    }
    // Rows from `First` up, in the given columns.
    template <int First, unsigned Columns>
    SB_INLINE static Bitboard above() {
        constexpr std::uint64_t kRows0 = word_rows(First, Columns);
        constexpr std::uint64_t kRows1 = word_rows(First - kWordRows, Columns);
        constexpr std::uint64_t kRows2 = word_rows(First - 2 * kWordRows, Columns);
        if constexpr (N == 1)
            return {V{} + kRows0};
        else if constexpr (N == 2)
            return {V{} + kRows0, V{} + kRows1};
        else
            return {V{} + kRows0, V{} + kRows1, V{} + kRows2};
    }
    // The same columns in every row.
    template <unsigned Columns>
    SB_INLINE static Bitboard columns() {
        return above<0, Columns>();
    }
    template <int I>
    SB_INLINE V word() const {
        if constexpr (I < 0 || I >= N)
            return V{};
        else if constexpr (I == 0)
            return w0;
        else if constexpr (I == 1)
            return w1;
        else
            return w2;
    }

    SB_INLINE friend Bitboard operator&(Bitboard a, Bitboard b) {
        if constexpr (N == 1)
            return {a.w0 & b.w0};
        else if constexpr (N == 2)
            return {a.w0 & b.w0, a.w1 & b.w1};
        else
            return {a.w0 & b.w0, a.w1 & b.w1, a.w2 & b.w2};
    }
    SB_INLINE friend Bitboard operator|(Bitboard a, Bitboard b) {
        if constexpr (N == 1)
            return {a.w0 | b.w0};
        else if constexpr (N == 2)
            return {a.w0 | b.w0, a.w1 | b.w1};
        else
            return {a.w0 | b.w0, a.w1 | b.w1, a.w2 | b.w2};
    }
    // In a, not in b.
    SB_INLINE friend Bitboard operator-(Bitboard a, Bitboard b) {
        if constexpr (N == 1)
            return {a.w0 & ~b.w0};
        else if constexpr (N == 2)
            return {a.w0 & ~b.w0, a.w1 & ~b.w1};
        else
            return {a.w0 & ~b.w0, a.w1 & ~b.w1, a.w2 & ~b.w2};
    }
    SB_INLINE friend bool any(Bitboard a) {
        if constexpr (N == 1)
            return any(a.w0);
        else if constexpr (N == 2)
            return any(a.w0 | a.w1);
        else
            return any(a.w0 | a.w1 | a.w2);
    }
    SB_INLINE friend int count_bits(Bitboard a) {
        if constexpr (N == 1)
            return count_bits(a.w0);
        else if constexpr (N == 2)
            return count_bits(a.w0) + count_bits(a.w1);
        else
            return count_bits(a.w0) + count_bits(a.w1) + count_bits(a.w2);
    }
};

// A whole board: eight words (48 rows) in one vector of the compiler's, however many registers the
// machine makes of it. As a chain of words it would be several times the code, and slower.
typedef std::uint64_t BoardVector __attribute__((vector_size(64)));
inline constexpr int kBoardWords = 8;

template <>
struct Bitboard<Word, kBoardWords> {
    BoardVector words;

    SB_INLINE static Bitboard none() { return {BoardVector{}}; }
    SB_INLINE static Bitboard load(const Word* from) {
        Bitboard r;
        __builtin_memcpy(&r.words, from, sizeof r.words);
        return r;
    }
    SB_INLINE static Bitboard rows_from(int first, unsigned columns) {
        Bitboard r;
        for (int i = 0; i < kBoardWords; ++i)
            r.words[i] = word_rows(first - i * kWordRows, columns);
        return r;
    }
    template <int First, unsigned Columns>
    SB_INLINE static Bitboard above() {
        return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
            return Bitboard{BoardVector{word_rows(First - I * kWordRows, Columns)...}};
        }(std::make_integer_sequence<int, kBoardWords>{});
    }
    template <unsigned Columns>
    SB_INLINE static Bitboard columns() {
        return {splat<BoardVector>(word_rows(0, Columns))};
    }
    template <int I>
    SB_INLINE Word word() const {
        return words[I];
    }

    SB_INLINE friend Bitboard operator&(Bitboard a, Bitboard b) { return {a.words & b.words}; }
    SB_INLINE friend Bitboard operator|(Bitboard a, Bitboard b) { return {a.words | b.words}; }
    SB_INLINE friend Bitboard operator-(Bitboard a, Bitboard b) { return {a.words & ~b.words}; }
    SB_INLINE friend bool any(Bitboard a) {
#if defined(__AVX512F__)
        return any(a.words);
#else
        Word all = 0;
        for (int i = 0; i < kBoardWords; ++i) all |= a.words[i];
        return all != 0;
#endif
    }
};

// The words of a board, each moved up (or down, By < 0) by a number of lanes.
template <int By>
SB_INLINE BoardVector next_words(BoardVector a) {
    if constexpr (By == 0)
        return a;
    else
        return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
            return __builtin_shufflevector(
                a, BoardVector{}, (I - By >= 0 && I - By < kBoardWords ? I - By : kBoardWords)...);
        }(std::make_integer_sequence<int, kBoardWords>{});
}

// Word I of a set moved by a number of bits.
template <int Bits, int I, class V, int N>
SB_INLINE V translate_word(const Bitboard<V, N>& a) {
    constexpr int kWords = (Bits < 0 ? -Bits : Bits) / kWordBits;
    constexpr int kRest = (Bits < 0 ? -Bits : Bits) % kWordBits;
    constexpr int kFrom = Bits > 0 ? I - kWords : I + kWords;
    constexpr int kNext = Bits > 0 ? kFrom - 1 : kFrom + 1;
    if constexpr (kRest == 0)
        return a.template word<kFrom>();
    else if constexpr (kNext < 0 || kNext >= N)
        return Bits > 0 ? a.template word<kFrom>() << kRest : a.template word<kFrom>() >> kRest;
    else if constexpr (Bits > 0)
        return a.template word<kFrom>() << kRest | a.template word<kNext>() >> (kWordBits - kRest);
    else
        return a.template word<kFrom>() >> kRest | a.template word<kNext>() << (kWordBits - kRest);
}

// Return the set moved by (Dx, Dy). Bits beyond the rows are lost. Bits that leave a row sideways
// enter a neighbouring row; the caller masks them.
template <int Dx, int Dy, class V, int N>
SB_INLINE Bitboard<V, N> translate(const Bitboard<V, N>& a) {
    constexpr int kBits = Dy * kWidth + Dx;
    if constexpr (N == 1)
        return {translate_word<kBits, 0>(a)};
    else if constexpr (N == 2)
        return {translate_word<kBits, 0>(a), translate_word<kBits, 1>(a)};
    else
        return {translate_word<kBits, 0>(a), translate_word<kBits, 1>(a),
                translate_word<kBits, 2>(a)};
}

template <int Dx, int Dy>
SB_INLINE Bitboard<Word, kBoardWords> translate(const Bitboard<Word, kBoardWords>& a) {
    constexpr int kBits = Dy * kWidth + Dx;
    constexpr int kSign = kBits < 0 ? -1 : 1;
    constexpr int kWords = kBits / kWordBits;
    constexpr int kRest = kBits * kSign % kWordBits;
    const BoardVector near = next_words<kWords>(a.words);
    if constexpr (kRest == 0) return {near};
    const BoardVector far = next_words<kWords + kSign>(a.words);
    return {kBits > 0 ? near << kRest | far >> (kWordBits - kRest)
                      : near >> kRest | far << (kWordBits - kRest)};
}

}  // namespace SB_ISA
}  // namespace sevenbag
