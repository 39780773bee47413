#include "attack.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace sevenbag {

namespace {

// Convert to int, limited to the largest attack that can be sent.
int whole(double lines) {
    return static_cast<int>(std::floor(std::min(lines, double{kMaxAttack})));
}

int capped(const Rules& rules, int lines) {
    return rules.attack_cap > 0 ? std::min(lines, rules.attack_cap) : lines;
}

int rounded(const Rules& rules, double lines, MinstdRandom& random) {
    const double part = lines - std::floor(lines);
    int result = whole(lines);
    // Integers draw nothing: the random stream is shared with the holes.
    if (rules.rounding == RoundingMode::random && part > 0 && random.fraction() < part) ++result;
    return capped(rules, result);
}

int table_lines(const Rules& rules, const LineClear& clear) {
    const int spin = static_cast<int>(clear.spin);
    const int beyond = std::max(clear.lines - kAttackLines, 0);
    return rules.attack[clear.lines - beyond][spin] + beyond * rules.further[spin];
}

int targeting_bonus(const Rules& rules, int attackers) {
    if (rules.targeting_size == 0) return 0;
    return rules.targeting[std::min(attackers, rules.targeting_size - 1)];
}

// The second and every further difficult clear of a chain gets the bonus.
double chain_bonus(const Rules& rules, const LineClear& clear, int chain) {
    const int b = chain - 1;
    if (b <= 0) return 0;
    if (!rules.mini_single_bonus && clear.spin == Spin::mini && clear.lines == 1) return 0;
    switch (rules.back_to_back) {
        case BackToBackBonus::none:
            return 0;
        case BackToBackBonus::flat:
            return 1;
        case BackToBackBonus::chain: {
            const double log = std::log1p(b * 0.8);
            const double fine = b == 1 ? 0 : (1 + (log - std::floor(log))) / 3;
            return std::floor(1 + log) + fine;
        }
    }
    return 0;
}

int combo_table_lines(const Rules& rules, const Counters& counters) {
    const int c = counters.combo - 1;
    if (c < 0 || rules.combo_table_size == 0) return 0;
    return rules.combo_table[std::min(c, rules.combo_table_size - 1)];
}

// A charge leaves in three parts, the middle ones as near to a third as whole lines go. Returns the
// lines that are sent of it.
int add_surge(const Rules& rules, AttackList& list, int lines) {
    const int third = static_cast<int>(std::floor(lines / 3.0 + 0.5));
    for (int part : {third, third, lines - 2 * third}) list.add(capped(rules, part));
    return list.total();
}

}  // namespace

double compute_base_lines(const Rules& rules, const LineClear& clear, const Counters& counters) {
    if (clear.lines == 0) return 0;
    double lines = table_lines(rules, clear);
    if (rules.halve_other_spins && clear.spin != Spin::none && clear.piece != Piece::T) lines /= 2;
    return lines + chain_bonus(rules, clear, counters.back_to_back);
}

double apply_combo(const Rules& rules, double lines, const Counters& counters) {
    if (rules.combo == ComboKind::table) return lines + combo_table_lines(rules, counters);
    const int c = counters.combo - 1;
    if (c <= 0) return lines;
    lines *= 1 + 0.25 * c;
    return c > 1 ? std::max(std::log1p(1.25 * c), lines) : lines;
}

Counters counters_after(const Rules& rules, const LineClear& clear, Counters counters) {
    if (clear.lines == 0) return {0, counters.back_to_back};
    counters.combo = std::min(counters.combo + 1, kMaxCounter);
    if (clear.perfect && rules.perfect_clear_chain > 0)
        counters.back_to_back += rules.perfect_clear_chain;
    else if (clear.is_difficult())
        ++counters.back_to_back;
    else
        counters.back_to_back = 0;
    counters.back_to_back = std::min(counters.back_to_back, kMaxCounter);
    return counters;
}

AttackResult compute_attack(const Rules& rules, const LineClear& clear, Counters& counters,
                            double multiplier, MinstdRandom& random, int attackers) {
    AttackResult attack;
    const int chain = counters.back_to_back;
    counters = counters_after(rules, clear, counters);
    if (clear.lines == 0) return attack;
    const bool broken = counters.back_to_back == 0;
    if (broken && rules.charge_at > 0 && chain > rules.charge_at) {
        const int charge = whole((chain - rules.charge_at + rules.charge_base) * multiplier);
        attack.surge = add_surge(rules, attack.attacks, charge);
    }
    attack.withheld = !rules.spin_quads_send && clear.spin != Spin::none && clear.lines >= 4;

    double lines = compute_base_lines(rules, clear, counters);
    if (clear.perfect && rules.perfect_clear == PerfectClearRule::replaces_base)
        lines = rules.perfect_clear_lines;
    const int targeting = targeting_bonus(rules, attackers);
    const double combined = apply_combo(rules, lines, counters) + targeting;
    const double bonus =
        rules.garbage_bonus && clear.is_difficult() && clear.garbage_lines > 0 ? 1 : 0;

    if (clear.perfect && rules.perfect_clear == PerfectClearRule::replaces_all) {
        attack.attacks.add(rounded(rules, rules.perfect_clear_lines * multiplier, random));
        return attack;
    }
    if (rules.combo_apart) {
        attack.clear = rounded(rules, lines * multiplier + bonus, random);
        attack.attacks.add(attack.clear);
        // The rounding error of `combined - lines` could lose a line of the combo table.
        const double apart = rules.combo == ComboKind::table
                                 ? combo_table_lines(rules, counters) + targeting
                                 : combined - lines;
        attack.attacks.add(rounded(rules, apart * multiplier, random));
    } else {
        attack.clear = rounded(rules, combined * multiplier + bonus, random);
        attack.attacks.add(attack.clear);
    }
    if (clear.perfect && rules.perfect_clear == PerfectClearRule::adds)
        attack.attacks.add(rounded(rules, rules.perfect_clear_lines * multiplier, random));
    return attack;
}

}  // namespace sevenbag
