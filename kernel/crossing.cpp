#include "crossing.hpp"

#include <algorithm>

namespace sevenbag {

int Crossing::send(int player, int lines) {
    Other& other = with(player);
    ++other.sent;
    if (lines > 0) other.under_way.push_back({other.sent, lines});
    return other.sent;
}

int Crossing::receive(int player, int number, int lines, int acknowledged) {
    Other& other = with(player);
    other.received = std::max(other.received, number);
    for (Attack& attack : other.under_way) {
        if (attack.number <= acknowledged) {
            attack.lines = 0;
            continue;
        }
        const int met = std::min(attack.lines, lines);
        attack.lines -= met;
        lines -= met;
    }
    std::erase_if(other.under_way, [](const Attack& attack) { return attack.lines == 0; });
    return lines;
}

int Crossing::received(int player) const {
    const Other* other = known(player);
    return other ? other->received : 0;
}

std::int64_t Crossing::under_way(int player) const {
    std::int64_t lines = 0;
    if (const Other* other = known(player))
        for (const Attack& attack : other->under_way) lines += attack.lines;
    return lines;
}

Crossing::Other& Crossing::with(int player) {
    for (Other& other : others_)
        if (other.player == player) return other;
    others_.push_back({player, 0, 0, {}});
    return others_.back();
}

const Crossing::Other* Crossing::known(int player) const {
    for (const Other& other : others_)
        if (other.player == player) return &other;
    return nullptr;
}

}  // namespace sevenbag
