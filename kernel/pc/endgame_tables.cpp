#include "pc/endgame_tables.hpp"

#include <array>
#include <bit>

namespace sevenbag::pc {

namespace {

constexpr auto kLetterCount = static_cast<std::size_t>(kPieces);

const Layer& layer_of(const Graph& graph, int layer) {
    return graph.layers[static_cast<std::size_t>(layer)];
}

// Calls work(board) for every board of a layer.
template <class Work>
void for_boards(const Layer& layer, int threads, Progress& progress, Work&& work) {
    progress.done.store(0);
    progress.total.store((layer.size() + kBoardsPerJob - 1) / kBoardsPerJob);
    run_blocks(layer.size(), kBoardsPerJob, threads, progress,
               [&](int, std::int64_t begin, std::int64_t end) {
                   for (std::int64_t b = begin; b < end; ++b) work(static_cast<std::uint32_t>(b));
               });
}

// For every board of the last but one layer the letters that finish it, as bits.
std::vector<std::uint8_t> last_letters(const Layer& layer) {
    std::vector<std::uint8_t> letters(layer.size(), 0);
    for (std::uint32_t b = 0; b < layer.size(); ++b)
        for (int letter = 0; letter < kPieces; ++letter)
            if (!layer.children(b, letter).empty())
                letters[b] = static_cast<std::uint8_t>(letters[b] | 1 << letter);
    return letters;
}

// For every board two pieces before the end, held and current letter: the letters to follow that
// finish it, as bits.
std::vector<std::uint8_t> last_but_one(const Graph& graph) {
    const Layer& layer = layer_of(graph, 8);
    const std::vector<std::uint8_t> last = last_letters(layer_of(graph, 9));
    std::vector<std::uint8_t> letters(layer.size() * kLetterCount * kLetterCount, 0);
    for (std::uint32_t b = 0; b < layer.size(); ++b) {
        std::uint8_t* out = &letters[b * kLetterCount * kLetterCount];
        for (int placed = 0; placed < kPieces; ++placed)
            for (std::uint32_t child : layer.children(b, placed))
                for (int kept = 0; kept < kPieces; ++kept) {
                    const int follow = last[child] >> kept & 1 ? 0x7f : last[child];
                    for (int at : {placed * kPieces + kept, kept * kPieces + placed})
                        out[at] = static_cast<std::uint8_t>(out[at] | follow);
                }
    }
    return letters;
}

}  // namespace

EndgameTables::EndgameTables(const Graph& graph, int threads, Progress& progress, int stage) {
    progress.enter(stage, 1);
    find_completing_pairs(graph, threads, progress);
    progress.enter(stage + 1, 1);
    find_scores(graph, threads, progress);
    progress.enter(stage + 2, 1);
    completing_sets_ = find_completing_sets(graph, kFirstScoreLayer, threads, progress);
    // Later layers are intermediate results.
    completing_sets_.erase(completing_sets_.begin() + 1 + kLastScoreLayer - kFirstScoreLayer,
                           completing_sets_.end());
}

void EndgameTables::find_completing_pairs(const Graph& graph, int threads, Progress& progress) {
    const Layer& layer = layer_of(graph, kPairLayer);
    const std::vector<std::uint8_t> last = last_but_one(graph);
    completing_pairs_.assign(std::size_t{layer.size()} * 56, 0);
    for_boards(layer, threads, progress, [&](std::uint32_t b) {
        std::uint64_t* out = &completing_pairs_[std::size_t{b} * 56];
        for (std::size_t placed = 0; placed < kLetterCount; ++placed)
            for (std::uint32_t child : layer.children(b, static_cast<int>(placed)))
                for (std::size_t kept = 0; kept < kLetterCount; ++kept) {
                    const std::uint8_t* follow =
                        &last[(child * kLetterCount + kept) * kLetterCount];
                    std::uint64_t pairs = 0;
                    for (std::size_t n = 0; n < kLetterCount; ++n)
                        pairs |= std::uint64_t{follow[n]} << (7 * n);
                    out[placed * 8 + kept] |= pairs;
                    if (placed != kept) out[kept * 8 + placed] |= pairs;
                }
    });
}

void EndgameTables::find_scores(const Graph& graph, int threads, Progress& progress) {
    const Layer& last = layer_of(graph, kPairLayer);
    std::vector<float> next(std::size_t{last.size()} * kLetterCount);
    for_boards(last, threads, progress, [&](std::uint32_t b) {
        for (int held = 0; held < kPieces; ++held) {
            int ways = 0;
            for (int current = 0; current < kPieces; ++current)
                ways += std::popcount(completing_pairs(b, held)[current]);
            next[state_of(b, held)] = static_cast<float>(ways);
        }
    });
    scores_.resize(1 + kLastScoreLayer - kFirstScoreLayer);
    for (int k = kPairLayer - 1; k >= kFirstScoreLayer; --k) {
        const Layer& layer = layer_of(graph, k);
        std::vector<float> here(std::size_t{layer.size()} * kLetterCount);
        for_boards(layer, threads, progress, [&](std::uint32_t b) {
            float ways[kPieces][kPieces] = {};  // [placed][kept]
            for (int placed = 0; placed < kPieces; ++placed)
                for (std::uint32_t child : layer.children(b, placed))
                    for (int kept = 0; kept < kPieces; ++kept)
                        ways[placed][kept] += next[state_of(child, kept)];
            for (int held = 0; held < kPieces; ++held) {
                float sum = 0;
                for (int current = 0; current < kPieces; ++current)
                    sum += ways[held][current] + (current != held ? ways[current][held] : 0);
                here[state_of(b, held)] = sum;
            }
        });
        next = std::move(here);
        if (k <= kLastScoreLayer) scores_[static_cast<std::size_t>(k - kFirstScoreLayer)] = next;
    }
}

}  // namespace sevenbag::pc
