// Attacks that cross on the network: attacks that two players sent before either received the
// other's cancel each other (TETR.IO's pass-through "zero" and "consistent").
//
// Attacks to a player are numbered 1, 2, 3 and so on. Each attack carries the number of the last
// attack that its sender had received: later attacks to that sender have crossed it.
#pragma once

#include <cstdint>
#include <vector>

namespace sevenbag {

// One player's side of it, towards any number of others.
class InFlightAttacks {
  public:
    // Send an attack to a player. Return its number.
    int send(int player, int lines);

    // Receive an attack of a player who had received own attacks up to `acknowledged`. Return the
    // lines left; own attacks that have crossed it are consumed, the oldest first.
    int receive(int player, int number, int lines, int acknowledged);

    // The number of the last attack received from a player, to be acknowledged.
    int received(int player) const;

    // Lines on the network to a player, as far as known here.
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
