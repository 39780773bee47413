// The move generator: chooses the fast path (boards of width 10 under common rotation systems, see
// movegen_isa.cpp), and is itself the general one, for every board and every table.
#include "movegen.hpp"

#include "movegen_isa.hpp"

namespace sevenbag {

namespace {

// A set of positions: bit x of row y is the piece with its centre in column x and its lowest cells
// in row y. Loops run over all rows, of whatever board, so that compilers make vectors of them.
struct RowSet {
    std::array<std::uint16_t, kMaxRows> rows{};

    bool any() const {
        std::uint16_t all = 0;
        for (std::uint16_t r : rows) all |= r;
        return all != 0;
    }
    friend RowSet operator&(const RowSet& a, const RowSet& b) {
        RowSet r;
        for (int y = 0; y < kMaxRows; ++y) r.rows[y] = a.rows[y] & b.rows[y];
        return r;
    }
    friend RowSet operator|(const RowSet& a, const RowSet& b) {
        RowSet r;
        for (int y = 0; y < kMaxRows; ++y) r.rows[y] = a.rows[y] | b.rows[y];
        return r;
    }
    friend RowSet operator-(const RowSet& a, const RowSet& b) {
        RowSet r;
        for (int y = 0; y < kMaxRows; ++y)
            r.rows[y] = static_cast<std::uint16_t>(a.rows[y] & ~b.rows[y]);
        return r;
    }
};

// The set moved by (dx, dy); what leaves the board is lost.
RowSet moved(const RowSet& a, int dx, int dy, std::uint32_t full_row) {
    RowSet r;
    const int first = dy > 0 ? dy : 0;
    const int last = dy > 0 ? kMaxRows : kMaxRows + dy;
    if (dx >= 0)
        for (int y = first; y < last; ++y)
            r.rows[y] = static_cast<std::uint16_t>((a.rows[y - dy] << dx) & full_row);
    else
        for (int y = first; y < last; ++y)
            r.rows[y] = static_cast<std::uint16_t>(a.rows[y - dy] >> -dx);
    return r;
}

class General {
  public:
    General(const Board& board, Piece piece, const KickTable& table)
        : board_(board), piece_(piece), table_(table), full_(board.full_row()) {
        for (int y = 0; y < board.rows(); ++y)
            empty_.rows[y] = static_cast<std::uint16_t>(~board.row(y) & full_);
    }

    void run(Spawn spawn, SpinMode spins, PlacementList& out) {
        for (int r = 0; r < kRotations; ++r) find_free(r);
        spawned_.rows[spawn.y - shape(0).down] = static_cast<std::uint16_t>(1u << spawn.x);
        reach_[0] = spawned_;
        flood();
        if (spins == SpinMode::t_spins && piece_ == Piece::T)
            write_t_spins(out);
        else
            write_distinct(out);
    }

  private:
    const Shape& shape(int rotation) const { return kShapes[static_cast<int>(piece_)][rotation]; }

    void find_free(int r) {
        RowSet free;
        free.rows.fill(static_cast<std::uint16_t>(full_));
        for (Cell c : shape(r).cells) free = free & moved(empty_, -c.x, -c.y, full_);
        free_[r] = free;
        rest_[r] = free - moved(free, 0, 1, full_);
    }

    // hit(index, set) for each test, as in flood.hpp.
    template <class Hit>
    void rotated(int from_rotation, int to, RowSet from, Hit&& hit) const {
        const Tests& tests = table_.of(piece_, from_rotation, to);
        for (int i = 0; i < tests.count; ++i) {
            const int dx = tests.displacement[i].x;
            const int dy = tests.displacement[i].y + shape(from_rotation).down - shape(to).down;
            const RowSet lead = from & moved(free_[to], -dx, -dy, full_);
            if (!lead.any()) continue;
            from = from - lead;
            hit(i, moved(lead, dx, dy, full_));
        }
    }

    RowSet shifted(const RowSet& from, int r) const {
        return (moved(from, -1, 0, full_) | moved(from, 1, 0, full_) | moved(from, 0, -1, full_)) &
               free_[r];
    }

    void flood() {
        unsigned pending = 1;
        RowSet done[kRotations];
        while (pending)
            for (int from = 0; from < kRotations; ++from) {
                if (!(pending >> from & 1)) continue;
                pending &= ~(1u << from);
                for (;;) {
                    const RowSet more = shifted(reach_[from], from) - reach_[from];
                    if (!more.any()) break;
                    reach_[from] = reach_[from] | more;
                }
                const RowSet fresh = reach_[from] - done[from];
                if (!fresh.any()) continue;
                done[from] = reach_[from];
                for (int to = 0; to < kRotations; ++to) {
                    if (!table_.of(piece_, from, to).exists) continue;
                    rotated(from, to, fresh, [&](int, const RowSet& led) {
                        if (!(led - reach_[to]).any()) return;
                        reach_[to] = reach_[to] | led;
                        pending |= 1u << to;
                    });
                }
            }
    }

    void write(int r, const RowSet& set, Spin spin, PlacementList& out) const {
        for (int y = 0; y < board_.rows(); ++y)
            for (std::uint32_t bits = set.rows[y]; bits; bits &= bits - 1)
                out.add({piece_, static_cast<Rotation>(r),
                         static_cast<std::int8_t>(std::countr_zero(bits)),
                         static_cast<std::int8_t>(y + shape(r).down), spin});
    }

    void write_distinct(PlacementList& out) const {
        RowSet by_form[kRotations];
        for (int r = 0; r < kRotations; ++r) {
            const Alias form = canonical_form(piece_, static_cast<Rotation>(r));
            RowSet& set = by_form[static_cast<int>(form.to)];
            // Equal cells have equal lowest rows: only the column changes.
            set = set | moved(reach_[r] & rest_[r], form.dx, 0, full_);
        }
        for (int r = 0; r < kRotations; ++r) write(r, by_form[r], Spin::none, out);
    }

    // Filled cells, walls and floor at (dx, dy) from every position.
    RowSet filled_at(int dx, int dy) const {
        RowSet filled;
        for (int y = 0; y < board_.rows(); ++y)
            for (int x = 0; x < board_.width(); ++x)
                if (board_.blocked(x + dx, y + dy))
                    filled.rows[y] = static_cast<std::uint16_t>(filled.rows[y] | 1u << x);
        return filled;
    }

    void write_t_spins(PlacementList& out) const {
        RowSet turned[kRotations], kicked[kRotations];
        for (int from = 0; from < kRotations; ++from)
            for (int to = 0; to < kRotations; ++to)
                rotated(from, to, reach_[from], [&](int i, const RowSet& led) {
                    const Cell displacement = table_.of(piece_, from, to).displacement[i];
                    RowSet& set = is_full_kick(to, displacement) ? kicked[to] : turned[to];
                    set = set | (led & rest_[to]);
                });
        for (int r = 0; r < kRotations; ++r) {
            RowSet f[4];
            for (int i = 0; i < 4; ++i) {
                const int corner = (r + i) % 4;
                f[i] = filled_at(kCornerX[corner], kCornerY[corner] + shape(r).down);
            }
            const RowSet front = f[0] & f[1];
            const RowSet three = (front & (f[2] | f[3])) | (f[2] & f[3] & (f[0] | f[1]));
            RowSet moved_in = shifted(reach_[r], r);
            if (r == 0) moved_in = moved_in | spawned_;
            const RowSet both = turned[r] | kicked[r];
            write(r, (moved_in & rest_[r]) | (both - three), Spin::none, out);
            write(r, (turned[r] & three) - front, Spin::mini, out);
            write(r, (both & three & front) | (kicked[r] & three), Spin::full, out);
        }
    }

    const Board& board_;
    Piece piece_;
    const KickTable& table_;
    std::uint32_t full_;
    RowSet empty_, spawned_;
    RowSet free_[kRotations], rest_[kRotations], reach_[kRotations];
};

}  // namespace

HotKicks hot_kicks(const Board& board, const Kicks& kicks) {
    if (board.width() != 10 || board.word_count() > 8) return HotKicks::none;
    if (kicks.table == &kSrs) return HotKicks::srs;
    if (kicks.table == &kSrsPlus) return HotKicks::srs_plus;
    return HotKicks::none;
}

void generate(const Board& board, Piece piece, const Kicks& kicks, Spawn spawn, SpinMode spins,
              PlacementList& out) {
    out.clear();
    if (!board.fits({piece, Rotation::north, spawn.x, spawn.y})) return;
    const HotKicks hot = hot_kicks(board, kicks);
    if (hot != HotKicks::none) {
        const PackedBoard packed{board.words(), board.height(), board.rows()};
        out.set_size(hot_code().generate(hot, packed, piece, spawn.x, spawn.y,
                                         spins == SpinMode::t_spins, out.data()));
        return;
    }
    General(board, piece, *kicks.table).run(spawn, spins, out);
}

void generate(const Board& board, Piece piece, const Kicks& kicks, Spawn spawn, SpinMode spins,
              std::vector<Placement>& out) {
    thread_local PlacementList list;
    generate(board, piece, kicks, spawn, spins, list);
    out.assign(list.begin(), list.end());
}

}  // namespace sevenbag
