// Bindings of rules and of functions that depend on rules only; the public interface is in
// sevenbag.game.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "arguments.hpp"
#include "attack.hpp"
#include "colored_board.hpp"
#include "conversions.hpp"
#include "error.hpp"
#include "game.hpp"
#include "rules.hpp"
#include "spawn.hpp"

namespace nb = nanobind;

namespace sevenbag::bind {

namespace {

// --- plain data: Rules.to_dict of Python, which has checked it
// ------------------------------------

class RuleSection {
  public:
    RuleSection(const nb::dict& rules, const char* name)
        : values_(nb::cast<nb::dict>(rules[name])) {}

    template <class T>
    void read(const char* key, T& value) const {
        value = nb::cast<T>(values_[key]);
    }
    void read(const char* key, std::int8_t& value) const {
        value = static_cast<std::int8_t>(nb::cast<int>(values_[key]));
    }
    // The value is the place of its name in the list.
    template <class T, class Names = std::initializer_list<std::string_view>>
    void choose(const char* key, T& value, const Names& names) const {
        const auto name = nb::cast<std::string>(values_[key]);
        int i = 0;
        for (std::string_view known : names) {
            if (name == known) {
                value = static_cast<T>(i);
                return;
            }
            ++i;
        }
        throw_invalid(ErrorKind::rules, key, "a known value", "'" + name + "'");
    }
    nb::handle operator[](const char* key) const { return values_[key]; }

  private:
    nb::dict values_;
};

void read_pieces(const RuleSection& pieces, Rules& rules) {
    pieces.choose("bag", rules.bag,
                  {"7-bag", "14-bag", "7+1-bag", "7+2-bag", "7+x-bag", "pairs", "classic",
                   "total mayhem", "general_bag"});
    if (rules.bag == Randomizer::general) {
        rules.filled_bag = {};
        for (char letter : nb::cast<std::string>(pieces["bag_pieces"])) {
            std::uint8_t& count = rules.filled_bag[static_cast<int>(piece_from_letter(letter))];
            if (count < 255) ++count;
        }
    }
    pieces.choose("opening", rules.opening, {"any", "no two of S and Z", "no S or Z"});
    pieces.read("previews", rules.previews);
    pieces.read("hold", rules.hold);
    rules.kicks = kicks_argument(pieces["kicks"]);
    rules.spins.mode = find_spin_mode(nb::cast<std::string>(pieces["spins"]));
    pieces.choose("spin_kicks", rules.spins.full_kicks, kFullKickNames);
    pieces.choose("spin_shift", rules.spins.on_shift, kOnShiftNames);
    pieces.read("spin_hold", rules.spins.hold_keeps_spin);
    pieces.read("spin_top", rules.spins.top_filled);
}

// Read a list of at least `min` items; missing items are 0. Return its size.
template <std::size_t Max>
std::size_t read_list(const RuleSection& section, const char* key, std::array<int, Max>& list,
                      std::size_t min) {
    const auto items = nb::cast<std::vector<int>>(section[key]);
    if (items.size() < min || items.size() > Max)
        throw_invalid(ErrorKind::rules, key,
                      std::to_string(min) + " to " + std::to_string(Max) + " items",
                      std::to_string(items.size()));
    list = {};
    std::copy(items.begin(), items.end(), list.begin());
    return items.size();
}

void read_attack(const RuleSection& attack, Rules& rules) {
    read_list(attack, "further", rules.further, rules.further.size());
    std::size_t spin = 0;
    for (const char* kind : {"none", "mini", "full"}) {
        std::array<int, kAttackLines + 1> lines;
        if (read_list(attack, kind, lines, kAttackLines) == kAttackLines)
            lines[kAttackLines] = lines[kAttackLines - 1] + rules.further[spin];
        for (std::size_t n = 0; n < lines.size(); ++n) rules.attack[n][spin] = lines[n];
        ++spin;
    }
    attack.read("spin_quads_send", rules.spin_quads_send);
    rules.targeting_size = static_cast<int>(read_list(attack, "targeting", rules.targeting, 0));
    attack.read("cap", rules.attack_cap);
    attack.read("halve_other_spins", rules.halve_other_spins);
    attack.read("garbage_bonus", rules.garbage_bonus);
    attack.read("multiplier", rules.multiplier.start);
    attack.read("multiplier_growth", rules.multiplier.per_second);
    attack.read("multiplier_margin", rules.multiplier.margin);
    attack.read("multiplier_end", rules.multiplier.end);
    attack.read("multiplier_end_frame", rules.multiplier.end_frame);
    attack.choose("rounding", rules.rounding, {"down", "random"});
}

void read_combo(const RuleSection& combo, Rules& rules) {
    combo.choose("kind", rules.combo, {"table", "multiplier"});
    rules.combo_table_size = static_cast<int>(read_list(combo, "table", rules.combo_table, 0));
    combo.read("apart", rules.combo_apart);
}

void read_garbage(const RuleSection& garbage, Rules& rules) {
    garbage.read("travel", rules.travel);
    garbage.choose("travel_unit", rules.travel_unit, {"frames", "own locks"});
    garbage.choose("blocking", rules.blocking, {"full", "limited", "none", "instant"});
    garbage.read("opener_pieces", rules.opener_pieces);
    garbage.read("cap", rules.cap.start);
    garbage.read("cap_growth", rules.cap.per_second);
    garbage.read("cap_margin", rules.cap.margin);
    garbage.read("cap_limit", rules.cap_limit);
    garbage.read("absolute_cap", rules.absolute_cap);
    garbage.read("bombs", rules.bombs);
    garbage.choose("holes", rules.holes,
                   {"attacks", "attacks before 2025-05", "entries", "rounded", "sent", "coins"});
    garbage.read("change", rules.hole_change);
    garbage.read("inner", rules.hole_inner);
    garbage.read("other", rules.hole_other);
    garbage.read("centred", rules.hole_centred);
    garbage.read("hole_size", rules.hole_size);
    garbage.read("timeout", rules.hole_timeout);
    garbage.choose("cut_off", rules.cut_off, {"top", "third from top"});
}

Rules rules_from(const nb::dict& data) {
    Rules rules;
    const RuleSection board(data, "board");
    board.read("width", rules.width);
    board.read("rows", rules.rows);
    board.read("visible", rules.visible_rows);
    board.read("solid", rules.solid_rows);
    board.read("kept", rules.kept_rows);
    const RuleSection spawn(data, "spawn");
    spawn.read("x", rules.spawn.x);
    spawn.read("y", rules.spawn.y);
    spawn.read("drop", rules.spawn_drop);
    spawn.choose("blocked", rules.blocked_spawn, {"lost", "raise", "clutch"});
    read_pieces(RuleSection(data, "pieces"), rules);
    const RuleSection top_out(data, "top_out");
    top_out.choose("lock_out", rules.lock_out, {"none", "whole", "partial"});
    top_out.read("garbage_out", rules.garbage_out);
    read_attack(RuleSection(data, "attack"), rules);
    const RuleSection chain(data, "back_to_back");
    chain.choose("bonus", rules.back_to_back, {"none", "flat", "chain"});
    chain.read("mini_single", rules.mini_single_bonus);
    chain.read("charge_at", rules.charge_at);
    chain.read("charge_base", rules.charge_base);
    read_combo(RuleSection(data, "combo"), rules);
    const RuleSection perfect(data, "perfect_clear");
    perfect.read("lines", rules.perfect_clear_lines);
    perfect.choose("kind", rules.perfect_clear, {"adds", "replaces all", "replaces base"});
    perfect.read("chain", rules.perfect_clear_chain);
    read_garbage(RuleSection(data, "garbage"), rules);
    validate(rules);
    return rules;
}

// --- functions of rules
// ---------------------------------------------------------------------------

void check_clear(int lines, int garbage_lines, int combo, int back_to_back) {
    check_range("lines", lines, 0, kMaxRows);
    check_range("garbage_lines", garbage_lines, 0, lines);
    check_range("combo", combo, 0, kMaxCounter);
    check_range("back_to_back", back_to_back, 0, kMaxCounter);
}

// The cells of a board with the given colours, or with garbage colour.
ColoredBoard colored_board_of(const Board& board,
                              const std::optional<std::vector<std::string>>& colors) {
    ColoredBoard colored_board(board.width(), board.rows());
    colored_board.board = board;
    colored_board.grid.assign(board);
    if (!colors) return colored_board;
    constexpr std::string_view kLetters = ColorGrid::kLetters;
    for (int y = 0; y < board.rows() && y < static_cast<int>(colors->size()); ++y) {
        const std::string& row = (*colors)[static_cast<std::size_t>(y)];
        for (int x = 0; x < board.width() && x < static_cast<int>(row.size()); ++x) {
            const std::size_t color = kLetters.find(row[static_cast<std::size_t>(x)]);
            if (color != std::string_view::npos && board.is_occupied(x, y))
                colored_board.grid.set(x, y, color);
        }
    }
    return colored_board;
}

nb::tuple after(const Rules& rules, const Board& board,
                const std::optional<std::vector<std::string>>& colors, const Placement& placement,
                int combo, int back_to_back) {
    check_clear(0, 0, combo, back_to_back);
    if (!(rules.all_solid() ? board : solid_part(rules, board)).fits(placement))
        throw Error(ErrorKind::placement,
                    std::string("piece ") + letter(placement.piece) + " at x " +
                        std::to_string(placement.x) + ", y " + std::to_string(placement.y) +
                        " does not fit: a cell is filled or outside the board");
    ColoredBoard colored_board = colored_board_of(board, colors);
    std::uint64_t rows = 0;
    colored_board.fill(rules, placement);
    const LineClear clear = colored_board.clear(rules, placement, rows);
    const Counters counters = counters_after(rules, clear, {combo, back_to_back});
    return nb::make_tuple(colored_board.board,
                          colors ? nb::object(colors_of(colored_board.grid)) : nb::none(),
                          counters.combo, counters.back_to_back);
}

std::vector<Placement> placements(const Rules& rules, const Board& board, nb::handle piece,
                                  bool cleared, bool spins) {
    const Board solid = solid_part(rules, board);
    const Piece p = piece_argument(piece);
    std::vector<Placement> list;
    if (const auto spawn = spawn_of(rules, board, solid, p, cleared))
        generate_placements(solid, p, rules.kicks, *spawn, spins ? rules.spins : SpinMode::none,
                            list);
    return list;
}

std::optional<std::vector<Key>> path(const Rules& rules, const Board& board,
                                     const Placement& placement, bool cleared, nb::handle keys,
                                     int fallen, const std::optional<Placement>& start) {
    const KeySet set = keys_argument(keys, fallen);
    const Board solid = solid_part(rules, board);
    if (start) {
        if (start->piece != placement.piece)
            throw_invalid(ErrorKind::placement, "start", "the piece of the placement",
                          std::string(1, letter(start->piece)));
        return find_path(solid, placement, rules.kicks, *start, rules.spins, set, fallen);
    }
    const auto spawn = spawn_of(rules, board, solid, placement.piece, cleared);
    if (!spawn) return std::nullopt;
    return find_path(solid, placement, rules.kicks, *spawn, rules.spins, set, fallen);
}

std::optional<Placement> follow(const Rules& rules, const Board& board, nb::handle piece,
                                const std::vector<Key>& keys, bool cleared) {
    const Board solid = solid_part(rules, board);
    const Piece p = piece_argument(piece);
    const auto spawn = spawn_of(rules, board, solid, p, cleared);
    if (!spawn) return std::nullopt;
    return follow_keys(solid, p, keys, rules.kicks, *spawn, rules.spins);
}

}  // namespace

void bind_rules(nb::module_& m) {
    nb::class_<Rules>(m, "KernelRules")
        .def(
            "__init__",
            [](Rules* self, const nb::dict& data) {
                try {
                    new (self) Rules(rules_from(data));
                } catch (const std::bad_cast&) {
                    throw Error(ErrorKind::rules,
                                "invalid rules: expected the result of Rules.to_dict");
                }
            },
            nb::arg("data"))
        .def(
            "compute_attacks",
            [](const Rules& rules, nb::handle piece, nb::handle spin_given, int lines,
               int garbage_lines, bool perfect, int combo, int back_to_back, int attackers) {
                const auto spin = argument<Spin>(spin_given, ErrorKind::rules, "spin");
                check_clear(lines, garbage_lines, combo, back_to_back);
                check_range("attackers", attackers, 0, kMaxAttackers);
                const LineClear clear{piece_argument(piece), spin, lines, garbage_lines, perfect};
                Counters counters{combo, back_to_back};
                MinstdRandom random(1);
                const AttackResult attack = compute_attack(
                    rules, clear, counters, rules.multiplier.start, random, attackers);
                return tuple_of(attack.withheld ? AttackList() : attack.attacks);
            },
            nb::arg("piece").none(), nb::arg("spin").none(), nb::arg("lines"),
            nb::arg("garbage_lines"), nb::arg("perfect"), nb::arg("combo"), nb::arg("back_to_back"),
            nb::arg("attackers") = 0)
        .def(
            "compute_raw_lines",
            [](const Rules& rules, nb::handle piece, Spin spin, int lines, int combo,
               int back_to_back) {
                check_clear(lines, 0, combo, back_to_back);
                const LineClear clear{piece_argument(piece), spin, lines, 0, false};
                const Counters after{combo, back_to_back};
                return apply_combo(rules, compute_base_lines(rules, clear, after), after);
            },
            nb::arg("piece"), nb::arg("spin"), nb::arg("lines"), nb::arg("combo"),
            nb::arg("back_to_back"))
        .def("apply_lock", &after, nb::arg("board"), nb::arg("colors").none(), nb::arg("placement"),
             nb::arg("combo"), nb::arg("back_to_back"))
        .def("placements", &placements, nb::arg("board"), nb::arg("piece"), nb::arg("cleared"),
             nb::arg("spins") = true)
        .def("find_path", &path, nb::arg("board"), nb::arg("placement"), nb::arg("cleared"),
             nb::arg("keys") = nb::none(), nb::arg("gravity_rows") = 0,
             nb::arg("start") = nb::none())
        .def("apply_keys", &follow, nb::arg("board"), nb::arg("piece"), nb::arg("keys"),
             nb::arg("cleared"));
}

}  // namespace sevenbag::bind
