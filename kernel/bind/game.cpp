// Bindings of games and versus games; the public interface is in sevenbag.game.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>

#include "arguments.hpp"
#include "conversions.hpp"
#include "error.hpp"
#include "game.hpp"
#include "versus.hpp"

namespace nb = nanobind;

namespace sevenbag::bind {

namespace {

nb::tuple dealt_of(const LockResult& lock) {
    nb::list items;
    for (int i = 0; i < lock.dealt_count; ++i) items.append(nb::cast(lock.dealt[i]));
    return nb::tuple(items);
}

nb::object spawn_of(const Game& game) {
    const auto spawn = game.is_over() ? std::nullopt : game.spawn_of(game.current());
    if (!spawn) return nb::none();
    return nb::make_tuple(int{spawn->x}, int{spawn->y});
}

nb::dict clears_of(const Stats& stats) {
    constexpr const char* kKinds[] = {"", "mini ", "spin "};
    constexpr const char* kLines[] = {"", "single", "double", "triple", "quad", "five or more"};
    nb::dict clears;
    for (int spin = 0; spin < 3; ++spin)
        for (int lines = 1; lines <= kMaxCountedLines; ++lines)
            if (const int count = stats.clears[spin][lines])
                clears[(std::string(kKinds[spin]) + kLines[lines]).c_str()] = count;
    return clears;
}

std::string described(const LockResult& lock) {
    std::string text = std::string("<LockResult ") + letter(lock.placement.piece) + ": " +
                       std::to_string(lock.clear.lines) + " lines";
    if (lock.clear.spin != Spin::none)
        text += lock.clear.spin == Spin::mini ? ", mini spin" : ", full spin";
    if (lock.clear.perfect) text += ", perfect clear";
    if (lock.attacks.total() > 0) text += ", attack " + std::to_string(lock.attacks.total());
    if (!lock.garbage.empty())
        text += ", " + std::to_string(lock.garbage.size()) + " rows of garbage";
    if (lock.top_out != TopOut::none) text += ", topped out";
    return text + ">";
}

std::string described(const Stats& stats) {
    return "<Stats: " + std::to_string(stats.pieces) + " pieces, " + std::to_string(stats.lines) +
           " lines, attack " + std::to_string(stats.attack) + ">";
}

using Hold = std::optional<bool>;

Hold hold_argument(nb::handle value) {
    if (value.is_none()) return std::nullopt;
    return argument<bool>(value, ErrorKind::placement, "hold");
}

}  // namespace

void bind_game(nb::module_& m) {
    nb::class_<LockResult>(m, "LockResult")
        .def_prop_ro("placement", [](const LockResult& l) { return l.placement; })
        .def_prop_ro("from_hold", [](const LockResult& l) { return l.from_hold; })
        .def_prop_ro("lines", [](const LockResult& l) { return l.clear.lines; })
        .def_prop_ro("rows", [](const LockResult& l) { return bits_of(l.rows); })
        .def_prop_ro("garbage_lines", [](const LockResult& l) { return l.clear.garbage_lines; })
        .def_prop_ro("spin", [](const LockResult& l) { return l.clear.spin; })
        .def_prop_ro("is_difficult", [](const LockResult& l) { return l.clear.is_difficult(); })
        .def_prop_ro("perfect_clear", [](const LockResult& l) { return l.clear.perfect; })
        .def_prop_ro("attacks", [](const LockResult& l) { return tuple_of(l.attacks); })
        .def_prop_ro("attack", [](const LockResult& l) { return l.attacks.total(); })
        .def_prop_ro("surge", [](const LockResult& l) { return l.surge; })
        .def_prop_ro("cancelled", [](const LockResult& l) { return l.cancelled; })
        .def_prop_ro("sent", [](const LockResult& l) { return tuple_of(l.sent); })
        .def_prop_ro("garbage", [](const LockResult& l) { return holes_of(l.garbage); })
        .def_prop_ro("garbage_holes",
                     [](const LockResult& l) { return open_columns_of(l.garbage); })
        .def_prop_ro("combo", [](const LockResult& l) { return l.counters.combo; })
        .def_prop_ro("back_to_back", [](const LockResult& l) { return l.counters.back_to_back; })
        .def_prop_ro("new_pieces", &dealt_of)
        .def_prop_ro("top_out", [](const LockResult& l) { return name_of(l.top_out); })
        .def_prop_ro("frame", [](const LockResult& l) { return l.frame; })
        .def("__repr__", [](const LockResult& l) { return described(l); });

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
        .def(
            "__eq__",
            [](const Stats& a, nb::handle b) {
                return nb::isinstance<Stats>(b) && a == nb::cast<const Stats&>(b);
            },
            nb::is_operator())
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
            [](Game& game, nb::handle board, int combo, int back_to_back) {
                game.start_from(argument<Board>(board, ErrorKind::board, "board"),
                                {combo, back_to_back});
            },
            nb::arg("board").none(), nb::arg("combo"), nb::arg("back_to_back"))
        .def("copy", [](const Game& game) { return Game(game); })
        .def_prop_ro("board", [](const Game& game) { return Board(game.board()); })
        .def_prop_ro("colors", [](const Game& game) { return colors_of(game.grid()); })
        .def_prop_ro("current", &Game::current)
        .def_prop_ro("hold", &Game::held)
        .def_prop_ro("previews", &previews_of<Game>)
        .def_prop_ro("bag", &bag_of<Game>)
        .def_prop_ro("filled_bag", &filled_bag_of<Game>)
        .def_prop_ro("spawn", &spawn_of)
        .def_prop_ro("combo", [](const Game& game) { return game.counters().combo; })
        .def_prop_ro("back_to_back", [](const Game& game) { return game.counters().back_to_back; })
        .def_prop_ro("pending", &pending_of<Game>)
        .def_prop_ro("frame", &Game::frame)
        .def_prop_ro("stats", [](const Game& game) { return Stats(game.stats()); })
        .def_prop_ro("top_out", [](const Game& game) { return name_of(game.top_out()); })
        .def(
            "placements",
            [](const Game& game, nb::handle hold) {
                std::vector<Placement> list;
                game.placements(argument<bool>(hold, ErrorKind::placement, "hold"), list);
                return list;
            },
            nb::arg("hold").none())
        .def(
            "find_move",
            [](const Game& game, nb::handle placement, nb::handle hold) {
                return game.find_move(placement_argument(placement), hold_argument(hold)).placement;
            },
            nb::arg("placement").none(), nb::arg("hold").none())
        .def(
            "play",
            [](Game& game, nb::handle placement, nb::handle hold, int frame) {
                Game::check_frame(frame);
                const auto move =
                    game.find_move(placement_argument(placement), hold_argument(hold));
                return LockResult(game.play(move, frame));
            },
            nb::arg("placement").none(), nb::arg("hold").none(), nb::arg("frame"))
        .def(
            "play_unchecked",
            [](Game& game, const Placement& placement, bool hold, int frame) {
                Game::check_frame(frame);
                if (!game.solid().fits(placement))
                    throw Error(ErrorKind::placement, "the placement does not fit");
                return LockResult(game.play({placement, hold}, frame));
            },
            nb::arg("placement").none(), nb::arg("hold").none(), nb::arg("frame"))
        .def("receive", &Game::receive, nb::arg("lines"), nb::arg("frame"))
        .def("set_attackers", &Game::set_attackers, nb::arg("attackers"));

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
        .def_prop_ro("over", &Versus::is_over)
        .def_prop_ro("winner",
                     [](const Versus& versus) -> std::optional<int> {
                         if (versus.winner() < 0) return std::nullopt;
                         return versus.winner();
                     })
        .def(
            "play",
            [](Versus& versus, nb::handle first, nb::handle second, nb::handle first_hold,
               nb::handle second_hold) {
                const Game::Move a = versus.player(0).find_move(placement_argument(first),
                                                                hold_argument(first_hold));
                const Game::Move b = versus.player(1).find_move(placement_argument(second),
                                                                hold_argument(second_hold));
                versus.play(a, b);
                return nb::make_tuple(LockResult(versus.player(0).last_lock()),
                                      LockResult(versus.player(1).last_lock()));
            },
            nb::arg("first").none(), nb::arg("second").none(), nb::arg("first_hold").none(),
            nb::arg("second_hold").none());
}

}  // namespace sevenbag::bind
