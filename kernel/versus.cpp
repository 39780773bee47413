#include "versus.hpp"

#include <algorithm>
#include <string>

#include "error.hpp"
#include "random.hpp"

namespace sevenbag {

Versus::Versus(std::shared_ptr<const Rules> rules, std::int64_t seed, int frames_per_turn)
    : players_{Game(rules, seed, garbage_seed(seed, 0)), Game(rules, seed, garbage_seed(seed, 1))},
      frames_per_turn_(frames_per_turn) {
    check_range("frames_per_turn", frames_per_turn, 0, 36000);
}

int Versus::next_frame() const {
    const std::int64_t frame = (std::int64_t{turn_} + 1) * frames_per_turn_;
    return static_cast<int>(std::min<std::int64_t>(frame, kMaxFrame));
}

int Versus::winner() const {
    if (players_[0].is_over() == players_[1].is_over()) return -1;
    return players_[0].is_over() ? 1 : 0;
}

void Versus::play(const Game::Move& first, const Game::Move& second) {
    if (is_over()) throw Error(ErrorKind::placement, "the game is over: no move can be played");
    const int frame = next_frame();
    players_[0].play(first, frame);
    players_[1].play(second, frame);
    ++turn_;
    for (int i : {0, 1})
        for (int lines : players_[i].last_lock().sent) players_[1 - i].receive(lines, frame);
}

std::int64_t Versus::garbage_seed(std::int64_t seed, int player) {
    // The other player's stream is the same long cycle, entered far away: 2^31 - 1 is prime, so
    // multiplying by a constant is a step of unforeseeable length along it.
    MinstdRandom random(seed);
    const std::int64_t value = random.next();
    return player == 0 ? seed : value * 69621 % 2147483647;
}

}  // namespace sevenbag
