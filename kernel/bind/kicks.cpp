// Rotation systems and spin modes.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "bind.hpp"
#include "error.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sevenbag::bind {

const Kicks& kicks_argument(nb::handle value) {
    if (nb::isinstance<nb::str>(value)) return find_kicks(ascii(value));
    if (!nb::isinstance<Kicks>(value))
        throw nb::type_error("a rotation system is a Kicks or its name, such as 'srs+'");
    return nb::cast<const Kicks&>(value);
}

SpinRules spins_argument(nb::handle value) {
    if (nb::isinstance<nb::str>(value)) return find_spin_mode(ascii(value));
    if (nb::isinstance<SpinRules>(value)) return nb::cast<SpinRules>(value);
    SpinMode mode;
    if (!nb::try_cast<SpinMode>(value, mode, false))
        throw nb::type_error(
            "a spin mode is a SpinMode or its name, such as 't-spins', or part of SpinRules");
    return mode;
}

namespace {

using Offsets = std::vector<std::pair<int, int>>;
using Key = std::tuple<Piece, Rotation, Rotation>;
using Turns = std::map<Key, Offsets>;
using Spawns = std::map<Piece, Rotation>;

// All tests of all turns, as displacements of the box.
nb::dict turns_dict(const Kicks& kicks) {
    nb::dict turns;
    for (int p = 0; p < kPieces; ++p)
        for (int from = 0; from < kRotations; ++from)
            for (int to = 0; to < kRotations; ++to) {
                const auto piece = static_cast<Piece>(p);
                const Tests& tests = kicks.table().of(piece, from, to);
                if (!tests.exists) continue;
                const Cell plain = detail::plain_turn(piece, from, to);
                Offsets offsets;
                for (std::size_t i = 0; i < tests.count; ++i)
                    offsets.emplace_back(tests.displacement[i].x - plain.x,
                                         tests.displacement[i].y - plain.y);
                const Key key{piece, static_cast<Rotation>(from), static_cast<Rotation>(to)};
                turns[nb::cast(key)] = nb::cast(offsets);
            }
    return turns;
}

Spawns spawns_of(const Kicks& kicks) {
    Spawns spawns;
    for (int p = 0; p < kPieces; ++p) {
        const auto piece = static_cast<Piece>(p);
        if (kicks.spawn(piece) != Rotation::north) spawns[piece] = kicks.spawn(piece);
    }
    return spawns;
}

Kicks kicks_from_turns(const std::string& name, const Turns& turns, const Spawns& spawns) {
    std::vector<Turn> all;
    for (const auto& [key, offsets] : turns) {
        const auto [piece, from, to] = key;
        Turn turn{piece, static_cast<int>(from), static_cast<int>(to), {}};
        for (const auto& [x, y] : offsets)
            // Far is far: what a small number cannot hold is refused as what it becomes.
            turn.tests.push_back({static_cast<std::int8_t>(std::clamp(x, -99, 99)),
                                  static_cast<std::int8_t>(std::clamp(y, -99, 99))});
        all.push_back(std::move(turn));
    }
    std::array<Rotation, kPieces> spawn{};
    for (const auto& [piece, rotation] : spawns) spawn[static_cast<std::size_t>(piece)] = rotation;
    return make_kicks(name, all, spawn);
}

// The place of a name in a list of all that are right.
template <class Value>
Value chosen(const char* what, const std::string& name,
             const std::array<std::string_view, 3>& names) {
    std::string all;
    int i = 0;
    for (std::string_view known : names) {
        if (name == known) return static_cast<Value>(i);
        ++i;
        all += (all.empty() ? "" : ", ") + std::string(known);
    }
    throw Error(ErrorKind::rules,
                std::string(what) + " is '" + name.substr(0, 40) + "', must be one of " + all);
}

template <class Value>
std::string chosen_name(Value value, const std::array<std::string_view, 3>& names) {
    return std::string(names[static_cast<std::size_t>(value)]);
}

SpinRules make_spin_rules(nb::handle mode, const std::string& kicks, const std::string& shift,
                          bool hold, bool top) {
    SpinRules rules = spins_argument(mode).mode;
    rules.full_kicks = chosen<FullKicks>("kicks", kicks, kFullKickNames);
    rules.on_shift = chosen<OnShift>("shift", shift, kOnShiftNames);
    rules.hold_keeps = hold;
    rules.top_filled = top;
    return rules;
}

nb::tuple parts_of(const SpinRules& r) {
    return nb::make_tuple(r.mode, chosen_name(r.full_kicks, kFullKickNames),
                          chosen_name(r.on_shift, kOnShiftNames), r.hold_keeps, r.top_filled);
}

void bind_spin_rules(nb::module_& m) {
    nb::class_<SpinRules>(m, "SpinRules")
        .def(
            "__init__",
            [](SpinRules* self, nb::handle mode, const std::string& kicks, const std::string& shift,
               bool hold,
               bool top) { new (self) SpinRules(make_spin_rules(mode, kicks, shift, hold, top)); },
            "mode"_a, nb::kw_only(), "kicks"_a = "downward", "shift"_a = "ends", "hold"_a = false,
            "top"_a = false)
        .def_ro("mode", &SpinRules::mode)
        .def_prop_ro("kicks", [](const SpinRules& r) { return parts_of(r)[1]; })
        .def_prop_ro("shift", [](const SpinRules& r) { return parts_of(r)[2]; })
        .def_ro("hold", &SpinRules::hold_keeps)
        .def_ro("top", &SpinRules::top_filled)
        .def("__repr__",
             [](const SpinRules& r) {
                 const nb::tuple p = parts_of(r);
                 return nb::str("SpinRules('{}', kicks='{}', shift='{}', hold={}, top={})")
                     .format(std::string(name(r.mode)), p[1], p[2], r.hold_keeps, r.top_filled);
             })
        .def("__eq__",
             [](const SpinRules& a, nb::handle b) {
                 return nb::isinstance<SpinRules>(b) && a == nb::cast<const SpinRules&>(b);
             })
        .def("__hash__", [](const SpinRules& r) { return nb::hash(parts_of(r)); })
        .def("__getstate__", &parts_of)
        .def("__setstate__",
             [](SpinRules& self,
                const std::tuple<SpinMode, std::string, std::string, bool, bool>& state) {
                 const auto& [mode, kicks, shift, hold, top] = state;
                 new (&self) SpinRules(make_spin_rules(nb::cast(mode), kicks, shift, hold, top));
             });
}

// Whether its name alone says it all.
bool is_known(const Kicks& kicks) {
    const Kicks* known = known_kicks(kicks.name());
    return known && *known == kicks;
}

// The form of files is Python's to read.
nb::object read_with(const char* function, nb::handle source, nb::handle name) {
    return nb::module_::import_("sevenbag.game.kicks_file").attr(function)(source, name);
}

}  // namespace

void bind_kicks(nb::module_& m) {
    m.def("spin_mode", [](const std::string& name) { return find_spin_mode(name); }, "name"_a);
    m.def(
        "spin_mode_name",
        [](nb::handle mode) { return std::string(name(spins_argument(mode).mode)); }, "mode"_a);
    bind_spin_rules(m);
    m.attr("MAX_KICKS") = kMaxTests - 1;
    m.attr("MAX_KICK") = kMaxKick;

    nb::class_<Kicks>(m, "Kicks")
        .def(
            "__init__",
            [](Kicks* self, const std::string& name, bool half_turns) {
                const Kicks& kicks = find_kicks(name);
                new (self) Kicks(half_turns ? kicks : kicks.without_half_turns());
            },
            "name"_a, nb::kw_only(), "half_turns"_a = true)
        .def_prop_ro("name", &Kicks::name)
        .def_prop_ro("known", &is_known)
        .def_static("names",
                    [] {
                        std::vector<std::string> names;
                        for (const Kicks& k : all_kicks()) names.push_back(k.name());
                        return names;
                    })
        .def_static("from_turns", &kicks_from_turns, "name"_a, "turns"_a, "spawns"_a = Spawns())
        .def_static(
            "from_file", [](nb::handle path) { return read_with("read_file", path, nb::none()); },
            "path"_a)
        .def_static(
            "from_text",
            [](const nb::str& text, const nb::str& name) {
                return read_with("read_text", text, name);
            },
            "text"_a, "name"_a = "own")
        .def("without_half_turns", &Kicks::without_half_turns)
        .def(
            "tests",
            [](const Kicks& k, nb::handle piece, Rotation start,
               Rotation end) -> std::optional<Offsets> {
                const Tests& tests = k.tests(piece_argument(piece), start, end);
                if (!tests.exists) return std::nullopt;
                Offsets list;
                for (std::size_t i = 0; i < tests.count; ++i)
                    list.emplace_back(tests.displacement[i].x, tests.displacement[i].y);
                return list;
            },
            "piece"_a, "start"_a, "end"_a)
        .def("turns", &turns_dict)
        .def(
            "spawn",
            [](const Kicks& k, nb::handle piece) { return k.spawn(piece_argument(piece)); },
            "piece"_a)
        .def("__repr__",
             [](const Kicks& k) {
                 return is_known(k) ? "Kicks('" + k.name() + "')"
                                    : "<Kicks '" + k.name() + "', of one's own>";
             })
        .def("__eq__",
             [](const Kicks& a, nb::handle b) {
                 return nb::isinstance<Kicks>(b) && a == nb::cast<const Kicks&>(b);
             })
        .def("__hash__", &Kicks::hash)
        .def("__getstate__",
             [](const Kicks& k) { return nb::make_tuple(k.name(), turns_dict(k), spawns_of(k)); })
        .def("__setstate__", [](Kicks& self, const std::tuple<std::string, Turns, Spawns>& state) {
            const auto& [name, turns, spawns] = state;
            const Kicks* known = known_kicks(name);
            const Kicks kicks = kicks_from_turns(name, turns, spawns);
            new (&self) Kicks(known && *known == kicks ? *known : kicks);
        });
}

}  // namespace sevenbag::bind
