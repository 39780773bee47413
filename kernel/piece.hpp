// Pieces, rotations, placements and the cells they fill.
//
// A piece's position is its SRS true-rotation centre: x from 0 at the left, y from 0 at the bottom,
// y up. Everything here is constexpr data, because the move generator is specialised at compile
// time on the shapes.
#pragma once

#include <array>
#include <cstdint>

namespace sevenbag {

enum class Piece : std::uint8_t { I, O, T, L, J, S, Z };
enum class Rotation : std::uint8_t { north, east, south, west };
enum class Spin : std::uint8_t { none, mini, full };

inline constexpr int kPieces = 7;
inline constexpr int kRotations = 4;
inline constexpr char kPieceLetters[] = "IOTLJSZ";

struct Cell {
    std::int8_t x;
    std::int8_t y;
    friend constexpr bool operator==(Cell, Cell) = default;
};

using Cells = std::array<Cell, 4>;

struct Placement {
    Piece piece;
    Rotation rotation;
    std::int8_t x;
    std::int8_t y;
    Spin spin = Spin::none;
    friend constexpr bool operator==(const Placement&, const Placement&) = default;
};

namespace detail {

// North of every piece, relative to the centre.
inline constexpr std::array<Cells, kPieces> kNorth{{
    {{{-1, 0}, {0, 0}, {1, 0}, {2, 0}}},   // I
    {{{0, 0}, {1, 0}, {0, 1}, {1, 1}}},    // O
    {{{-1, 0}, {0, 0}, {1, 0}, {0, 1}}},   // T
    {{{-1, 0}, {0, 0}, {1, 0}, {1, 1}}},   // L
    {{{-1, 0}, {0, 0}, {1, 0}, {-1, 1}}},  // J
    {{{-1, 0}, {0, 0}, {0, 1}, {1, 1}}},   // S
    {{{0, 0}, {1, 0}, {-1, 1}, {0, 1}}},   // Z
}};

consteval auto rotate_all() {
    std::array<std::array<Cells, kRotations>, kPieces> all{};
    for (int p = 0; p < kPieces; ++p) {
        all[p][0] = kNorth[p];
        for (int r = 1; r < kRotations; ++r)
            for (int i = 0; i < 4; ++i) {
                const Cell c = all[p][r - 1][i];
                all[p][r][i] = {c.y, static_cast<std::int8_t>(-c.x)};
            }
    }
    return all;
}

}  // namespace detail

// kCells[piece][rotation]: the four cells relative to the centre.
inline constexpr auto kCells = detail::rotate_all();

// Data of a piece in one rotation for the generator. A position names the lowest row of the piece
// ("base"), so no cell is below it.
struct Shape {
    Cells cells;       // relative to (centre x, lowest row)
    std::int8_t down;  // rows from the lowest row up to the centre
    std::int8_t up;    // rows from the lowest row to the highest
    std::int8_t left;  // columns left of the centre
    std::int8_t right;
};

namespace detail {

consteval auto shape_all() {
    std::array<std::array<Shape, kRotations>, kPieces> all{};
    for (int p = 0; p < kPieces; ++p)
        for (int r = 0; r < kRotations; ++r) {
            Shape s{};
            int top = -4;
            for (Cell c : kCells[p][r]) {
                if (-c.y > s.down) s.down = static_cast<std::int8_t>(-c.y);
                if (c.y > top) top = c.y;
                if (-c.x > s.left) s.left = static_cast<std::int8_t>(-c.x);
                if (c.x > s.right) s.right = c.x;
            }
            // O south and west are entirely below or left of their centre.
            int lowest = 4;
            for (Cell c : kCells[p][r]) lowest = c.y < lowest ? c.y : lowest;
            s.down = static_cast<std::int8_t>(-lowest);
            s.up = static_cast<std::int8_t>(top - lowest);
            for (int i = 0; i < 4; ++i)
                s.cells[i] = {kCells[p][r][i].x,
                              static_cast<std::int8_t>(kCells[p][r][i].y - lowest)};
            all[p][r] = s;
        }
    return all;
}

}  // namespace detail

inline constexpr auto kShapes = detail::shape_all();

// Rotations that name the same cells as an earlier one, a fixed number of cells away:
// placement (rotation, x, y) equals (to, x + dx, y + dy).
struct CanonicalForm {
    Rotation to;
    std::int8_t dx;
    std::int8_t dy;
};

constexpr CanonicalForm canonical_form(Piece piece, Rotation rotation) {
    const int r = static_cast<int>(rotation);
    if (piece == Piece::O) {
        constexpr CanonicalForm o[4] = {{Rotation::north, 0, 0},
                                        {Rotation::north, 0, -1},
                                        {Rotation::north, -1, -1},
                                        {Rotation::north, -1, 0}};
        return o[r];
    }
    if (piece == Piece::I && r == 2) return {Rotation::north, -1, 0};
    if (piece == Piece::I && r == 3) return {Rotation::east, 0, 1};
    if ((piece == Piece::S || piece == Piece::Z) && r == 2) return {Rotation::north, 0, -1};
    if ((piece == Piece::S || piece == Piece::Z) && r == 3) return {Rotation::east, -1, 0};
    return {rotation, 0, 0};
}

// The same cells with O pointing north and S, Z, I pointing north or east.
constexpr Placement canonical(Placement p) {
    const CanonicalForm a = canonical_form(p.piece, p.rotation);
    return {p.piece, a.to, static_cast<std::int8_t>(p.x + a.dx),
            static_cast<std::int8_t>(p.y + a.dy), p.spin};
}

// Return the placement moved by a number of cells, without a spin.
constexpr Placement shifted(const Placement& p, int dx, int dy) {
    return {p.piece, p.rotation, static_cast<std::int8_t>(p.x + dx),
            static_cast<std::int8_t>(p.y + dy)};
}

// The four cells a placement fills, absolute.
constexpr Cells cells_of(const Placement& p) {
    Cells cells = kCells[static_cast<int>(p.piece)][static_cast<int>(p.rotation)];
    for (Cell& c : cells) {
        c.x = static_cast<std::int8_t>(c.x + p.x);
        c.y = static_cast<std::int8_t>(c.y + p.y);
    }
    return cells;
}

// The piece a letter of either case names. Throws Error(piece).
Piece piece_from_letter(char letter);

constexpr char letter(Piece piece) { return kPieceLetters[static_cast<int>(piece)]; }

}  // namespace sevenbag
