// Rotation systems: which displacements a rotation tries, in which order. The first that fits wins.
//
// The tables are written in box coordinates, as the field publishes them, and kept as displacements
// of the true-rotation centre. They are constexpr, so that the generator can be specialised on
// those that most games use; every other system runs through the same rules at run time.
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

// One rotation of one piece.
struct Tests {
    bool exists = false;
    std::uint8_t count = 0;
    std::array<Cell, kMaxTests> displacement{};  // of the centre

    friend constexpr bool operator==(const Tests&, const Tests&) = default;
};

// tests[piece][from][to], and the way each piece points as it appears.
struct KickTable {
    std::array<std::array<std::array<Tests, kRotations>, kRotations>, kPieces> tests{};
    std::array<Rotation, kPieces> spawn{};

    constexpr const Tests& of(Piece piece, int from, int to) const {
        return tests[static_cast<int>(piece)][from][to];
    }
    friend constexpr bool operator==(const KickTable&, const KickTable&) = default;
};

// A named system. Copies share one table, which lives as long as any of them.
class Kicks {
  public:
    // `table` is a constant: it outlives everything.
    Kicks(std::string name, const KickTable* table);
    Kicks(std::string name, const KickTable& table);

    const std::string& name() const { return name_; }
    const KickTable& table() const { return *table_; }
    const Tests& tests(Piece piece, Rotation from, Rotation to) const {
        return table_->of(piece, static_cast<int>(from), static_cast<int>(to));
    }
    // The way a piece points as it appears.
    Rotation spawn(Piece piece) const { return table_->spawn[static_cast<std::size_t>(piece)]; }
    // A piece as it appears at (x, y).
    Placement appear(Piece piece, int x, int y) const {
        return {piece, spawn(piece), static_cast<std::int8_t>(x), static_cast<std::int8_t>(y)};
    }

    // The same system, named "... without 180"; itself, if it has no half turns.
    Kicks without_half_turns() const;

    // Systems are equal if they turn pieces alike, whatever their names.
    friend bool operator==(const Kicks& a, const Kicks& b) {
        return a.table_ == b.table_ || *a.table_ == *b.table_;
    }
    std::size_t hash() const;

  private:
    std::string name_;
    std::shared_ptr<const KickTable> table_;
};

// All systems, in the order they are listed to people.
const std::vector<Kicks>& all_kicks();

// By name in any case, with the field's spellings: "SRS+", "srsPlus", "srs_plus", "SRS-X", "srsx";
// and any of them "without 180". Nothing if there is none.
const Kicks* known_kicks(std::string_view name);
// The same; raises Error(kicks).
const Kicks& find_kicks(std::string_view name);

// All tests of one turn in box coordinates, (0, 0) where it is tried.
struct Turn {
    Piece piece;
    int from;
    int to;
    std::vector<Cell> tests;
};

// A system of one's own; a turn that is not listed does not exist. Raises Error(kicks) for turns
// given twice, more than kMaxTests tests, or kicks beyond kMaxKick.
Kicks make_kicks(std::string name, std::span<const Turn> turns,
                 const std::array<Rotation, kPieces>& spawn);

namespace detail {

// One turn in box coordinates, the tests after (0, 0).
struct BoxTurn {
    int from;
    int to;
    std::initializer_list<Cell> kicks;
};

// Where the centre lies in the box, from its top left corner.
constexpr Cell centre_in_box(Piece piece, int rotation) {
    constexpr Cell i[4] = {{1, -1}, {2, -1}, {2, -2}, {1, -2}};
    constexpr Cell o[4] = {{0, -1}, {0, 0}, {1, 0}, {1, -1}};
    if (piece == Piece::I) return i[rotation];
    if (piece == Piece::O) return o[rotation];
    return {1, -1};
}

// What the centre moves by when the box stays where it is.
constexpr Cell plain_turn(Piece piece, int from, int to) {
    const Cell a = centre_in_box(piece, from);
    const Cell b = centre_in_box(piece, to);
    return {static_cast<std::int8_t>(b.x - a.x), static_cast<std::int8_t>(b.y - a.y)};
}

constexpr void add_turn(KickTable& table, Piece piece, const BoxTurn& turn) {
    Tests& tests = table.tests[static_cast<int>(piece)][turn.from][turn.to];
    const Cell plain = plain_turn(piece, turn.from, turn.to);
    tests.exists = true;
    tests.count = 0;
    tests.displacement[tests.count++] = plain;
    for (Cell kick : turn.kicks)
        tests.displacement[tests.count++] = {static_cast<std::int8_t>(kick.x + plain.x),
                                             static_cast<std::int8_t>(kick.y + plain.y)};
}

using BoxTurns = std::initializer_list<BoxTurn>;

// J L S T Z share a table, I has its own, O turns in place wherever the others turn at all.
constexpr KickTable make_table(BoxTurns jlstz, BoxTurns i) {
    KickTable table{};
    for (Piece piece : {Piece::T, Piece::L, Piece::J, Piece::S, Piece::Z})
        for (const BoxTurn& turn : jlstz) add_turn(table, piece, turn);
    for (const BoxTurn& turn : i) add_turn(table, Piece::I, turn);
    for (const BoxTurn& turn : jlstz) add_turn(table, Piece::O, {turn.from, turn.to, {}});
    return table;
}

constexpr KickTable with_half_turns(KickTable table, BoxTurns jlstz, BoxTurns i) {
    const KickTable half = make_table(jlstz, i);
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
