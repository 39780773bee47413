#include "rotation.hpp"

namespace sevenbag {

std::optional<RotationResult> rotate(const Board& board, const Placement& p, Rotation to,
                                     const Kicks& kicks, const SpinRules& spins) {
    const SpinRule rule = spin_rule(spins, p.piece);
    const KickTests& tests = kicks.tests(p.piece, p.rotation, to);
    for (int i = 0; i < tests.count; ++i) {
        const Cell d = tests.displacement[static_cast<std::size_t>(i)];
        Placement turned = shifted(p, d.x, d.y);
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
