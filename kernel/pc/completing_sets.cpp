#include "pc/completing_sets.hpp"

#include <algorithm>
#include <bit>

namespace sevenbag::pc {

namespace {

constexpr std::size_t kMaxSetWords = 32;

}  // namespace

MultisetIndex::MultisetIndex(int size) : size_(size) {
    LetterCounts counts{};
    const auto extend = [&](auto&& self, std::size_t letter, int left) -> void {
        if (letter + 1 == kPieces) {
            counts[letter] = static_cast<std::uint8_t>(left);
            all_.push_back(counts);
            return;
        }
        for (int count = 0; count <= left; ++count) {
            counts[letter] = static_cast<std::uint8_t>(count);
            self(self, letter + 1, left - count);
        }
    };
    extend(extend, 0, size);
    // Multisets of `left` pieces from a number of letters.
    std::array<std::array<std::uint16_t, 12>, kPieces + 1> ways{};
    ways[0][0] = 1;
    for (std::size_t letters = 1; letters <= kPieces; ++letters)
        for (std::size_t left = 0; left < 12; ++left)
            for (std::size_t count = 0; count <= left; ++count)
                ways[letters][left] = static_cast<std::uint16_t>(ways[letters][left] +
                                                                 ways[letters - 1][left - count]);
    for (std::size_t letter = 0; letter < kPieces; ++letter)
        for (std::size_t left = 0; left < 12; ++left)
            for (std::size_t count = 1; count < 12 && count <= left; ++count)
                before_[letter][left][count] = static_cast<std::uint16_t>(
                    before_[letter][left][count - 1] + ways[6 - letter][left - count + 1]);
}

std::size_t MultisetIndex::number(const LetterCounts& counts) const {
    std::size_t number = 0;
    auto left = static_cast<std::size_t>(size_);
    for (std::size_t letter = 0; letter + 1 < kPieces; ++letter) {
        number += before_[letter][left][counts[letter]];
        left -= counts[letter];
    }
    return number;
}

std::vector<CompletingSets> find_completing_sets(const Graph& graph, int first, int threads,
                                                 Progress& progress) {
    const int last = graph.pieces();
    std::vector<CompletingSets> layers;
    for (int k = first; k <= last; ++k) layers.push_back({MultisetIndex(last - k), {}});
    layers.back().bits.assign(graph.layers.back().size(), 1);
    for (int k = last - 1; k >= first; --k) {
        const Layer& layer = graph.layers[static_cast<std::size_t>(k)];
        CompletingSets& here = layers[static_cast<std::size_t>(k - first)];
        const CompletingSets& next = layers[static_cast<std::size_t>(k - first) + 1];
        const std::size_t words = here.words(), next_words = next.words();
        here.bits.assign(layer.size() * words, 0);
        // Adding a letter to multisets preserves their order: the bits only move apart.
        std::vector<std::array<std::uint16_t, kPieces>> with(next.multisets.count());
        for (std::size_t i = 0; i < with.size(); ++i)
            for (std::size_t letter = 0; letter < kPieces; ++letter) {
                LetterCounts counts = next.multisets[i];
                ++counts[letter];
                with[i][letter] = static_cast<std::uint16_t>(here.multisets.number(counts));
            }
        progress.total.store((layer.size() + kBoardsPerJob - 1) / kBoardsPerJob);
        run_blocks(
            layer.size(), kBoardsPerJob, threads, progress,
            [&](int, std::int64_t begin, std::int64_t end) {
                for (auto b = static_cast<std::uint32_t>(begin); b < end; ++b) {
                    std::uint64_t* out = &here.bits[b * words];
                    for (int letter = 0; letter < kPieces; ++letter) {
                        std::array<std::uint64_t, kMaxSetWords> any{};
                        for (std::uint32_t child : layer.children(b, letter))
                            for (std::size_t w = 0; w < next_words; ++w)
                                any[w] |= next.of(child)[w];
                        for (std::size_t w = 0; w < next_words; ++w)
                            for (std::uint64_t left = any[w]; left; left &= left - 1) {
                                const auto i =
                                    w * 64 + static_cast<std::size_t>(std::countr_zero(left));
                                const std::size_t more = with[i][static_cast<std::size_t>(letter)];
                                out[more / 64] |= std::uint64_t{1} << (more % 64);
                            }
                    }
                }
            });
    }
    return layers;
}

}  // namespace sevenbag::pc
