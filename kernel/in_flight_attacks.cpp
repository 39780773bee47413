#include "in_flight_attacks.hpp"

#include <algorithm>

namespace sevenbag {

int InFlightAttacks::send(int player, int lines) {
    Opponent& other = with(player);
    ++other.sent;
    if (lines > 0) other.lines_in_flight.push_back({other.sent, lines});
    return other.sent;
}

int InFlightAttacks::receive(int player, int number, int lines, int acknowledged) {
    Opponent& other = with(player);
    other.received = std::max(other.received, number);
    for (InFlightAttack& attack : other.lines_in_flight) {
        if (attack.number <= acknowledged) {
            attack.lines = 0;
            continue;
        }
        const int met = std::min(attack.lines, lines);
        attack.lines -= met;
        lines -= met;
    }
    std::erase_if(other.lines_in_flight,
                  [](const InFlightAttack& attack) { return attack.lines == 0; });
    return lines;
}

int InFlightAttacks::received(int player) const {
    const Opponent* other = known(player);
    return other ? other->received : 0;
}

std::int64_t InFlightAttacks::lines_in_flight(int player) const {
    std::int64_t lines = 0;
    if (const Opponent* other = known(player))
        for (const InFlightAttack& attack : other->lines_in_flight) lines += attack.lines;
    return lines;
}

InFlightAttacks::Opponent& InFlightAttacks::with(int player) {
    for (Opponent& other : others_)
        if (other.player == player) return other;
    others_.push_back({player, 0, 0, {}});
    return others_.back();
}

const InFlightAttacks::Opponent* InFlightAttacks::known(int player) const {
    for (const Opponent& other : others_)
        if (other.player == player) return &other;
    return nullptr;
}

}  // namespace sevenbag
