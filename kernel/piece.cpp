#include "piece.hpp"

#include <string>

#include "error.hpp"

namespace sevenbag {

Piece piece_from_letter(char letter) {
    for (int p = 0; p < kPieces; ++p)
        if (kPieceLetters[p] == letter || (kPieceLetters[p] | 0x20) == letter)
            return static_cast<Piece>(p);
    throw Error(ErrorKind::piece,
                std::string("'") + letter + "' is no piece; pieces are I O T L J S Z");
}

}  // namespace sevenbag
