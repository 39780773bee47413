// Lock placements and evaluate the boards, several side by side; compiled once per instruction set.
// The features are defined in evaluation.hpp; evaluation.cpp counts the same cell by cell.
#include "evaluation_isa.hpp"

#include "bitboard.hpp"

namespace sevenbag {
namespace SB_ISA {

namespace {

typedef std::int32_t Ints __attribute__((vector_size(kLanes * 8)));

constexpr unsigned kFullRow = (1u << kWidth) - 1;
constexpr Word kFirstColumn =
    1 | Word{1} << 10 | Word{1} << 20 | Word{1} << 30 | Word{1} << 40 | Word{1} << 50;

// Every piece in every rotation: its cells relative to the lower left corner of its box, and the
// position of the centre. The table is local, because one from a header would be shared with code
// for other instruction sets.
struct PieceTable {
    Word bits[kPieces][kRotations];
    int right[kPieces][kRotations];
    int up[kPieces][kRotations];
};

consteval PieceTable piece_table() {
    PieceTable table{};
    for (int p = 0; p < kPieces; ++p)
        for (int r = 0; r < kRotations; ++r) {
            const Shape& shape = kShapes[p][r];
            table.right[p][r] = shape.left;
            table.up[p][r] = shape.down;
            for (int i = 0; i < 4; ++i)
                table.bits[p][r] |= Word{1}
                                    << (shape.cells[i].x + shape.left + shape.cells[i].y * kWidth);
        }
    return table;
}

constexpr PieceTable kTable = piece_table();

// A mark at column 0 of every row that is full ...
template <class V>
SB_INLINE V full_rows(V w) {
    const V two = w & (w >> 1);
    const V four = two & (two >> 2);
    return four & (four >> 4) & (two >> 8) & kFirstColumn;
}

// ... and of every row that has any cell.
template <class V>
SB_INLINE V used_rows(V w) {
    const V two = w | (w >> 1);
    const V four = two | (two >> 2);
    return (four | (four >> 4) | (two >> 8)) & kFirstColumn;
}

// All cells of the rows marked at column 0.
template <class V>
SB_INLINE V whole_rows(V marks) {
    return (marks << kWidth) - marks;
}

// Sets of cells of kLanes boards, side by side, in N words each. Bits 60 to 63 of a word belong to
// no row; shifts may set them, and they are masked before cells are counted.
template <int N>
struct BoardLanes {
    Lanes w[N];

    SB_INLINE static BoardLanes columns(unsigned columns) {
        BoardLanes r;
        for (int i = 0; i < N; ++i) r.w[i] = splat<Lanes>(columns * kFirstColumn);
        return r;
    }
    SB_INLINE friend BoardLanes operator&(BoardLanes a, const BoardLanes& b) {
        for (int i = 0; i < N; ++i) a.w[i] &= b.w[i];
        return a;
    }
    SB_INLINE friend BoardLanes operator|(BoardLanes a, const BoardLanes& b) {
        for (int i = 0; i < N; ++i) a.w[i] |= b.w[i];
        return a;
    }
    SB_INLINE friend BoardLanes operator^(BoardLanes a, const BoardLanes& b) {
        for (int i = 0; i < N; ++i) a.w[i] ^= b.w[i];
        return a;
    }
    // In a, not in b.
    SB_INLINE friend BoardLanes operator-(BoardLanes a, const BoardLanes& b) {
        for (int i = 0; i < N; ++i) a.w[i] &= ~b.w[i];
        return a;
    }
    SB_INLINE Lanes merged() const {
        Lanes all = w[0];
        for (int i = 1; i < N; ++i) all |= w[i];
        return all;
    }
};

// For each cell, the cell above it.
template <int N>
SB_INLINE BoardLanes<N> above(const BoardLanes<N>& a) {
    BoardLanes<N> r;
    for (int i = 0; i < N; ++i) {
        r.w[i] = a.w[i] >> kWidth;
        if (i + 1 < N) r.w[i] |= (a.w[i + 1] & kFullRow) << (kWordBits - kWidth);
    }
    return r;
}

template <int N>
SB_INLINE BoardLanes<N> below(const BoardLanes<N>& a) {
    BoardLanes<N> r;
    for (int i = 0; i < N; ++i) {
        r.w[i] = a.w[i] << kWidth & kWordMask;
        if (i > 0) r.w[i] |= a.w[i - 1] >> (kWordBits - kWidth);
    }
    return r;
}

template <int N>
SB_INLINE BoardLanes<N> left_of(const BoardLanes<N>& a) {
    BoardLanes<N> r;
    for (int i = 0; i < N; ++i) r.w[i] = a.w[i] << 1;
    return r & BoardLanes<N>::columns(kFullRow & ~1u);
}

template <int N>
SB_INLINE BoardLanes<N> right_of(const BoardLanes<N>& a) {
    BoardLanes<N> r;
    for (int i = 0; i < N; ++i) r.w[i] = a.w[i] >> 1;
    return r & BoardLanes<N>::columns(kFullRow >> 1);
}

// Number of cells in each lane.
template <int N>
SB_INLINE Ints count_cells(const BoardLanes<N>& a) {
#if defined(__AVX512VPOPCNTDQ__)
    __m512i sum = _mm512_popcnt_epi64(reinterpret_cast<__m512i>(a.w[0]));
    for (int i = 1; i < N; ++i)
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(reinterpret_cast<__m512i>(a.w[i])));
    return reinterpret_cast<Ints>(sum);
#elif defined(__AVX2__)
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                           2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    __m256i sum = _mm256_setzero_si256();
    for (int i = 0; i < N; ++i) {
        const __m256i w = reinterpret_cast<__m256i>(a.w[i]);
        sum = _mm256_add_epi8(sum, _mm256_shuffle_epi8(table, _mm256_and_si256(w, low)));
        sum = _mm256_add_epi8(
            sum, _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi64(w, 4), low)));
    }
    return reinterpret_cast<Ints>(_mm256_sad_epu8(sum, _mm256_setzero_si256()));
#else
    Lanes sum{};
    for (int i = 0; i < N; ++i) {
        Lanes w = a.w[i];
        w -= (w >> 1) & 0x5555555555555555u;
        w = (w & 0x3333333333333333u) + ((w >> 2) & 0x3333333333333333u);
        w = (w + (w >> 4)) & 0x0f0f0f0f0f0f0f0fu;
        sum += (w & 0x00ff00ff00ff00ffu) + ((w >> 8) & 0x00ff00ff00ff00ffu);
    }
    sum += sum >> 16;
    sum += sum >> 32;
    return reinterpret_cast<Ints>(sum & 0xffffu);
#endif
}

template <int N>
SB_INLINE BoardLanes<N> under_surface(const BoardLanes<N>& filled) {
    BoardLanes<N> r;
    Lanes carry{};
    for (int i = N - 1; i >= 0; --i) {
        Lanes w = filled.w[i] | carry;
        w |= w >> 10;
        w |= w >> 20;
        w |= w >> 40;
        carry = (w & kFullRow) << (kWordBits - kWidth);
        r.w[i] = w;
    }
    return r;
}

// Everything above any cell of `a`, and those cells.
template <int N>
SB_INLINE BoardLanes<N> over(const BoardLanes<N>& a) {
    BoardLanes<N> r;
    Lanes carry{};
    for (int i = 0; i < N; ++i) {
        Lanes w = a.w[i] | carry;
        w |= w << 10;
        w |= w << 20;
        w |= w << 40;
        w &= kWordMask;
        carry = w >> (kWordBits - kWidth);
        r.w[i] = w;
    }
    return r;
}

struct Evaluation {
    Ints score;
    Ints cells;
    Ints holes;
    Ints t_rows;
};

template <int N>
SB_INLINE Evaluation evaluate(const BoardLanes<N>& filled, const Features& weights) {
    using B = BoardLanes<N>;
    const B all = B::columns(kFullRow);
    const B first = B::columns(1);
    const B last = B::columns(1u << (kWidth - 1));
    Ints score{};
    const auto add = [&](const B& set, std::int32_t weight)
                         __attribute__((always_inline)) { score += count_cells(set) * weight; };
    const auto by_word = [](const B& set, auto&& change) __attribute__((always_inline)) {
        B r;
        for (int i = 0; i < N; ++i) r.w[i] = change(set.w[i]);
        return r;
    };
    const auto full = [](Lanes w) __attribute__((always_inline)) { return full_rows(w); };
    const auto used = [](Lanes w) __attribute__((always_inline)) { return used_rows(w); };
    const auto whole = [](Lanes w) __attribute__((always_inline)) { return whole_rows(w); };

    const B under = under_surface(filled);
    const B open = all - under;
    add(under, weights.surface);

    const B holes = under - filled;
    const Ints hole_count = count_cells(holes);
    score += hole_count * weights.holes;
    add(by_word(holes, used), weights.hole_rows);
    add(over(holes) & filled, weights.cells_above_holes);

    add(filled ^ (right_of(filled) | last), weights.row_changes);
    add(first - filled, weights.row_changes);

    const B steps = (under ^ right_of(under)) - last;
    const B tall_steps = steps & above(steps);
    add(steps, weights.steps);
    add(tall_steps, weights.tall_steps);
    add(tall_steps & above(tall_steps), weights.steep_steps);

    const B wells = open & (left_of(under) | first) & (right_of(under) | last);
    const B well_above = above(wells);
    const B deep = wells & well_above & above(well_above);
    add(wells, weights.wells);
    add(deep, weights.deep_wells);
    Lanes columns = deep.merged();
    columns |= columns >> 30;
    columns |= columns >> 10 | columns >> 20;
    score += count_cells(BoardLanes<1>{{columns & kFullRow}}) * weights.well_columns;
    // A full row without a well would have been cleared.
    add(by_word(filled | wells, full), weights.ready_rows);

    const B floor = below(filled);
    const B dents = open & below(open) & left_of(floor) & right_of(floor);
    const B up = above(filled);
    const B open_left = left_of(open);
    const B open_right = right_of(open);
    const B slots = dents & (((left_of(up) - left_of(filled)) & open_right) |
                             ((right_of(up) - right_of(filled)) & open_left));
    add(dents & open_left & open_right, weights.open_t_slots);
    Ints t_rows{};
    // Most boards have none.
    if (any(slots.merged())) {
        add(slots, weights.t_slots);
        const B cells = slots | left_of(slots) | right_of(slots) | above(slots);
        const B with_t = filled | cells;
        const B marks = by_word(cells, used);
        t_rows = count_cells(by_word(with_t, full) & marks);
        score += t_rows * weights.t_rows;
        add(by_word(marks, whole) - with_t, weights.t_missing);
    }
    return {score, count_cells(filled), hole_count, t_rows};
}

constexpr Word kHashKeys[7] = {0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu,
                               0xd6e8feb86659fd93u, 0xff51afd7ed558ccdu, 0xc4ceb9fe1a85ec53u,
                               0xa0761d6478bd642fu};

// Independent of the number of words: empty ones add nothing.
template <int N>
SB_INLINE Word hash_of(const Word* words) {
    Word h = 0;
    for (int i = 0; i < N; ++i) h += (words[i] ^ words[i] >> 29) * kHashKeys[i];
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

// Remove row `y` of word `i`; the rows above move down.
template <int N>
SB_INLINE void remove_row(Word* words, int i, int bit) {
    const Word low = (Word{1} << bit) - 1;
    words[i] = (words[i] & low) | (words[i] >> kWidth & ~low);
    for (int j = 0; j + 1 < N; ++j) {
        if (j < i) continue;
        words[j] |= (words[j + 1] & kFullRow) << (kWordBits - kWidth);
        words[j + 1] >>= kWidth;
    }
}

// Lock a placement on a copy of the board; return the rows cleared.
template <int N>
SB_INLINE int lock(const Word* board, const Placement& p, Word* words) {
    for (int i = 0; i < N; ++i) words[i] = board[i];
    const int piece = static_cast<int>(p.piece);
    const int rotation = static_cast<int>(p.rotation);
    const int y = p.y - kTable.up[piece][rotation];
    const int i = y / kWordRows;
    const int shift = (y - i * kWordRows) * kWidth + p.x - kTable.right[piece][rotation];
    const Word bits = kTable.bits[piece][rotation];
    words[i] |= bits << shift & kWordMask;
    Word marks = full_rows(words[i]);
    Word next = 0;
    if (i + 1 < N) {
        words[i + 1] |= bits >> (kWordBits - shift);
        next = full_rows(words[i + 1]);
    }
    if (!(marks | next)) return 0;
    int lines = 0;
    for (; next; ++lines) {
        const int bit = 63 - __builtin_clzll(next);
        remove_row<N>(words, i + 1, bit);
        next ^= Word{1} << bit;
    }
    for (; marks; ++lines) {
        const int bit = 63 - __builtin_clzll(marks);
        remove_row<N>(words, i, bit);
        marks ^= Word{1} << bit;
    }
    return lines;
}

template <int N>
SB_INLINE int height_of(const Word* words) {
    for (int i = N - 1; i >= 0; --i)
        if (words[i]) return i * kWordRows + (63 - __builtin_clzll(words[i])) / kWidth + 1;
    return 0;
}

// Boards of at most N words, kLanes at a time.
template <int N>
void evaluate_all(const EvaluationJob& job, EvaluatedBoard* out) {
    BoardLanes<N> boards{};
    for (int done = 0; done < job.count; done += kLanes) {
        const int count = job.count - done < kLanes ? job.count - done : kLanes;
        alignas(64) Word lanes[N][kLanes];
        for (int k = 0; k < count; ++k) {
            Word words[N];
            EvaluatedBoard& child = out[done + k];
            child.lines =
                static_cast<std::uint8_t>(lock<N>(job.words, job.placements[done + k], words));
            child.height = static_cast<std::uint8_t>(height_of<N>(words));
            child.hash = hash_of<N>(words);
            for (int i = 0; i < N; ++i) lanes[i][k] = words[i];
        }
        // Idle lanes repeat an earlier board.
        for (int k = count; k < kLanes; ++k)
            for (int i = 0; i < N; ++i) lanes[i][k] = lanes[i][0];
        for (int i = 0; i < N; ++i) __builtin_memcpy(&boards.w[i], lanes[i], sizeof boards.w[i]);
        const Evaluation evaluation = evaluate<N>(boards, *job.weights);
        for (int k = 0; k < count; ++k) {
            EvaluatedBoard& child = out[done + k];
            // An empty row changes at both walls; those above the stack do not count.
            child.score = evaluation.score[2 * k] -
                          job.weights->row_changes * 2 * (N * kWordRows - child.height);
            child.cells = static_cast<std::uint16_t>(evaluation.cells[2 * k]);
            child.holes = evaluation.holes[2 * k] != 0;
            child.t_rows = static_cast<std::uint8_t>(evaluation.t_rows[2 * k]);
        }
    }
}

}  // namespace

void evaluate_placements(const EvaluationJob& job, EvaluatedBoard* out) {
    // A resting piece rises at most four rows above the stack.
    const int needed = (job.height + 4 + kWordRows - 1) / kWordRows;
    if (needed <= 1) return evaluate_all<1>(job, out);
    if (needed <= 2) return evaluate_all<2>(job, out);
    if (needed <= 3) return evaluate_all<3>(job, out);
    if (needed <= 4) return evaluate_all<4>(job, out);
    evaluate_all<7>(job, out);
}

}  // namespace SB_ISA
}  // namespace sevenbag
