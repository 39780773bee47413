// Boards after a lock, for boards of any width.
#include <bit>

#include "board.hpp"
#include "children_isa.hpp"

namespace sevenbag {

void evaluate_placements_generic(const Board& board, const Placement* placements, int count,
                                 const Features& weights, EvaluatedBoard* out) {
    for (int i = 0; i < count; ++i) {
        Board after = board;
        const std::uint64_t rows = after.lock(placements[i]);
        const Features features = features_of(after);
        out[i] = {after.hash(),
                  weighted(features, weights),
                  static_cast<std::uint16_t>(after.count()),
                  static_cast<std::uint8_t>(std::popcount(rows)),
                  static_cast<std::uint8_t>(after.height()),
                  static_cast<std::uint8_t>(features.t_rows),
                  features.holes > 0};
    }
}

}  // namespace sevenbag
