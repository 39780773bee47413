// Attacks that cross on a network: what two players sent each other before either heard of it
// cancels out, as if it had met on the way (TETR.IO's pass-through "zero" and "consistent").
//
// Attacks towards a player are numbered 1, 2, 3 and so on. A player who sends tells with it which
// attack of the other's was the last to arrive: whatever was sent to that player after it has
// crossed the new attack.
#pragma once

#include <cstdint>
#include <vector>

namespace sevenbag {

// One player's side of it, towards any number of others.
class InFlightAttacks {
  public:
    // An attack of so many lines leaves for a player. Returns its number.
    int send(int player, int lines);

    // An attack of a player's arrives, who had then received own attacks up to `acknowledged`.
    // Returns the lines that are left of it; own attacks that have crossed it are used up, the
    // oldest first.
    int receive(int player, int number, int lines, int acknowledged);

    // The number of the last attack that has come from a player: what to acknowledge.
    int received(int player) const;

    // Lines under way to a player, as far as it is known here.
    std::int64_t lines_in_flight(int player) const;

  private:
    struct InFlightAttack {
        int number;
        int lines;
    };
    struct Opponent {
        int player;
        int sent = 0;
        int received = 0;
        std::vector<InFlightAttack> lines_in_flight;
    };

    Opponent& with(int player);
    const Opponent* known(int player) const;

    std::vector<Opponent> others_;
};

}  // namespace sevenbag
