#include "playout.hpp"

#include <string>
#include <vector>

#include "error.hpp"
#include "parallel.hpp"
#include "random.hpp"
#include "versus.hpp"

namespace sevenbag {

namespace {

// Draw a legal move from the generator's list. The game must not be over.
Game::Move random_move(const Game& game, const PlayoutOptions& options, SplitMix64& random,
                       PlacementList& list) {
    Piece piece = game.current();
    bool hold = false;
    if (options.hold_one_in > 0 && random.below(options.hold_one_in) == 0)
        if (const auto offered = game.offered_by_hold(); offered && game.spawn_of(*offered)) {
            piece = *offered;
            hold = true;
        }
    game.list_moves(piece, hold, list);
    Placement chosen = list[random.below(list.size())];
    for (int draw = 1; draw < options.samples; ++draw) {
        const Placement& other = list[random.below(list.size())];
        if (other.y < chosen.y) chosen = other;
    }
    return {chosen, hold};
}

void add(const Stats& stats, PlayoutResult& sum) {
    sum.placements += stats.pieces;
    sum.holds += stats.holds;
    sum.lines += stats.lines;
    sum.spins += stats.spins;
    sum.attack += stats.attack;
    sum.garbage += stats.garbage_entered;
}

void play(const std::shared_ptr<const Rules>& rules, SplitMix64 random,
          const PlayoutOptions& options, PlayoutResult& sum) {
    thread_local PlacementList list;
    Versus versus(rules, random.seed(), options.frames_per_turn);
    while (!versus.is_over() && versus.turn() < options.max_turns) {
        const Game::Move first = random_move(versus.player(0), options, random, list);
        const Game::Move second = random_move(versus.player(1), options, random, list);
        versus.play(first, second);
    }
    ++sum.games;
    for (int i : {0, 1}) add(versus.player(i).stats(), sum);
    if (!versus.is_over())
        ++sum.unfinished;
    else if (versus.winner() < 0)
        ++sum.draws;
    else
        ++(versus.winner() == 0 ? sum.first_wins : sum.second_wins);
}

void add(const PlayoutResult& part, PlayoutResult& sum) {
    sum.games += part.games;
    sum.placements += part.placements;
    sum.holds += part.holds;
    sum.lines += part.lines;
    sum.spins += part.spins;
    sum.attack += part.attack;
    sum.garbage += part.garbage;
    sum.first_wins += part.first_wins;
    sum.second_wins += part.second_wins;
    sum.draws += part.draws;
    sum.unfinished += part.unfinished;
}

}  // namespace

PlayoutResult play_random_versus(std::shared_ptr<const Rules> rules, std::uint64_t seed,
                                 const PlayoutOptions& options) {
    check_range("games", options.games, 0, 1'000'000'000);
    check_range("frames_per_turn", options.frames_per_turn, 0, 36000);
    check_range("hold_one_in", options.hold_one_in, 0, 1'000'000'000);
    check_range("samples", options.samples, 1, 1000);
    check_range("max_turns", options.max_turns, 0, 1'000'000'000);
    check_range("threads", options.threads, 1, kMaxThreads);
    // Validate the rules in the calling thread.
    Versus(rules, 1, options.frames_per_turn);
    std::vector<PlayoutResult> parts(static_cast<std::size_t>(options.threads));
    run_in_parts(options.games, options.threads, [&](int thread, int begin, int end) {
        PlayoutResult sum;
        for (int game = begin; game < end; ++game) {
            // One generator per game: the result does not depend on the number of threads.
            SplitMix64 random(seed);
            play(rules, SplitMix64(random.next() ^ static_cast<std::uint64_t>(game) << 32), options,
                 sum);
        }
        parts[static_cast<std::size_t>(thread)] = sum;
    });
    PlayoutResult sum;
    for (const PlayoutResult& part : parts) add(part, sum);
    return sum;
}

}  // namespace sevenbag
