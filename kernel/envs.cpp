#include "envs.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "error.hpp"
#include "threads.hpp"

namespace sevenbag {

namespace {

const EnvOptions& checked(const Rules& rules, const EnvOptions& options) {
    check_range("number of games", options.games, 1, 1 << 20);
    check_range("players", options.players, 1, 2);
    check_range("rows", options.rows, 1, rules.rows);
    check_range("frames_per_turn", options.frames_per_turn, 0, 36000);
    check_range("most_pieces", options.most_pieces, 0, 1'000'000'000);
    return options;
}

// Bit i of the index as byte i.
constexpr auto kBytesOf = [] {
    std::array<std::array<std::uint8_t, 8>, 256> table{};
    for (int bits = 0; bits < 256; ++bits)
        for (int i = 0; i < 8; ++i)
            table[static_cast<std::size_t>(bits)][static_cast<std::size_t>(i)] = bits >> i & 1;
    return table;
}();

}  // namespace

Envs::Envs(std::shared_ptr<const Rules> rules, const EnvOptions& options)
    : rules_(std::move(rules)),
      options_(checked(*rules_, options)),
      actions_{rules_->hold ? 2 : 1,
               options.spins_apart && rules_->spins.mode != SpinMode::none ? 3 : 1, options.rows,
               rules_->width},
      tables_(static_cast<std::size_t>(options.games)),
      choices_(static_cast<std::size_t>(options.games * options.players)) {
    for (int game = 0; game < games(); ++game) reset(game, game + 1);
}

const Game& Envs::game(int seat) const {
    const Table& table = tables_[static_cast<std::size_t>(seat / options_.players)];
    return table.versus ? table.versus->player(seat % options_.players) : *table.solo;
}

void Envs::reset(int game, std::int64_t seed) {
    Table& table = tables_[static_cast<std::size_t>(game)];
    table.seeds = Dice(static_cast<std::uint64_t>(seed));
    begin(game, seed);
}

void Envs::step(const std::int64_t* actions, bool next, int threads, const EnvArrays& arrays,
                const EnvOutcome& outcome) {
    if (!next)
        for (int game = 0; game < games(); ++game)
            if (ended(game))
                throw Error(ErrorKind::placement,
                            "game " + std::to_string(game) + " has ended and was not reset");
    in_parts(games(), threads, [&](int, int first, int last) {
        for (int game = first; game < last; ++game) {
            play(game, actions, outcome);
            observe(game, arrays);
        }
    });
}

void Envs::renew(const EnvArrays& arrays) {
    for (int game = 0; game < games(); ++game) {
        if (!ended(game)) continue;
        begin(game, tables_[static_cast<std::size_t>(game)].seeds.seed());
        observe(game, arrays);
    }
}

void Envs::observe(int game, const EnvArrays& arrays) const {
    for (int p = 0; p < options_.players; ++p) observe_seat(game * options_.players + p, arrays);
}

void Envs::observe_all(int threads, const EnvArrays& arrays) const {
    in_parts(games(), threads, [&](int, int first, int last) {
        for (int game = first; game < last; ++game) observe(game, arrays);
    });
}

void Envs::choose(Dice& dice, std::int64_t* actions) const {
    for (int seat = 0; seat < seats(); ++seat) {
        const std::vector<Option>& choices = choices_[static_cast<std::size_t>(seat)];
        const std::size_t pick =
            static_cast<std::size_t>(dice.below(static_cast<int>(choices.size())));
        actions[seat] = choices.empty() ? 0 : choices[pick].action;
    }
}

std::optional<Game::Move> Envs::move(int seat, std::int64_t action) const {
    for (const Option& option : choices_[static_cast<std::size_t>(seat)])
        if (option.action == action) return option.move;
    return std::nullopt;
}

void Envs::begin(int game, std::int64_t seed) {
    Table& table = tables_[static_cast<std::size_t>(game)];
    if (options_.players == 2)
        table.versus.emplace(rules_, seed, options_.frames_per_turn);
    else
        table.solo.emplace(rules_, seed, seed);
    table.seed = seed;
    table.ended = false;
    for (int p = 0; p < options_.players; ++p) list_options(game * options_.players + p);
}

void Envs::play(int game, const std::int64_t* actions, const EnvOutcome& outcome) {
    Table& table = tables_[static_cast<std::size_t>(game)];
    const int first = game * options_.players;
    for (int seat = first; seat < first + options_.players; ++seat) {
        outcome.rewards[seat] = 0;
        outcome.terminated[seat] = outcome.truncated[seat] = false;
    }
    if (table.ended) {
        begin(game, table.seeds.seed());
        return;
    }

    std::array<std::optional<Game::Move>, 2> moves;
    std::array<bool, 2> lost{};
    for (int p = 0; p < options_.players; ++p) {
        moves[p] = move(first + p, actions[first + p]);
        lost[p] = !moves[p];
    }
    if (!lost[0] && !lost[1]) {
        if (table.versus)
            table.versus->play(*moves[0], *moves[1]);
        else
            table.solo->play(*moves[0], table.solo->frame() + options_.frames_per_turn);
        for (int p = 0; p < options_.players; ++p) {
            outcome.rewards[first + p] = reward(this->game(first + p).last_lock());
            list_options(first + p);
            // A player who has no move left that is an action has lost, too.
            lost[p] = choices_[static_cast<std::size_t>(first + p)].empty();
        }
    }
    const bool over = lost[0] || lost[1];
    for (int p = 0; p < options_.players; ++p) {
        const int seat = first + p;
        if (over) choices_[static_cast<std::size_t>(seat)].clear();
        if (lost[p] != lost[1 - p])
            outcome.rewards[seat] += lost[p] ? options_.weights.loss : options_.weights.win;
        outcome.terminated[seat] = over;
        outcome.truncated[seat] = !over && cut_short(this->game(seat));
    }
    table.ended = over || outcome.truncated[first];
}

double Envs::reward(const Lock& lock) const {
    const RewardWeights& w = options_.weights;
    return w.attack * lock.attacks.total() + w.sent * lock.sent.total() +
           w.cancelled * lock.cancelled + w.lines * lock.clear.lines +
           w.garbage * static_cast<double>(lock.garbage.size()) + w.placement +
           w.perfect_clear * lock.clear.perfect;
}

bool Envs::cut_short(const Game& game) const {
    return game.frame() > kLastFrame - options_.frames_per_turn ||
           (options_.most_pieces > 0 && game.stats().pieces >= options_.most_pieces);
}

void Envs::list_options(int seat) {
    std::vector<Option>& choices = choices_[static_cast<std::size_t>(seat)];
    choices.clear();
    const Game& game = this->game(seat);
    if (game.over()) return;
    thread_local PlacementList list;
    const auto add = [&](Piece piece, bool hold) {
        game.list_moves(piece, hold, list);
        for (const Placement& placement : list) {
            const int action = actions_.index(placement, hold);
            if (action < 0) continue;
            // Where kinds of spin are one action, it is played as the best of them.
            if (placement.spin != Spin::none && actions_.spins == 1) {
                const auto same = std::find_if(choices.begin(), choices.end(),
                                               [&](const Option& o) { return o.action == action; });
                if (same != choices.end()) {
                    if (same->move.placement.spin < placement.spin)
                        same->move.placement = placement;
                    continue;
                }
            }
            choices.push_back({action, {placement, hold}});
        }
    };
    add(game.current(), false);
    const std::optional<Piece> offered = game.offered_by_hold();
    // The same piece by hold is the same moves.
    if (offered && (*offered != game.current() || choices.empty())) add(*offered, true);
}

void Envs::observe_seat(int seat, const EnvArrays& arrays) const {
    const int players = options_.players;
    const int cells = options_.rows * rules_->width;
    std::uint8_t* board = arrays.boards + static_cast<std::ptrdiff_t>(seat) * players * cells;
    std::uint8_t* piece =
        arrays.pieces + static_cast<std::ptrdiff_t>(seat) * players * pieces_seen();
    std::int32_t* counter =
        arrays.counters + static_cast<std::ptrdiff_t>(seat) * players * kCounters;
    for (int p = 0; p < players; ++p) {
        const Game& seen = game(p == 0 ? seat : seat ^ 1);
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

    std::int8_t* mask = arrays.masks + static_cast<std::ptrdiff_t>(seat) * actions_.size();
    const std::vector<Option>& choices = choices_[static_cast<std::size_t>(seat)];
    // Nothing is played any more when a game is over, so any action may be chosen.
    std::memset(mask, choices.empty(), static_cast<std::size_t>(actions_.size()));
    for (const Option& option : choices) mask[option.action] = 1;
}

void Envs::write_board(const Board& board, std::uint8_t* out) const {
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
