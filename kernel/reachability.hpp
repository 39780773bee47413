// Reachable and resting positions of a piece: core of the move generator, for boards of width 10
// and rotation systems known at compile time.
//
// Positions are sets of bits (see bitboard.hpp), one set per rotation. A position names the column
// of the piece's centre and the *lowest row* of its cells ("base").
//
// Two kinds of bitboards:
//  - open: all positions above the stack are reachable and need no search, because the spawn is
//    high above the stack. The bitboard ends where the stack can no longer affect a rotation
//    (open_margin); rows above count as free.
//  - closed: the bitboard covers the whole board, its top is a ceiling, and the search begins at
//    the spawn.
#pragma once

#include "bitboard.hpp"
#include "kicks.hpp"
#include "piece.hpp"
#include "spin.hpp"

namespace sevenbag {
namespace SB_ISA {

// Constants of a piece in one rotation. They are read one number at a time: gcc 12 cannot cope with
// constexpr structures inside the lambdas below.
template <Piece P, int R>
struct ShapeOf {
    static constexpr int kDown = kShapes[static_cast<int>(P)][R].down;
    static constexpr int kUp = kShapes[static_cast<int>(P)][R].up;
    static constexpr int kLeft = kShapes[static_cast<int>(P)][R].left;
    static constexpr int kRight = kShapes[static_cast<int>(P)][R].right;
    template <int I>
    static constexpr int kX = kShapes[static_cast<int>(P)][R].cells[I].x;
    template <int I>
    static constexpr int kY = kShapes[static_cast<int>(P)][R].cells[I].y;
};

constexpr unsigned columns_between(int first, int last) {
    unsigned columns = 0;
    for (int x = first; x <= last; ++x)
        if (x >= 0 && x < kWidth) columns |= 1u << x;
    return columns;
}

inline constexpr unsigned kAllColumns = columns_between(0, kWidth - 1);

// Columns in which the centre can be.
template <Piece P, int R>
inline constexpr unsigned kColumns =
    columns_between(ShapeOf<P, R>::kLeft, kWidth - 1 - ShapeOf<P, R>::kRight);

// Test `I` of a rotation as a movement of the base.
template <const KickTable& K, Piece P, int From, int To, int I>
struct Kick {
    static constexpr int kX = K.of(P, From, To).displacement[I].x;
    static constexpr int kY =
        K.of(P, From, To).displacement[I].y + ShapeOf<P, From>::kDown - ShapeOf<P, To>::kDown;
};

// Rotations that differ: O turns in place.
template <Piece P>
inline constexpr int kUsed = P == Piece::O ? 1 : kRotations;

template <class V, int N>
struct RotationSets {
    Bitboard<V, N> of[kRotations];
};

// Free, resting and reached positions of a piece on a window.
template <class V, int N>
struct Reachability {
    RotationSets<V, N> free;
    RotationSets<V, N> rest;
    RotationSets<V, N> reach;
};

// Positions at which every cell is free. `occupied` must have no rubbish bits.
template <Piece P, int R, class V, int N>
SB_INLINE Bitboard<V, N> free_positions(const Bitboard<V, N>& occupied) {
    using S = ShapeOf<P, R>;
    const Bitboard<V, N> blocked = translate<-S::template kX<0>, -S::template kY<0>>(occupied) |
                                   translate<-S::template kX<1>, -S::template kY<1>>(occupied) |
                                   translate<-S::template kX<2>, -S::template kY<2>>(occupied) |
                                   translate<-S::template kX<3>, -S::template kY<3>>(occupied);
    return Bitboard<V, N>::template columns<kColumns<P, R>>() - blocked;
}

// Free positions with only free positions above them.
template <class V, int N>
SB_INLINE Bitboard<V, N> unobstructed_above(const Bitboard<V, N>& free) {
    const Bitboard<V, N> inside = Bitboard<V, N>::template columns<kAllColumns>();
    Bitboard<V, N> below = inside - free;
    below = (below | translate<0, -1>(below)) & inside;
    below = (below | translate<0, -2>(below)) & inside;
    below = (below | translate<0, -4>(below)) & inside;
    if constexpr (N > 1) below = (below | translate<0, -8>(below)) & inside;
    if constexpr (N > 2) below = (below | translate<0, -16>(below)) & inside;
    if constexpr (N > 5) below = (below | translate<0, -32>(below)) & inside;
    return free - below;
}

// Free positions above a blocked one.
template <class V, int N>
SB_INLINE Bitboard<V, N> resting(const Bitboard<V, N>& free) {
    return free - translate<0, 1>(free);
}

// Shifts left, right and down from every position of `reach`, once.
template <unsigned Columns, class V, int N>
SB_INLINE Bitboard<V, N> shifted(const Bitboard<V, N>& reach, const Bitboard<V, N>& free) {
    // Only a piece one column wide stands in both outermost columns, and could run from one row
    // into the next.
    constexpr bool kWraps = (Columns & 1) && (Columns >> (kWidth - 1) & 1);
    Bitboard<V, N> left = translate<-1, 0>(reach);
    Bitboard<V, N> right = translate<1, 0>(reach);
    if constexpr (kWraps) {
        left = left - Bitboard<V, N>::template columns<1u << (kWidth - 1)>();
        right = right - Bitboard<V, N>::template columns<1u>();
    }
    return (left | right | translate<0, -1>(reach)) & free;
}

// Apply a rotation to the positions of `from`. `hit(i, set)` is called for each test with the
// resulting positions (Open: without those above the bitboard).
template <const KickTable& K, Piece P, int From, int To, bool Open, class V, int N, class Hit>
SB_INLINE void rotated(Bitboard<V, N> from, const Bitboard<V, N>& free, Hit&& hit) {
    unrolled<K.of(P, From, To).count>([&](auto index) __attribute__((always_inline)) {
        constexpr int I = index;
        constexpr int kDx = Kick<K, P, From, To, I>::kX;
        constexpr int kDy = Kick<K, P, From, To, I>::kY;
        constexpr unsigned kStay =
            columns_between(-kDx, kWidth - 1 - kDx);  // does not leave sideways
        constexpr bool kWraps = (kColumns<P, From> & ~kStay) != 0;
        Bitboard<V, N> fits = translate<-kDx, -kDy>(free);
        if constexpr (Open && kDy > 0) {
            constexpr unsigned kAbove =
                kDx >= 0 ? kColumns<P, To> >> kDx : kColumns<P, To> << -kDx & 0x3ff;
            fits = fits | Bitboard<V, N>::template above<N * kWordRows - kDy, kAbove>();
        }
        Bitboard<V, N> lead = from & fits;
        if constexpr (kWraps) lead = lead & Bitboard<V, N>::template columns<kStay>();
        if constexpr (I + 1 < K.of(P, From, To).count) from = from - lead;
        hit(index, translate<kDx, kDy>(lead) & free);
    });
}

// Finds all positions that shifts, drops and rotations lead to, from the positions below an open
// sky or from those in `reach`. With `early`, stops once every resting position is reached; without
// `half_turns`, skips half turns. L, J, S and Z move as T does: the same kicks, and centres in the
// same columns.
template <const KickTable& K, Piece P, bool Open, class V, int N>
[[gnu::noinline]] void flood_fill(Reachability<V, N>& s, bool early, bool half_turns) {
    auto& [free, rest, reach] = s;
    if constexpr (Open)
        unrolled<kUsed<P>>([&](auto r) __attribute__((always_inline)) {
            rest.of[r] = resting(free.of[r]);
            reach.of[r] = unobstructed_above(free.of[r]);
        });
    RotationSets<V, N> done;
    unrolled<kUsed<P>>([&](auto r)
                           __attribute__((always_inline)) { done.of[r] = Bitboard<V, N>::none(); });
    unsigned pending = ~(~0u << kUsed<P>);
    while (pending) {
        if (early) {
            Bitboard<V, N> missing = Bitboard<V, N>::none();
            unrolled<kUsed<P>>([&](auto r) __attribute__((always_inline)) {
                missing = missing | (rest.of[r] - reach.of[r]);
            });
            if (!any(missing)) return;
        }
        unrolled<kUsed<P>>([&](auto rotation) __attribute__((always_inline)) {
            constexpr int From = rotation;
            if (!(pending >> From & 1)) return;
            pending &= ~(1u << From);
            Bitboard<V, N> all = reach.of[From];
            for (;;) {
                const Bitboard<V, N> more = shifted<kColumns<P, From>>(all, free.of[From]) - all;
                if (!any(more)) break;
                all = all | more;
                all = all | shifted<kColumns<P, From>>(all, free.of[From]);
            }
            reach.of[From] = all;
            const Bitboard<V, N> fresh = all - done.of[From];
            if (!any(fresh)) return;
            done.of[From] = all;
            unrolled<kUsed<P>>([&](auto target) __attribute__((always_inline)) {
                constexpr int To = target;
                if constexpr (To != From && K.of(P, From, To).exists) {
                    if ((To ^ From) == 2 && !half_turns) return;
                    Bitboard<V, N> got = Bitboard<V, N>::none();
                    rotated<K, P, From, To, Open>(
                        fresh, free.of[To],
                        [&](auto, const Bitboard<V, N>& to)
                            __attribute__((always_inline)) { got = got | to; });
                    got = got - reach.of[To];
                    if (any(got)) {
                        reach.of[To] = reach.of[To] | got;
                        pending |= 1u << To;
                    }
                }
            });
        });
    }
}

// Resting positions of a T by the spin of a last rotation into them, by the corner test and, if
// given, `immobile_too` as mini; a position with several entries is in several sets. Shifts end a
// spin. `spawned`: positions of the piece before any move. Calls take(rotation, none, mini, full).
// For the rule see spin.hpp.
template <class V, int N>
struct SpinEntries {
    RotationSets<V, N> turned, kicked;
};

template <const KickTable& K, bool Open, class V, int N>
[[gnu::noinline]] void find_spin_entries(const Reachability<V, N>& s, SpinEntries<V, N>& turns,
                                         bool half_turns) {
    constexpr Piece T = Piece::T;
    unrolled<kRotations>([&](auto r) __attribute__((always_inline)) {
        turns.turned.of[r] = turns.kicked.of[r] = Bitboard<V, N>::none();
    });
    unrolled<kRotations>([&](auto from) __attribute__((always_inline)) {
        unrolled<kRotations>([&](auto to) __attribute__((always_inline)) {
            constexpr int From = from;
            constexpr int To = to;
            if constexpr (From != To && K.of(T, From, To).exists) {
                if ((To ^ From) == 2 && !half_turns) return;
                rotated<K, T, From, To, Open>(
                    s.reach.of[From], s.free.of[To],
                    [&](auto index, const Bitboard<V, N>& led) __attribute__((always_inline)) {
                        constexpr int I = index;
                        constexpr bool kFull = is_full_kick(FullKicks::downward, From, To, I,
                                                            K.of(T, From, To).displacement[I]);
                        Bitboard<V, N>& set = (kFull ? turns.kicked : turns.turned).of[To];
                        set = set | (led & s.rest.of[To]);
                    });
            }
        });
    });
}

// The parts of a search that depend on the rotation system. Everything around them is compiled once
// for all systems.
template <class V, int N>
struct SystemSearch {
    bool half_turns;
    void (*floods[kPieces])(Reachability<V, N>& s, bool early, bool half_turns);
    void (*turns)(const Reachability<V, N>& s, SpinEntries<V, N>& turns,
                  bool half_turns);  // of a T
};

// Return whether a table rotates a piece as SRS+ does; half turns may be missing.
constexpr bool turns_as_srs_plus(const KickTable& table, Piece piece) {
    for (int from = 0; from < kRotations; ++from)
        for (int to = 0; to < kRotations; ++to) {
            const KickTests& tests = table.of(piece, from, to);
            if ((from ^ to) == 2 && !tests.exists) continue;
            if (tests != kSrsPlus.of(piece, from, to)) return false;
        }
    return true;
}

// One search serves all tables that turn T as SRS+ does.
template <const KickTable& K, bool Open, class V, int N>
    requires(turns_as_srs_plus(K, Piece::T))
inline constexpr SystemSearch<V, N> kSystemSearch = {
    K.of(Piece::T, 0, 2).exists,
    {flood_fill<K, Piece::I, Open, V, N>, flood_fill<kSrs, Piece::O, Open, V, N>,
     flood_fill<kSrsPlus, Piece::T, Open, V, N>, flood_fill<kSrsPlus, Piece::T, Open, V, N>,
     flood_fill<kSrsPlus, Piece::T, Open, V, N>, flood_fill<kSrsPlus, Piece::T, Open, V, N>,
     flood_fill<kSrsPlus, Piece::T, Open, V, N>},
    find_spin_entries<kSrsPlus, Open, V, N>};

// Number of rows above the stack in which the stack can affect a rotation. Above that only the
// walls decide a rotation; it lowers the base by at most this much.
constexpr int open_margin(const KickTable& table, Piece piece) {
    int margin = 1;
    for (int from = 0; from < kRotations; ++from)
        for (int to = 0; to < kRotations; ++to) {
            const KickTests& tests = table.of(piece, from, to);
            const Shape& a = kShapes[static_cast<int>(piece)][from];
            const Shape& b = kShapes[static_cast<int>(piece)][to];
            for (int x = a.left; x < kWidth - a.right; ++x)
                for (int i = 0; i < tests.count; ++i) {
                    const int to_x = x + tests.displacement[i].x;
                    if (to_x < b.left || to_x >= kWidth - b.right) continue;
                    const int lower = -(tests.displacement[i].y + a.down - b.down);
                    margin = lower > margin ? lower : margin;
                    break;
                }
        }
    return margin;
}

struct OpenMargins {
    int of[kPieces];
};

constexpr OpenMargins open_margins(const KickTable& table) {
    OpenMargins margins{};
    for (int p = 0; p < kPieces; ++p) margins.of[p] = open_margin(table, static_cast<Piece>(p));
    return margins;
}

// Minimum distance from the stack to the spawn for an open bitboard: the margin, and room for the
// piece to turn at the spawn without touching the stack or the top of the board.
inline constexpr int kSpawnClearance = 4;

template <Piece P, class V, int N>
SB_INLINE void find_free(const Bitboard<V, N>& occupied, RotationSets<V, N>& free) {
    unrolled<kUsed<P>>([&](auto r) __attribute__((always_inline)) {
        free.of[r] = free_positions<P, r>(occupied);
    });
}

// The complete search on an open bitboard. `Spins`: find all reachable positions, not only resting
// ones.
template <Piece P, bool Spins, class V, int N>
SB_INLINE void reach_open(const Bitboard<V, N>& occupied, const SystemSearch<V, N>& kicks,
                          Reachability<V, N>& s) {
    find_free<P>(occupied, s.free);
    kicks.floods[static_cast<int>(P)](s, !Spins, kicks.half_turns);
}

// One position.
template <int N>
SB_INLINE Bitboard<Word, N> single_position(int x, int y) {
    return Bitboard<Word, N>::rows_from(y, 1u << x) - Bitboard<Word, N>::rows_from(y + 1, 1u << x);
}

// Takes away positions under the ceiling of a board of `rows` rows, and enters at the spawn.
template <int N>
[[gnu::noinline]] void start_at_spawn(Reachability<Word, N>& s, Piece piece, int rows, int spawn_x,
                                      int spawn_y) {
    const int used = piece == Piece::O ? kUsed<Piece::O> : kRotations;
    for (int r = 0; r < used; ++r) {
        const int up = kShapes[static_cast<int>(piece)][r].up;
        s.free.of[r] = s.free.of[r] - Bitboard<Word, N>::rows_from(rows - up, kAllColumns);
        s.rest.of[r] = resting(s.free.of[r]);
        s.reach.of[r] = Bitboard<Word, N>::none();
    }
    s.reach.of[0] = single_position<N>(spawn_x, spawn_y) & s.free.of[0];
}

// The whole search on a closed window: `rows` rows high, from a spawn that fits.
template <Piece P, bool Spins, int N>
SB_INLINE void reach_closed(const Bitboard<Word, N>& occupied, int rows, int spawn_x, int spawn_y,
                            const SystemSearch<Word, N>& kicks, Reachability<Word, N>& s) {
    find_free<P>(occupied, s.free);
    start_at_spawn(s, P, rows, spawn_x, spawn_y);
    kicks.floods[static_cast<int>(P)](s, !Spins, kicks.half_turns);
}

// Resting positions by distinct cells: rotations that name the same cells are merged into the
// canonical one. calls take(rotation, set).
template <Piece P, class V, int N, class Take>
SB_INLINE void visit_distinct(const Reachability<V, N>& s, Take&& take) {
    const auto at = [&](int r)
                        __attribute__((always_inline)) { return s.reach.of[r] & s.rest.of[r]; };
    if constexpr (P == Piece::O) {
        take(std::integral_constant<int, 0>{}, at(0));
    } else if constexpr (P == Piece::I || P == Piece::S || P == Piece::Z) {
        // The same cells have the same lowest row; only the column of the centre differs.
        constexpr int kSouth = canonical_form(P, Rotation::south).dx;
        constexpr int kWest = canonical_form(P, Rotation::west).dx;
        take(std::integral_constant<int, 0>{},
             at(0) | (translate<kSouth, 0>(at(2)) &
                      Bitboard<V, N>::template columns<kColumns<P, 0>>()));
        take(std::integral_constant<int, 1>{},
             at(1) |
                 (translate<kWest, 0>(at(3)) & Bitboard<V, N>::template columns<kColumns<P, 1>>()));
    } else {
        unrolled<kRotations>([&](auto r) __attribute__((always_inline)) { take(r, at(r)); });
    }
}

// Filled cells, walls and floor at (dx, dy) from every position.
template <int Dx, int Dy, class V, int N>
SB_INLINE Bitboard<V, N> filled_at(const Bitboard<V, N>& occupied) {
    constexpr unsigned kInside = columns_between(-Dx, kWidth - 1 - Dx);
    Bitboard<V, N> filled =
        translate<-Dx, -Dy>(occupied) & Bitboard<V, N>::template columns<kInside>();
    if constexpr (kInside != kAllColumns)
        filled = filled | Bitboard<V, N>::template columns<kAllColumns & ~kInside>();
    if constexpr (Dy < 0) {
        filled = filled | (Bitboard<V, N>::template columns<kAllColumns>() -
                           Bitboard<V, N>::template above<-Dy, kAllColumns>());
    }
    return filled;
}

// Resting positions that are blocked on the left, on the right and above.
template <Piece P, int R, class V, int N>
SB_INLINE Bitboard<V, N> immobile(const Reachability<V, N>& s) {
    constexpr unsigned kHere = kColumns<P, R>;
    constexpr bool kWraps = (kHere & 1) && (kHere >> (kWidth - 1) & 1);
    const Bitboard<V, N>& free = s.free.of[R];
    Bitboard<V, N> right_of_free = translate<1, 0>(free);
    Bitboard<V, N> left_of_free = translate<-1, 0>(free);
    if constexpr (kWraps) {
        right_of_free = right_of_free - Bitboard<V, N>::template columns<1u>();
        left_of_free = left_of_free - Bitboard<V, N>::template columns<1u << (kWidth - 1)>();
    }
    return s.rest.of[R] - right_of_free - left_of_free - translate<0, -1>(free);
}

// Resting positions of a T by the kind of spin that a last move into them makes, by the corner
// test and, if given, `immobile_too` as mini; a position that can be entered in several ways is
// in several sets. Shifts end a spin. `spawned`: positions of the piece before any move.
// take(rotation, none, mini, full). The rule: spin.hpp.
template <class V, int N, class Take>
SB_INLINE void t_spins(const Bitboard<V, N>& occupied, const Reachability<V, N>& s,
                       const SpinEntries<V, N>& turns, const RotationSets<V, N>& spawned,
                       bool immobile_too, Take&& take) {
    constexpr Piece T = Piece::T;
    const auto& [turned, kicked] = turns;
    unrolled<kRotations>([&](auto rotation) __attribute__((always_inline)) {
        constexpr int R = rotation;
        constexpr int kCentre = ShapeOf<T, R>::kDown;
        constexpr int A = R, B = (R + 1) % 4, C = (R + 2) % 4, D = (R + 3) % 4;
        const auto fa = filled_at<kCornerX[A], kCornerY[A] + kCentre>(occupied);
        const auto fb = filled_at<kCornerX[B], kCornerY[B] + kCentre>(occupied);
        const auto fc = filled_at<kCornerX[C], kCornerY[C] + kCentre>(occupied);
        const auto fd = filled_at<kCornerX[D], kCornerY[D] + kCentre>(occupied);
        const Bitboard<V, N> front = fa & fb;
        const Bitboard<V, N> three = (front & (fc | fd)) | (fc & fd & (fa | fb));
        const Bitboard<V, N> some = immobile_too ? three | immobile<T, R>(s) : three;
        const Bitboard<V, N> moved_in =
            (shifted<kColumns<T, R>>(s.reach.of[R], s.free.of[R]) | spawned.of[R]) & s.rest.of[R];
        const Bitboard<V, N> both = turned.of[R] | kicked.of[R];
        take(rotation, moved_in | (both - some),
             ((turned.of[R] & some) - (three & front)) | ((kicked.of[R] & some) - three),
             (both & three & front) | (kicked.of[R] & three));
    });
}

}  // namespace SB_ISA
}  // namespace sevenbag
