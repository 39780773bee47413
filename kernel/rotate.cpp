#include "rotate.hpp"

#include <algorithm>

namespace sevenbag {

namespace {

Placement moved(const Placement& p, int dx, int dy) {
    return {p.piece, p.rotation, static_cast<std::int8_t>(p.x + dx),
            static_cast<std::int8_t>(p.y + dy)};
}

Spin detect_corner_spin(const Board& board, const Placement& p, bool full_kick, bool top_filled) {
    const Cells corners = corners_of(p.piece, static_cast<int>(p.rotation));
    bool filled[4];
    int count = 0;
    for (std::size_t i = 0; i < 4; ++i)
        count += filled[i] = board.blocked(p.x + corners[i].x, p.y + corners[i].y, top_filled);
    if (count < 3) return Spin::none;
    if (p.piece != Piece::T || full_kick) return Spin::full;
    return filled[0] && filled[1] ? Spin::full : Spin::mini;
}

}  // namespace

Spin detect_spin(const Board& board, const Placement& p, bool full_kick, const SpinRule& rule) {
    if (!rule.detects_spins() || board.fits(moved(p, 0, -1))) return Spin::none;
    Spin verdict = rule.resting;
    if (rule.corners)
        verdict = std::max(verdict, detect_corner_spin(board, p, full_kick, rule.top_filled));
    if (rule.immobile > verdict && !board.fits(moved(p, -1, 0)) && !board.fits(moved(p, 1, 0)) &&
        !board.fits(moved(p, 0, 1)))
        verdict = rule.immobile;
    return verdict;
}

std::optional<RotationResult> rotate(const Board& board, const Placement& p, Rotation to,
                                     const Kicks& kicks, const SpinRules& spins) {
    const SpinRule rule = spin_rule(spins, p.piece);
    const KickTests& tests = kicks.tests(p.piece, p.rotation, to);
    for (int i = 0; i < tests.count; ++i) {
        const Cell d = tests.displacement[static_cast<std::size_t>(i)];
        Placement turned = moved(p, d.x, d.y);
        turned.rotation = to;
        if (!board.fits(turned)) continue;
        const bool full_kick =
            is_full_kick(rule.full_kicks, static_cast<int>(p.rotation), static_cast<int>(to), i, d);
        turned.spin = detect_spin(board, turned, full_kick, rule);
        return RotationResult{turned, i, full_kick};
    }
    return std::nullopt;
}

}  // namespace sevenbag
