#include "pc/tiling_solver.hpp"

#include <algorithm>
#include <bit>

#include "dispatch.hpp"
#include "pc/packed_rows.hpp"

namespace sevenbag::pc {

namespace {

// Resting positions of a piece.
constexpr std::size_t kMaxCandidates = kSmallBoardWidth * 3 * kRotations;

}  // namespace

TilingSolver::TilingSolver(const MoveTables& move_tables, const Problem& problem,
                           const TileGraph& graph, const MultisetTable& budget, VisitedSet& visited,
                           StopCheck stop_check)
    : move_tables_(move_tables),
      problem_(problem),
      graph_(graph),
      budget_(budget),
      visited_(visited),
      watch_(stop_check),
      whole_((std::uint64_t{1} << (problem.height * kSmallBoardWidth)) - 1) {}

Outcome TilingSolver::run() {
    if (!budget_.any()) return Outcome::none;
    first_[0] = 0;
    for (std::size_t p = 0; p < kPieces; ++p) first_[p + 1] = first_[p] + budget_.given()[p];
    statuses_.resize(graph_.tile_set().tiles.size() * kSmallBoardWidth);
    for (const int count : kSamples) {
        sample(count);
        const Outcome outcome = test_batch(0, false);
        if (outcome != Outcome::none) return outcome;
        batch_count_ = 0;
    }
    Outcome outcome = Outcome::none;
    TilingEnumerator(graph_, budget_, problem_.needed).each([&](const TileGraph::Edge* edges) {
        add_tiling(edges);
        if (batch_count_ == next_play_) outcome = test_new_tilings();
        return outcome != Outcome::none;
    });
    if (outcome != Outcome::none) return outcome;
    return all_in_batch_ && played_ == 0 ? test_batch(0, true) : test_batch(played_, false);
}

// --- writing tilings down -----------------------------------------------------------------------

void TilingSolver::add_tiling(const TileGraph::Edge* edges) {
    const std::size_t begin = static_cast<std::size_t>(batch_count_++) * kMaxPieces;
    batch_.resize(std::max(batch_.size(), begin + kMaxPieces));
    std::fill_n(batch_.begin() + static_cast<std::ptrdiff_t>(begin), kMaxPieces, kNoTile);
    std::array<int, kPieces + 1> at = first_;
    for (int i = 0; i < problem_.needed; ++i) {
        const TileGraph::Edge& edge = edges[i];
        const std::size_t piece = graph_.tile_set().tiles[edge.tile].piece;
        batch_[begin + static_cast<std::size_t>(at[piece]++)] =
            static_cast<std::uint16_t>(edge.tile * kSmallBoardWidth + edge.column);
    }
    ++tilings_seen_;
}

// Ways through the graph at random; those that end too early are given up.
void TilingSolver::sample(int count) {
    std::array<TileGraph::Edge, kMaxSteps> chosen;
    for (int n = 0; n < count; ++n) {
        Multiset left = budget_.given();
        std::size_t node = 0;
        int placed = 0;
        RowDependencies before = 0;
        int depth = 0;
        for (; depth < problem_.needed; ++depth) {
            const TileGraph::Edge* choice = nullptr;
            RowDependencies chosen_before = 0;
            int choices = 0;
            for (const auto* edge = graph_.begin(node); edge != graph_.end(node); ++edge) {
                const Tile& tile = graph_.tile_set().tiles[edge->tile];
                if (left[tile.piece] == 0 || budget_.is_excluded(*edge) ||
                    !budget_.can_complete(edge->to, placed + budget_.step(tile.piece)))
                    continue;
                const RowDependencies then =
                    tile.gaps ? require_rows(before, tile.rows, tile.gaps) : before;
                if (then == kNoOrder || random_.below(++choices) != 0) continue;
                choice = edge;
                chosen_before = then;
            }
            if (!choice) break;
            const std::size_t piece = graph_.tile_set().tiles[choice->tile].piece;
            chosen[static_cast<std::size_t>(depth)] = *choice;
            --left[piece];
            placed += budget_.step(static_cast<int>(piece));
            node = choice->to;
            before = chosen_before;
        }
        if (depth == problem_.needed) add_tiling(chosen.data());
    }
}

// --- playing them -------------------------------------------------------------------------------

Outcome TilingSolver::test_new_tilings() {
    const Outcome outcome = test_batch(played_, false);
    played_ = batch_count_;
    next_play_ = std::min(4 * batch_count_, kLargestBatch);
    if (batch_count_ == kLargestBatch) {
        all_in_batch_ = false;
        played_ = batch_count_ = 0;
    }
    return outcome;
}

Outcome TilingSolver::test_batch(int first, bool all) {
    all_ = all;
    top_ = static_cast<std::size_t>(batch_count_ - first);
    if (remaining_.size() < top_) remaining_.resize(top_);
    for (std::size_t i = 0; i < top_; ++i)
        remaining_[i] = static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(first);
    visited_.forget(visited_);
    const Position start{problem_.filled, problem_.filled, problem_.height, 0};
    return play(start, problem_.pieces[0], 1, 0, 0, top_);
}

Outcome TilingSolver::play(const Position& position, int held, int next, int depth,
                           std::size_t begin, std::size_t end) {
    const int following =
        next < problem_.count ? problem_.pieces[static_cast<std::size_t>(next)] : kNoPiece;
    const Outcome outcome = place(position, held, following, next, depth, begin, end);
    if (outcome != Outcome::none || !problem_.hold || following == held || following == kNoPiece)
        return outcome;
    return place(position, following, held, next, depth, begin, end);
}

// The next steps depend on the board and the left-over piece. If only some of the tilings remain,
// they depend on which ones, hence on the placed tiles: then these are the key, as the first tiling
// that has them all, and their positions in it.
std::uint64_t TilingSolver::key_of(const Position& position, int held, std::size_t begin) const {
    if (all_) {
        const std::uint64_t gone =
            whole_ & ~((std::uint64_t{1} << (position.height * kSmallBoardWidth)) - 1);
        return ((position.left | gone) << 3 | static_cast<std::uint64_t>(held)) + 1;
    }
    const std::uint64_t tiling = remaining_[begin];
    std::uint64_t placed = 0;
    for (int slot = 0; slot < problem_.count; ++slot) {
        const std::uint16_t id = batch_[tiling * kMaxPieces + static_cast<std::size_t>(slot)];
        if (id == kNoTile) continue;
        const std::uint64_t cells = graph_.tile_set().tiles[id / kSmallBoardWidth].cells;
        if (cells << id % kSmallBoardWidth & position.filled) placed |= std::uint64_t{1} << slot;
    }
    return (tiling << kMaxPieces | placed) << 3 | static_cast<std::uint64_t>(held);
}

Outcome TilingSolver::place(const Position& position, int piece, int held, int next, int depth,
                            std::size_t begin, std::size_t end) {
    const auto p = static_cast<std::size_t>(piece);
    const std::uint64_t here = ++positions_;
    if (here % 256 == 0 && watch_.stop && watch_.stop(watch_.context, 256)) return Outcome::stopped;
    std::uint64_t corners[kRotations];
    bool known = false;
    // The tiles that can be placed, and the tilings that have them.
    std::array<std::uint16_t, kMaxCandidates> tiles;
    std::array<std::uint32_t, kMaxCandidates> count{};
    int tile_count = 0;
    candidates_.clear();
    for (std::size_t i = begin; i < end; ++i) {
        const std::uint16_t* tiling = &batch_[std::size_t{remaining_[i]} * kMaxPieces];
        for (int slot = first_[p]; slot < first_[p + 1]; ++slot) {
            const std::uint16_t id = tiling[slot];
            if (id == kNoTile) continue;
            TileStatus& status = statuses_[id];
            if (status.position != here) {
                status = {here, -1};
                const Tile& tile = graph_.tile_set().tiles[id / kSmallBoardWidth];
                const int column = id % kSmallBoardWidth;
                if ((tile.cells << column & position.filled) == 0 &&
                    !(tile.gaps & ~position.full)) {
                    if (!known) {
                        dispatch_table().find_rest_positions(
                            move_tables_.of(static_cast<Piece>(piece)), position.left,
                            position.height, corners);
                        known = true;
                    }
                    const unsigned below = (1u << tile.bottom) - 1;
                    const int row = tile.bottom - std::popcount(position.full & below);
                    if (corners[tile.rotation] >> (row * kSmallBoardWidth + column) & 1) {
                        status.place = tile_count;
                        tiles[static_cast<std::size_t>(tile_count++)] = id;
                    }
                }
            }
            if (status.place >= 0) {
                candidates_.push_back({static_cast<std::uint32_t>(status.place), remaining_[i]});
                ++count[static_cast<std::size_t>(status.place)];
            }
        }
    }
    if (candidates_.empty()) return Outcome::none;

    std::array<std::size_t, kMaxCandidates + 1> lists;
    lists[0] = top_;
    for (int t = 0; t < tile_count; ++t)
        lists[static_cast<std::size_t>(t) + 1] =
            lists[static_cast<std::size_t>(t)] + count[static_cast<std::size_t>(t)];
    const std::size_t top_before = top_;
    top_ += candidates_.size();
    if (remaining_.size() < top_) remaining_.resize(top_);
    {
        std::array<std::size_t, kMaxCandidates + 1> at = lists;
        for (const Candidate& candidate : candidates_)
            remaining_[at[candidate.tile]++] = candidate.tiling;
    }
    for (int t = 0; t < tile_count; ++t) {
        const std::uint16_t id = tiles[static_cast<std::size_t>(t)];
        const Tile& tile = graph_.tile_set().tiles[id / kSmallBoardWidth];
        const int column = id % kSmallBoardWidth;
        const unsigned below = (1u << tile.bottom) - 1;
        const int row = tile.bottom - std::popcount(position.full & below);
        steps_[static_cast<std::size_t>(depth)] = {
            static_cast<std::uint8_t>(piece), tile.rotation,
            static_cast<std::uint8_t>(row * kSmallBoardWidth + column)};
        if (depth + 1 == problem_.needed) return Outcome::found;
        Position after;
        after.filled = position.filled | tile.cells << column;
        after.full = full_row_bits(after.filled);
        after.left = without_rows(after.filled, after.full);
        after.height = problem_.height - std::popcount(after.full);
        if (problem_.strict && after.left == 0) continue;
        if (!visited_.insert(key_of(after, held, lists[static_cast<std::size_t>(t)]))) continue;
        const Outcome outcome =
            play(after, held, next + 1, depth + 1, lists[static_cast<std::size_t>(t)],
                 lists[static_cast<std::size_t>(t) + 1]);
        if (outcome != Outcome::none) return outcome;
    }
    top_ = top_before;
    return Outcome::none;
}

}  // namespace sevenbag::pc
