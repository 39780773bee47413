// The move generator for boards of width 10 and the common rotation systems; compiled once for each
// instruction set.
#include "movegen_isa.hpp"

#include "flood.hpp"

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
SB_INLINE Placement* write(const Window<Word, N>& set, Spin spin, Placement* out) {
    Word words[N];
    unrolled<N>([&](auto w) __attribute__((always_inline)) { words[w] = set.template word<w>(); });
    return write_words(words, N, P, static_cast<Rotation>(R), ShapeOf<P, R>::kDown, spin, out);
}

// `Corners`: the corner test is made; `worth`: what the other test is worth.
template <Piece P, bool Corners, bool Open, int N>
Placement* generate_window(const PackedBoard& board, const KickSearch<Word, N>& kicks, int spawn_x,
                           int spawn_y, Spin worth, Placement* out) {
    const auto occupied = Window<Word, N>::load(board.words);
    Reach<Word, N> s;
    if constexpr (Open)
        reach_open<P, Corners>(occupied, kicks, s);
    else
        reach_closed<P, Corners>(occupied, board.rows, spawn_x, spawn_y, kicks, s);
    if constexpr (Corners) {
        Turns<Word, N> turns;
        kicks.turns(s, turns, kicks.half_turns);
        Sets<Word, N> spawned;
        unrolled<kRotations>([&](auto r) __attribute__((always_inline)) {
            // In an open window the highest resting place can only be entered from above it.
            spawned.of[r] = Open ? open_to_sky(s.free.of[r]) : Window<Word, N>::none();
        });
        if constexpr (!Open) spawned.of[0] = single<N>(spawn_x, spawn_y) & s.free.of[0];
        t_spins(occupied, s, turns, spawned, worth != Spin::none,
                [&](auto r, const auto& none, const auto& mini, const auto& full)
                    __attribute__((always_inline)) {
                        out = write<P, r>(none, Spin::none, out);
                        if (!any(mini | full)) return;
                        out = write<P, r>(mini, Spin::mini, out);
                        out = write<P, r>(full, Spin::full, out);
                    });
    } else {
        distinct<P>(s, [&](auto r, const Window<Word, N>& set) __attribute__((always_inline)) {
            if (worth == Spin::none) {
                out = write<P, r>(set, Spin::none, out);
                return;
            }
            // Only a rotation leads there: each of these places is a spin, and nothing else.
            const Window<Word, N> spins = set & immobile<P, r>(s);
            out = write<P, r>(set - spins, Spin::none, out);
            if (any(spins)) out = write<P, r>(spins, worth, out);
        });
    }
    return out;
}

// The searches of a rotation system, by window.
struct Searches {
    Margins margins;
    KickSearch<Word, 1> open_1;
    KickSearch<Word, 2> open_2;
    KickSearch<Word, 3> open_3;
    KickSearch<Word, kWholeWords> closed;
};

template <const KickTable& K>
constexpr Searches kSearches = {open_margins(K), kKickSearch<K, true, Word, 1>,
                                kKickSearch<K, true, Word, 2>, kKickSearch<K, true, Word, 3>,
                                kKickSearch<K, false, Word, kWholeWords>};

template <Piece P, bool Corners>
Placement* generate_piece(const PackedBoard& board, const Searches& searches, int spawn_x,
                          int spawn_y, Spin worth, Placement* out) {
    const int needed = board.height + searches.margins.of[static_cast<int>(P)];
    const bool open = needed <= 3 * kWordRows && spawn_y >= needed + kSpawnRoom &&
                      spawn_y + kSpawnRoom <= board.rows;
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

int generate(HotKicks kicks, const PackedBoard& board, Piece piece, int spawn_x, int spawn_y,
             SpinRule rule, Placement* out) {
    const Searches& searches = kicks == HotKicks::srs ? kSearches<kSrs> : kSearches<kSrsPlus>;
    const auto run = [&](auto generate) __attribute__((always_inline)) {
        return static_cast<int>(generate(board, searches, spawn_x, spawn_y, rule.immobile, out) -
                                out);
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
