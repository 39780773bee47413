// Whole versus games of random players: how fast the kernel plays, and a smoke test of all its
// rules.
#pragma once

#include <cstdint>
#include <memory>

#include "rules.hpp"

namespace sevenbag {

struct PlayoutResult {
    std::int64_t games = 0;
    std::int64_t placements = 0;  // of both players
    std::int64_t holds = 0;
    std::int64_t lines = 0;
    std::int64_t spins = 0;
    std::int64_t attack = 0;
    std::int64_t garbage = 0;  // rows that entered
    std::int64_t first_wins = 0;
    std::int64_t second_wins = 0;
    std::int64_t draws = 0;
    std::int64_t unfinished = 0;  // that reached the limit of turns

    friend bool operator==(const PlayoutResult&, const PlayoutResult&) = default;
};

struct PlayoutOptions {
    int games = 1;
    int frames_per_turn = 30;
    int hold_one_in = 8;  // how seldom a player uses hold; 0: never
    int samples = 1;      // number of random placements of which the lowest is played
    int max_turns = 10000;
    int threads = 1;
};

// Plays games number 0, 1, 2, ... of a seed. Both players choose evenly among the placements of one
// piece: the one that hold offers, every so often, or the current one. Purely random players hardly
// ever clear a row; with a few draws they do, and send garbage. The result does not depend on the
// number of threads. Throws Error(rules).
PlayoutResult play_random_versus(std::shared_ptr<const Rules> rules, std::uint64_t seed,
                                 const PlayoutOptions& options);

}  // namespace sevenbag
