// Which of the instruction sets is used, and the way for boards of any width.
#include <bit>
#include <cstring>

#include "children_isa.hpp"
#include "movegen.hpp"

namespace sevenbag {

#define SB_DECLARE(isa)                                \
    namespace isa {                                    \
    void children(const ChildrenJob& job, Child* out); \
    }

SB_DECLARE(base)
#if defined(SB_WIDE_SETS)
SB_DECLARE(v3)
SB_DECLARE(v4)
#endif

Children children_code() {
#if defined(SB_WIDE_SETS)
    if (std::strcmp(instruction_set(), "avx512") == 0) return v4::children;
    if (std::strcmp(instruction_set(), "x86-64-v3") == 0) return v3::children;
#endif
    return base::children;
}

void children_general(const Board& board, const Placement* placements, int count,
                      const Features& weights, Child* out) {
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
