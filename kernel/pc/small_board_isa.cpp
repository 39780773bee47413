// Small-board functions called through the dispatch table, compiled once per instruction set (see
// bitboard.hpp).
#include "pc/small_board.hpp"
#include "pc/small_board_features.hpp"

namespace sevenbag {
namespace SB_ISA {
namespace pc {

void find_rest_positions(const MoveTable& piece, std::uint64_t filled, int height,
                         std::uint64_t* corners) {
    RestPositions rests;
    find_rest_positions(piece, SmallBoard{filled, height}, rests);
    for (int r = 0; r < piece.looks; ++r) corners[r] = rests.of[r];
}

void find_features(std::uint64_t filled, int height, float* features) {
    find_features(SmallBoard{filled, height}, ~0u, features);
}

namespace {

// In a graph's board cleared rows are full rows at the top; a small board does not contain them.
SB_INLINE SmallBoard small_board_of(Word board, int height) {
    while (height > 0 && (board >> ((height - 1) * kWidth) & kFullRow) == kFullRow) --height;
    return {board & rows_below(height), height};
}

SB_INLINE Word board_of(SmallBoard small_board, int height) {
    return small_board.filled | (rows_below(height) & ~rows_below(small_board.height));
}

}  // namespace

void find_children(const MoveTable* const* pieces, Word board, int height, Word* children,
                   int* ends) {
    const SmallBoard small_board = small_board_of(board, height);
    int count = 0;
    for (int i = 0; i < kPieces; ++i) {
        const MoveTable& m = *pieces[i];
        RestPositions rests;
        find_rest_positions(m, small_board, rests);
        for (int r = 0; r < m.looks; ++r)
            for (Word left = rests.of[r]; left; left &= left - 1) {
                const SmallBoard next = locked(small_board, m.cells[r] << __builtin_ctzll(left));
                if (!can_be_divided(next)) continue;
                children[count++] = board_of(next, height);
            }
        ends[i] = count;
    }
}

sevenbag::pc::RestPosition find_rest_position(const MoveTable& piece, Word board, Word child,
                                              int height) {
    const SmallBoard small_board = small_board_of(board, height);
    RestPositions rests;
    find_rest_positions(piece, small_board, rests);
    for (int r = 0; r < piece.looks; ++r)
        for (Word left = rests.of[r]; left; left &= left - 1) {
            const int corner = __builtin_ctzll(left);
            if (board_of(locked(small_board, piece.cells[r] << corner), height) == child)
                return {r, corner};
        }
    return {-1, 0};
}

}  // namespace pc
}  // namespace SB_ISA
}  // namespace sevenbag
