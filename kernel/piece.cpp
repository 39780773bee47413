#include "piece.hpp"

#include <string>

#include "error.hpp"

namespace sevenbag {

Piece piece_from_letter(char letter) {
    for (int p = 0; p < kPieces; ++p)
        if (kPieceLetters[p] == letter || (kPieceLetters[p] | 0x20) == letter)
            return static_cast<Piece>(p);
    throw_invalid(ErrorKind::piece, "piece", "one of I O T L J S Z",
                  std::string("'") + letter + "'");
}

}  // namespace sevenbag
