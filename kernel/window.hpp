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

template <class V, int N>
struct Window {
    V w[N];

    static constexpr int kRows = N * kWordRows;

    SB_INLINE static Window none() {
        Window r;
        for (int i = 0; i < N; ++i) r.w[i] = V{};
        return r;
    }
    // The same rows in every word: bit x of `columns` is column x.
    SB_INLINE static Window columns(unsigned columns) {
        std::uint64_t word = 0;
        for (int y = 0; y < kWordRows; ++y) word |= std::uint64_t{columns} << (y * kWidth);
        Window r;
        for (int i = 0; i < N; ++i) r.w[i] = splat<V>(word);
        return r;
    }
    // Rows from `first` up, in the given columns.
    SB_INLINE static Window rows_from(int first, unsigned columns) {
        Window r;
        for (int i = 0; i < N; ++i) {
            std::uint64_t word = 0;
            for (int y = 0; y < kWordRows; ++y)
                if (i * kWordRows + y >= first) word |= std::uint64_t{columns} << (y * kWidth);
            r.w[i] = splat<V>(word);
        }
        return r;
    }

    SB_INLINE friend Window operator&(Window a, const Window& b) {
        for (int i = 0; i < N; ++i) a.w[i] &= b.w[i];
        return a;
    }
    SB_INLINE friend Window operator|(Window a, const Window& b) {
        for (int i = 0; i < N; ++i) a.w[i] |= b.w[i];
        return a;
    }
    // In a, not in b.
    SB_INLINE friend Window operator-(Window a, const Window& b) {
        for (int i = 0; i < N; ++i) a.w[i] &= ~b.w[i];
        return a;
    }
    SB_INLINE friend bool any(const Window& a) {
        V all = a.w[0];
        for (int i = 1; i < N; ++i) all |= a.w[i];
        return any(all);
    }
    SB_INLINE friend int count_bits(const Window& a) {
        int n = 0;
        for (int i = 0; i < N; ++i) n += count_bits(a.w[i]);
        return n;
    }
};

// The set moved by (Dx, Dy). What leaves the window is lost; what leaves a row sideways comes out
// at the other side of a neighbouring row, and the caller masks it.
template <int Dx, int Dy, class V, int N>
SB_INLINE Window<V, N> moved(const Window<V, N>& a) {
    constexpr int kBits = Dy * kWidth + Dx;
    constexpr int kWords = (kBits < 0 ? -kBits : kBits) / kWordBits;
    constexpr int kRest = (kBits < 0 ? -kBits : kBits) % kWordBits;
    if constexpr (kBits == 0) return a;
    Window<V, N> r;
    for (int i = 0; i < N; ++i) {
        r.w[i] = V{};
        const int from = kBits > 0 ? i - kWords : i + kWords;
        const int next = kBits > 0 ? from - 1 : from + 1;
        if (from >= 0 && from < N)
            r.w[i] = kBits > 0 ? a.w[from] << kRest : a.w[from] >> kRest;
        if (kRest != 0 && next >= 0 && next < N)
            r.w[i] |= kBits > 0 ? a.w[next] >> (kWordBits - kRest)
                                : a.w[next] << (kWordBits - kRest);
    }
    return r;
}

}  // namespace SB_ISA
}  // namespace sevenbag
