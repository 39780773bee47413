// The lowest rows of a board of width 10 as N words of six rows, one board or several side by side.
//
// V is a plain 64-bit word, or a vector of them: then every operation works on as many boards as
// the vector has lanes, and nothing ever moves between lanes. Bits 60 to 63 of a word are not part
// of any row; shifts may leave rubbish there, and whoever shifts masks (every use is an "and" with
// a set of positions, which has none).
//
// This file is compiled once for each instruction set. Everything in it therefore lives in a
// namespace named after the set, and uses nothing that the linker could merge across sets.
#pragma once

#include <cstdint>
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

// f(integral_constant<0>) ... f(integral_constant<Count - 1>): a loop whose index is a constant.
template <int Count, class F>
SB_INLINE constexpr void unrolled(F&& f) {
    [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
        (f(std::integral_constant<int, I>{}), ...);
    }(std::make_integer_sequence<int, Count>{});
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

// Words are a chain and not an array: then every word is a value from the first pass of the
// compiler on, and compile time stays in bounds.
template <class V, int N>
struct Window {
    V low;
    Window<V, N - 1> rest;

    SB_INLINE static Window none() { return {V{}, Window<V, N - 1>::none()}; }
    SB_INLINE static Window load(const V* words) {
        return {words[0], Window<V, N - 1>::load(words + 1)};
    }
    // Rows from `First` up, in the given columns.
    template <int First, unsigned Columns>
    SB_INLINE static Window above() {
        constexpr std::uint64_t kRows = word_rows(First, Columns);
        return {splat<V>(kRows), Window<V, N - 1>::template above<First - kWordRows, Columns>()};
    }
    // The same columns in every row.
    template <unsigned Columns>
    SB_INLINE static Window columns() {
        return above<0, Columns>();
    }
    // As `above`, for what is known only at run time.
    SB_INLINE static Window rows_from(int first, unsigned columns) {
        return {splat<V>(word_rows(first, columns)),
                Window<V, N - 1>::rows_from(first - kWordRows, columns)};
    }
    template <int I>
    SB_INLINE V word() const {
        if constexpr (I < 0 || I >= N)
            return V{};
        else if constexpr (I == 0)
            return low;
        else
            return rest.template word<I - 1>();
    }

    SB_INLINE friend Window operator&(Window a, Window b) {
        return {a.low & b.low, a.rest & b.rest};
    }
    SB_INLINE friend Window operator|(Window a, Window b) {
        return {a.low | b.low, a.rest | b.rest};
    }
    // In a, not in b.
    SB_INLINE friend Window operator-(Window a, Window b) {
        return {a.low & ~b.low, a.rest - b.rest};
    }
    SB_INLINE V merged() const { return low | rest.merged(); }
    SB_INLINE friend bool any(Window a) { return any(a.merged()); }
    SB_INLINE friend int count_bits(Window a) { return count_bits(a.low) + count_bits(a.rest); }
};

template <class V>
struct Window<V, 0> {
    SB_INLINE static Window none() { return {}; }
    SB_INLINE static Window load(const V*) { return {}; }
    SB_INLINE static Window rows_from(int, unsigned) { return {}; }
    template <int, unsigned>
    SB_INLINE static Window above() {
        return {};
    }
    template <int I>
    SB_INLINE V word() const {
        return V{};
    }
    SB_INLINE friend Window operator&(Window, Window) { return {}; }
    SB_INLINE friend Window operator|(Window, Window) { return {}; }
    SB_INLINE friend Window operator-(Window, Window) { return {}; }
    SB_INLINE V merged() const { return V{}; }
    SB_INLINE friend int count_bits(Window) { return 0; }
};

// A whole board: eight words (48 rows) in one vector of the compiler's, however many registers the
// machine makes of it. As a chain of words it would be several times the code, and slower.
typedef std::uint64_t WholeBoard __attribute__((vector_size(64)));
inline constexpr int kWholeWords = 8;

template <>
struct Window<Word, kWholeWords> {
    WholeBoard words;

    SB_INLINE static Window none() { return {WholeBoard{}}; }
    SB_INLINE static Window load(const Word* from) {
        Window r;
        __builtin_memcpy(&r.words, from, sizeof r.words);
        return r;
    }
    SB_INLINE static Window rows_from(int first, unsigned columns) {
        Window r;
        for (int i = 0; i < kWholeWords; ++i)
            r.words[i] = word_rows(first - i * kWordRows, columns);
        return r;
    }
    template <int First, unsigned Columns>
    SB_INLINE static Window above() {
        return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
            return Window{WholeBoard{word_rows(First - I * kWordRows, Columns)...}};
        }(std::make_integer_sequence<int, kWholeWords>{});
    }
    template <unsigned Columns>
    SB_INLINE static Window columns() {
        return {splat<WholeBoard>(word_rows(0, Columns))};
    }
    template <int I>
    SB_INLINE Word word() const {
        return words[I];
    }

    SB_INLINE friend Window operator&(Window a, Window b) { return {a.words & b.words}; }
    SB_INLINE friend Window operator|(Window a, Window b) { return {a.words | b.words}; }
    SB_INLINE friend Window operator-(Window a, Window b) { return {a.words & ~b.words}; }
    SB_INLINE friend bool any(Window a) {
#if defined(__AVX512F__)
        return any(a.words);
#else
        Word all = 0;
        for (int i = 0; i < kWholeWords; ++i) all |= a.words[i];
        return all != 0;
#endif
    }
};

// The words of a whole board, each moved up (or down, By < 0) by so many places.
template <int By>
SB_INLINE WholeBoard next_words(WholeBoard a) {
    if constexpr (By == 0)
        return a;
    else
        return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
            return __builtin_shufflevector(
                a, WholeBoard{}, (I - By >= 0 && I - By < kWholeWords ? I - By : kWholeWords)...);
        }(std::make_integer_sequence<int, kWholeWords>{});
}

// Word I of a set moved by so many bits.
template <int Bits, int I, class V, int N>
SB_INLINE V moved_word(const Window<V, N>& a) {
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

template <int Bits, int I, class V, int N, int M>
SB_INLINE Window<V, M> moved_words(const Window<V, N>& a) {
    if constexpr (M == 0)
        return {};
    else
        return {moved_word<Bits, I>(a), moved_words<Bits, I + 1, V, N, M - 1>(a)};
}

// The set moved by (Dx, Dy). What leaves the window is lost; what leaves a row sideways comes out
// at the other side of a neighbouring row, and the caller masks it.
template <int Dx, int Dy, class V, int N>
SB_INLINE Window<V, N> moved(const Window<V, N>& a) {
    return moved_words<Dy * kWidth + Dx, 0, V, N, N>(a);
}

template <int Dx, int Dy>
SB_INLINE Window<Word, kWholeWords> moved(const Window<Word, kWholeWords>& a) {
    constexpr int kBits = Dy * kWidth + Dx;
    constexpr int kSign = kBits < 0 ? -1 : 1;
    constexpr int kWords = kBits / kWordBits;
    constexpr int kRest = kBits * kSign % kWordBits;
    const WholeBoard near = next_words<kWords>(a.words);
    if constexpr (kRest == 0) return {near};
    const WholeBoard far = next_words<kWords + kSign>(a.words);
    return {kBits > 0 ? near << kRest | far >> (kWordBits - kRest)
                      : near >> kRest | far << (kWordBits - kRest)};
}

}  // namespace SB_ISA
}  // namespace sevenbag
