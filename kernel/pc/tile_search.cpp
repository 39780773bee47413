#include "pc/tile_search.hpp"

#include <algorithm>
#include <bit>

#include "pc/code.hpp"
#include "pc/rows.hpp"

namespace sevenbag::pc {

namespace {

// Places where a piece can rest.
constexpr std::size_t kMaxCandidates = kFieldWidth * 3 * kRotations;

// to |= from, every number larger by `by`; then smaller.
void merge_up(std::uint64_t* to, const std::uint64_t* from, const std::uint64_t* mask,
              std::size_t words, int by) {
    const std::size_t skip = static_cast<std::size_t>(by) / 64;
    const int shift = by % 64;
    for (std::size_t i = words; i-- > skip;) {
        std::uint64_t moved = (from[i - skip] & mask[i - skip]) << shift;
        if (shift != 0 && i > skip)
            moved |= (from[i - skip - 1] & mask[i - skip - 1]) >> (64 - shift);
        to[i] |= moved;
    }
}

void merge_down(std::uint64_t* to, const std::uint64_t* from, const std::uint64_t* mask,
                std::size_t words, int by) {
    const std::size_t skip = static_cast<std::size_t>(by) / 64;
    const int shift = by % 64;
    for (std::size_t i = 0; i + skip < words; ++i) {
        std::uint64_t moved = from[i + skip] >> shift;
        if (shift != 0 && i + skip + 1 < words) moved |= from[i + skip + 1] << (64 - shift);
        to[i] |= moved & mask[i];
    }
}

}  // namespace

void PieceBudget::find_barred(const TileGraph& graph, const Problem& problem,
                              const Motion& motion) {
    const auto& tiles = graph.book().tiles;
    barred_.assign(tiles.size() * kFieldWidth, 0);
    const int last = problem.pieces[static_cast<std::size_t>(problem.count - 1)];
    if (given_[static_cast<std::size_t>(last)] != 1) return;
    const std::uint64_t whole = (std::uint64_t{1} << (problem.height * kFieldWidth)) - 1;
    const PieceMotion& piece = motion.of(static_cast<Piece>(last));
    for (std::size_t t = 0; t < tiles.size(); ++t) {
        if (tiles[t].piece != last) continue;
        for (int column = 0; column < kFieldWidth; ++column) {
            const std::uint64_t cells = tiles[t].cells << column;
            if (cells & ~whole || std::popcount(cells) != 4) continue;
            // All that is left is its rows, with its shape open in them.
            const std::uint64_t filled = whole & ~cells;
            const unsigned full = full_row_bits(filled);
            std::uint64_t corners[kRotations];
            code().find_rests(piece, without_rows(filled, full),
                              problem.height - std::popcount(full), corners);
            barred_[t * kFieldWidth + static_cast<std::size_t>(column)] =
                !(corners[tiles[t].rotation] >> column & 1);
        }
    }
}

bool PieceBudget::run(const TileGraph& graph, const Problem& problem, const Motion& motion) {
    given_ = {};
    for (int i = 0; i < problem.count; ++i)
        ++given_[static_cast<std::size_t>(problem.pieces[static_cast<std::size_t>(i)])];
    int numbers = 1;
    for (std::size_t p = 0; p < kPieces; ++p) {
        stride_[p] = numbers;
        numbers *= given_[p] + 1;
    }
    words_ = static_cast<std::size_t>(numbers + 63) / 64;
    const std::size_t nodes = graph.size();
    if (nodes * words_ > kMaxWords) return false;
    for (std::size_t p = 0; p < kPieces; ++p) {
        room_[p].assign(words_, 0);
        for (int n = 0; n < numbers; ++n)
            if (n / stride_[p] % (given_[p] + 1) < given_[p])
                room_[p][static_cast<std::size_t>(n) / 64] |= std::uint64_t{1} << (n % 64);
    }

    find_barred(graph, problem, motion);
    from_start_.assign(nodes * words_, 0);
    from_start_[0] = 1;
    const auto& tiles = graph.book().tiles;
    for (std::size_t node = 0; node < nodes; ++node)
        for (const auto* edge = graph.begin(node); edge != graph.end(node); ++edge) {
            const std::size_t piece = tiles[edge->tile].piece;
            if (given_[piece] > 0 && !barred(*edge))
                merge_up(&from_start_[edge->to * words_], &from_start_[node * words_],
                         room_[piece].data(), words_, stride_[piece]);
        }

    // What is left over at the end.
    std::uint64_t* last = &from_start_[(nodes - 1) * words_];
    if (!graph.can_be_filled()) {
        std::fill_n(last, words_, 0);
    } else if (problem.save != kNoPiece) {
        const int number = numbers - 1 - stride_[static_cast<std::size_t>(problem.save)];
        const bool reached = bit(from_start_, nodes - 1, number);
        std::fill_n(last, words_, 0);
        if (reached)
            last[static_cast<std::size_t>(number) / 64] = std::uint64_t{1} << (number % 64);
    }
    std::vector<std::uint64_t> onwards(words_);
    for (std::size_t node = graph.can_be_filled() ? nodes - 1 : nodes; node-- > 0;) {
        std::ranges::fill(onwards, 0);
        for (const auto* edge = graph.begin(node); edge != graph.end(node); ++edge) {
            const std::size_t piece = tiles[edge->tile].piece;
            if (given_[piece] > 0 && !barred(*edge))
                merge_down(onwards.data(), &from_start_[edge->to * words_], room_[piece].data(),
                           words_, stride_[piece]);
        }
        for (std::size_t i = 0; i < words_; ++i) from_start_[node * words_ + i] &= onwards[i];
    }
    return true;
}

TileSearch::TileSearch(const Motion& motion, const Problem& problem, const TileGraph& graph,
                       const PieceBudget& budget, Visited& visited, Watch watch)
    : motion_(motion),
      problem_(problem),
      graph_(graph),
      budget_(budget),
      visited_(visited),
      watch_(watch),
      whole_((std::uint64_t{1} << (problem.height * kFieldWidth)) - 1) {}

Outcome TileSearch::run() {
    if (!budget_.any()) return Outcome::none;
    left_ = budget_.given();
    first_[0] = 0;
    for (std::size_t p = 0; p < kPieces; ++p) first_[p + 1] = first_[p] + left_[p];
    verdicts_.resize(graph_.book().tiles.size() * kFieldWidth);
    for (const int count : kSamples) {
        sample(count);
        const Outcome outcome = play_batch(0, false);
        if (outcome != Outcome::none) return outcome;
        batch_count_ = 0;
    }
    const Outcome outcome = enumerate(0, 0, 0, 0);
    if (outcome != Outcome::none) return outcome;
    return all_in_batch_ && played_ == 0 ? play_batch(0, true) : play_batch(played_, false);
}

// --- writing tilings down -----------------------------------------------------------------------

namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};

// The rows of `gaps` must be gone before those of `rows`; kNever if rows then wait for each other.
std::uint64_t wait_for(std::uint64_t before, unsigned rows, unsigned gaps) {
    unsigned earlier = gaps;
    for (int y = 0; y < kFieldRows; ++y)
        if (gaps >> y & 1) earlier |= static_cast<unsigned>(before >> (8 * y) & 0xff);
    if (earlier & rows) return kNever;
    for (int y = 0; y < kFieldRows; ++y)
        if (rows >> y & 1 || (before >> (8 * y) & rows) != 0)
            before |= std::uint64_t{earlier} << (8 * y);
    return before;
}

}  // namespace

void TileSearch::write_down() {
    const std::size_t begin = static_cast<std::size_t>(batch_count_++) * kMaxPieces;
    batch_.resize(std::max(batch_.size(), begin + kMaxPieces));
    std::fill_n(batch_.begin() + static_cast<std::ptrdiff_t>(begin), kMaxPieces, kNoTile);
    std::array<int, kPieces + 1> at = first_;
    for (int i = 0; i < problem_.needed; ++i) {
        const TileGraph::Edge& edge = chosen_[static_cast<std::size_t>(i)];
        const std::size_t piece = graph_.book().tiles[edge.tile].piece;
        batch_[begin + static_cast<std::size_t>(at[piece]++)] =
            static_cast<std::uint16_t>(edge.tile * kFieldWidth + edge.column);
    }
    ++tilings_seen_;
}

// Ways through the graph at random; those that end too early are given up.
void TileSearch::sample(int count) {
    for (int n = 0; n < count; ++n) {
        std::array<int, kPieces> left = budget_.given();
        std::size_t node = 0;
        int placed = 0;
        Before before = 0;
        int depth = 0;
        for (; depth < problem_.needed; ++depth) {
            const TileGraph::Edge* choice = nullptr;
            Before chosen_before = 0;
            int choices = 0;
            for (const auto* edge = graph_.begin(node); edge != graph_.end(node); ++edge) {
                const Tile& tile = graph_.book().tiles[edge->tile];
                if (left[tile.piece] == 0 || budget_.barred(*edge) ||
                    !budget_.leads_on(edge->to, placed + budget_.step(tile.piece)))
                    continue;
                const Before then = tile.gaps ? wait_for(before, tile.rows, tile.gaps) : before;
                if (then == kNever || dice_.below(++choices) != 0) continue;
                choice = edge;
                chosen_before = then;
            }
            if (!choice) break;
            const std::size_t piece = graph_.book().tiles[choice->tile].piece;
            chosen_[static_cast<std::size_t>(depth)] = *choice;
            --left[piece];
            placed += budget_.step(static_cast<int>(piece));
            node = choice->to;
            before = chosen_before;
        }
        if (depth == problem_.needed) write_down();
    }
}

Outcome TileSearch::enumerate(std::size_t node, int placed, int depth, Before before) {
    if (depth == problem_.needed) {
        write_down();
        return batch_count_ == next_play_ ? play_some() : Outcome::none;
    }
    for (const auto* edge = graph_.begin(node); edge != graph_.end(node); ++edge) {
        const Tile& tile = graph_.book().tiles[edge->tile];
        if (left_[tile.piece] == 0 || budget_.barred(*edge)) continue;
        const int with = placed + budget_.step(tile.piece);
        if (!budget_.leads_on(edge->to, with)) continue;
        Before then = before;
        if (tile.gaps) {
            then = wait_for(before, tile.rows, tile.gaps);
            if (then == kNever) continue;
        }
        chosen_[static_cast<std::size_t>(depth)] = *edge;
        --left_[tile.piece];
        const Outcome outcome = enumerate(edge->to, with, depth + 1, then);
        ++left_[tile.piece];
        if (outcome != Outcome::none) return outcome;
    }
    return Outcome::none;
}

// --- playing them -------------------------------------------------------------------------------

Outcome TileSearch::play_some() {
    const Outcome outcome = play_batch(played_, false);
    played_ = batch_count_;
    next_play_ = std::min(4 * batch_count_, kLargestBatch);
    if (batch_count_ == kLargestBatch) {
        all_in_batch_ = false;
        played_ = batch_count_ = 0;
    }
    return outcome;
}

Outcome TileSearch::play_batch(int first, bool all) {
    all_ = all;
    top_ = static_cast<std::size_t>(batch_count_ - first);
    if (live_.size() < top_) live_.resize(top_);
    for (std::size_t i = 0; i < top_; ++i)
        live_[i] = static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(first);
    visited_.forget(visited_);
    const Position start{problem_.filled, problem_.filled, problem_.height, 0};
    return play(start, problem_.pieces[0], 1, 0, 0, top_);
}

Outcome TileSearch::play(const Position& position, int held, int next, int depth, std::size_t begin,
                         std::size_t end) {
    const int following =
        next < problem_.count ? problem_.pieces[static_cast<std::size_t>(next)] : kNoPiece;
    const Outcome outcome = place(position, held, following, next, depth, begin, end);
    if (outcome != Outcome::none || !problem_.hold || following == held || following == kNoPiece)
        return outcome;
    return place(position, following, held, next, depth, begin, end);
}

// What comes next depends on the field and the piece that is over. If only some of the tilings are
// in the game, it depends on which ones, hence on the tiles that are placed: then these make the
// key, as the first tiling that has them all, and which of its tiles they are.
std::uint64_t TileSearch::key_of(const Position& position, int held, std::size_t begin) const {
    if (all_) {
        const std::uint64_t gone =
            whole_ & ~((std::uint64_t{1} << (position.height * kFieldWidth)) - 1);
        return ((position.left | gone) << 3 | static_cast<std::uint64_t>(held)) + 1;
    }
    const std::uint64_t tiling = live_[begin];
    std::uint64_t placed = 0;
    for (int slot = 0; slot < problem_.count; ++slot) {
        const std::uint16_t id = batch_[tiling * kMaxPieces + static_cast<std::size_t>(slot)];
        if (id == kNoTile) continue;
        const std::uint64_t cells = graph_.book().tiles[id / kFieldWidth].cells;
        if (cells << id % kFieldWidth & position.filled) placed |= std::uint64_t{1} << slot;
    }
    return (tiling << kMaxPieces | placed) << 3 | static_cast<std::uint64_t>(held);
}

Outcome TileSearch::place(const Position& position, int piece, int held, int next, int depth,
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
        const std::uint16_t* tiling = &batch_[std::size_t{live_[i]} * kMaxPieces];
        for (int slot = first_[p]; slot < first_[p + 1]; ++slot) {
            const std::uint16_t id = tiling[slot];
            if (id == kNoTile) continue;
            Verdict& verdict = verdicts_[id];
            if (verdict.position != here) {
                verdict = {here, -1};
                const Tile& tile = graph_.book().tiles[id / kFieldWidth];
                const int column = id % kFieldWidth;
                if ((tile.cells << column & position.filled) == 0 &&
                    !(tile.gaps & ~position.full)) {
                    if (!known) {
                        code().find_rests(motion_.of(static_cast<Piece>(piece)), position.left,
                                          position.height, corners);
                        known = true;
                    }
                    const unsigned below = (1u << tile.bottom) - 1;
                    const int row = tile.bottom - std::popcount(position.full & below);
                    if (corners[tile.rotation] >> (row * kFieldWidth + column) & 1) {
                        verdict.place = tile_count;
                        tiles[static_cast<std::size_t>(tile_count++)] = id;
                    }
                }
            }
            if (verdict.place >= 0) {
                candidates_.push_back({static_cast<std::uint32_t>(verdict.place), live_[i]});
                ++count[static_cast<std::size_t>(verdict.place)];
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
    if (live_.size() < top_) live_.resize(top_);
    {
        std::array<std::size_t, kMaxCandidates + 1> at = lists;
        for (const Candidate& candidate : candidates_)
            live_[at[candidate.tile]++] = candidate.tiling;
    }
    for (int t = 0; t < tile_count; ++t) {
        const std::uint16_t id = tiles[static_cast<std::size_t>(t)];
        const Tile& tile = graph_.book().tiles[id / kFieldWidth];
        const int column = id % kFieldWidth;
        const unsigned below = (1u << tile.bottom) - 1;
        const int row = tile.bottom - std::popcount(position.full & below);
        steps_[static_cast<std::size_t>(depth)] = {
            static_cast<std::uint8_t>(piece), tile.rotation,
            static_cast<std::uint8_t>(row * kFieldWidth + column)};
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
