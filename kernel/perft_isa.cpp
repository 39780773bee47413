// Bulk-counted perft for boards of width 10 and the common rotation systems; compiled once per
// instruction set.
//
// The tree is searched with one board per vector lane. Boards are collected in one batch per ply
// and bitboard size until a vector is full. The queue is fixed, so all boards of a ply are for the
// same piece.
#include "movegen_isa.hpp"

#include "reachability.hpp"

namespace sevenbag {
namespace SB_ISA {

namespace {

constexpr int kWindows = 3;   // sizes of open windows: 6, 12 and 18 rows
constexpr int kHighest = 14;  // of a board on which a piece can be placed within 18 rows

// Bits that start a row and end, nine bits further, the same row: where row starts of full rows
// are.
SB_INLINE Word full_rows(Word w) {
    constexpr Word kStarts = 0x0004010040100401u;
    Word run = w & (w >> 1);
    run &= run >> 2;
    run &= run >> 4;
    return run & (w >> 8) & (w >> 9) & kStarts;
}

// The cells of a piece in one rotation, from the row and column of its lowest and leftmost ones.
struct PiecePattern {
    Word cells;
    int left;  // columns from the leftmost cell to the centre
    int rows;
};

constexpr PiecePattern pattern(Piece piece, int rotation) {
    const Shape& shape = kShapes[static_cast<int>(piece)][rotation];
    Word cells = 0;
    for (Cell c : shape.cells) cells |= Word{1} << (c.y * kWidth + c.x + shape.left);
    return {cells, shape.left, shape.up + 1};
}

template <Piece P>
constexpr PiecePattern patterns[kRotations] = {pattern(P, 0), pattern(P, 1), pattern(P, 2),
                                               pattern(P, 3)};

struct BoardBatch {
    alignas(64) Word words[kWindows][kLanes];
    int heights[kLanes];
    int count;
};

// The searches of a rotation system, by window.
struct SystemSearches {
    OpenMargins margins;
    SystemSearch<Lanes, 1> open_1;
    SystemSearch<Lanes, 2> open_2;
    SystemSearch<Lanes, 3> open_3;
};

template <const KickTable& K>
constexpr SystemSearches kSystemSearches = {open_margins(K), kSystemSearch<K, true, Lanes, 1>,
                                            kSystemSearch<K, true, Lanes, 2>,
                                            kSystemSearch<K, true, Lanes, 3>};

class PerftCounter {
  public:
    PerftCounter(const PerftJob& job, const SystemSearches& searches, int spawn_y,
                 std::uint64_t (*fallback)(void*, const std::uint64_t*, int), void* context)
        : job_(job),
          searches_(searches),
          spawn_y_(spawn_y),
          fallback_(fallback),
          context_(context) {}

    std::uint64_t run() {
        for (int ply = 0; ply < job_.depth; ++ply) {
            margins_[ply] = searches_.margins.of[static_cast<int>(job_.queue[ply])];
            for (BoardBatch& batch : batches_[ply]) batch.count = 0;
        }
        for (int i = 0; i < job_.count; ++i) {
            const Word* b = job_.boards[i];
            int height = 0;
            for (int w = 0; w < kWindows; ++w)
                if (b[w]) height = w * kWordRows + (63 - __builtin_clzll(b[w])) / kWidth + 1;
            push(b[0], b[1], b[2], height, 0);
        }
        for (int ply = 0; ply < job_.depth; ++ply)
            for (int n = 0; n < kWindows; ++n)
                if (batches_[ply][n].count) flush_batch(ply, n);
        return leaves_;
    }

  private:
    SB_INLINE void push(Word w0, Word w1, Word w2, int height, int ply) {
        const int needed = height + margins_[ply];
        if (__builtin_expect(height > kHighest || needed + kSpawnClearance > spawn_y_, 0)) {
            const Word words[kWindows] = {w0, w1, w2};
            leaves_ += fallback_(context_, words, ply);
            return;
        }
        const int n = (needed - 1) / kWordRows;
        BoardBatch& batch = batches_[ply][n];
        const int i = batch.count++;
        batch.words[0][i] = w0;
        batch.words[1][i] = w1;
        batch.words[2][i] = w2;
        batch.heights[i] = height;
        if (batch.count == kLanes) flush_batch(ply, n);
    }

    [[gnu::noinline]] void flush_batch(int ply, int n) {
        BoardBatch& batch = batches_[ply][n];
        if (__builtin_expect(__atomic_load_n(job_.stop, __ATOMIC_RELAXED), 0)) {
            batch.count = 0;
            return;
        }
        // A lane without a board is full: no piece fits.
        for (int i = batch.count; i < kLanes; ++i)
            for (int w = 0; w < kWindows; ++w) batch.words[w][i] = kWordMask;
        switch (job_.queue[ply]) {
            case Piece::I:
                flush_piece<Piece::I>(ply, n);
                break;
            case Piece::O:
                flush_piece<Piece::O>(ply, n);
                break;
            case Piece::T:
                if (job_.corners)
                    flush_piece<Piece::T, true>(ply, n);
                else
                    flush_piece<Piece::T>(ply, n);
                break;
            case Piece::L:
                flush_piece<Piece::L>(ply, n);
                break;
            case Piece::J:
                flush_piece<Piece::J>(ply, n);
                break;
            case Piece::S:
                flush_piece<Piece::S>(ply, n);
                break;
            case Piece::Z:
                flush_piece<Piece::Z>(ply, n);
                break;
        }
        batch.count = 0;
    }

    template <Piece P, bool Spins = false>
    SB_INLINE void flush_piece(int ply, int n) {
        if (n == 0)
            flush_bitboards<P, Spins>(ply, searches_.open_1);
        else if (n == 1)
            flush_bitboards<P, Spins>(ply, searches_.open_2);
        else
            flush_bitboards<P, Spins>(ply, searches_.open_3);
    }

    template <Piece P, bool Spins, int N>
    [[gnu::noinline]] void flush_bitboards(int ply, const SystemSearch<Lanes, N>& kicks) {
        const BoardBatch& batch = batches_[ply][N - 1];
        const auto occupied =
            Bitboard<Lanes, N>::load(reinterpret_cast<const Lanes*>(batch.words[0]));
        Reachability<Lanes, N> s;
        reach_open<P, Spins>(occupied, kicks, s);
        const bool last = ply + 1 == job_.depth;
        const auto take = [&](auto r, const Bitboard<Lanes, N>& set)
                              __attribute__((always_inline)) {
                                  if (last)
                                      leaves_ += static_cast<std::uint64_t>(count_bits(set));
                                  else
                                      place(patterns<P>[r], set, batch, ply);
                              };
        if constexpr (Spins) {
            SpinEntries<Lanes, N> turns;
            kicks.turns(s, turns, kicks.half_turns);
            RotationSets<Lanes, N> sky;
            unrolled<kRotations>([&](auto r) __attribute__((always_inline)) {
                sky.of[r] = unobstructed_above(s.free.of[r]);
            });
            // Immobile positions are reached by rotations only, so they have one spin for any value
            // of that test: counting needs no test.
            t_spins(occupied, s, turns, sky, false,
                    [&](auto r, const auto& none, const auto& mini, const auto& full)
                        __attribute__((always_inline)) {
                            take(r, none);
                            take(r, mini);
                            take(r, full);
                        });
        } else {
            visit_distinct<P>(s, take);
        }
    }

    // Add every board of the batch with the piece at every position of its lane.
    template <int N>
    [[gnu::noinline]] void place(const PiecePattern pattern, const Bitboard<Lanes, N>& set,
                                 const BoardBatch& batch, int ply) {
        alignas(64) Lanes words[N];
        unrolled<N>([&](auto w)
                        __attribute__((always_inline)) { words[w] = set.template word<w>(); });
        for (int lane = 0; lane < batch.count; ++lane) {
            const Word w0 = batch.words[0][lane];
            const Word w1 = batch.words[1][lane];
            const Word w2 = batch.words[2][lane];
            const int below = batch.heights[lane];
            unrolled<N>([&](auto word) __attribute__((always_inline)) {
                constexpr int W = word;
                for (Word bits = words[W][lane]; bits; bits &= bits - 1) {
                    const int bit = __builtin_ctzll(bits);
                    const int y = bit * 205 >> 11;  // bit / 10
                    const int shift = bit - pattern.left;
                    const Word lower = (pattern.cells << shift) & kWordMask;
                    const Word upper = pattern.cells >> (kWordBits - shift);
                    const Word b0 = W == 0 ? w0 | lower : w0;
                    const Word b1 = W == 0 ? w1 | upper : W == 1 ? w1 | lower : w1;
                    const Word b2 = W == 1 ? w2 | upper : W == 2 ? w2 | lower : w2;
                    const Word full = W == 0   ? full_rows(b0) | full_rows(b1)
                                      : W == 1 ? full_rows(b1) | full_rows(b2)
                                               : full_rows(b2);
                    const int top = y + W * kWordRows + pattern.rows;
                    const int height = below > top ? below : top;
                    if (__builtin_expect(full != 0, 0))
                        push_cleared(b0, b1, b2, height, ply + 1);
                    else
                        push(b0, b1, b2, height, ply + 1);
                }
            });
        }
    }

    // Pushes a board without its full rows.
    [[gnu::noinline]] void push_cleared(Word w0, Word w1, Word w2, int height, int ply) {
        constexpr Word kRow = (1u << kWidth) - 1;
        const Word words[kWindows] = {w0, w1, w2};
        Word cleared[kWindows] = {};
        int to = 0;
        for (int y = 0; y < height; ++y) {
            const Word row = words[y / kWordRows] >> (y % kWordRows * kWidth) & kRow;
            if (row == kRow) continue;
            cleared[to / kWordRows] |= row << (to % kWordRows * kWidth);
            ++to;
        }
        push(cleared[0], cleared[1], cleared[2], to, ply);
    }

    PerftJob job_;
    const SystemSearches& searches_;
    int spawn_y_;
    std::uint64_t (*fallback_)(void*, const std::uint64_t*, int);
    void* context_;
    std::uint64_t leaves_ = 0;
    int margins_[kMaxFastPlies];
    BoardBatch batches_[kMaxFastPlies][kWindows];
};

}  // namespace

std::uint64_t perft(FastSystem kicks, const PerftJob& job, int spawn_y,
                    std::uint64_t (*fallback)(void*, const std::uint64_t*, int), void* context) {
    const SystemSearches& searches =
        kicks == FastSystem::srs ? kSystemSearches<kSrs> : kSystemSearches<kSrsPlus>;
    return PerftCounter(job, searches, spawn_y, fallback, context).run();
}

}  // namespace SB_ISA
}  // namespace sevenbag
