// The move generator for boards of width 10 and the common rotation systems; compiled once for each
// instruction set.
#include "movegen_isa.hpp"

#include "flood.hpp"

namespace sevenbag {
namespace SB_ISA {

namespace {

template <Piece P, int R, int N>
SB_INLINE Placement* write(const Window<Word, N>& set, Spin spin, Placement* out) {
    unrolled<N>([&](auto word) __attribute__((always_inline)) {
        for (Word bits = set.template word<word>(); bits; bits &= bits - 1) {
            const int bit = __builtin_ctzll(bits);
            const int y = bit * 205 >> 11;  // bit / 10
            *out++ = {P, static_cast<Rotation>(R), static_cast<std::int8_t>(bit - y * kWidth),
                      static_cast<std::int8_t>(y + word * kWordRows + ShapeOf<P, R>::kDown), spin};
        }
    });
    return out;
}

// Few boards have any: not worth the room of a loop among the others.
template <Piece P, int R, int N>
[[gnu::noinline]] Placement* write_spins(const Window<Word, N>& set, Spin spin, Placement* out) {
    return write<P, R>(set, spin, out);
}

// `Corners`: the corner test is made; `worth`: what the other test is worth.
template <const KickTable& K, Piece P, bool Corners, bool Open, int N>
Placement* generate_window(const PackedBoard& board, int spawn_x, int spawn_y, Spin worth,
                           Placement* out) {
    const auto occupied = Window<Word, N>::load(board.words);
    Reach<P, Word, N> s;
    if constexpr (Open)
        reach_open<K, P, Corners>(occupied, s);
    else
        reach_closed<K, P, Corners>(occupied, board.rows, spawn_x, spawn_y, s);
    if constexpr (Corners && P == Piece::T) {
        Sets<Word, N> spawned;
        unrolled<kRotations>([&](auto r) __attribute__((always_inline)) {
            // In an open window the highest resting place can only be entered from above it.
            spawned.of[r] = Open ? open_to_sky(s.free.of[r]) : Window<Word, N>::none();
        });
        if constexpr (!Open) spawned.of[0] = single<N>(spawn_x, spawn_y) & s.free.of[0];
        t_spins<K, Open>(occupied, s, spawned, worth != Spin::none,
                         [&](auto r, const auto& none, const auto& mini, const auto& full)
                             __attribute__((always_inline)) {
                                 out = write<P, r>(none, Spin::none, out);
                                 out = write<P, r>(mini, Spin::mini, out);
                                 out = write<P, r>(full, Spin::full, out);
                             });
    } else {
        distinct(s, [&](auto r, const Window<Word, N>& set) __attribute__((always_inline)) {
            if (worth == Spin::none) {
                out = write<P, r>(set, Spin::none, out);
                return;
            }
            // Only a rotation leads there: each of these places is a spin, and nothing else.
            const Window<Word, N> spins = set & immobile<P, r>(s);
            out = write<P, r>(set - spins, Spin::none, out);
            if (any(spins)) out = write_spins<P, r>(spins, worth, out);
        });
    }
    return out;
}

template <const KickTable& K, Piece P, bool Corners>
Placement* generate_piece(const PackedBoard& board, int spawn_x, int spawn_y, Spin worth,
                          Placement* out) {
    constexpr int kMargin = open_margin(K, P);
    const int needed = board.height + kMargin;
    if (spawn_y < needed + kSpawnRoom || spawn_y + kSpawnRoom > board.rows)
        return generate_window<K, P, Corners, false, kWholeWords>(board, spawn_x, spawn_y, worth,
                                                                  out);
    if (needed <= 1 * kWordRows)
        return generate_window<K, P, Corners, true, 1>(board, spawn_x, spawn_y, worth, out);
    if (needed <= 2 * kWordRows)
        return generate_window<K, P, Corners, true, 2>(board, spawn_x, spawn_y, worth, out);
    if (needed <= 3 * kWordRows)
        return generate_window<K, P, Corners, true, 3>(board, spawn_x, spawn_y, worth, out);
    return generate_window<K, P, Corners, false, kWholeWords>(board, spawn_x, spawn_y, worth, out);
}

template <const KickTable& K>
int generate_kicks(const PackedBoard& board, Piece piece, int spawn_x, int spawn_y, SpinRule rule,
                   Placement* out) {
    const auto run = [&](auto generate) __attribute__((always_inline)) {
        return static_cast<int>(generate(board, spawn_x, spawn_y, rule.immobile, out) - out);
    };
    switch (piece) {
        case Piece::I:
            return run(generate_piece<K, Piece::I, false>);
        case Piece::O:
            return run(generate_piece<K, Piece::O, false>);
        case Piece::T:
            return rule.corners ? run(generate_piece<K, Piece::T, true>)
                                : run(generate_piece<K, Piece::T, false>);
        case Piece::L:
            return run(generate_piece<K, Piece::L, false>);
        case Piece::J:
            return run(generate_piece<K, Piece::J, false>);
        case Piece::S:
            return run(generate_piece<K, Piece::S, false>);
        case Piece::Z:
            return run(generate_piece<K, Piece::Z, false>);
    }
    return 0;
}

}  // namespace

int generate(HotKicks kicks, const PackedBoard& board, Piece piece, int spawn_x, int spawn_y,
             SpinRule rule, Placement* out) {
    return kicks == HotKicks::srs
               ? generate_kicks<kSrs>(board, piece, spawn_x, spawn_y, rule, out)
               : generate_kicks<kSrsPlus>(board, piece, spawn_x, spawn_y, rule, out);
}

}  // namespace SB_ISA
}  // namespace sevenbag
