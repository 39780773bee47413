// The move generator for boards of width 10 and the common rotation systems; compiled once for each
// instruction set.
#include "movegen_isa.hpp"

#include "reachability.hpp"

namespace sevenbag {
namespace SB_ISA {

namespace {

// Appends a placement for each position of a set.
[[gnu::noinline]] Placement* write_words(const Word* words, int count, Piece piece,
                                         Rotation rotation, int down, Spin spin, Placement* out) {
    for (int w = 0; w < count; ++w)
        for (Word bits = words[w]; bits; bits &= bits - 1) {
            const int bit = __builtin_ctzll(bits);
            const int y = bit * 205 >> 11;  // bit / 10
            *out++ = {piece, rotation, static_cast<std::int8_t>(bit - y * kWidth),
                      static_cast<std::int8_t>(y + w * kWordRows + down), spin};
        }
    return out;
}

template <Piece P, int R, int N>
SB_INLINE Placement* write(const Bitboard<Word, N>& set, Spin spin, Placement* out) {
    Word words[N];
    unrolled<N>([&](auto w) __attribute__((always_inline)) { words[w] = set.template word<w>(); });
    return write_words(words, N, P, static_cast<Rotation>(R), ShapeOf<P, R>::kDown, spin, out);
}

// `Corners`: use the corner test; `worth`: spin of the other test.
template <Piece P, bool Corners, bool Open, int N>
Placement* generate_window(const PackedBoard& board, const SystemSearch<Word, N>& kicks,
                           int spawn_x, int spawn_y, Spin worth, Placement* out) {
    const auto occupied = Bitboard<Word, N>::load(board.words);
    Reachability<Word, N> s;
    if constexpr (Open)
        reach_open<P, Corners>(occupied, kicks, s);
    else
        reach_closed<P, Corners>(occupied, board.rows, spawn_x, spawn_y, kicks, s);
    if constexpr (Corners) {
        SpinEntries<Word, N> turns;
        kicks.turns(s, turns, kicks.half_turns);
        RotationSets<Word, N> spawned;
        unrolled<kRotations>([&](auto r) __attribute__((always_inline)) {
            // In an open window the highest resting place can only be entered from above it.
            spawned.of[r] = Open ? unobstructed_above(s.free.of[r]) : Bitboard<Word, N>::none();
        });
        if constexpr (!Open) spawned.of[0] = single_position<N>(spawn_x, spawn_y) & s.free.of[0];
        t_spins(occupied, s, turns, spawned, worth != Spin::none,
                [&](auto r, const auto& none, const auto& mini, const auto& full)
                    __attribute__((always_inline)) {
                        out = write<P, r>(none, Spin::none, out);
                        if (!any(mini | full)) return;
                        out = write<P, r>(mini, Spin::mini, out);
                        out = write<P, r>(full, Spin::full, out);
                    });
    } else {
        visit_distinct<P>(s,
                          [&](auto r, const Bitboard<Word, N>& set) __attribute__((always_inline)) {
                              if (worth == Spin::none) {
                                  out = write<P, r>(set, Spin::none, out);
                                  return;
                              }
                              // Only a rotation leads there: each of these positions is a spin.
                              const Bitboard<Word, N> spins = set & immobile<P, r>(s);
                              out = write<P, r>(set - spins, Spin::none, out);
                              if (any(spins)) out = write<P, r>(spins, worth, out);
                          });
    }
    return out;
}

// The searches of a rotation system, by window.
struct SystemSearches {
    OpenMargins margins;
    SystemSearch<Word, 1> open_1;
    SystemSearch<Word, 2> open_2;
    SystemSearch<Word, 3> open_3;
    SystemSearch<Word, kBoardWords> closed;
};

template <const KickTable& K>
constexpr SystemSearches kSystemSearches = {
    open_margins(K), kSystemSearch<K, true, Word, 1>, kSystemSearch<K, true, Word, 2>,
    kSystemSearch<K, true, Word, 3>, kSystemSearch<K, false, Word, kBoardWords>};

template <Piece P, bool Corners>
Placement* generate_piece(const PackedBoard& board, const SystemSearches& searches, int spawn_x,
                          int spawn_y, Spin worth, Placement* out) {
    const int needed = board.height + searches.margins.of[static_cast<int>(P)];
    const bool open = needed <= 3 * kWordRows && spawn_y >= needed + kSpawnClearance &&
                      spawn_y + kSpawnClearance <= board.rows;
    if (!open)
        return generate_window<P, Corners, false>(board, searches.closed, spawn_x, spawn_y, worth,
                                                  out);
    if (needed <= 1 * kWordRows)
        return generate_window<P, Corners, true>(board, searches.open_1, spawn_x, spawn_y, worth,
                                                 out);
    if (needed <= 2 * kWordRows)
        return generate_window<P, Corners, true>(board, searches.open_2, spawn_x, spawn_y, worth,
                                                 out);
    return generate_window<P, Corners, true>(board, searches.open_3, spawn_x, spawn_y, worth, out);
}

}  // namespace

int generate_placements(FastSystem kicks, const PackedBoard& board, Piece piece, int spawn_x,
                        int spawn_y, SpinRule rule, Placement* out) {
    const SystemSearches& searches =
        kicks == FastSystem::srs ? kSystemSearches<kSrs> : kSystemSearches<kSrsPlus>;
    const auto run = [&](auto generate_placements) __attribute__((always_inline)) {
        return static_cast<int>(
            generate_placements(board, searches, spawn_x, spawn_y, rule.immobile, out) - out);
    };
    switch (piece) {
        case Piece::I:
            return run(generate_piece<Piece::I, false>);
        case Piece::O:
            return run(generate_piece<Piece::O, false>);
        case Piece::T:
            return rule.corners ? run(generate_piece<Piece::T, true>)
                                : run(generate_piece<Piece::T, false>);
        case Piece::L:
            return run(generate_piece<Piece::L, false>);
        case Piece::J:
            return run(generate_piece<Piece::J, false>);
        case Piece::S:
            return run(generate_piece<Piece::S, false>);
        case Piece::Z:
            return run(generate_piece<Piece::Z, false>);
    }
    return 0;
}

}  // namespace SB_ISA
}  // namespace sevenbag
