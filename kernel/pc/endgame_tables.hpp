// Results of the last five pieces of a four-line perfect clear, for every board of its graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pc/board_graph.hpp"
#include "pc/completing_sets.hpp"

namespace sevenbag::pc {

// A board and the letter held besides, in one number. It indexes tables of a layer.
using State = std::uint32_t;
constexpr State state_of(std::uint32_t board, int held) {
    return board * kPieces + static_cast<std::uint32_t>(held);
}
constexpr std::uint32_t board_of(State state) { return state / kPieces; }
constexpr int held_of(State state) { return static_cast<int>(state % kPieces); }

inline constexpr int kPairLayer = 7;  // three pieces before the end
inline constexpr int kFirstScoreLayer = 3;
inline constexpr int kLastScoreLayer = 5;

class EndgameTables {
  public:
    // The graph must be of height 4 and outlive this.
    EndgameTables(const Graph& graph, int threads, Progress& progress, int stage);

    // Seven words, by the current letter: the pairs of letters to follow that finish a board of
    // layer 7. Bit 7 * first + second.
    const std::uint64_t* completing_pairs(std::uint32_t board, int held) const {
        return &completing_pairs_[std::size_t{board} * 56 + static_cast<std::size_t>(held) * 8];
    }
    // Number of solutions over all letter sequences; layers 3 to 5.
    float score(int layer, State state) const {
        return scores_[static_cast<std::size_t>(layer - kFirstScoreLayer)][state];
    }
    // Handfuls of the letters left that finish a board; layers 3 to 5.
    const CompletingSets& completing_sets(int layer) const {
        return completing_sets_[static_cast<std::size_t>(layer - kFirstScoreLayer)];
    }

  private:
    void find_completing_pairs(const Graph& graph, int threads, Progress& progress);
    void find_scores(const Graph& graph, int threads, Progress& progress);

    std::vector<std::uint64_t> completing_pairs_;
    std::vector<std::vector<float>> scores_;
    std::vector<CompletingSets> completing_sets_;
};

}  // namespace sevenbag::pc
