// Versus game of two players in turns: both place a piece at the same frame, then their attacks are
// sent.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "game.hpp"

namespace sevenbag {

class Versus {
  public:
    // Both get the same pieces; the holes of their garbage differ. Throws Error(rules).
    Versus(std::shared_ptr<const Rules> rules, std::int64_t seed, int frames_per_turn);

    const Game& player(int i) const { return players_[i]; }

    int turn() const { return turn_; }
    int frame() const { return players_[0].frame(); }
    int frames_per_turn() const { return frames_per_turn_; }
    // The frame at which the next turn's pieces lock. After a day time stands still.
    int next_frame() const;

    bool is_over() const { return players_[0].is_over() || players_[1].is_over(); }
    // 0 or 1; -1 during the game, and if both topped out at once.
    int winner() const;

    // Play one turn. The lock results are in player(i).last_lock(). Moves are those of
    // Game::find_move or Game::placements.
    void play(const Game::Move& first, const Game::Move& second);

    // The seed of a player's holes.
    static std::int64_t garbage_seed(std::int64_t seed, int player);

  private:
    std::array<Game, 2> players_;
    int turn_ = 0;
    int frames_per_turn_;
};

}  // namespace sevenbag
