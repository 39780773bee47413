// Rotation systems and spin modes.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>

#include "arguments.hpp"
#include "error.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sevenbag::bind {

namespace {

using Offsets = std::vector<std::pair<int, int>>;
using TurnKey = std::tuple<Piece, Rotation, Rotation>;
using TurnMap = std::map<TurnKey, Offsets>;
using SpawnsGiven = std::map<Piece, Rotation>;
using ShapesGiven = std::map<Piece, std::vector<Offsets>>;

}  // namespace

template <>
inline constexpr const char* kExpected<TurnMap> =
    "a mapping from (Piece, Rotation, Rotation) to lists of (x, y)";
template <>
inline constexpr const char* kExpected<SpawnsGiven> = "a mapping from Piece to Rotation";
template <>
inline constexpr const char* kExpected<ShapesGiven> = "a mapping from Piece to lists of cells";

namespace {

// All tests of all turns, as displacements of the origin.
nb::dict turns_dict(const Kicks& kicks) {
    nb::dict turns;
    for (int p = 0; p < kPieces; ++p)
        for (int from = 0; from < kRotations; ++from)
            for (int to = 0; to < kRotations; ++to) {
                const auto piece = static_cast<Piece>(p);
                const KickTests& tests = kicks.table().of(piece, from, to);
                if (!tests.exists) continue;
                const Cell plain = detail::plain_turn(kicks.table(), piece, from, to);
                Offsets offsets;
                for (std::size_t i = 0; i < tests.count; ++i)
                    offsets.emplace_back(tests.displacement[i].x - plain.x,
                                         tests.displacement[i].y - plain.y);
                const TurnKey key{piece, static_cast<Rotation>(from), static_cast<Rotation>(to)};
                turns[nb::cast(key)] = nb::cast(offsets);
            }
    return turns;
}

SpawnsGiven spawns_of(const Kicks& kicks) {
    SpawnsGiven spawns;
    for (int p = 0; p < kPieces; ++p) {
        const auto piece = static_cast<Piece>(p);
        if (kicks.spawn(piece) != Rotation::north) spawns[piece] = kicks.spawn(piece);
    }
    return spawns;
}

// Cells from the origin, by rotation; sorted like those of a placement.
std::vector<Offsets> shapes_of(const Kicks& kicks, Piece piece) {
    std::vector<Offsets> shapes;
    for (int r = 0; r < kRotations; ++r) {
        const auto rotation = static_cast<Rotation>(r);
        const Cell centre = kicks.centre(piece, rotation);
        Offsets cells;
        for (Cell c : cells_of({piece, rotation, centre.x, centre.y})) cells.emplace_back(c.x, c.y);
        std::sort(cells.begin(), cells.end(), [](const auto& a, const auto& b) {
            return std::pair(a.second, a.first) < std::pair(b.second, b.first);
        });
        shapes.push_back(cells);
    }
    return shapes;
}

ShapesGiven own_shapes_of(const Kicks& kicks) {
    ShapesGiven shapes;
    for (int p = 0; p < kPieces; ++p) {
        const auto piece = static_cast<Piece>(p);
        if (kicks.has_own_shapes(piece)) shapes[piece] = shapes_of(kicks, piece);
    }
    return shapes;
}

// Clamp offsets to the range of a cell; large ones are rejected later in any case.
Cell near(const std::pair<int, int>& offset) {
    return {static_cast<std::int8_t>(std::clamp(offset.first, -99, 99)),
            static_cast<std::int8_t>(std::clamp(offset.second, -99, 99))};
}

void read_shapes(Piece piece, const std::vector<Offsets>& shapes,
                 std::array<Cell, kRotations>& centres) {
    const std::string what = std::string("piece ") + letter(piece);
    if (shapes.size() != 1 && shapes.size() != 2 && shapes.size() != 4)
        throw_invalid(ErrorKind::kicks, what, "1, 2 or 4 shapes", std::to_string(shapes.size()));
    for (std::size_t r = 0; r < kRotations; ++r) {
        const Offsets& shape = shapes[r % shapes.size()];
        if (shape.size() != 4)
            throw_invalid(ErrorKind::kicks, what + ", rotation " + std::to_string(r), "4 cells",
                          std::to_string(shape.size()));
        Cells cells;
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = near(shape[i]);
        centres[r] = centre_of(piece, static_cast<Rotation>(r), cells);
    }
}

// Check that rules and game files can store the name.
void check_name(const std::string& name) {
    constexpr std::string_view kWithout = " without 180";
    nb::object text = nb::cast(name);
    std::size_t length = nb::len(text);
    if (name.ends_with(kWithout)) length -= kWithout.size();
    if (length < 1 || length > kMaxKicksName || !nb::cast<bool>(text.attr("isprintable")()))
        throw_invalid(ErrorKind::kicks, "name",
                      "1 to " + std::to_string(kMaxKicksName) + " printable characters",
                      "'" + ascii(text).substr(0, 40) + "'");
}

Kicks kicks_from_turns(const std::string& name, const TurnMap& turns, const SpawnsGiven& spawns,
                       const ShapesGiven& shapes) {
    check_name(name);
    std::vector<TurnTests> all;
    for (const auto& [key, offsets] : turns) {
        const auto [piece, from, to] = key;
        TurnTests turn{piece, static_cast<int>(from), static_cast<int>(to), {}};
        std::transform(offsets.begin(), offsets.end(), std::back_inserter(turn.tests), near);
        all.push_back(std::move(turn));
    }
    Spawns spawn{};
    for (const auto& [piece, rotation] : spawns) spawn[static_cast<std::size_t>(piece)] = rotation;
    Centres centres = box_centres(spawn);
    for (const auto& [piece, given] : shapes)
        read_shapes(piece, given, centres[static_cast<std::size_t>(piece)]);
    Kicks kicks = make_kicks(name, all, spawn, centres);
    const Kicks* known = known_kicks(name);
    if (known && !(*known == kicks))
        throw_invalid(ErrorKind::kicks, "name", "a name that no other system has",
                      "'" + name + "'");
    return known ? *known : kicks;
}

// Return whether the name alone identifies the system.
bool is_known(const Kicks& kicks) {
    const Kicks* known = known_kicks(kicks.name());
    return known && *known == kicks;
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
    throw_invalid(ErrorKind::rules, what, "one of " + all, "'" + name.substr(0, 40) + "'");
}

template <class Value>
std::string chosen_name(Value value, const std::array<std::string_view, 3>& names) {
    return std::string(names[static_cast<std::size_t>(value)]);
}

SpinRules make_spin_rules(nb::handle mode, const std::string& kicks, const std::string& shift,
                          bool hold, bool top) {
    SpinRules rules = spins_argument(mode).mode;
    rules.full_kicks = chosen<FullKicks>("full_kicks", kicks, kFullKickNames);
    rules.on_shift = chosen<OnShift>("on_shift", shift, kOnShiftNames);
    rules.hold_keeps_spin = hold;
    rules.top_filled = top;
    return rules;
}

nb::tuple parts_of(const SpinRules& r) {
    return nb::make_tuple(r.mode, chosen_name(r.full_kicks, kFullKickNames),
                          chosen_name(r.on_shift, kOnShiftNames), r.hold_keeps_spin, r.top_filled);
}

void bind_spin_rules(nb::module_& m) {
    nb::class_<SpinRules>(m, "SpinRules")
        .def(
            "__init__",
            [](SpinRules* self, nb::handle mode, nb::handle kicks, nb::handle shift,
               nb::handle hold, nb::handle top) {
                constexpr auto kKind = ErrorKind::rules;
                new (self)
                    SpinRules(make_spin_rules(mode, text_argument(kicks, kKind, "full_kicks"),
                                              text_argument(shift, kKind, "on_shift"),
                                              argument<bool>(hold, kKind, "hold_keeps_spin"),
                                              argument<bool>(top, kKind, "top_filled")));
            },
            "mode"_a.none(), nb::kw_only(), "full_kicks"_a.none() = "downward",
            "on_shift"_a.none() = "ends", "hold_keeps_spin"_a.none() = false,
            "top_filled"_a.none() = false)
        .def_ro("mode", &SpinRules::mode)
        .def_prop_ro("full_kicks",
                     [](const SpinRules& r) { return chosen_name(r.full_kicks, kFullKickNames); })
        .def_prop_ro("on_shift",
                     [](const SpinRules& r) { return chosen_name(r.on_shift, kOnShiftNames); })
        .def_ro("hold_keeps_spin", &SpinRules::hold_keeps_spin)
        .def_ro("top_filled", &SpinRules::top_filled)
        .def("__repr__",
             [](const SpinRules& r) {
                 const nb::tuple p = parts_of(r);
                 return nb::str(
                            "SpinRules('{}', full_kicks='{}', on_shift='{}', "
                            "hold_keeps_spin={}, top_filled={})")
                     .format(std::string(spin_mode_name(r.mode)), p[1], p[2], r.hold_keeps_spin,
                             r.top_filled);
             })
        .def(
            "__eq__",
            [](const SpinRules& a, nb::handle b) {
                return nb::isinstance<SpinRules>(b) && a == nb::cast<const SpinRules&>(b);
            },
            nb::is_operator())
        .def("__hash__", [](const SpinRules& r) { return nb::hash(parts_of(r)); })
        .def("__getstate__", &parts_of)
        .def("__setstate__",
             [](SpinRules& self,
                const std::tuple<SpinMode, std::string, std::string, bool, bool>& state) {
                 const auto& [mode, kicks, shift, hold, top] = state;
                 new (&self) SpinRules(make_spin_rules(nb::cast(mode), kicks, shift, hold, top));
             });
}

}  // namespace

void bind_kicks(nb::module_& m) {
    m.def(
        "parse_spin_mode",
        [](nb::handle name) {
            return find_spin_mode(text_argument(name, ErrorKind::rules, "spin mode"));
        },
        "name"_a.none());
    m.def(
        "spin_mode_name",
        [](nb::handle mode) { return std::string(spin_mode_name(spins_argument(mode).mode)); },
        "mode"_a.none());
    bind_spin_rules(m);
    m.attr("MAX_KICKS") = kMaxTests - 1;
    m.attr("MAX_KICK_DISTANCE") = kMaxKick;
    m.attr("MAX_CELL_DISTANCE") = kMaxReach;

    nb::class_<Kicks>(m, "Kicks")
        .def(
            "__init__",
            [](Kicks* self, nb::handle name, nb::handle half_turns) {
                const Kicks& kicks =
                    find_kicks(text_argument(name, ErrorKind::kicks, "rotation system"));
                const bool half = argument<bool>(half_turns, ErrorKind::kicks, "half_turns");
                new (self) Kicks(half ? kicks : kicks.without_half_turns());
            },
            "name"_a.none(), nb::kw_only(), "half_turns"_a.none() = true)
        .def_prop_ro("name", &Kicks::name)
        .def_prop_ro("is_builtin", &is_known)
        .def_static("names",
                    [] {
                        std::vector<std::string> names;
                        for (const Kicks& k : all_kicks()) names.push_back(k.name());
                        return names;
                    })
        .def_static(
            "from_turns",
            [](nb::handle name, nb::handle turns, nb::handle spawns, nb::handle shapes) {
                constexpr auto kKind = ErrorKind::kicks;
                return kicks_from_turns(argument<std::string>(name, kKind, "name"),
                                        argument<TurnMap>(turns, kKind, "turns"),
                                        argument<SpawnsGiven>(spawns, kKind, "spawns"),
                                        argument<ShapesGiven>(shapes, kKind, "shapes"));
            },
            "name"_a.none(), "turns"_a.none(), "spawns"_a.none() = nb::dict(),
            "shapes"_a.none() = nb::dict())
        .def("without_half_turns", &Kicks::without_half_turns)
        .def(
            "tests",
            [](const Kicks& k, nb::handle piece, nb::handle start,
               nb::handle end) -> std::optional<Offsets> {
                const auto from = argument<Rotation>(start, ErrorKind::kicks, "start");
                const auto to = argument<Rotation>(end, ErrorKind::kicks, "end");
                const KickTests& tests = k.tests(piece_argument(piece), from, to);
                if (!tests.exists) return std::nullopt;
                Offsets list;
                for (std::size_t i = 0; i < tests.count; ++i)
                    list.emplace_back(tests.displacement[i].x, tests.displacement[i].y);
                return list;
            },
            "piece"_a.none(), "start"_a.none(), "end"_a.none())
        .def("turns", &turns_dict)
        .def(
            "spawn_rotation",
            [](const Kicks& k, nb::handle piece) { return k.spawn(piece_argument(piece)); },
            "piece"_a.none())
        .def(
            "shapes",
            [](const Kicks& k, nb::handle piece) { return shapes_of(k, piece_argument(piece)); },
            "piece"_a.none())
        .def(
            "has_custom_shapes",
            [](const Kicks& k, nb::handle piece) {
                return k.has_own_shapes(piece_argument(piece));
            },
            "piece"_a.none())
        .def(
            "spawn_at",
            [](const Kicks& k, nb::handle piece, nb::handle x, nb::handle y) {
                const Spawn spawn = spawn_argument(nb::make_tuple(x, y));
                return k.appear(piece_argument(piece), spawn.x, spawn.y);
            },
            "piece"_a.none(), "x"_a.none(), "y"_a.none())
        .def("__repr__",
             [](const Kicks& k) {
                 return is_known(k) ? "Kicks('" + k.name() + "')"
                                    : "<Kicks '" + k.name() + "', custom>";
             })
        .def(
            "__eq__",
            [](const Kicks& a, nb::handle b) {
                return nb::isinstance<Kicks>(b) && a == nb::cast<const Kicks&>(b);
            },
            nb::is_operator())
        .def("__hash__", &Kicks::hash)
        .def("__getstate__",
             [](const Kicks& k) {
                 return nb::make_tuple(k.name(), turns_dict(k), spawns_of(k), own_shapes_of(k));
             })
        .def("__setstate__",
             [](Kicks& self,
                const std::tuple<std::string, TurnMap, SpawnsGiven, ShapesGiven>& state) {
                 const auto& [name, turns, spawns, shapes] = state;
                 new (&self) Kicks(kicks_from_turns(name, turns, spawns, shapes));
             });
}

}  // namespace sevenbag::bind
