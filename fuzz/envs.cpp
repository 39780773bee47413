// Batches of games stepped by actions, legal and not; and playouts of random players.
#include "game_batch.hpp"

#include <memory>
#include <vector>

#include "error.hpp"
#include "expect.hpp"
#include "generators.hpp"
#include "playout.hpp"

namespace sevenbag::fuzz {

namespace {

// Arrays of exactly the required size, so that a sanitizer detects every write beyond.
struct Arrays {
    explicit Arrays(const GameBatch& batch)
        : agents(static_cast<std::size_t>(batch.agents())),
          actions_each(static_cast<std::size_t>(batch.actions().size())) {
        const std::size_t shown = agents * static_cast<std::size_t>(batch.players());
        const ActionSpace& a = batch.actions();
        boards.resize(shown * static_cast<std::size_t>(a.rows * a.width));
        pieces.resize(shown * static_cast<std::size_t>(batch.observed_pieces()));
        counters.resize(shown * GameBatch::kCounters);
        masks.resize(agents * actions_each);
        actions.resize(agents);
        rewards.resize(agents);
        terminated = std::make_unique<bool[]>(agents);
        truncated = std::make_unique<bool[]>(agents);
    }
    ObservationArrays seen() {
        return {boards.data(), pieces.data(), counters.data(), masks.data()};
    }
    StepArrays outcome() { return {rewards.data(), terminated.get(), truncated.get()}; }

    std::size_t agents, actions_each;
    std::vector<std::uint8_t> boards, pieces;
    std::vector<std::int32_t> counters;
    std::vector<std::int8_t> masks;
    std::vector<std::int64_t> actions;
    std::vector<double> rewards;
    std::unique_ptr<bool[]> terminated, truncated;
};

// Every action of the mask can be played, and no other.
void check_mask(const GameBatch& batch, const Arrays& arrays) {
    for (std::size_t agent = 0; agent < arrays.agents; ++agent) {
        if (batch.has_ended(static_cast<int>(agent) / batch.players())) continue;
        for (std::size_t action = 0; action < arrays.actions_each; action += 37) {
            const bool allowed = arrays.masks[agent * arrays.actions_each + action] != 0;
            const auto move =
                batch.move(static_cast<int>(agent), static_cast<std::int64_t>(action));
            if (!move) continue;
            EXPECT(allowed);
            EXPECT(batch.game(static_cast<int>(agent)).solid().is_resting(move->placement));
        }
    }
}

void step_batch(FuzzInput& input, const std::shared_ptr<const Rules>& rules) {
    GameBatchOptions options;
    options.games = input.between(1, 4);
    options.players = input.between(1, 2);
    options.rows = input.number(1, 24);
    options.separate_spins = input.flag();
    options.frames_per_turn = input.number(0, 60);
    options.max_pieces = input.number(0, 20);
    options.weights.attack = input.fraction(-1, 1);
    GameBatch batch(rules, options);
    Arrays arrays(batch);
    batch.observe_all(1, arrays.seen());
    SplitMix64 random(input.word(4));
    for (int steps = 0; steps < 30 && !input.is_empty(); ++steps) {
        const int what = input.byte();
        batch.sample_actions(random, arrays.actions.data());
        if (what % 16 == 0)
            arrays.actions[input.byte() % arrays.agents] = static_cast<std::int64_t>(input.word());
        try {
            batch.step(arrays.actions.data(), what % 16 != 1, 1 + what % 2, arrays.seen(),
                       arrays.outcome());
        } catch (const Error&) {
            batch.reset_ended(arrays.seen());
        }
        check_mask(batch, arrays);
        if (what % 16 == 2) {
            const int game = input.between(0, batch.games() - 1);
            batch.reset(game, static_cast<std::int64_t>(input.word()));
            batch.observe(game, arrays.seen());
        }
    }
}

void play_out(FuzzInput& input, const std::shared_ptr<const Rules>& rules) {
    PlayoutOptions options;
    options.games = input.number(0, 3);
    if (options.games > 3) options.games = 3;
    options.frames_per_turn = input.number(0, 600);
    options.hold_one_in = input.number(0, 10);
    options.samples = input.between(0, 8);
    options.max_turns = input.between(0, 60);
    options.threads = input.between(0, 3);
    const PlayoutResult sum = play_random_versus(rules, input.word(4), options);
    EXPECT(sum.games == options.games);
    EXPECT(sum.first_wins + sum.second_wins + sum.draws + sum.unfinished == sum.games);
}

void run(FuzzInput& input) {
    const bool batch = input.byte() % 4 != 0;
    const auto rules = std::make_shared<const Rules>(read_rules(input));
    batch ? step_batch(input, rules) : play_out(input, rules);
}

}  // namespace

}  // namespace sevenbag::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sevenbag::fuzz::FuzzInput input(data, size);
    try {
        sevenbag::fuzz::run(input);
    } catch (const sevenbag::Error&) {
        // Refused, with words: as it should be.
    }
    return 0;
}
