// The move generator: chooses the fast path (boards of width 10 under common rotation systems, see
// movegen_isa.cpp), and is itself the general one, for every board and every table.
#include "movegen.hpp"

#include "movegen_isa.hpp"

namespace sevenbag {

namespace {

// A set of positions: bit x of row y is the piece with its centre in column x and its lowest cells
// in row y. Loops run over all rows of any board, so that compilers vectorize them.
struct PositionSet {
    std::array<std::uint16_t, kMaxRows> rows{};

    bool any() const {
        std::uint16_t all = 0;
        for (std::uint16_t r : rows) all |= r;
        return all != 0;
    }
    friend PositionSet operator&(const PositionSet& a, const PositionSet& b) {
        PositionSet r;
        for (int y = 0; y < kMaxRows; ++y) r.rows[y] = a.rows[y] & b.rows[y];
        return r;
    }
    friend PositionSet operator|(const PositionSet& a, const PositionSet& b) {
        PositionSet r;
        for (int y = 0; y < kMaxRows; ++y) r.rows[y] = a.rows[y] | b.rows[y];
        return r;
    }
    friend PositionSet operator-(const PositionSet& a, const PositionSet& b) {
        PositionSet r;
        for (int y = 0; y < kMaxRows; ++y)
            r.rows[y] = static_cast<std::uint16_t>(a.rows[y] & ~b.rows[y]);
        return r;
    }
};

// The set moved by (dx, dy); positions beyond the board are lost.
PositionSet moved(const PositionSet& a, int dx, int dy, std::uint32_t full_row) {
    PositionSet r;
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

class GenericGenerator {
  public:
    // `start`: as it appears.
    GenericGenerator(const Board& board, const Placement& start, const KickTable& table)
        : board_(board),
          piece_(start.piece),
          table_(table),
          full_(board.full_row()),
          appears_(static_cast<int>(start.rotation)) {
        spawned_.rows[start.y - shape(appears_).down] = static_cast<std::uint16_t>(1u << start.x);
        for (int y = 0; y < board.rows(); ++y)
            empty_.rows[y] = static_cast<std::uint16_t>(~board.row(y) & full_);
    }

    void run(const SpinRule& rule, InheritedSpins inherited, PlacementList& out) {
        for (int r = 0; r < kRotations; ++r) find_free(r);
        reach_[appears_] = spawned_;
        flood_fill();
        SpinSets spin_sets;
        if (!rule.detects_spins() && !inherited.any())
            for (int r = 0; r < kRotations; ++r) spin_sets.none[r] = reach_[r] & rest_[r];
        else if (rule.persists)
            find_persistent_spins(inherited, spin_sets);
        else
            find_spins(rule, inherited, spin_sets);
        write(spin_sets, out);
    }

  private:
    // Resting places by the spin that a last move into them makes; one can be in several.
    struct SpinSets {
        PositionSet none[kRotations], mini[kRotations], full[kRotations];
    };

    const Shape& shape(int rotation) const { return kShapes[static_cast<int>(piece_)][rotation]; }

    void find_free(int r) {
        PositionSet free;
        free.rows.fill(static_cast<std::uint16_t>(full_));
        for (Cell c : shape(r).cells) free = free & moved(empty_, -c.x, -c.y, full_);
        free_[r] = free;
        rest_[r] = free - moved(free, 0, 1, full_);
    }

    // hit(index, set) for each test, as in reachability.hpp.
    template <class Hit>
    void rotated(int from_rotation, int to, PositionSet from, Hit&& hit) const {
        const KickTests& tests = table_.of(piece_, from_rotation, to);
        for (int i = 0; i < tests.count; ++i) {
            const int dx = tests.displacement[i].x;
            const int dy = tests.displacement[i].y + shape(from_rotation).down - shape(to).down;
            const PositionSet lead = from & moved(free_[to], -dx, -dy, full_);
            if (!lead.any()) continue;
            from = from - lead;
            hit(i, moved(lead, dx, dy, full_));
        }
    }

    PositionSet shifted(const PositionSet& from, int r) const {
        return (moved(from, -1, 0, full_) | moved(from, 1, 0, full_) | moved(from, 0, -1, full_)) &
               free_[r];
    }

    void flood_fill() {
        unsigned pending = 1u << appears_;
        PositionSet done[kRotations];
        while (pending)
            for (int from = 0; from < kRotations; ++from) {
                if (!(pending >> from & 1)) continue;
                pending &= ~(1u << from);
                for (;;) {
                    const PositionSet more = shifted(reach_[from], from) - reach_[from];
                    if (!more.any()) break;
                    reach_[from] = reach_[from] | more;
                }
                const PositionSet fresh = reach_[from] - done[from];
                if (!fresh.any()) continue;
                done[from] = reach_[from];
                for (int to = 0; to < kRotations; ++to) {
                    if (!table_.of(piece_, from, to).exists) continue;
                    rotated(from, to, fresh, [&](int, const PositionSet& led) {
                        if (!(led - reach_[to]).any()) return;
                        reach_[to] = reach_[to] | led;
                        pending |= 1u << to;
                    });
                }
            }
    }

    void write(int r, const PositionSet& set, Spin spin, PlacementList& out) const {
        for (int y = 0; y < board_.rows(); ++y)
            for (std::uint32_t bits = set.rows[y]; bits; bits &= bits - 1)
                out.add({piece_, static_cast<Rotation>(r),
                         static_cast<std::int8_t>(std::countr_zero(bits)),
                         static_cast<std::int8_t>(y + shape(r).down), spin});
    }

    // Rotations that name the same cells are merged into the canonical one.
    void merge(PositionSet (&sets)[kRotations]) const {
        for (int r = 0; r < kRotations; ++r) {
            const CanonicalForm form = canonical_form(piece_, static_cast<Rotation>(r));
            const int to = static_cast<int>(form.to);
            if (to == r) continue;
            // Equal cells have equal lowest rows: only the column changes.
            sets[to] = sets[to] | moved(sets[r], form.dx, 0, full_);
            sets[r] = {};
        }
    }

    void write(SpinSets& spin_sets, PlacementList& out) const {
        merge(spin_sets.none);
        merge(spin_sets.mini);
        merge(spin_sets.full);
        for (int r = 0; r < kRotations; ++r) {
            write(r, spin_sets.none[r], Spin::none, out);
            write(r, spin_sets.mini[r], Spin::mini, out);
            write(r, spin_sets.full[r], Spin::full, out);
        }
    }

    // Positions reached by any rotation; calls take(from, to, test, set).
    template <class Take>
    void all_turns(Take&& take) const {
        for (int from = 0; from < kRotations; ++from)
            for (int to = 0; to < kRotations; ++to)
                rotated(from, to, reach_[from],
                        [&](int i, const PositionSet& led) { take(from, to, i, led); });
    }

    // Filled cells, walls and floor (and the space above the board) at (dx, dy) from every
    // position.
    PositionSet filled_at(int dx, int dy, bool top_filled) const {
        PositionSet filled;
        for (int y = 0; y < board_.rows(); ++y)
            for (int x = 0; x < board_.width(); ++x)
                if (board_.is_blocked(x + dx, y + dy, top_filled))
                    filled.rows[y] = static_cast<std::uint16_t>(filled.rows[y] | 1u << x);
        return filled;
    }

    // Positions in which a rotation makes a spin: with a full kick, with another kick, and none.
    struct SpinConditions {
        PositionSet full_if_kicked, full_if_turned, some;
    };

    SpinConditions spin_conditions(int r, const SpinRule& rule) const {
        SpinConditions w;
        if (rule.corners) {
            const Cells corners = corners_of(piece_, r);
            PositionSet f[4];
            for (std::size_t i = 0; i < 4; ++i)
                f[i] = filled_at(corners[i].x, corners[i].y + shape(r).down, rule.top_filled);
            const PositionSet front = f[0] & f[1];
            w.some = (front & (f[2] | f[3])) | (f[2] & f[3] & (f[0] | f[1]));
            w.full_if_kicked = w.some;
            w.full_if_turned = piece_ == Piece::T ? w.some & front : w.some;
        }
        if (rule.immobile != Spin::none) {
            const PositionSet& free = free_[r];
            const PositionSet immobile = rest_[r] - moved(free, -1, 0, full_) -
                                         moved(free, 1, 0, full_) - moved(free, 0, -1, full_);
            w.some = w.some | immobile;
            if (rule.immobile == Spin::full) {
                w.full_if_kicked = w.full_if_kicked | immobile;
                w.full_if_turned = w.full_if_turned | immobile;
            }
        }
        return w;
    }

    // Spins that the next fall ends, and perhaps a shift.
    void find_spins(const SpinRule& rule, InheritedSpins inherited, SpinSets& spin_sets) const {
        // By the last move that was no sideways shift: a rotation, one with a full kick, any other.
        PositionSet turned[kRotations], kicked[kRotations], others[kRotations];
        all_turns([&](int from, int to, int test, const PositionSet& led) {
            const Cell displacement = table_.of(piece_, from, to).displacement[test];
            const bool full = is_full_kick(rule.full_kicks, from, to, test, displacement);
            PositionSet& set = full ? kicked[to] : turned[to];
            set = set | led;
        });
        for (int r = 0; r < kRotations; ++r)
            others[r] = rule.on_shift == OnShift::ends ? shifted(reach_[r], r)
                                                       : moved(reach_[r], 0, -1, full_) & free_[r];
        others[appears_] = others[appears_] | spawned_;
        if (rule.on_shift == OnShift::rejudges)
            for (int r = 0; r < kRotations; ++r)
                for (PositionSet* set : {&turned[r], &kicked[r], &others[r]})
                    *set = slid(*set, r, false);
        for (int r = 0; r < kRotations; ++r) {
            const SpinConditions w = spin_conditions(r, rule);
            const PositionSet turned_on = turned[r] & rest_[r];
            const PositionSet kicked_on = kicked[r] & rest_[r];
            spin_sets.full[r] = (turned_on & w.full_if_turned) | (kicked_on & w.full_if_kicked);
            spin_sets.mini[r] =
                ((turned_on - w.full_if_turned) | (kicked_on - w.full_if_kicked)) & w.some;
            spin_sets.none[r] = others[r] | ((turned[r] | kicked[r]) - (w.some & rest_[r]));
        }
        if (inherited.full) spin_sets.full[appears_] = spin_sets.full[appears_] | spawned_;
        if (inherited.mini) spin_sets.mini[appears_] = spin_sets.mini[appears_] | spawned_;
        for (int r = 0; r < kRotations; ++r)
            for (PositionSet* set : {&spin_sets.none[r], &spin_sets.mini[r], &spin_sets.full[r]}) {
                if (rule.on_shift == OnShift::keeps) *set = slid(*set, r, false);
                *set = *set & rest_[r];
            }
    }

    // A rotation onto something makes a full spin, any other rotation none; moving on changes
    // nothing.
    void find_persistent_spins(InheritedSpins inherited, SpinSets& spin_sets) const {
        PositionSet spun[kRotations], plain[kRotations];
        plain[appears_] = spawned_;
        if (inherited.full) spun[appears_] = spawned_;
        all_turns([&](int, int to, int, const PositionSet& led) {
            spun[to] = spun[to] | (led & rest_[to]);
            plain[to] = plain[to] | (led - rest_[to]);
        });
        for (int r = 0; r < kRotations; ++r) {
            spin_sets.full[r] = slid(spun[r], r, true) & rest_[r];
            spin_sets.none[r] = slid(plain[r], r, true) & rest_[r];
        }
    }

    // All that sideways shifts lead to, and falls if they count.
    PositionSet slid(PositionSet set, int r, bool falls) const {
        for (;;) {
            PositionSet next = moved(set, -1, 0, full_) | moved(set, 1, 0, full_);
            if (falls) next = next | moved(set, 0, -1, full_);
            const PositionSet more = (next & free_[r]) - set;
            if (!more.any()) return set;
            set = set | more;
        }
    }

    const Board& board_;
    Piece piece_;
    const KickTable& table_;
    std::uint32_t full_;
    int appears_;  // the rotation
    PositionSet empty_, spawned_;
    PositionSet free_[kRotations], rest_[kRotations], reach_[kRotations];
};

}  // namespace

FastSystem fast_system(const Board& board, const Kicks& kicks) {
    if (board.width() != 10 || board.word_count() > 8) return FastSystem::none;
    if (&kicks.table() == &kSrs) return FastSystem::srs;
    if (&kicks.table() == &kSrsPlus) return FastSystem::srs_plus;
    return FastSystem::none;
}

bool has_fast_path(const SpinRule& rule, Piece piece) {
    // Without corners a shift makes no difference: an immobile piece has none to make.
    const bool common = !rule.corners || (piece == Piece::T && rule.on_shift == OnShift::ends &&
                                          rule.full_kicks == FullKicks::downward);
    return common && rule.resting == Spin::none;
}

void generate_placements(const Board& board, Piece piece, const Kicks& kicks, Spawn spawn,
                         const SpinRules& spins, PlacementList& out, InheritedSpins inherited) {
    out.clear();
    const Placement start = kicks.appear(piece, spawn.x, spawn.y);
    if (!board.fits(start)) return;
    const FastSystem system = fast_system(board, kicks);
    const SpinRule rule = spin_rule(spins, piece);
    // Corners above the top row: only of a piece that rests at most two rows below it.
    const bool sees_top = rule.corners && rule.top_filled && board.height() + 2 >= board.rows();
    if (system == FastSystem::none || !has_fast_path(rule, piece) || sees_top ||
        (inherited.any() && can_lock_at_spawn(board, start)) ||
        // The multi-ISA code assumes that only rotations lead to positions in which a piece cannot
        // move.
        (rule.immobile != Spin::none && board.is_resting(start))) {
        GenericGenerator(board, start, kicks.table()).run(rule, inherited, out);
        return;
    }
    const PackedBoard packed{board.words(), board.height(), board.rows()};
    out.set_size(dispatch_table().generate_placements(system, packed, piece, spawn.x, spawn.y, rule,
                                                      out.data()));
}

void generate_placements(const Board& board, Piece piece, const Kicks& kicks, Spawn spawn,
                         const SpinRules& spins, std::vector<Placement>& out) {
    thread_local PlacementList list;
    generate_placements(board, piece, kicks, spawn, spins, list);
    out.assign(list.begin(), list.end());
}

bool can_lock_at_spawn(const Board& board, const Placement& start) {
    const Shape& shape =
        kShapes[static_cast<std::size_t>(start.piece)][static_cast<std::size_t>(start.rotation)];
    return board.height() >= start.y - shape.down;
}

InheritedSpins inheritable_spins(const PlacementList& placements) {
    // A spin needs a resting piece, so every possible one is the spin of a placement.
    InheritedSpins inherited;
    for (const Placement& p : placements) {
        inherited.mini |= p.spin == Spin::mini;
        inherited.full |= p.spin == Spin::full;
    }
    return inherited;
}

}  // namespace sevenbag
