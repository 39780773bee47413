// Every board that can occur on the way from the empty field to its perfect clear, layer by layer,
// and which piece leads from which to which: at four lines some 14 million boards and 100 million
// edges. Whatever is asked about all queues at once is answered on it.
//
// A board is a word of 10 * height bits, bit 10 * y + x its cell (x, y), in which rows that were
// cleared stand full at the top: so the number of pieces placed is a quarter of its filled cells.
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
    // Where each board's edges begin, and for each letter, in a byte each, where they begin after
    // that; the eighth byte is the end of all.
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

// Numbers of the stages in which a graph is built, as Progress tells them.
enum GraphStage { kForward = 0, kBackward = kForward + 10, kGraphStages = kBackward + 10 };

// Height 2 or 4. Throws Stopped.
Graph build_graph(const Kicks& kicks, int height, int threads, Progress& progress);

}  // namespace sevenbag::pc
