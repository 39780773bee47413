// Graph of all boards that can occur between the empty board and its perfect clear, layer by layer,
// with an edge for each piece: at four lines about 14 million boards and 100 million edges. All
// queries about all queues at once use it.
//
// A board is a word of 10 * height bits, bit 10 * y + x its cell (x, y). Cleared rows are full rows
// at the top, so the number of pieces placed is a quarter of the filled cells.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kicks.hpp"
#include "parallel.hpp"
#include "piece.hpp"

namespace sevenbag::pc {

// Number of boards in one job.
inline constexpr std::int64_t kBoardsPerJob = 4096;

// Letters number the pieces as .pc files do.
inline constexpr std::array<Piece, kPieces> kLetters{Piece::I, Piece::O, Piece::T, Piece::S,
                                                     Piece::Z, Piece::L, Piece::J};

// Boards with the same number of pieces on them.
struct Layer {
    std::vector<std::uint64_t> boards;  // ascending
    // First edge of each board, and for each letter one byte with the offset of its edges; the
    // eighth byte is the end.
    std::vector<std::uint32_t> first;
    std::vector<std::uint64_t> bounds;
    std::vector<std::uint32_t> edges;  // boards of the next layer, by number

    std::uint32_t size() const { return static_cast<std::uint32_t>(boards.size()); }

    // Boards that the piece leads to.
    std::span<const std::uint32_t> children(std::uint32_t board, int letter) const {
        const std::uint64_t bound = bounds[board] >> (8 * letter);
        const std::uint32_t* from = edges.data() + first[board];
        return {from + (bound & 255), from + (bound >> 8 & 255)};
    }
};

struct Graph {
    int height;
    std::vector<Layer> layers;  // one more than pieces; layers without a perfect clear are empty

    int pieces() const { return height * 10 / 4; }
};

// Stages of building a graph, as reported by Progress.
enum GraphStage { kForward = 0, kBackward = kForward + 10, kGraphStages = kBackward + 10 };

// Height 2 or 4. Throws StoppedError.
Graph build_graph(const Kicks& kicks, int height, int threads, Progress& progress);

}  // namespace sevenbag::pc
