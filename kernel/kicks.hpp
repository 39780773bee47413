// Rotation systems: the displacements that a rotation tries, in order (the first that fits wins),
// and the centre of each piece in each rotation.
//
// A system defines pieces relative to an origin, for example a corner of SRS's box. A piece has the
// same cells in every system, so this only sets the centre of each rotation; placements, boards and
// searches do not depend on the system. If a game's piece has fewer states, rotations share them:
// their cells are equal.
//
// The tables are written as displacements of the origin, as published, and stored as displacements
// of the true-rotation centre. They are constexpr, so the generator can be specialised for the
// common systems; every other system uses the same rules at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "piece.hpp"

namespace sevenbag {

inline constexpr int kMaxTests = 24;
// No published table kicks further than this, in columns or rows.
inline constexpr int kMaxKick = 4;
// Maximum distance of a cell from the origin.
inline constexpr int kMaxReach = 4;
inline constexpr int kMaxKicksName = 64;

// Tests of one rotation of one piece.
struct KickTests {
    bool exists = false;
    std::uint8_t count = 0;
    std::array<Cell, kMaxTests> displacement{};  // of the centre

    friend constexpr bool operator==(const KickTests&, const KickTests&) = default;
};

using Spawns = std::array<Rotation, kPieces>;
using Centres = std::array<std::array<Cell, kRotations>, kPieces>;

// tests[piece][from][to], the spawn rotation of each piece, and its centre relative to the origin.
struct KickTable {
    std::array<std::array<std::array<KickTests, kRotations>, kRotations>, kPieces> tests{};
    Spawns spawn{};
    Centres centre{};

    constexpr const KickTests& of(Piece piece, int from, int to) const {
        return tests[static_cast<int>(piece)][from][to];
    }
    friend constexpr bool operator==(const KickTable&, const KickTable&) = default;
};

// A named system. Copies share one table, which lives as long as any of them.
class Kicks {
  public:
    // `table` must outlive all users (it is a constant).
    Kicks(std::string name, const KickTable* table);
    Kicks(std::string name, const KickTable& table);

    const std::string& name() const { return name_; }
    const KickTable& table() const { return *table_; }
    const KickTests& tests(Piece piece, Rotation from, Rotation to) const {
        return table_->of(piece, static_cast<int>(from), static_cast<int>(to));
    }
    // The spawn rotation of a piece.
    Rotation spawn(Piece piece) const { return table_->spawn[static_cast<std::size_t>(piece)]; }
    // The centre relative to the origin.
    Cell centre(Piece piece, Rotation rotation) const {
        return table_->centre[static_cast<std::size_t>(piece)][static_cast<std::size_t>(rotation)];
    }
    // A piece as it appears with its origin at (x, y).
    Placement appear(Piece piece, int x, int y) const {
        const Cell c = centre(piece, spawn(piece));
        return {piece, spawn(piece), static_cast<std::int8_t>(x + c.x),
                static_cast<std::int8_t>(y + c.y)};
    }
    // Return whether the centre of a piece differs from SRS's box.
    bool has_own_shapes(Piece piece) const;

    // The same system, named "... without 180"; itself, if it has no half turns.
    Kicks without_half_turns() const;
    // Undoes `without_half_turns`; returns a copy of any other system.
    Kicks with_half_turns() const;

    // Systems with the same turns are equal, whatever their names.
    friend bool operator==(const Kicks& a, const Kicks& b) {
        return a.table_ == b.table_ || *a.table_ == *b.table_;
    }
    std::size_t hash() const;

  private:
    std::string name_;
    std::shared_ptr<const KickTable> table_;
    std::shared_ptr<const KickTable> whole_;  // with the half turns that were left out
};

// All systems, in the order they are listed to people.
const std::vector<Kicks>& all_kicks();

// Find a system by name in any case, with the common spellings: "SRS+", "srsPlus", "srs_plus",
// "SRS-X", "srsx"; and any of them "without 180". Nothing if there is none.
const Kicks* known_kicks(std::string_view name);
// The same; raises Error(kicks).
const Kicks& find_kicks(std::string_view name);

// All tests of one turn as displacements of the origin, (0, 0) for the position without a kick.
struct TurnTests {
    Piece piece;
    int from;
    int to;
    std::vector<Cell> tests;
};

// Centres of SRS: the box stays fixed, relative to the centre at spawn.
Centres box_centres(const Spawns& spawn);

// Find the centre of a piece with these cells in a rotation. Throws Error(kicks) if they are not
// that piece in that rotation, or further than kMaxReach.
Cell centre_of(Piece piece, Rotation rotation, const Cells& cells);

// Create a custom system; a turn that is not listed does not exist. Throws Error(kicks) for
// duplicate turns, more than kMaxTests tests, or kicks beyond kMaxKick.
Kicks make_kicks(std::string name, std::span<const TurnTests> turns, const Spawns& spawn,
                 const Centres& centres);
Kicks make_kicks(std::string name, std::span<const TurnTests> turns, const Spawns& spawn);

namespace detail {

// One turn in box coordinates, the tests after (0, 0).
struct BoxTurn {
    int from;
    int to;
    std::initializer_list<Cell> kicks;
};

// The centre in the box, from its top left corner.
constexpr Cell centre_in_box(Piece piece, int rotation) {
    constexpr Cell i[4] = {{1, -1}, {2, -1}, {2, -2}, {1, -2}};
    constexpr Cell o[4] = {{0, -1}, {0, 0}, {1, 0}, {1, -1}};
    if (piece == Piece::I) return i[rotation];
    if (piece == Piece::O) return o[rotation];
    return {1, -1};
}

constexpr Cell difference(Cell a, Cell b) {
    return {static_cast<std::int8_t>(a.x - b.x), static_cast<std::int8_t>(a.y - b.y)};
}

constexpr Cell sum(Cell a, Cell b) {
    return {static_cast<std::int8_t>(a.x + b.x), static_cast<std::int8_t>(a.y + b.y)};
}

// SRS's box, its origin at the centre of rotation `spawn`.
constexpr Cell box_centre(Piece piece, int rotation, int spawn) {
    return difference(centre_in_box(piece, rotation), centre_in_box(piece, spawn));
}

// Displacement of the centre if the origin does not move.
constexpr Cell plain_turn(const KickTable& table, Piece piece, int from, int to) {
    const auto& centre = table.centre[static_cast<std::size_t>(piece)];
    return difference(centre[static_cast<std::size_t>(to)], centre[static_cast<std::size_t>(from)]);
}

constexpr void add_turn(KickTable& table, Piece piece, const BoxTurn& turn) {
    KickTests& tests = table.tests[static_cast<int>(piece)][turn.from][turn.to];
    const Cell plain = plain_turn(table, piece, turn.from, turn.to);
    tests.exists = true;
    tests.count = 0;
    tests.displacement[tests.count++] = plain;
    for (Cell kick : turn.kicks) tests.displacement[tests.count++] = sum(kick, plain);
}

using BoxTurns = std::initializer_list<BoxTurn>;

// The boxes of SRS, no turns.
constexpr KickTable boxes() {
    KickTable table{};
    for (int p = 0; p < kPieces; ++p)
        for (int r = 0; r < kRotations; ++r)
            table.centre[p][r] = box_centre(static_cast<Piece>(p), r, 0);
    return table;
}

// J L S T Z share a table, I has its own, O turns in place whenever the others turn.
constexpr KickTable make_table(BoxTurns jlstz, BoxTurns i, KickTable table = boxes()) {
    for (Piece piece : {Piece::T, Piece::L, Piece::J, Piece::S, Piece::Z})
        for (const BoxTurn& turn : jlstz) add_turn(table, piece, turn);
    for (const BoxTurn& turn : i) add_turn(table, Piece::I, turn);
    for (const BoxTurn& turn : jlstz) add_turn(table, Piece::O, {turn.from, turn.to, {}});
    return table;
}

constexpr KickTable with_half_turns(KickTable table, BoxTurns jlstz, BoxTurns i) {
    KickTable half{};
    half.centre = table.centre;
    half = make_table(jlstz, i, half);
    for (int p = 0; p < kPieces; ++p)
        for (int from = 0; from < kRotations; ++from)
            for (int to = 0; to < kRotations; ++to)
                if (half.tests[p][from][to].exists)
                    table.tests[p][from][to] = half.tests[p][from][to];
    return table;
}

inline constexpr BoxTurns kQuarterPlain = {{0, 1, {}}, {1, 0, {}}, {1, 2, {}}, {2, 1, {}},
                                           {2, 3, {}}, {3, 2, {}}, {3, 0, {}}, {0, 3, {}}};
inline constexpr BoxTurns kHalfPlain = {{0, 2, {}}, {2, 0, {}}, {1, 3, {}}, {3, 1, {}}};

}  // namespace detail

// Quarter turns without kicks.
inline constexpr KickTable kNone = detail::make_table(detail::kQuarterPlain, detail::kQuarterPlain);
inline constexpr KickTable kNone180 =
    detail::with_half_turns(kNone, detail::kHalfPlain, detail::kHalfPlain);

// The guideline's Super Rotation System: quarter turns only.
inline constexpr KickTable kSrs = detail::make_table(
    {
        {0, 1, {{-1, 0}, {-1, 1}, {0, -2}, {-1, -2}}},
        {1, 0, {{1, 0}, {1, -1}, {0, 2}, {1, 2}}},
        {1, 2, {{1, 0}, {1, -1}, {0, 2}, {1, 2}}},
        {2, 1, {{-1, 0}, {-1, 1}, {0, -2}, {-1, -2}}},
        {2, 3, {{1, 0}, {1, 1}, {0, -2}, {1, -2}}},
        {3, 2, {{-1, 0}, {-1, -1}, {0, 2}, {-1, 2}}},
        {3, 0, {{-1, 0}, {-1, -1}, {0, 2}, {-1, 2}}},
        {0, 3, {{1, 0}, {1, 1}, {0, -2}, {1, -2}}},
    },
    {
        {0, 1, {{-2, 0}, {1, 0}, {-2, -1}, {1, 2}}},
        {1, 0, {{2, 0}, {-1, 0}, {2, 1}, {-1, -2}}},
        {1, 2, {{-1, 0}, {2, 0}, {-1, 2}, {2, -1}}},
        {2, 1, {{1, 0}, {-2, 0}, {1, -2}, {-2, 1}}},
        {2, 3, {{2, 0}, {-1, 0}, {2, 1}, {-1, -2}}},
        {3, 2, {{-2, 0}, {1, 0}, {-2, -1}, {1, 2}}},
        {3, 0, {{1, 0}, {-2, 0}, {1, -2}, {-2, 1}}},
        {0, 3, {{-1, 0}, {2, 0}, {-1, 2}, {2, -1}}},
    });

// SRS with half turns that try no kick.
inline constexpr KickTable kSrs180 =
    detail::with_half_turns(kSrs, detail::kHalfPlain, detail::kHalfPlain);

// TETR.IO's "SRS": SRS with its half-turn kicks for all but the I.
inline constexpr KickTable kSrsTetrio =
    detail::with_half_turns(kSrs,
                            {
                                {0, 2, {{0, 1}, {1, 1}, {-1, 1}, {1, 0}, {-1, 0}}},
                                {2, 0, {{0, -1}, {-1, -1}, {1, -1}, {-1, 0}, {1, 0}}},
                                {1, 3, {{1, 0}, {1, 2}, {1, 1}, {0, 2}, {0, 1}}},
                                {3, 1, {{-1, 0}, {-1, 2}, {-1, 1}, {0, 2}, {0, 1}}},
                            },
                            detail::kHalfPlain);

// TETR.IO's SRS+: symmetric I kicks, half turns for every piece.
inline constexpr KickTable kSrsPlus =
    detail::with_half_turns(kSrsTetrio, {},
                            {
                                {0, 1, {{1, 0}, {-2, 0}, {-2, -1}, {1, 2}}},
                                {1, 0, {{-1, 0}, {2, 0}, {-1, -2}, {2, 1}}},
                                {1, 2, {{-1, 0}, {2, 0}, {-1, 2}, {2, -1}}},
                                {2, 1, {{-2, 0}, {1, 0}, {-2, 1}, {1, -2}}},
                                {2, 3, {{2, 0}, {-1, 0}, {2, 1}, {-1, -2}}},
                                {3, 2, {{1, 0}, {-2, 0}, {1, 2}, {-2, -1}}},
                                {3, 0, {{1, 0}, {-2, 0}, {1, -2}, {-2, 1}}},
                                {0, 3, {{-1, 0}, {2, 0}, {2, -1}, {-1, 2}}},
                                {0, 2, {{0, 1}}},
                                {2, 0, {{0, -1}}},
                                {1, 3, {{1, 0}}},
                                {3, 1, {{-1, 0}}},
                            });

}  // namespace sevenbag
