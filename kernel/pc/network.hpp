// Small neural networks that rate boards; they can order the moves of the play-order search.
//
// A network is a list of genes, each an edge between two nodes with a weight. Nodes 0 to 8 are the
// features of a board (features.hpp), 9 is always 1, 10 is the score; nodes starting at 11 are
// hidden. Hidden nodes are evaluated in the order of their indices, the score last: an edge from a
// later node carries its value for the previous board.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace sevenbag::pc {

inline constexpr int kFeatures = 9;
inline constexpr int kBiasNode = 9;
inline constexpr int kScoreNode = 10;
inline constexpr int kFirstHiddenNode = 11;
// More would make every position a wait.
inline constexpr std::size_t kMaxGenes = 4096;

enum class Activation : std::uint8_t {
    sigmoid,
    tanh,
    relu,
    leaky_relu,
    isru,
    elu,
    selu,
    gelu,
    softplus,
    identity,
    swish,
    step,
    gaussian,
};
inline constexpr std::string_view kActivationNames[] = {
    "sigmoid", "tanh",     "relu",     "leaky_relu", "isru", "elu",     "selu",
    "gelu",    "softplus", "identity", "swish",      "step", "gaussian"};

// Throws Error(input) for a name that is none.
Activation activation_named(std::string_view name);
float activated(Activation activation, float sum);

struct Gene {
    std::int32_t input, output;
    float weight;
};

class Network {
  public:
    // Throws Error(input) for too many genes, one that leads into a feature or the constant, a
    // number of a node below 0, and a weight that is not finite.
    Network(Activation hidden, Activation score, std::span<const Gene> genes);

    // Numbers that `score` keeps from one board to the next; all 0 at first.
    std::size_t memory() const { return kFeatures + 1 + nodes_.size(); }

    // A bit for each feature that matters; the others need not be given.
    [[gnu::always_inline]] unsigned wanted() const { return wanted_; }

    float score(const float* features, float* memory) const;

  private:
    struct Edge {
        std::int32_t from;  // a place of the memory
        float weight;
    };
    struct Node {
        Activation activation;
        std::size_t end;  // of its edges
    };

    std::vector<Edge> edges_;
    std::vector<Node> nodes_;  // the score is the last
    unsigned wanted_ = 0;
};

// Scores as integers in the same order; NaN is last.
[[gnu::always_inline]] inline std::int64_t rank_of(float score) {
    if (score != score) return std::numeric_limits<std::int32_t>::min();
    const auto bits = std::bit_cast<std::int32_t>(score + 0.0f);  // -0 is 0
    return bits ^ (bits >> 31 & 0x7fffffff);
}

}  // namespace sevenbag::pc
