// Bindings of frame-by-frame games; the public interface is in sevenbag.game.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <vector>

#include "arguments.hpp"
#include "conversions.hpp"
#include "error.hpp"
#include "frames/event_script.hpp"
#include "frames/frame_game.hpp"
#include "game.hpp"

namespace nb = nanobind;

namespace sevenbag::bind {

namespace {

constexpr std::array<std::string_view, 3> kInitialNames{"off", "hold", "tap"};

InitialAction initial_argument(const char* name, const std::string& value) {
    for (std::size_t i = 0; i < kInitialNames.size(); ++i)
        if (kInitialNames[i] == value) return static_cast<InitialAction>(i);
    throw_invalid(ErrorKind::rules, name, "off, hold or tap", "'" + value.substr(0, 40) + "'");
}

nb::str name_of(InitialAction action) {
    const std::string_view name = kInitialNames[static_cast<std::size_t>(action)];
    return nb::str(name.data(), name.size());
}

nb::object name_of(GameOverReason out) {
    constexpr const char* kNames[] = {"", "topout", "garbagesmash"};
    if (out == GameOverReason::none) return nb::none();
    return nb::cast(kNames[static_cast<std::size_t>(out)]);
}

std::vector<double> numbers_of(const nb::list& list) {
    std::vector<double> numbers;
    numbers.reserve(list.size());
    for (nb::handle item : list) {
        const double number = PyFloat_AsDouble(item.ptr());
        if (number == -1 && PyErr_Occurred()) throw nb::python_error();
        numbers.push_back(number);
    }
    return numbers;
}

void check_network(int lines, int hole, int width) {
    check_range("lines", lines, 0, kMaxAttack);
    check_range("hole", hole, -1, width - 1);
}

double subframe_argument(double subframe) {
    check_range("subframe", subframe, 0, 1, ErrorKind::input);
    return subframe;
}

void bind_settings(nb::module_& m) {
    nb::class_<Handling>(m, "Handling")
        .def(
            "__init__",
            [](Handling* self, double das, double arr, double dcd, double soft_drop, bool safe_lock,
               bool cancel, bool may_20g, const std::string& rotation, const std::string& hold) {
                const Handling made{das,
                                    arr,
                                    dcd,
                                    soft_drop,
                                    safe_lock,
                                    cancel,
                                    may_20g,
                                    initial_argument("initial_rotation", rotation),
                                    initial_argument("initial_hold", hold)};
                validate(made);
                new (self) Handling(made);
            },
            nb::kw_only(), nb::arg("das") = 10.0, nb::arg("arr") = 2.0, nb::arg("dcd") = 0.0,
            nb::arg("soft_drop") = 6.0, nb::arg("safe_lock") = true, nb::arg("cancel") = false,
            nb::arg("may_20g") = true, nb::arg("initial_rotation") = "off",
            nb::arg("initial_hold") = "off")
        .def_ro("das", &Handling::das)
        .def_ro("arr", &Handling::arr)
        .def_ro("dcd", &Handling::dcd)
        .def_ro("soft_drop", &Handling::soft_drop)
        .def_ro("safe_lock", &Handling::safe_lock)
        .def_ro("cancel", &Handling::cancel)
        .def_ro("may_20g", &Handling::may_20g)
        .def_prop_ro("initial_rotation",
                     [](const Handling& h) { return name_of(h.initial_rotation); })
        .def_prop_ro("initial_hold", [](const Handling& h) { return name_of(h.initial_hold); });

    nb::class_<FrameRules>(m, "FrameRules")
        .def(
            "__init__",
            [](FrameRules* self, double gravity, double growth, int margin, bool may_20g,
               double lock_time, int lock_resets, bool infinite_movement, bool infinite_hold,
               bool hard_drop, bool sends_attacks, bool cancels_in_flight, bool rounded) {
                FrameRules made;
                made.gravity = {.start = gravity, .per_second = growth, .margin = margin};
                made.gravity_may_20g = may_20g;
                made.lock_time = lock_time;
                made.lock_resets = lock_resets;
                made.infinite_movement = infinite_movement;
                made.infinite_hold = infinite_hold;
                made.hard_drop = hard_drop;
                made.sends_attacks = sends_attacks;
                made.cancels_in_flight = cancels_in_flight;
                made.rounded_heights = rounded;
                validate(made);
                new (self) FrameRules(made);
            },
            nb::kw_only(), nb::arg("gravity") = 0.02, nb::arg("gravity_growth") = 0.0,
            nb::arg("gravity_margin") = 0, nb::arg("gravity_may_20g") = true,
            nb::arg("lock_time") = 30.0, nb::arg("lock_resets") = 15,
            nb::arg("infinite_movement") = false, nb::arg("infinite_hold") = false,
            nb::arg("hard_drop") = true, nb::arg("sends_attacks") = true,
            nb::arg("cancels_in_flight") = true, nb::arg("rounded_heights") = true)
        .def_prop_ro("gravity", [](const FrameRules& r) { return r.gravity.start; })
        .def_prop_ro("gravity_growth", [](const FrameRules& r) { return r.gravity.per_second; })
        .def_prop_ro("gravity_margin", [](const FrameRules& r) { return r.gravity.margin; })
        .def_ro("gravity_may_20g", &FrameRules::gravity_may_20g)
        .def_ro("lock_time", &FrameRules::lock_time)
        .def_ro("lock_resets", &FrameRules::lock_resets)
        .def_ro("infinite_movement", &FrameRules::infinite_movement)
        .def_ro("infinite_hold", &FrameRules::infinite_hold)
        .def_ro("hard_drop", &FrameRules::hard_drop)
        .def_ro("sends_attacks", &FrameRules::sends_attacks)
        .def_ro("cancels_in_flight", &FrameRules::cancels_in_flight)
        .def_ro("rounded_heights", &FrameRules::rounded_heights);
}

nb::tuple sent_of(FrameGame& game) {
    nb::list items;
    for (const SentAttack& s : game.take_sent_attacks())
        items.append(nb::make_tuple(s.target, s.number, s.lines, s.acknowledged, s.frame, s.piece));
    return nb::tuple(items);
}

nb::object perform(FrameGame& game, const nb::list& script, int frames, bool record) {
    Game::check_frame(frames);
    const std::vector<double> numbers = numbers_of(script);
    std::vector<RecordedLock> locks;
    {
        nb::gil_scoped_release release;
        const EventScript unpacked = EventScript::unpack(numbers);
        ScriptRunner(game, unpacked).play(frames, record ? &locks : nullptr);
    }
    if (!record) return nb::none();
    nb::list items;
    for (const RecordedLock& r : locks)
        items.append(nb::make_tuple(r.lock, colors_of(r.grid), r.next, r.held));
    return items;
}

}  // namespace

void bind_frame_game(nb::module_& m) {
    bind_settings(m);

    nb::enum_<Button>(m, "Button", nb::is_arithmetic())
        .value("MOVE_LEFT", Button::move_left)
        .value("MOVE_RIGHT", Button::move_right)
        .value("SOFT_DROP", Button::soft_drop)
        .value("HARD_DROP", Button::hard_drop)
        .value("ROTATE_CW", Button::rotate_cw)
        .value("ROTATE_CCW", Button::rotate_ccw)
        .value("ROTATE_180", Button::rotate_180)
        .value("HOLD", Button::hold)
        .value("NONE", Button::none);

    nb::class_<FrameStats, Stats>(m, "FrameStats")
        .def_ro("inputs", &FrameStats::inputs)
        .def_ro("points", &FrameStats::points)
        .def_ro("max_spike", &FrameStats::max_spike)
        .def_ro("sent_unmultiplied", &FrameStats::sent_unmultiplied)
        .def_ro("max_spike_unmultiplied", &FrameStats::max_spike_unmultiplied)
        .def_ro("combo_power", &FrameStats::combo_power)
        .def_prop_ro("spins_without_lines", [](const FrameStats& t) {
            return nb::make_tuple(t.spins_without_lines[1], t.spins_without_lines[2]);
        });
    m.def("back_to_back_power", &back_to_back_power, nb::arg("back_to_back"));

    nb::class_<FrameGame>(m, "FrameGame")
        .def(
            "__init__",
            [](FrameGame* self, const Rules& rules, const FrameRules& time,
               const Handling& handling, std::int64_t seed) {
                new (self) FrameGame(std::make_shared<const Rules>(rules), time, handling, seed);
            },
            nb::arg("rules"), nb::arg("frame_rules"), nb::arg("handling"), nb::arg("seed"))
        .def(
            "press",
            [](FrameGame& game, Button button, double subframe, bool hoisted) {
                game.press(button, subframe_argument(subframe), hoisted);
            },
            nb::arg("button"), nb::arg("subframe") = 0.0, nb::arg("hoisted") = false)
        .def(
            "release",
            [](FrameGame& game, Button button, double subframe) {
                game.release(button, subframe_argument(subframe));
            },
            nb::arg("button"), nb::arg("subframe") = 0.0)
        .def("set_targets", &FrameGame::set_targets, nb::arg("players"))
        .def(
            "announce",
            [](FrameGame& game, int sender, int number, int lines, int acknowledged, int hole) {
                check_network(lines, hole, game.rules().width);
                game.announce({sender, number}, lines, acknowledged, hole);
            },
            nb::arg("sender"), nb::arg("number"), nb::arg("lines"), nb::arg("acknowledged"),
            nb::arg("hole") = -1)
        .def(
            "confirm",
            [](FrameGame& game, int sender, int number) { game.confirm({sender, number}); },
            nb::arg("sender"), nb::arg("number"))
        .def(
            "advance_to",
            [](FrameGame& game, double subframe) { game.advance_to(subframe_argument(subframe)); },
            nb::arg("subframe"))
        .def("end_frame", &FrameGame::end_frame)
        .def("run_script", &perform, nb::arg("script"), nb::arg("frames"),
             nb::arg("record") = false)
        .def("take_sent_attacks", &sent_of)
        .def_prop_ro("board",
                     [](const FrameGame& game) { return Board(game.colored_board().board); })
        .def_prop_ro("colors",
                     [](const FrameGame& game) { return colors_of(game.colored_board().grid); })
        .def_prop_ro("piece", [](const FrameGame& game) { return game.piece().placement(); })
        .def_prop_ro("is_hard_drop_blocked",
                     [](const FrameGame& game) { return game.piece().hard_drop_blocked(); })
        .def_prop_ro("handling", [](const FrameGame& game) { return Handling(game.handling()); })
        .def_prop_ro("height", [](const FrameGame& game) { return game.piece().height(); })
        .def_prop_ro("hold", &FrameGame::held)
        .def_prop_ro("previews", &previews_of<FrameGame>)
        .def_prop_ro("combo", [](const FrameGame& game) { return game.counters().combo; })
        .def_prop_ro("back_to_back",
                     [](const FrameGame& game) { return game.counters().back_to_back; })
        .def_prop_ro("pending", &pending_of<FrameGame>)
        .def_prop_ro("bag", &bag_of<FrameGame>)
        .def_prop_ro("filled_bag", &filled_bag_of<FrameGame>)
        .def_prop_ro("current", [](const FrameGame& game) { return game.piece().piece(); })
        .def_prop_ro("top_out", [](const FrameGame& game) { return name_of(game.top_out()); })
        .def_prop_ro("stats", [](const FrameGame& game) { return FrameStats(game.frame_stats()); })
        .def_prop_ro("last_lock",
                     [](const FrameGame& game) { return LockResult(game.last_lock()); })
        .def_prop_ro("frame", &FrameGame::frame)
        .def_prop_ro("subframe", &FrameGame::subframe)
        .def_prop_ro("duration", &FrameGame::duration)
        .def_prop_ro("game_over_reason",
                     [](const FrameGame& game) { return name_of(game.game_over_reason()); });
}

}  // namespace sevenbag::bind
