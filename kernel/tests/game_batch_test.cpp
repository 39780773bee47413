// Batches of games, pieces moved by keys, and whole games of random players.
#include "game_batch.hpp"

#include <memory>
#include <vector>

#include "check.hpp"
#include "error.hpp"
#include "falling_piece.hpp"
#include "playout.hpp"

namespace {

using namespace sevenbag;

std::shared_ptr<const Rules> heavy_rules() {
    Rules rules;
    rules.attack = {{{0, 0, 2}, {4, 4, 4}, {8, 8, 8}, {12, 12, 12}, {16, 16, 16}}};
    rules.travel = 0;
    return std::make_shared<const Rules>(rules);
}

// Arrays of exactly the required size, so that a sanitizer detects every write beyond.
struct Arrays {
    explicit Arrays(const GameBatch& batch) {
        const auto agents = static_cast<std::size_t>(batch.agents());
        const std::size_t shown = agents * static_cast<std::size_t>(batch.players());
        const ActionSpace& a = batch.actions();
        boards.resize(shown * static_cast<std::size_t>(a.rows * a.width));
        pieces.resize(shown * static_cast<std::size_t>(batch.observed_pieces()));
        counters.resize(shown * GameBatch::kCounters);
        masks.resize(agents * static_cast<std::size_t>(a.size()));
        actions.resize(agents);
        rewards.resize(agents);
        terminated = std::make_unique<bool[]>(agents);
        truncated = std::make_unique<bool[]>(agents);
    }
    ObservationArrays seen() {
        return {boards.data(), pieces.data(), counters.data(), masks.data()};
    }
    StepArrays outcome() { return {rewards.data(), terminated.get(), truncated.get()}; }

    std::vector<std::uint8_t> boards, pieces;
    std::vector<std::int32_t> counters;
    std::vector<std::int8_t> masks;
    std::vector<std::int64_t> actions;
    std::vector<double> rewards;
    std::unique_ptr<bool[]> terminated, truncated;
};

TEST(random_batches_stay_within_their_arrays) {
    for (int width : {4, 5, 8, 9, 10, 16})
        for (int players : {1, 2})
            for (bool apart : {false, true}) {
                Rules rules = *heavy_rules();
                rules.width = width;
                rules.rows = 26;
                rules.spawn = {static_cast<std::int8_t>(width / 2 - 1), 20};
                GameBatchOptions options;
                options.games = 5;
                options.players = players;
                options.separate_spins = apart;
                options.max_pieces = 30;
                GameBatch batch(std::make_shared<const Rules>(rules), options);
                Arrays arrays(batch);
                batch.observe_all(1, arrays.seen());
                SplitMix64 random(1);
                int ended = 0;
                for (int turn = 0; turn < 200; ++turn) {
                    batch.sample_actions(random, arrays.actions.data());
                    for (int agent = 0; agent < batch.agents(); ++agent) {
                        const std::int64_t action = arrays.actions[static_cast<std::size_t>(agent)];
                        const auto move = batch.move(agent, action);
                        CHECK(move.has_value() || batch.has_ended(agent / players));
                        if (move) {
                            CHECK_EQ(batch.actions().index(move->placement, move->hold), action);
                            CHECK(arrays.masks[static_cast<std::size_t>(
                                      agent * batch.actions().size() + action)] == 1);
                        }
                    }
                    batch.step(arrays.actions.data(), true, 1 + turn % 2, arrays.seen(),
                               arrays.outcome());
                    for (int game = 0; game < batch.games(); ++game) ended += batch.has_ended(game);
                }
                CHECK(ended > 0);
            }
}

TEST(any_number_can_be_given_as_an_action) {
    GameBatchOptions options;
    options.games = 3;
    GameBatch batch(heavy_rules(), options);
    Arrays arrays(batch);
    arrays.actions = {-1, INT64_MAX, INT64_MIN};
    batch.step(arrays.actions.data(), false, 1, arrays.seen(), arrays.outcome());
    for (int game : {0, 1, 2}) CHECK(batch.has_ended(game) && arrays.terminated[game]);
    CHECK_THROWS(Error,
                 batch.step(arrays.actions.data(), false, 1, arrays.seen(), arrays.outcome()));
    batch.reset_ended(arrays.seen());
    for (int game : {0, 1, 2}) CHECK(!batch.has_ended(game));
}

TEST(random_players_end_their_games_whatever_the_threads) {
    PlayoutOptions options;
    options.games = 60;
    options.samples = 8;
    const PlayoutResult alone = play_random_versus(heavy_rules(), 3, options);
    CHECK_EQ(alone.games, 60);
    CHECK_EQ(alone.unfinished, 0);
    CHECK(alone.garbage > 100);
    options.threads = 4;
    CHECK(play_random_versus(heavy_rules(), 3, options) == alone);
}

TEST(keys_move_a_piece_and_leave_the_game_alone) {
    const Game game(std::make_shared<const Rules>(), 1, 1);
    FallingPiece falling(game, false);
    const Placement start = falling.placement();
    CHECK(falling.press(Key::left));
    CHECK(falling.press(Key::right));
    CHECK(falling.placement() == start);
    CHECK(falling.press(Key::hard_drop));
    CHECK(falling.is_resting());
    CHECK(!falling.press(Key::soft_drop));
    CHECK(game.board().empty());
}

}  // namespace
