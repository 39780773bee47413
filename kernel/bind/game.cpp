// Rules, games and versus games for Python; sevenbag.game is the face that people see.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "bind.hpp"
#include "error.hpp"
#include "game.hpp"
#include "versus.hpp"

namespace nb = nanobind;

namespace sevenbag::bind {

namespace {

// --- rules from plain data (Rules.to_dict of Python, which has checked it)
// ------------------------

class Section {
  public:
    Section(const nb::dict& rules, const char* name) : values_(nb::cast<nb::dict>(rules[name])) {}

    template <class T>
    void read(const char* key, T& value) const {
        value = nb::cast<T>(values_[key]);
    }
    void read(const char* key, std::int8_t& value) const {
        value = static_cast<std::int8_t>(nb::cast<int>(values_[key]));
    }
    // The value is the place of its name in the list.
    template <class T>
    void choose(const char* key, T& value, std::initializer_list<std::string_view> names) const {
        const auto name = nb::cast<std::string>(values_[key]);
        int i = 0;
        for (std::string_view known : names) {
            if (name == known) {
                value = static_cast<T>(i);
                return;
            }
            ++i;
        }
        throw Error(ErrorKind::rules, std::string(key) + " is '" + name + "', which is unknown");
    }
    nb::handle operator[](const char* key) const { return values_[key]; }

  private:
    nb::dict values_;
};

void read_pieces(const Section& pieces, Rules& rules) {
    pieces.choose(
        "bag", rules.bag,
        {"7-bag", "14-bag", "7+1-bag", "7+2-bag", "7+x-bag", "pairs", "classic", "total mayhem"});
    pieces.read("previews", rules.previews);
    pieces.read("hold", rules.hold);
    const nb::handle kicks = pieces["kicks"];
    if (nb::isinstance<nb::dict>(kicks)) {
        const nb::object read = nb::module_::import_("sevenbag.game.kicks_file").attr("read_data");
        rules.kicks = nb::cast<const Kicks&>(read(kicks, "the rules"));
    } else {
        rules.kicks = kicks_argument(kicks);
    }
    rules.spins = find_spin_mode(nb::cast<std::string>(pieces["spins"]));
}

void read_attack(const Section& attack, Rules& rules) {
    int spin = 0;
    for (const char* kind : {"none", "mini", "full"}) {
        const auto lines = nb::cast<std::vector<int>>(attack[kind]);
        if (lines.size() != rules.attack.size())
            throw Error(ErrorKind::rules, std::string("attack ") + kind + " has " +
                                              std::to_string(lines.size()) + " items, must have 5");
        for (std::size_t n = 0; n < lines.size(); ++n) rules.attack[n][spin] = lines[n];
        ++spin;
    }
    attack.read("halve_other_spins", rules.halve_other_spins);
    attack.read("garbage_bonus", rules.garbage_bonus);
    attack.read("multiplier", rules.multiplier.start);
    attack.read("multiplier_growth", rules.multiplier.per_second);
    attack.read("multiplier_margin", rules.multiplier.margin);
    attack.choose("rounding", rules.rounding, {"down", "random"});
}

void read_combo(const Section& combo, Rules& rules) {
    combo.choose("kind", rules.combo, {"table", "multiplier"});
    const auto table = nb::cast<std::vector<int>>(combo["table"]);
    if (table.size() > rules.combo_table.size())
        throw Error(ErrorKind::rules, "combo table has " + std::to_string(table.size()) +
                                          " items, must have 0 to 32");
    rules.combo_table = {};
    rules.combo_table_size = static_cast<int>(table.size());
    for (std::size_t c = 0; c < table.size(); ++c) rules.combo_table[c] = table[c];
    combo.read("apart", rules.combo_apart);
}

void read_garbage(const Section& garbage, Rules& rules) {
    garbage.read("travel", rules.travel);
    garbage.choose("travel_unit", rules.travel_unit, {"frames", "own locks"});
    garbage.read("blocking", rules.blocking);
    garbage.read("cancelling", rules.cancelling);
    garbage.read("opener_pieces", rules.opener_pieces);
    garbage.read("cap", rules.cap.start);
    garbage.read("cap_growth", rules.cap.per_second);
    garbage.read("cap_margin", rules.cap.margin);
    garbage.read("cap_limit", rules.cap_limit);
    garbage.choose("holes", rules.holes, {"attacks", "entries", "rounded", "sent"});
    garbage.read("change", rules.hole_change);
    garbage.read("inner", rules.hole_inner);
    garbage.read("other", rules.hole_other);
    garbage.read("centred", rules.hole_centred);
    garbage.choose("cut_off", rules.cut_off, {"top", "third from top"});
}

Rules rules_from(const nb::dict& data) {
    Rules rules;
    const Section board(data, "board");
    board.read("width", rules.width);
    board.read("rows", rules.rows);
    board.read("visible", rules.visible_rows);
    const Section spawn(data, "spawn");
    spawn.read("x", rules.spawn.x);
    spawn.read("y", rules.spawn.y);
    spawn.read("drop", rules.spawn_drop);
    spawn.choose("blocked", rules.blocked_spawn, {"lost", "raise", "clutch"});
    read_pieces(Section(data, "pieces"), rules);
    const Section top_out(data, "top_out");
    top_out.choose("lock_out", rules.lock_out, {"none", "whole", "partial"});
    top_out.read("garbage_out", rules.garbage_out);
    read_attack(Section(data, "attack"), rules);
    const Section chain(data, "back_to_back");
    chain.choose("bonus", rules.back_to_back, {"none", "flat", "chain"});
    chain.read("mini_single", rules.mini_single_bonus);
    chain.read("charge_at", rules.charge_at);
    chain.read("charge_base", rules.charge_base);
    read_combo(Section(data, "combo"), rules);
    const Section perfect(data, "perfect_clear");
    perfect.read("lines", rules.perfect_clear_lines);
    perfect.choose("kind", rules.perfect_clear, {"adds", "replaces all", "replaces base"});
    perfect.read("chain", rules.perfect_clear_chain);
    read_garbage(Section(data, "garbage"), rules);
    validate(rules);
    return rules;
}

// --- lists as tuples
// ------------------------------------------------------------------------------

template <class List>
nb::tuple tuple_of(const List& list) {
    nb::list items;
    for (const auto& item : list) items.append(nb::cast(item));
    return nb::tuple(items);
}

nb::tuple rows_of(std::uint64_t rows) {
    nb::list items;
    for (; rows != 0; rows &= rows - 1) items.append(nb::cast(std::countr_zero(rows)));
    return nb::tuple(items);
}

nb::tuple holes_of(const Lock& lock) {
    nb::list items;
    for (int hole : lock.holes) items.append(nb::cast(hole));
    return nb::tuple(items);
}

nb::tuple dealt_of(const Lock& lock) {
    nb::list items;
    for (int i = 0; i < lock.dealt_count; ++i) items.append(nb::cast(lock.dealt[i]));
    return nb::tuple(items);
}

nb::tuple previews_of(const Game& game) {
    nb::list items;
    for (int i = 0; i < game.rules().previews; ++i) items.append(nb::cast(game.preview(i)));
    return nb::tuple(items);
}

nb::tuple pending_of(const Game& game) {
    nb::list items;
    for (const Batch& batch : game.garbage().pending()) items.append(nb::cast(batch.lines));
    return nb::tuple(items);
}

nb::tuple colors_of(const Game& game) {
    nb::list items;
    std::string row(static_cast<std::size_t>(game.rules().width), '.');
    for (int y = 0; y < game.rules().rows; ++y) {
        for (int x = 0; x < game.rules().width; ++x)
            row[static_cast<std::size_t>(x)] = game.grid().at(x, y);
        items.append(nb::cast(row));
    }
    return nb::tuple(items);
}

nb::object bag_of(const Game& game) {
    const auto counts = game.bag();
    if (!counts) return nb::none();
    nb::list items;
    for (int p = 0; p < kPieces; ++p)
        for (int n = 0; n < (*counts)[p]; ++n) items.append(nb::cast(static_cast<Piece>(p)));
    return nb::tuple(items);
}

nb::object spawn_of(const Game& game) {
    const auto spawn = game.over() ? std::nullopt : game.spawn_of(game.current());
    if (!spawn) return nb::none();
    return nb::make_tuple(int{spawn->x}, int{spawn->y});
}

nb::object name_of(TopOut top_out) {
    constexpr const char* kNames[] = {"", "block out", "lock out", "garbage out"};
    if (top_out == TopOut::none) return nb::none();
    return nb::cast(kNames[static_cast<int>(top_out)]);
}

nb::dict clears_of(const Stats& stats) {
    constexpr const char* kKinds[] = {"", "mini ", "spin "};
    constexpr const char* kLines[] = {"", "single", "double", "triple", "quad"};
    nb::dict clears;
    for (int spin = 0; spin < 3; ++spin)
        for (int lines = 1; lines <= kMaxLines; ++lines)
            if (const int count = stats.clears[spin][lines])
                clears[(std::string(kKinds[spin]) + kLines[lines]).c_str()] = count;
    return clears;
}

std::string described(const Lock& lock) {
    std::string text = std::string("<Lock ") + letter(lock.placement.piece) + ": " +
                       std::to_string(lock.clear.lines) + " lines";
    if (lock.clear.spin != Spin::none)
        text += lock.clear.spin == Spin::mini ? ", mini spin" : ", full spin";
    if (lock.clear.perfect) text += ", perfect clear";
    if (lock.attacks.total() > 0) text += ", attack " + std::to_string(lock.attacks.total());
    if (!lock.holes.empty()) text += ", " + std::to_string(lock.holes.size()) + " rows of garbage";
    if (lock.top_out != TopOut::none) text += ", topped out";
    return text + ">";
}

std::string described(const Stats& stats) {
    return "<Stats: " + std::to_string(stats.pieces) + " pieces, " + std::to_string(stats.lines) +
           " lines, attack " + std::to_string(stats.attack) + ">";
}

using Hold = std::optional<bool>;

}  // namespace

void bind_game(nb::module_& m) {
    nb::class_<Rules>(m, "RuleSet")
        .def(
            "__init__",
            [](Rules* self, const nb::dict& data) { new (self) Rules(rules_from(data)); },
            nb::arg("data"))
        .def(
            "attacks",
            [](const Rules& rules, nb::handle piece, Spin spin, int lines, int garbage_lines,
               bool perfect, int combo, int back_to_back) {
                if (lines < 0 || lines > 4 || garbage_lines < 0 || garbage_lines > lines ||
                    combo < 0 || combo > 100000 || back_to_back < 0 || back_to_back > 100000)
                    throw Error(ErrorKind::rules,
                                "lines must be 0 to 4, garbage lines no more than that, and the"
                                " counters 0 to 100000");
                const Clear clear{piece_argument(piece), spin, lines, garbage_lines, perfect};
                Counters counters{combo, back_to_back};
                Random random(1);
                return tuple_of(
                    attack_of(rules, clear, counters, rules.multiplier.start, random).list);
            },
            nb::arg("piece"), nb::arg("spin"), nb::arg("lines"), nb::arg("garbage_lines"),
            nb::arg("perfect"), nb::arg("combo"), nb::arg("back_to_back"))
        .def(
            "raw_lines",
            [](const Rules& rules, nb::handle piece, Spin spin, int lines, int combo,
               int back_to_back) {
                if (lines < 0 || lines > 4 || combo < 0 || combo > 100000 || back_to_back < 0 ||
                    back_to_back > 100000)
                    throw Error(ErrorKind::rules,
                                "lines must be 0 to 4 and the counters 0 to 100000");
                const Clear clear{piece_argument(piece), spin, lines, 0, false};
                const Counters after{combo, back_to_back};
                return with_combo(rules, base_lines(rules, clear, after), after);
            },
            nb::arg("piece"), nb::arg("spin"), nb::arg("lines"), nb::arg("combo"),
            nb::arg("back_to_back"));

    nb::class_<Lock>(m, "Lock")
        .def_prop_ro("placement", [](const Lock& l) { return l.placement; })
        .def_prop_ro("held", [](const Lock& l) { return l.held; })
        .def_prop_ro("lines", [](const Lock& l) { return l.clear.lines; })
        .def_prop_ro("rows", [](const Lock& l) { return rows_of(l.rows); })
        .def_prop_ro("garbage_lines", [](const Lock& l) { return l.clear.garbage_lines; })
        .def_prop_ro("spin", [](const Lock& l) { return l.clear.spin; })
        .def_prop_ro("difficult", [](const Lock& l) { return l.clear.difficult(); })
        .def_prop_ro("perfect_clear", [](const Lock& l) { return l.clear.perfect; })
        .def_prop_ro("attacks", [](const Lock& l) { return tuple_of(l.attacks); })
        .def_prop_ro("attack", [](const Lock& l) { return l.attacks.total(); })
        .def_prop_ro("released", [](const Lock& l) { return l.released; })
        .def_prop_ro("cancelled", [](const Lock& l) { return l.cancelled; })
        .def_prop_ro("sent", [](const Lock& l) { return tuple_of(l.sent); })
        .def_prop_ro("garbage", &holes_of)
        .def_prop_ro("combo", [](const Lock& l) { return l.counters.combo; })
        .def_prop_ro("back_to_back", [](const Lock& l) { return l.counters.back_to_back; })
        .def_prop_ro("new_pieces", &dealt_of)
        .def_prop_ro("top_out", [](const Lock& l) { return name_of(l.top_out); })
        .def_prop_ro("frame", [](const Lock& l) { return l.frame; })
        .def("__repr__", [](const Lock& l) { return described(l); });

    nb::class_<Stats>(m, "Stats")
        .def_ro("pieces", &Stats::pieces)
        .def_ro("holds", &Stats::holds)
        .def_ro("lines", &Stats::lines)
        .def_ro("attack", &Stats::attack)
        .def_ro("cancelled", &Stats::cancelled)
        .def_ro("sent", &Stats::sent)
        .def_ro("received", &Stats::received)
        .def_ro("garbage_entered", &Stats::garbage_entered)
        .def_ro("garbage_cleared", &Stats::garbage_cleared)
        .def_ro("spins", &Stats::spins)
        .def_ro("perfect_clears", &Stats::perfect_clears)
        .def_ro("max_combo", &Stats::max_combo)
        .def_ro("max_back_to_back", &Stats::max_back_to_back)
        .def_prop_ro("clears", &clears_of)
        .def("__eq__",
             [](const Stats& a, nb::handle b) {
                 return nb::isinstance<Stats>(b) && a == nb::cast<const Stats&>(b);
             })
        .def("__repr__", [](const Stats& s) { return described(s); })
        .def("__hash__",
             [](const Stats& s) { return s.pieces * 1000003 ^ s.lines * 1009 ^ s.attack; });

    nb::class_<Game>(m, "Game")
        .def(
            "__init__",
            [](Game* self, const Rules& rules, std::int64_t seed, std::int64_t garbage_seed) {
                new (self) Game(std::make_shared<const Rules>(rules), seed, garbage_seed);
            },
            nb::arg("rules"), nb::arg("seed"), nb::arg("garbage_seed"))
        .def(
            "start_from",
            [](Game& game, const Board& board, int combo, int back_to_back) {
                game.start_from(board, {combo, back_to_back});
            },
            nb::arg("board"), nb::arg("combo"), nb::arg("back_to_back"))
        .def("copy", [](const Game& game) { return Game(game); })
        .def_prop_ro("board", [](const Game& game) { return Board(game.board()); })
        .def_prop_ro("colors", &colors_of)
        .def_prop_ro("current", &Game::current)
        .def_prop_ro("hold", &Game::held)
        .def_prop_ro("previews", &previews_of)
        .def_prop_ro("bag", &bag_of)
        .def_prop_ro("spawn", &spawn_of)
        .def_prop_ro("combo", [](const Game& game) { return game.counters().combo; })
        .def_prop_ro("back_to_back", [](const Game& game) { return game.counters().back_to_back; })
        .def_prop_ro("pending", &pending_of)
        .def_prop_ro("frame", &Game::frame)
        .def_prop_ro("stats", [](const Game& game) { return Stats(game.stats()); })
        .def_prop_ro("top_out", [](const Game& game) { return name_of(game.top_out()); })
        .def(
            "placements",
            [](const Game& game, bool hold) {
                std::vector<Placement> list;
                game.placements(hold, list);
                return list;
            },
            nb::arg("hold"))
        .def(
            "judge",
            [](const Game& game, const Placement& placement, Hold hold) {
                return game.judge(placement, hold).placement;
            },
            nb::arg("placement"), nb::arg("hold").none())
        .def(
            "play",
            [](Game& game, const Placement& placement, Hold hold, int frame) {
                Game::check_frame(frame);
                return Lock(game.play(game.judge(placement, hold), frame));
            },
            nb::arg("placement"), nb::arg("hold").none(), nb::arg("frame"))
        .def(
            "play_recorded",
            [](Game& game, const Placement& placement, bool hold, int frame) {
                Game::check_frame(frame);
                if (!game.board().fits(placement))
                    throw Error(ErrorKind::placement, "the placement does not fit");
                return Lock(game.play({placement, hold}, frame));
            },
            nb::arg("placement"), nb::arg("hold"), nb::arg("frame"))
        .def("receive", &Game::receive, nb::arg("lines"), nb::arg("frame"));

    nb::class_<Versus>(m, "Versus")
        .def(
            "__init__",
            [](Versus* self, const Rules& rules, std::int64_t seed, int frames_per_turn) {
                new (self) Versus(std::make_shared<const Rules>(rules), seed, frames_per_turn);
            },
            nb::arg("rules"), nb::arg("seed"), nb::arg("frames_per_turn"))
        .def(
            "player",
            [](const Versus& versus, int index) -> const Game& {
                if (index != 0 && index != 1) throw nb::index_error("a player is 0 or 1");
                return versus.player(index);
            },
            nb::rv_policy::reference_internal, nb::arg("index"))
        .def("copy", [](const Versus& versus) { return Versus(versus); })
        .def_prop_ro("turn", &Versus::turn)
        .def_prop_ro("frame", &Versus::frame)
        .def_prop_ro("over", &Versus::over)
        .def_prop_ro("winner",
                     [](const Versus& versus) -> std::optional<int> {
                         if (versus.winner() < 0) return std::nullopt;
                         return versus.winner();
                     })
        .def(
            "play",
            [](Versus& versus, const Placement& first, const Placement& second, Hold first_hold,
               Hold second_hold) {
                const Game::Move a = versus.player(0).judge(first, first_hold);
                const Game::Move b = versus.player(1).judge(second, second_hold);
                versus.play(a, b);
                return nb::make_tuple(Lock(versus.player(0).last_lock()),
                                      Lock(versus.player(1).last_lock()));
            },
            nb::arg("first"), nb::arg("second"), nb::arg("first_hold").none(),
            nb::arg("second_hold").none());
}

}  // namespace sevenbag::bind
