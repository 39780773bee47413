// Frame-by-frame games: invariants for any keys, and equal results of a script and its single
// events.
#include <algorithm>
#include <memory>
#include <vector>

#include "check.hpp"
#include "error.hpp"
#include "frames/event_script.hpp"
#include "frames/frame_game.hpp"
#include "random.hpp"

namespace sevenbag {

namespace {

std::shared_ptr<const Rules> rules_of(int width, int visible) {
    Rules rules;
    rules.width = width;
    rules.visible_rows = visible;
    rules.rows = visible + 12;
    rules.spawn = {static_cast<std::int8_t>((width - 3) / 2 + 1),
                   static_cast<std::int8_t>(visible + 1)};
    rules.spawn_drop = 0;
    rules.blocked_spawn = BlockedSpawnRule::clutch;
    rules.lock_out = LockOutRule::none;
    rules.garbage_out = false;
    rules.kicks = find_kicks("srs+");
    rules.spins.mode = SpinMode::all_mini_plus;
    rules.cap = {8, 0, 0};
    return std::make_shared<const Rules>(rules);
}

FrameRules time_of(SplitMix64& random) {
    FrameRules time;
    constexpr double kGravities[] = {0, 0.02, 0.9, 30};
    time.gravity.start = kGravities[random.below(4)];
    time.lock_time = random.below(31);
    time.lock_resets = random.below(16);
    time.infinite_hold = random.below(4) == 0;
    time.rounded_heights = random.below(2) == 0;
    return time;
}

Handling hands_of(SplitMix64& random) {
    Handling hands;
    hands.das = random.below(120) / 10.0;
    hands.arr = random.below(3) == 0 ? 0 : 0.1 + random.below(20) / 10.0;
    hands.dcd = random.below(30) / 10.0;
    hands.soft_drop = random.below(2) == 0 ? 41 : 5;
    hands.cancel = random.below(2) == 0;
    hands.initial_hold = static_cast<InitialAction>(random.below(3));
    hands.initial_rotation = static_cast<InitialAction>(random.below(3));
    return hands;
}

// Random events of a player and a network in a number of frames.
std::vector<double> script_of(SplitMix64& random, int frames) {
    std::vector<double> script{0, 5, 1, 2};
    int announced = 0;
    for (int frame = 0; frame < frames; ++frame) {
        double subframe = 0;
        for (int events = random.below(4); events > 0; --events) {
            subframe = std::min(0.9, subframe + random.below(5) / 10.0);
            const int what = random.below(2) == 0 ? 2 : (frame == 0 ? 1 : 0);
            script.insert(script.end(),
                          {double(frame), double(what), double(random.below(kButtons)), subframe});
        }
        if (random.below(40) == 0) {
            ++announced;
            script.insert(script.end(), {double(frame), 3, 2, double(announced),
                                         double(1 + random.below(5)), double(random.below(3)), -1});
        }
        if (announced > 0 && random.below(20) == 0)
            script.insert(script.end(), {double(frame), 4, 2, double(1 + random.below(announced))});
    }
    return script;
}

bool refuses(std::vector<double> numbers) {
    try {
        EventScript::unpack(numbers);
    } catch (const Error& error) {
        return error.kind() == ErrorKind::input;
    }
    return false;
}

}  // namespace

TEST(pieces_in_the_air_fit_and_cells_add_up) {
    constexpr int kFrames = 1500;
    for (int game_number = 0; game_number < check::scale_cases(200); ++game_number) {
        SplitMix64 random(static_cast<std::uint64_t>(game_number));
        const auto rules = rules_of(4 + random.below(13), 8 + random.below(20));
        const FrameRules time = time_of(random);
        FrameGame game(rules, time, hands_of(random), game_number);
        const EventScript script = EventScript::unpack(script_of(random, kFrames));
        std::vector<RecordedLock> locks;
        ScriptRunner(game, script).play(kFrames, &locks);
        CHECK_EQ(static_cast<int>(locks.size()), game.frame_stats().pieces);
        if (game.game_over_reason() == GameOverReason::none) {
            CHECK(game.colored_board().board.fits(game.piece().placement()));
            CHECK_EQ(game.frame(), kFrames);
        }
        // Placed cells and garbage are on the board or were cleared; garbage may have been lost at
        // the top.
        const int most = 4 * game.frame_stats().pieces +
                         (rules->width - 1) * game.frame_stats().garbage_entered -
                         rules->width * game.frame_stats().lines;
        CHECK(game.colored_board().board.count() <= most);
        if (game.frame_stats().garbage_entered == 0)
            CHECK_EQ(game.colored_board().board.count(), most);
        CHECK(game.frame_stats().sent <= game.frame_stats().attack);
    }
}

TEST(a_script_plays_as_it_does_in_parts) {
    constexpr int kFrames = 800;
    for (int game_number = 0; game_number < check::scale_cases(40); ++game_number) {
        SplitMix64 random(static_cast<std::uint64_t>(game_number) + 1000);
        const auto rules = rules_of(10, 20);
        FrameGame whole(rules, time_of(random), hands_of(random), game_number);
        FrameGame parts = whole;
        const EventScript script = EventScript::unpack(script_of(random, kFrames));
        ScriptRunner(whole, script).play(kFrames);
        ScriptRunner performance(parts, script);
        for (int frames = 0; frames <= kFrames; frames += 50) performance.play(frames);
        CHECK_EQ(whole.frame(), parts.frame());
        CHECK(whole.colored_board().board == parts.colored_board().board);
        CHECK_EQ(whole.frame_stats().points, parts.frame_stats().points);
    }
}

TEST(invalid_scripts_are_refused) {
    CHECK(refuses({0}));
    CHECK(refuses({0, 6}));
    CHECK(refuses({0, 0, kButtons, 0}));
    CHECK(refuses({3, 0, 0, 0, 2, 0, 0, 0}));
    CHECK(refuses({0, 5, 2, 1}));
    CHECK(!refuses({}));
    CHECK(!refuses({0, 0, 0, 0.5, 0, 5, 0}));
}

}  // namespace sevenbag
