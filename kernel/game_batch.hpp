// Batch of games for reinforcement learning: actions are integers, observations are written to
// arrays of the caller.
//
// An agent is one player of one game: agent a belongs to game a / players. Every array has one row
// per agent.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "random.hpp"
#include "rules.hpp"
#include "versus.hpp"

namespace sevenbag {

// Meaning of an action index: (hold, spin, rotation, y, x) of a canonical placement, the last index
// varying fastest. It depends on the rules only.
struct ActionSpace {
    int holds;  // 2 if the rules have hold, otherwise 1
    int spins;  // 3 if spins are separate actions, otherwise 1
    int rows;   // of centres, from 0
    int width;

    int size() const { return holds * spins * kRotations * rows * width; }

    // -1 for a centre above the rows.
    int index(const Placement& p, bool hold) const {
        if (p.y < 0 || p.y >= rows || p.x < 0 || p.x >= width) return -1;
        const int spin = spins > 1 ? static_cast<int>(p.spin) : 0;
        return (((hold * spins + spin) * kRotations + static_cast<int>(p.rotation)) * rows + p.y) *
                   width +
               p.x;
    }
};

// Reward of a step per unit of each event.
struct RewardWeights {
    double attack = 0;         // lines, before cancelling
    double sent = 1;           // lines that were left of it
    double cancelled = 0;      // waiting lines that it removed
    double lines = 0;          // rows cleared
    double garbage = 0;        // rows of garbage that entered
    double placement = 0;      // a piece was placed
    double perfect_clear = 0;  // the board was left empty
    double win = 0;            // the other player alone has lost
    double loss = 0;           // the game is lost, and not by both at once
};

struct GameBatchOptions {
    int games = 1;
    int players = 1;  // 1 or 2
    int rows = 24;    // observed part of a board, and range of placement centres
    bool separate_spins = false;
    int frames_per_turn = 30;
    int max_pieces = 0;  // placed by a player before a game is cut short; 0: none
    RewardWeights weights;
};

// Arrays for the observations, one row per agent. In boards, pieces and counters the agent's own
// part comes first, then the opponent's.
struct ObservationArrays {
    std::uint8_t* boards;    // players x rows x width; 1 if filled
    std::uint8_t* pieces;    // players x (current, hold, previews); kNoPiece if hold is empty
    std::int32_t* counters;  // players x (combo, back-to-back, pending lines)
    std::int8_t* masks;      // ActionSpace::size(); 1 if the action is legal
};

struct StepArrays {
    double* rewards;
    bool* terminated;
    bool* truncated;
};

class GameBatch {
  public:
    static constexpr std::uint8_t kNoPiece = 7;
    static constexpr int kCounters = 3;

    // Throws Error(rules).
    GameBatch(std::shared_ptr<const Rules> rules, const GameBatchOptions& options);

    int games() const { return static_cast<int>(slots_.size()); }
    int players() const { return options_.players; }
    int agents() const { return games() * options_.players; }
    const ActionSpace& actions() const { return actions_; }
    int observed_pieces() const { return 2 + rules_->previews; }

    const Game& game(int agent) const;

    // Return whether a game is over or truncated (or has not begun).
    bool has_ended(int game) const { return slots_[static_cast<std::size_t>(game)].ended; }

    // Seed of the current game.
    std::int64_t seed(int game) const { return slots_[static_cast<std::size_t>(game)].seed; }

    // Restart a game with a seed; later games of this slot derive their seeds from it.
    void reset(int game, std::int64_t seed);

    // Play one turn of every game. A game that has ended is restarted instead and ignores its
    // actions; with `next` false this is an Error(placement), thrown before any change. A masked
    // action forfeits the game.
    void step(const std::int64_t* actions, bool next, int threads, const ObservationArrays& arrays,
              const StepArrays& outcome);

    // Restart every game that has ended and write its observations.
    void reset_ended(const ObservationArrays& arrays);

    // Write the observations of one game or of all.
    void observe(int game, const ObservationArrays& arrays) const;
    void observe_all(int threads, const ObservationArrays& arrays) const;

    // Draw a legal action for every agent, all equally likely; 0 if the game has ended.
    void sample_actions(SplitMix64& random, std::int64_t* actions) const;

    // The placement that an action means now; none if it cannot be played.
    std::optional<Game::Move> move(int agent, std::int64_t action) const;

  private:
    // An action that can be played, and how.
    struct LegalAction {
        int action;
        Game::Move move;
    };

    struct GameSlot {
        std::optional<Game> solo;
        std::optional<Versus> versus;
        SplitMix64 seeds{0};  // of further games
        std::int64_t seed = 0;
        bool ended = true;
    };

    void begin(int game, std::int64_t seed);
    void play(int game, const std::int64_t* actions, const StepArrays& outcome);
    double reward(const LockResult& lock) const;
    bool is_truncated(const Game& game) const;
    void list_legal_actions(int agent);
    void observe_agent(int agent, const ObservationArrays& arrays) const;
    void write_board(const Board& board, std::uint8_t* out) const;

    std::shared_ptr<const Rules> rules_;
    GameBatchOptions options_;
    ActionSpace actions_;
    std::vector<GameSlot> slots_;
    std::vector<std::vector<LegalAction>> legal_actions_;  // by agent; empty if the game is over
};

}  // namespace sevenbag
