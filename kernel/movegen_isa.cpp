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

template <const KickTable& K, Piece P, bool Spins, bool Open, int N>
Placement* generate_window(const PackedBoard& board, int spawn_x, int spawn_y, Placement* out) {
    const auto occupied = Window<Word, N>::load(board.words);
    Reach<P, Word, N> s;
    if constexpr (Open)
        reach_open<K, P, Spins>(occupied, s);
    else
        reach_closed<K, P, Spins>(occupied, board.rows, spawn_x, spawn_y, s);
    if constexpr (Spins && P == Piece::T) {
        Sets<Word, N> spawned;
        unrolled<kRotations>([&](auto r) __attribute__((always_inline)) {
            // In an open window the highest resting place can only be entered from above it.
            spawned.of[r] = Open ? open_to_sky(s.free.of[r]) : Window<Word, N>::none();
        });
        if constexpr (!Open) spawned.of[0] = single<N>(spawn_x, spawn_y) & s.free.of[0];
        t_spins<K, Open>(occupied, s, spawned,
                         [&](auto r, const auto& none, const auto& mini, const auto& full)
                             __attribute__((always_inline)) {
                                 out = write<P, r>(none, Spin::none, out);
                                 out = write<P, r>(mini, Spin::mini, out);
                                 out = write<P, r>(full, Spin::full, out);
                             });
    } else {
        distinct(s, [&](auto r, const Window<Word, N>& set) __attribute__((always_inline)) {
            out = write<P, r>(set, Spin::none, out);
        });
    }
    return out;
}

// What may lie between the stack and the spawn for an open window: the margin, and room for the
// piece to turn at the spawn without touching the stack or the top of the board.
constexpr int kSpawnRoom = 4;

template <const KickTable& K, Piece P, bool Spins>
Placement* generate_piece(const PackedBoard& board, int spawn_x, int spawn_y, Placement* out) {
    constexpr int kMargin = open_margin(K, P);
    const int needed = board.height + kMargin;
    if (spawn_y < needed + kSpawnRoom || spawn_y + kSpawnRoom > board.rows)
        return generate_window<K, P, Spins, false, kWholeWords>(board, spawn_x, spawn_y, out);
    if (needed <= 1 * kWordRows)
        return generate_window<K, P, Spins, true, 1>(board, spawn_x, spawn_y, out);
    if (needed <= 2 * kWordRows)
        return generate_window<K, P, Spins, true, 2>(board, spawn_x, spawn_y, out);
    if (needed <= 3 * kWordRows)
        return generate_window<K, P, Spins, true, 3>(board, spawn_x, spawn_y, out);
    return generate_window<K, P, Spins, false, kWholeWords>(board, spawn_x, spawn_y, out);
}

template <const KickTable& K>
int generate_kicks(const PackedBoard& board, Piece piece, int spawn_x, int spawn_y, bool t_spin,
                   Placement* out) {
    Placement* const first = out;
    switch (piece) {
        case Piece::I:
            out = generate_piece<K, Piece::I, false>(board, spawn_x, spawn_y, out);
            break;
        case Piece::O:
            out = generate_piece<K, Piece::O, false>(board, spawn_x, spawn_y, out);
            break;
        case Piece::T:
            out = t_spin ? generate_piece<K, Piece::T, true>(board, spawn_x, spawn_y, out)
                         : generate_piece<K, Piece::T, false>(board, spawn_x, spawn_y, out);
            break;
        case Piece::L:
            out = generate_piece<K, Piece::L, false>(board, spawn_x, spawn_y, out);
            break;
        case Piece::J:
            out = generate_piece<K, Piece::J, false>(board, spawn_x, spawn_y, out);
            break;
        case Piece::S:
            out = generate_piece<K, Piece::S, false>(board, spawn_x, spawn_y, out);
            break;
        case Piece::Z:
            out = generate_piece<K, Piece::Z, false>(board, spawn_x, spawn_y, out);
            break;
    }
    return static_cast<int>(out - first);
}

}  // namespace

int generate(HotKicks kicks, const PackedBoard& board, Piece piece, int spawn_x, int spawn_y,
             bool t_spin, Placement* out) {
    return kicks == HotKicks::srs
               ? generate_kicks<kSrs>(board, piece, spawn_x, spawn_y, t_spin, out)
               : generate_kicks<kSrsPlus>(board, piece, spawn_x, spawn_y, t_spin, out);
}

}  // namespace SB_ISA
}  // namespace sevenbag
