#include "pc/tablebase.hpp"

namespace sevenbag::pc {

std::vector<BlockPrefix> list_blocks() {
    std::vector<BlockPrefix> blocks;
    for (std::uint8_t a = 0; a < kPieces; ++a)
        for (std::uint8_t b = 0; b <= a; ++b)
            for (std::uint8_t c = 0; c < kPieces; ++c)
                for (std::uint8_t d = 0; d < kPieces; ++d) {
                    const BlockPrefix letters{a, b, c, d};
                    if (is_sequence(letters)) blocks.push_back(letters);
                }
    return blocks;
}

Tablebase::Tablebase(const Kicks& kicks, int height, int threads, Progress& progress)
    : kicks_(kicks), graph_(build_graph(kicks, height, threads, progress)), blocks_(list_blocks()) {
    if (height == 4) endgame_.emplace(graph_, threads, progress, kEndgames);
}

}  // namespace sevenbag::pc
