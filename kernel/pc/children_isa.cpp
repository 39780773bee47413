// The boards that follow a board, compiled once for each instruction set (see window.hpp).
#include "pc/children.hpp"

#include "pc/field.hpp"

namespace sevenbag {
namespace SB_ISA {
namespace pc {

namespace {

// Cleared rows are full rows at the top of a board, and gone from a field.
SB_INLINE Field field_of(Word board, int height) {
    while (height > 0 && (board >> ((height - 1) * kWidth) & kFullRow) == kFullRow) --height;
    return {board & rows_below(height), height};
}

SB_INLINE Word board_of(Field field, int height) {
    return field.filled | (rows_below(height) & ~rows_below(field.height));
}

}  // namespace

void find_children(const PieceMotion* const* pieces, Word board, int height, Word* children,
                   int* ends) {
    const Field field = field_of(board, height);
    int count = 0;
    for (int i = 0; i < kPieces; ++i) {
        const PieceMotion& m = *pieces[i];
        Rests rests;
        find_rests(m, field, rests);
        for (int r = 0; r < m.looks; ++r)
            for (Word left = rests.of[r]; left; left &= left - 1) {
                const Field next = locked(field, m.cells[r] << __builtin_ctzll(left));
                if (!divides(next)) continue;
                children[count++] = board_of(next, height);
            }
        ends[i] = count;
    }
}

sevenbag::pc::Landing find_landing(const PieceMotion& piece, Word board, Word child, int height) {
    const Field field = field_of(board, height);
    Rests rests;
    find_rests(piece, field, rests);
    for (int r = 0; r < piece.looks; ++r)
        for (Word left = rests.of[r]; left; left &= left - 1) {
            const int corner = __builtin_ctzll(left);
            if (board_of(locked(field, piece.cells[r] << corner), height) == child)
                return {r, corner};
        }
    return {-1, 0};
}

}  // namespace pc
}  // namespace SB_ISA
}  // namespace sevenbag
