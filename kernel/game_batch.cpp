#include "game_batch.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "error.hpp"
#include "parallel.hpp"

namespace sevenbag {

namespace {

const GameBatchOptions& checked(const Rules& rules, const GameBatchOptions& options) {
    check_range("games", options.games, 1, 1 << 20);
    check_range("players", options.players, 1, 2);
    check_range("rows", options.rows, 1, rules.rows);
    check_range("frames_per_turn", options.frames_per_turn, 0, 36000);
    check_range("max_pieces", options.max_pieces, 0, 1'000'000'000);
    return options;
}

// Bit i of the index as byte i.
constexpr auto kBytesOf = [] {
    std::array<std::array<std::uint8_t, 8>, 256> slot{};
    for (int bits = 0; bits < 256; ++bits)
        for (int i = 0; i < 8; ++i)
            slot[static_cast<std::size_t>(bits)][static_cast<std::size_t>(i)] = bits >> i & 1;
    return slot;
}();

}  // namespace

GameBatch::GameBatch(std::shared_ptr<const Rules> rules, const GameBatchOptions& options)
    : rules_(std::move(rules)),
      options_(checked(*rules_, options)),
      actions_{rules_->hold ? 2 : 1,
               options.separate_spins && rules_->spins.mode != SpinMode::none ? 3 : 1, options.rows,
               rules_->width},
      slots_(static_cast<std::size_t>(options.games)),
      legal_actions_(static_cast<std::size_t>(options.games * options.players)) {
    for (int game = 0; game < games(); ++game) reset(game, game + 1);
}

const Game& GameBatch::game(int agent) const {
    const GameSlot& slot = slots_[static_cast<std::size_t>(agent / options_.players)];
    return slot.versus ? slot.versus->player(agent % options_.players) : *slot.solo;
}

void GameBatch::reset(int game, std::int64_t seed) {
    GameSlot& slot = slots_[static_cast<std::size_t>(game)];
    slot.seeds = SplitMix64(static_cast<std::uint64_t>(seed));
    begin(game, seed);
}

void GameBatch::step(const std::int64_t* actions, bool next, int threads,
                     const ObservationArrays& arrays, const StepArrays& outcome) {
    if (!next)
        for (int game = 0; game < games(); ++game)
            if (has_ended(game))
                throw Error(ErrorKind::placement,
                            "game " + std::to_string(game) + " has ended and was not reset");
    run_in_parts(games(), threads, [&](int, int first, int last) {
        for (int game = first; game < last; ++game) {
            play(game, actions, outcome);
            observe(game, arrays);
        }
    });
}

void GameBatch::reset_ended(const ObservationArrays& arrays) {
    for (int game = 0; game < games(); ++game) {
        if (!has_ended(game)) continue;
        begin(game, slots_[static_cast<std::size_t>(game)].seeds.seed());
        observe(game, arrays);
    }
}

void GameBatch::observe(int game, const ObservationArrays& arrays) const {
    for (int p = 0; p < options_.players; ++p) observe_agent(game * options_.players + p, arrays);
}

void GameBatch::observe_all(int threads, const ObservationArrays& arrays) const {
    run_in_parts(games(), threads, [&](int, int first, int last) {
        for (int game = first; game < last; ++game) observe(game, arrays);
    });
}

void GameBatch::sample_actions(SplitMix64& random, std::int64_t* actions) const {
    for (int agent = 0; agent < agents(); ++agent) {
        const std::vector<LegalAction>& legal_actions =
            legal_actions_[static_cast<std::size_t>(agent)];
        const std::size_t pick =
            static_cast<std::size_t>(random.below(static_cast<int>(legal_actions.size())));
        actions[agent] = legal_actions.empty() ? 0 : legal_actions[pick].action;
    }
}

std::optional<Game::Move> GameBatch::move(int agent, std::int64_t action) const {
    for (const LegalAction& option : legal_actions_[static_cast<std::size_t>(agent)])
        if (option.action == action) return option.move;
    return std::nullopt;
}

void GameBatch::begin(int game, std::int64_t seed) {
    GameSlot& slot = slots_[static_cast<std::size_t>(game)];
    if (options_.players == 2)
        slot.versus.emplace(rules_, seed, options_.frames_per_turn);
    else
        slot.solo.emplace(rules_, seed, seed);
    slot.seed = seed;
    slot.ended = false;
    for (int p = 0; p < options_.players; ++p) list_legal_actions(game * options_.players + p);
}

void GameBatch::play(int game, const std::int64_t* actions, const StepArrays& outcome) {
    GameSlot& slot = slots_[static_cast<std::size_t>(game)];
    const int first = game * options_.players;
    for (int agent = first; agent < first + options_.players; ++agent) {
        outcome.rewards[agent] = 0;
        outcome.terminated[agent] = outcome.truncated[agent] = false;
    }
    if (slot.ended) {
        begin(game, slot.seeds.seed());
        return;
    }

    std::array<std::optional<Game::Move>, 2> moves;
    std::array<bool, 2> lost{};
    for (int p = 0; p < options_.players; ++p) {
        moves[p] = move(first + p, actions[first + p]);
        lost[p] = !moves[p];
    }
    if (!lost[0] && !lost[1]) {
        if (slot.versus)
            slot.versus->play(*moves[0], *moves[1]);
        else
            slot.solo->play(*moves[0], slot.solo->frame() + options_.frames_per_turn);
        for (int p = 0; p < options_.players; ++p) {
            outcome.rewards[first + p] = reward(this->game(first + p).last_lock());
            list_legal_actions(first + p);
            // A player without a legal action has lost, too.
            lost[p] = legal_actions_[static_cast<std::size_t>(first + p)].empty();
        }
    }
    const bool over = lost[0] || lost[1];
    for (int p = 0; p < options_.players; ++p) {
        const int agent = first + p;
        if (over) legal_actions_[static_cast<std::size_t>(agent)].clear();
        if (lost[p] != lost[1 - p])
            outcome.rewards[agent] += lost[p] ? options_.weights.loss : options_.weights.win;
        outcome.terminated[agent] = over;
        outcome.truncated[agent] = !over && is_truncated(this->game(agent));
    }
    slot.ended = over || outcome.truncated[first];
}

double GameBatch::reward(const LockResult& lock) const {
    const RewardWeights& w = options_.weights;
    return w.attack * lock.attacks.total() + w.sent * lock.sent.total() +
           w.cancelled * lock.cancelled + w.lines * lock.clear.lines +
           w.garbage * static_cast<double>(lock.garbage.size()) + w.placement +
           w.perfect_clear * lock.clear.perfect;
}

bool GameBatch::is_truncated(const Game& game) const {
    return game.frame() > kMaxFrame - options_.frames_per_turn ||
           (options_.max_pieces > 0 && game.stats().pieces >= options_.max_pieces);
}

void GameBatch::list_legal_actions(int agent) {
    std::vector<LegalAction>& legal_actions = legal_actions_[static_cast<std::size_t>(agent)];
    legal_actions.clear();
    const Game& game = this->game(agent);
    if (game.is_over()) return;
    thread_local PlacementList list;
    const auto add = [&](Piece piece, bool hold) {
        game.list_moves(piece, hold, list);
        for (const Placement& placement : list) {
            const int action = actions_.index(placement, hold);
            if (action < 0) continue;
            // If spins share an action, the best one is played.
            if (placement.spin != Spin::none && actions_.spins == 1) {
                const auto same =
                    std::find_if(legal_actions.begin(), legal_actions.end(),
                                 [&](const LegalAction& o) { return o.action == action; });
                if (same != legal_actions.end()) {
                    if (same->move.placement.spin < placement.spin)
                        same->move.placement = placement;
                    continue;
                }
            }
            legal_actions.push_back({action, {placement, hold}});
        }
    };
    add(game.current(), false);
    const std::optional<Piece> offered = game.offered_by_hold();
    // The same piece by hold is the same moves.
    if (offered && (*offered != game.current() || legal_actions.empty())) add(*offered, true);
}

void GameBatch::observe_agent(int agent, const ObservationArrays& arrays) const {
    const int players = options_.players;
    const int cells = options_.rows * rules_->width;
    std::uint8_t* board = arrays.boards + static_cast<std::ptrdiff_t>(agent) * players * cells;
    std::uint8_t* piece =
        arrays.pieces + static_cast<std::ptrdiff_t>(agent) * players * observed_pieces();
    std::int32_t* counter =
        arrays.counters + static_cast<std::ptrdiff_t>(agent) * players * kCounters;
    for (int p = 0; p < players; ++p) {
        const Game& seen = game(p == 0 ? agent : agent ^ 1);
        write_board(seen.board(), board);
        board += cells;
        *piece++ = static_cast<std::uint8_t>(seen.current());
        *piece++ = seen.held() ? static_cast<std::uint8_t>(*seen.held()) : kNoPiece;
        for (int i = 0; i < rules_->previews; ++i)
            *piece++ = static_cast<std::uint8_t>(seen.preview(i));
        *counter++ = seen.counters().combo;
        *counter++ = seen.counters().back_to_back;
        *counter++ = seen.garbage().pending_lines();
    }

    std::int8_t* mask = arrays.masks + static_cast<std::ptrdiff_t>(agent) * actions_.size();
    const std::vector<LegalAction>& legal_actions = legal_actions_[static_cast<std::size_t>(agent)];
    // Ended games ignore actions, so any action may be drawn.
    std::memset(mask, legal_actions.empty(), static_cast<std::size_t>(actions_.size()));
    for (const LegalAction& option : legal_actions) mask[option.action] = 1;
}

void GameBatch::write_board(const Board& board, std::uint8_t* out) const {
    const int width = board.width();
    std::memset(out, 0, static_cast<std::size_t>(options_.rows * width));
    const int low = std::min(width, 8);
    const int height = std::min(board.height(), options_.rows);
    const std::uint64_t* word = board.words();
    for (int y = 0; y < height; ++word) {
        std::uint64_t rows = *word;
        for (int i = 0; i < board.rows_per_word() && y < height; ++i, ++y, rows >>= width) {
            const auto row = static_cast<std::uint32_t>(rows) & board.full_row();
            std::memcpy(out, kBytesOf[row & 255].data(), static_cast<std::size_t>(low));
            std::memcpy(out + low, kBytesOf[row >> 8].data(),
                        static_cast<std::size_t>(width - low));
            out += width;
        }
    }
}

}  // namespace sevenbag
