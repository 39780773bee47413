#include "pc/network.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <unordered_set>

#include "error.hpp"

namespace sevenbag::pc {

namespace {

float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

// Sorted by target node; edges of the same node keep their order.
struct GenesByOutput {
    explicit GenesByOutput(std::span<const Gene> given) : genes(given.begin(), given.end()) {
        std::ranges::stable_sort(genes, {}, &Gene::output);
    }

    std::span<const Gene> into(std::int32_t node) const {
        const auto found = std::ranges::equal_range(genes, node, {}, &Gene::output);
        return {found.begin(), found.end()};
    }

    std::vector<Gene> genes;
};

// Hidden nodes from which edges lead to the score, sorted.
std::vector<std::int32_t> needed_nodes(const GenesByOutput& genes) {
    std::unordered_set<std::int32_t> seen;
    std::vector<std::int32_t> open{kScoreNode};
    while (!open.empty()) {
        const std::int32_t node = open.back();
        open.pop_back();
        for (const Gene& gene : genes.into(node))
            if (gene.input >= kFirstHiddenNode && seen.insert(gene.input).second)
                open.push_back(gene.input);
    }
    std::vector<std::int32_t> needed(seen.begin(), seen.end());
    std::ranges::sort(needed);
    return needed;
}

}  // namespace

Activation activation_named(std::string_view name) {
    const auto* found = std::ranges::find(kActivationNames, name);
    if (found != std::end(kActivationNames))
        return static_cast<Activation>(found - std::begin(kActivationNames));
    std::string all;
    for (const std::string_view known : kActivationNames)
        all += (all.empty() ? "" : " ") + std::string(known);
    throw_invalid(ErrorKind::input, "activation", "one of " + all,
                  "'" + std::string(name.substr(0, 40)) + "'");
}

float activated(Activation activation, float x) {
    switch (activation) {
        case Activation::sigmoid:
            return sigmoid(x);
        case Activation::tanh:
            return std::tanh(x);
        case Activation::relu:
            return x > 0 ? x : 0;
        case Activation::leaky_relu:
            return x > 0 ? x : 0.01f * x;
        case Activation::isru:
            // The square of a large number has no room.
            return std::abs(x) > 1e9f ? std::copysign(1.0f, x) : x / std::sqrt(1 + x * x);
        case Activation::elu:
            return x > 0 ? x : std::expm1(x);
        case Activation::selu:
            return 1.05070098f * (x > 0 ? x : 1.67326324f * std::expm1(x));
        case Activation::gelu:
            return x * sigmoid(1.702f * x);
        case Activation::softplus:
            return std::max(x, 0.0f) + std::log1p(std::exp(-std::abs(x)));
        case Activation::identity:
            return x;
        case Activation::swish:
            return x * sigmoid(x);
        case Activation::step:
            return x > 0 ? 1 : 0;
        case Activation::gaussian:
            return std::exp(-x * x);
    }
    return x;
}

Network::Network(Activation hidden, Activation score, std::span<const Gene> genes) {
    if (genes.size() > kMaxGenes)
        throw_invalid(ErrorKind::input, "number of genes", "at most " + std::to_string(kMaxGenes),
                      std::to_string(genes.size()));
    for (const Gene& gene : genes) {
        if (gene.input < 0 || gene.output < kScoreNode)
            throw_invalid(
                ErrorKind::input, "edge",
                "an input of at least 0 and an output of at least " + std::to_string(kScoreNode),
                std::to_string(gene.input) + " to " + std::to_string(gene.output));
        if (!std::isfinite(gene.weight))
            throw Error(ErrorKind::input, "invalid weight of an edge from node " +
                                              std::to_string(gene.input) +
                                              ": expected a finite 32-bit number");
    }
    const GenesByOutput sorted(genes);
    // In the order in which they are evaluated: the score after the hidden ones.
    std::vector<std::int32_t> order = needed_nodes(sorted);
    order.push_back(kScoreNode);
    const auto place_of = [&](std::int32_t node) {
        if (node < kScoreNode) return node;
        const auto last = order.end() - 1;
        const auto at = (node == kScoreNode ? last : std::lower_bound(order.begin(), last, node)) -
                        order.begin();
        return kScoreNode + static_cast<std::int32_t>(at);
    };
    for (const std::int32_t node : order) {
        for (const Gene& gene : sorted.into(node)) {
            edges_.push_back({place_of(gene.input), gene.weight});
            if (gene.input < kFeatures) wanted_ |= 1u << gene.input;
        }
        nodes_.push_back({node == kScoreNode ? score : hidden, edges_.size()});
    }
}

float Network::score(const float* features, float* memory) const {
    for (int i = 0; i < kFeatures; ++i)
        if (wanted_ >> i & 1) memory[i] = features[i];
    memory[kBiasNode] = 1;
    float* value = memory + kScoreNode;
    std::size_t at = 0;
    for (const Node& node : nodes_) {
        float sum = 0;
        for (; at < node.end; ++at) sum += edges_[at].weight * memory[edges_[at].from];
        *value++ = activated(node.activation, sum);
    }
    return value[-1];
}

}  // namespace sevenbag::pc
