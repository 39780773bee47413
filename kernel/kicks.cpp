#include "kicks.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "error.hpp"

namespace sevenbag {

namespace {

using detail::make_table;
using detail::with_half_turns;

// Tables without a specialised generator; the others are in kicks.hpp.
// clang-format off

// TETR.IO's SRS-X: SRS with the long half-turn tables of NullpoMino.
constexpr KickTable kSrsX = with_half_turns(
    kSrs,
    {
        {0, 2, {{1, 0}, {2, 0}, {1, -1}, {2, -1}, {-1, 0}, {-2, 0}, {-1, -1}, {-2, -1}, {0, 1},
                {3, 0}, {-3, 0}}},
        {2, 0, {{-1, 0}, {-2, 0}, {-1, 1}, {-2, 1}, {1, 0}, {2, 0}, {1, 1}, {2, 1}, {0, -1},
                {-3, 0}, {3, 0}}},
        {1, 3, {{0, -1}, {0, -2}, {-1, -1}, {-1, -2}, {0, 1}, {0, 2}, {-1, 1}, {-1, 2}, {1, 0},
                {0, -3}, {0, 3}}},
        {3, 1, {{0, -1}, {0, -2}, {1, -1}, {1, -2}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {-1, 0},
                {0, -3}, {0, 3}}},
    },
    {
        {0, 2, {{-1, 0}, {-2, 0}, {1, 0}, {2, 0}, {0, -1}}},
        {2, 0, {{1, 0}, {2, 0}, {-1, 0}, {-2, 0}, {0, 1}}},
        {1, 3, {{0, -1}, {0, -2}, {0, 1}, {0, 2}, {-1, 0}}},
        {3, 1, {{0, -1}, {0, -2}, {0, 1}, {0, 2}, {1, 0}}},
    });

// TETRA-X, as the engine of Triangle.js has it.
constexpr KickTable kTetraX = make_table(
    {
        {0, 1, {{0, -1}, {-1, 0}, {1, 0}, {-1, -1}, {1, -1}, {0, 1}, {-1, 1}, {1, 1}}},
        {1, 0, {{0, -1}, {1, 0}, {-1, 0}, {1, -1}, {-1, -1}, {0, 1}, {1, 1}, {-1, 1}}},
        {1, 2, {{0, -1}, {-1, 0}, {1, 0}, {-1, -1}, {1, -1}, {0, 1}, {-1, 1}, {1, 1}}},
        {2, 1, {{0, -1}, {1, 0}, {-1, 0}, {1, -1}, {-1, -1}, {0, 1}, {1, 1}, {-1, 1}}},
        {2, 3, {{0, -1}, {-1, 0}, {1, 0}, {-1, -1}, {1, -1}, {0, 1}, {-1, 1}, {1, 1}}},
        {3, 2, {{0, -1}, {1, 0}, {-1, 0}, {1, -1}, {-1, -1}, {0, 1}, {1, 1}, {-1, 1}}},
        {3, 0, {{0, -1}, {-1, 0}, {1, 0}, {-1, -1}, {1, -1}, {0, 1}, {-1, 1}, {1, 1}}},
        {0, 3, {{0, -1}, {1, 0}, {-1, 0}, {1, -1}, {-1, -1}, {0, 1}, {1, 1}, {-1, 1}}},
        {0, 2, {{0, -1}, {0, 1}, {-1, 0}, {1, 0}}},
        {2, 0, {{0, -1}, {0, 1}, {-1, 0}, {1, 0}}},
        {1, 3, {{0, -1}, {0, 1}, {-1, 0}, {1, 0}}},
        {3, 1, {{0, -1}, {0, 1}, {-1, 0}, {1, 0}}},
    },
    {
        {0, 1, {{0, 1}, {0, 2}, {0, -1}, {1, 1}, {-1, 1}, {1, 2}, {-1, 2}}},
        {1, 0, {{0, 1}, {0, 2}, {0, -1}, {-1, 0}, {1, 0}, {2, 0}}},
        {1, 2, {{0, 1}, {0, 2}, {0, -1}, {-1, 0}, {1, 0}, {2, 0}}},
        {2, 1, {{0, -1}, {0, -2}, {0, 1}, {-1, -1}, {1, -1}, {-1, -2}, {1, -2}}},
        {2, 3, {{0, -1}, {0, -2}, {0, 1}, {1, -1}, {-1, -1}, {1, -2}, {-1, -2}}},
        {3, 2, {{0, 1}, {0, 2}, {0, -1}, {1, 0}, {-1, 0}, {-2, 0}}},
        {3, 0, {{0, 1}, {0, 2}, {0, -1}, {1, 0}, {-1, 0}, {-2, 0}}},
        {0, 3, {{0, 1}, {0, 2}, {0, -1}, {-1, 1}, {1, 1}, {-1, 2}, {1, 2}}},
        {0, 2, {{0, 1}, {0, -1}}},
        {2, 0, {{0, 1}, {0, -1}}},
        {1, 3, {{0, 1}, {0, -1}}},
        {3, 1, {{0, 1}, {0, -1}}},
    });

// ASC: one list per direction, the same for all pieces. The game's own positions of O and I are not
// used, so these two rotate differently.
constexpr std::initializer_list<Cell> kAscClockwise = {
    {-1, 0},  {0, -1}, {-1, -1}, {0, -2}, {-1, -2}, {-2, 0}, {-2, -1},
    {-2, -2}, {1, 0},  {1, -1},  {0, 1},  {-1, 1},  {-2, 1}, {1, -2},
    {2, 0},   {0, 2},  {-1, 2},  {-2, 2}, {2, -1},  {2, -2}, {1, 1}};
constexpr std::initializer_list<Cell> kAscBack = {
    {1, 0},  {0, -1}, {1, -1},  {0, -2}, {1, -2},  {2, 0},   {2, -1},
    {2, -2}, {-1, 0}, {-1, -1}, {0, 1},  {1, 1},   {2, 1},   {-1, -2},
    {-2, 0}, {0, 2},  {1, 2},   {2, 2},  {-2, -1}, {-2, -2}, {-1, 1}};
constexpr detail::BoxTurns kAscTurns = {{0, 1, kAscClockwise},
                                        {1, 2, kAscClockwise},
                                        {2, 3, kAscClockwise},
                                        {3, 0, kAscClockwise},
                                        {1, 0, kAscBack},
                                        {2, 1, kAscBack},
                                        {3, 2, kAscBack},
                                        {0, 3, kAscBack},
                                        {0, 2, {}},
                                        {2, 0, {}},
                                        {1, 3, {}},
                                        {3, 1, {}}};
constexpr KickTable kAsc = make_table(kAscTurns, kAscTurns);

// L, J and T appear pointing south.
constexpr KickTable spawned_south(KickTable table) {
    for (Piece piece : {Piece::L, Piece::J, Piece::T})
        table.spawn[static_cast<std::size_t>(piece)] = Rotation::south;
    return table;
}

// ARS and NRS as the engine applies them: on the boxes of SRS, without the positions and (ARS) the
// rule of the middle column that the games of these names have.
constexpr std::initializer_list<Cell> kArsKicks = {{1, 0}, {-1, 0}};
constexpr detail::BoxTurns kArsTurns = {{0, 1, kArsKicks}, {1, 0, kArsKicks}, {1, 2, kArsKicks},
                                        {2, 1, kArsKicks}, {2, 3, kArsKicks}, {3, 2, kArsKicks},
                                        {3, 0, kArsKicks}, {0, 3, kArsKicks}, {0, 2, kArsKicks},
                                        {2, 0, kArsKicks}, {1, 3, kArsKicks}, {3, 1, kArsKicks}};
constexpr KickTable kArs = spawned_south(make_table(kArsTurns, kArsTurns));
constexpr KickTable kNrs = spawned_south(kNone180);

// NRS, ARS and ASC with the positions in the engine's data that it never applies: the displacement
// of each rotation from SRS's box, in columns to the right and rows down.
using Offsets = std::array<Cell, kRotations>;
constexpr Offsets kNowhere{};

constexpr KickTable with_offsets(KickTable table, const std::array<Offsets, kPieces>& offsets) {
    for (std::size_t p = 0; p < kPieces; ++p)
        for (std::size_t r = 0; r < kRotations; ++r) {
            const Cell by = offsets[p][r];
            const Cell box = table.centre[p][r];
            table.centre[p][r] = {static_cast<std::int8_t>(box.x + by.x),
                                  static_cast<std::int8_t>(box.y - by.y)};
        }
    return table;
}

// Pieces in the order of their letters: I O T L J S Z.
constexpr Offsets kNrsUpright{{{1, 0}, {1, 0}, {1, 0}, {1, 0}}};
constexpr Offsets kNrsFlat{{{1, 1}, {1, 0}, {1, 0}, {2, 0}}};
constexpr KickTable kNrsOffsets = spawned_south(make_table(
    detail::kQuarterPlain, detail::kQuarterPlain,
    with_offsets(detail::boxes(), {{{{{0, 1}, {0, 0}, {0, 0}, {1, 0}}}, kNowhere, kNrsUpright,
                                    kNrsUpright, kNrsUpright, kNrsFlat, kNrsFlat}})));
constexpr Offsets kArsUpright{{{0, 1}, {0, 0}, {0, 0}, {0, 0}}};
constexpr KickTable kArsOffsets = spawned_south(make_table(
    kArsTurns, kArsTurns,
    with_offsets(detail::boxes(), {{{{{0, 0}, {0, 0}, {0, -1}, {1, 0}}}, kNowhere, kArsUpright,
                                    kArsUpright, kArsUpright,
                                    {{{0, 1}, {-1, 0}, {0, 0}, {0, 0}}},
                                    {{{0, 1}, {0, 0}, {0, 0}, {1, 0}}}}})));
constexpr KickTable asc_with_offsets() {
    KickTable table = make_table(
        kAscTurns, kAscTurns,
        with_offsets(detail::boxes(),
                     {{{{{0, 0}, {0, -1}, {1, -1}, {1, 0}}}, {{{0, 0}, {0, 1}, {-1, 1}, {-1, 0}}},
                       kNowhere, kNowhere, kNowhere, kNowhere, kNowhere}}));
    for (const detail::BoxTurn& turn : kAscTurns) detail::add_turn(table, Piece::O, turn);
    return table;
}
constexpr KickTable kAscOffsets = asc_with_offsets();

// The Pason contest of 2012: pieces rotate around one of their cells and never kick. They spawn
// pointing south; I, S and Z have two states and O has one, which rotations share. No half turns.
constexpr KickTable pason_pieces() {
    KickTable table{};
    constexpr Offsets kTwoOfS{{{0, -1}, {0, 0}, {0, 0}, {1, 0}}};
    table.centre = {{{{{-1, 0}, {0, 0}, {0, 0}, {0, -1}}},
                     {{{-1, -1}, {-1, 0}, {0, 0}, {0, -1}}},
                     kNowhere, kNowhere, kNowhere, kTwoOfS, kTwoOfS}};
    table.spawn.fill(Rotation::south);
    return table;
}
constexpr KickTable kPason =
    make_table(detail::kQuarterPlain, detail::kQuarterPlain, pason_pieces());

// Jstris: SRS with half turns of two tests.
constexpr detail::BoxTurns kJstrisHalf = {
    {0, 2, {{0, 1}}}, {2, 0, {{0, -1}}}, {1, 3, {{1, 0}}}, {3, 1, {{-1, 0}}}};
constexpr KickTable kJstris = with_half_turns(kSrs, kJstrisHalf, kJstrisHalf);

// Botris: SRS, but the O moves when it rotates, and its own position is the last test.
constexpr KickTable with_moving_o(KickTable table, detail::BoxTurns turns) {
    for (const detail::BoxTurn& turn : turns) {
        KickTests& tests = table.tests[static_cast<std::size_t>(Piece::O)][turn.from][turn.to];
        const Cell plain = tests.displacement[0];
        tests.count = 0;
        for (Cell kick : turn.kicks)
            tests.displacement[tests.count++] = {static_cast<std::int8_t>(kick.x + plain.x),
                                                 static_cast<std::int8_t>(kick.y + plain.y)};
    }
    return table;
}
constexpr KickTable kBotris = with_moving_o(
    kSrs,
    {
        {0, 1, {{1, -1}, {2, -1}, {1, -2}, {0, -1}, {0, 0}}},
        {1, 0, {{-1, 1}, {-2, 1}, {-1, 2}, {0, 1}, {0, 0}}},
        {1, 2, {{-1, -1}, {-2, -1}, {-1, -2}, {0, -1}, {0, 0}}},
        {2, 1, {{1, 1}, {2, 1}, {1, 2}, {0, 1}, {0, 0}}},
        {2, 3, {{-1, 1}, {-2, 1}, {-1, 2}, {0, 1}, {0, 0}}},
        {3, 2, {{1, -1}, {2, -1}, {1, -2}, {0, -1}, {0, 0}}},
        {3, 0, {{1, 1}, {2, 1}, {1, 2}, {0, 1}, {0, 0}}},
        {0, 3, {{-1, -1}, {-2, -1}, {-1, -2}, {0, -1}, {0, 0}}},
    });
// clang-format on

constexpr const char* kWithout = " without 180";

bool is_half_turn(int from, int to) { return (to - from) % 2 == 0 && from != to; }

// Lower case, without separators, "plus" as "+": all spellings of a name become one.
std::string normalized_kicks_name(std::string_view name) {
    std::string out;
    for (char c : name)
        if (c != '-' && c != '_' && c != ' ')
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto plus = out.find("plus");
    if (plus != std::string::npos) return out.substr(0, plus) + '+' + out.substr(plus + 4);
    return out;
}

// A non-owning shared pointer.
std::shared_ptr<const KickTable> constant(const KickTable* table) {
    return {std::shared_ptr<const void>(), table};
}

struct Known {
    std::string normalized_name;
    Kicks kicks;
};

std::vector<Known> all_known() {
    std::vector<Known> known;
    for (const Kicks& kicks : all_kicks()) {
        known.push_back({normalized_kicks_name(kicks.name()), kicks});
        known.push_back(
            {normalized_kicks_name(kicks.name() + kWithout), kicks.without_half_turns()});
    }
    return known;
}

std::string described(const TurnTests& turn) {
    return std::string("piece ") + letter(turn.piece) + ", turn " + std::to_string(turn.from) +
           " to " + std::to_string(turn.to);
}

}  // namespace

Kicks::Kicks(std::string name, const KickTable* table)
    : name_(std::move(name)), table_(constant(table)) {}

Kicks::Kicks(std::string name, const KickTable& table) : name_(std::move(name)) {
    // The multi-ISA generators identify these two by their address.
    if (table == kSrs)
        table_ = constant(&kSrs);
    else if (table == kSrsPlus)
        table_ = constant(&kSrsPlus);
    else
        table_ = std::make_shared<const KickTable>(table);
}

bool Kicks::has_own_shapes(Piece piece) const {
    for (int r = 0; r < kRotations; ++r)
        if (centre(piece, static_cast<Rotation>(r)) !=
            detail::box_centre(piece, r, static_cast<int>(spawn(piece))))
            return true;
    return false;
}

Kicks Kicks::without_half_turns() const {
    KickTable table = *table_;
    for (auto& piece : table.tests)
        for (int from = 0; from < kRotations; ++from)
            for (int to = 0; to < kRotations; ++to)
                if (is_half_turn(from, to))
                    piece[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] = {};
    if (table == *table_) return *this;
    Kicks without(name_ + kWithout, table);
    without.whole_ = table_;
    return without;
}

Kicks Kicks::with_half_turns() const {
    if (!whole_) return *this;
    Kicks whole(*this);
    whole.name_.resize(name_.size() - std::string_view(kWithout).size());
    whole.table_ = std::exchange(whole.whole_, nullptr);
    return whole;
}

std::size_t Kicks::hash() const {
    std::uint64_t h = 0xcbf29ce484222325u;
    const auto mix = [&h](int value) {
        h = (h ^ static_cast<std::uint8_t>(value)) * 0x100000001b3u;
    };
    for (const auto& piece : table_->tests)
        for (const auto& from : piece)
            for (const KickTests& tests : from) {
                mix(tests.exists ? tests.count + 1 : 0);
                for (std::size_t i = 0; i < tests.count; ++i) {
                    mix(tests.displacement[i].x);
                    mix(tests.displacement[i].y);
                }
            }
    for (Rotation rotation : table_->spawn) mix(static_cast<int>(rotation));
    for (const auto& piece : table_->centre)
        for (Cell centre : piece) {
            mix(centre.x);
            mix(centre.y);
        }
    return static_cast<std::size_t>(h);
}

const std::vector<Kicks>& all_kicks() {
    static const std::vector<Kicks> all = {
        {"none", &kNone},
        {"none180", &kNone180},
        {"srs", &kSrs},
        {"srs180", &kSrs180},
        {"srs+", &kSrsPlus},
        {"srs-tetrio", &kSrsTetrio},
        {"srs-x", &kSrsX},
        {"tetra-x", &kTetraX},
        {"asc", &kAsc},
        {"ars", &kArs},
        {"nrs", &kNrs},
        {"jstris", &kJstris},
        {"botris", &kBotris},
        {"nrs-offsets", &kNrsOffsets},
        {"ars-offsets", &kArsOffsets},
        {"asc-offsets", &kAscOffsets},
        {"pason", &kPason},
    };
    return all;
}

const Kicks* known_kicks(std::string_view name) {
    static const std::vector<Known> all = all_known();
    const std::string wanted = normalized_kicks_name(name.substr(0, 64));
    for (const Known& known : all)
        if (known.normalized_name == wanted) return &known.kicks;
    return nullptr;
}

const Kicks& find_kicks(std::string_view name) {
    if (const Kicks* kicks = known_kicks(name)) return *kicks;
    if (normalized_kicks_name(name.substr(0, 64)) == "tetrio")
        throw_invalid(ErrorKind::kicks, "rotation system", "srs+, TETR.IO's in most modes",
                      "'" + std::string(name) + "'");
    std::string names;
    for (const Kicks& kicks : all_kicks()) names += (names.empty() ? "" : ", ") + kicks.name();
    throw_invalid(ErrorKind::kicks, "rotation system", "one of " + names,
                  "'" + std::string(name.substr(0, 64)) + "'");
}

Centres box_centres(const Spawns& spawn) {
    Centres centres{};
    for (std::size_t p = 0; p < kPieces; ++p)
        for (std::size_t r = 0; r < kRotations; ++r)
            centres[p][r] = detail::box_centre(static_cast<Piece>(p), static_cast<int>(r),
                                               static_cast<int>(spawn[p]));
    return centres;
}

Cell centre_of(Piece piece, Rotation rotation, const Cells& cells) {
    constexpr const char* kNames[] = {"north", "east", "south", "west"};
    const std::string what = std::string("piece ") + letter(piece) + ", rotation " +
                             std::to_string(static_cast<int>(rotation));
    for (Cell c : cells)
        if (std::abs(c.x) > kMaxReach || std::abs(c.y) > kMaxReach)
            throw_invalid(ErrorKind::kicks, what,
                          "cells within " + std::to_string(kMaxReach) + " columns and rows",
                          "(" + std::to_string(c.x) + ", " + std::to_string(c.y) + ")");
    // The centre is one of the cells: which one leaves the others in their places?
    for (Cell centre : cells) {
        Cells wanted = kCells[static_cast<std::size_t>(piece)][static_cast<std::size_t>(rotation)];
        for (Cell& c : wanted) c = detail::sum(c, centre);
        if (std::is_permutation(wanted.begin(), wanted.end(), cells.begin())) return centre;
    }
    throw Error(ErrorKind::kicks, what + ": expected the cells of " + letter(piece) + " pointing " +
                                      kNames[static_cast<std::size_t>(rotation)] +
                                      ", at any position");
}

Kicks make_kicks(std::string name, std::span<const TurnTests> turns, const Spawns& spawn) {
    return make_kicks(std::move(name), turns, spawn, box_centres(spawn));
}

Kicks make_kicks(std::string name, std::span<const TurnTests> turns, const Spawns& spawn,
                 const Centres& centres) {
    KickTable table{};
    table.spawn = spawn;
    table.centre = centres;
    for (const TurnTests& turn : turns) {
        if (turn.from < 0 || turn.from >= kRotations || turn.to < 0 || turn.to >= kRotations ||
            turn.from == turn.to)
            throw Error(ErrorKind::kicks,
                        described(turn) + ": expected two different rotations from 0 to 3");
        KickTests& tests =
            table.tests[static_cast<std::size_t>(turn.piece)][static_cast<std::size_t>(turn.from)]
                       [static_cast<std::size_t>(turn.to)];
        if (tests.exists) throw Error(ErrorKind::kicks, described(turn) + " is given twice");
        if (turn.tests.empty() || turn.tests.size() > kMaxTests)
            throw_invalid(ErrorKind::kicks, described(turn),
                          "1 to " + std::to_string(kMaxTests) + " tests",
                          std::to_string(turn.tests.size()));
        const Cell plain = detail::plain_turn(table, turn.piece, turn.from, turn.to);
        tests.exists = true;
        for (Cell kick : turn.tests) {
            if (std::abs(kick.x) > kMaxKick || std::abs(kick.y) > kMaxKick)
                throw_invalid(ErrorKind::kicks, described(turn),
                              "kicks within " + std::to_string(kMaxKick) + " columns and rows",
                              "(" + std::to_string(kick.x) + ", " + std::to_string(kick.y) + ")");
            tests.displacement[tests.count++] = detail::sum(kick, plain);
        }
    }
    return Kicks(std::move(name), table);
}

}  // namespace sevenbag
