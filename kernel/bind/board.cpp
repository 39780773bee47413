// Pieces, placements, boards, perft.
#include <nanobind/make_iterator.h>
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <string>
#include <system_error>
#include <thread>

#include "arguments.hpp"
#include "board.hpp"
#include "dispatch.hpp"
#include "error.hpp"
#include "key_path.hpp"
#include "perft.hpp"
#include "rotation.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sevenbag::bind {

namespace {

constexpr const char* kRotationNames[] = {"NORTH", "EAST", "SOUTH", "WEST"};
constexpr const char* kSpinNames[] = {"NONE", "MINI", "FULL"};

Placement make_placement(nb::handle piece, nb::handle rotation_given, nb::handle x_given,
                         nb::handle y_given, nb::handle spin_given) {
    constexpr auto kKind = ErrorKind::placement;
    const auto rotation = argument<Rotation>(rotation_given, kKind, "rotation");
    const int x = argument<int>(x_given, kKind, "x");
    const int y = argument<int>(y_given, kKind, "y");
    const auto spin = argument<Spin>(spin_given, kKind, "spin");
    // Far enough out for any board, and near enough that no form of it wraps.
    if (x < -64 || x > 64 || y < -64 || y > 120)
        throw_invalid(ErrorKind::placement, "placement", "x from -64 to 64 and y from -64 to 120",
                      "x " + std::to_string(x) + ", y " + std::to_string(y));
    return {piece_argument(piece), rotation, static_cast<std::int8_t>(x),
            static_cast<std::int8_t>(y), spin};
}

std::vector<std::pair<int, int>> sorted_cells(const Placement& p) {
    std::vector<std::pair<int, int>> cells;
    for (Cell c : cells_of(p)) cells.emplace_back(c.x, c.y);
    std::sort(cells.begin(), cells.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second, a.first) < std::pair(b.second, b.first);
    });
    return cells;
}

bool same_cells(const Placement& a, const Placement& b) {
    const Placement ca = canonical(a);
    const Placement cb = canonical(b);
    return ca.piece == cb.piece && ca.rotation == cb.rotation && ca.x == cb.x && ca.y == cb.y;
}

std::string describe(const Placement& p) {
    std::string text = std::string("Placement('") + letter(p.piece) + "', Rotation." +
                       kRotationNames[static_cast<int>(p.rotation)] + ", " + std::to_string(p.x) +
                       ", " + std::to_string(p.y);
    if (p.spin != Spin::none) text += std::string(", Spin.") + kSpinNames[static_cast<int>(p.spin)];
    return text + ")";
}

// Placements as the generator wrote them; Python objects are made one by one.
struct Placements {
    std::vector<Placement> items;
};

Placement at(const Placements& list, Py_ssize_t i) {
    const auto size = static_cast<Py_ssize_t>(list.items.size());
    if (i < 0) i += size;
    if (i < 0 || i >= size) throw nb::index_error("placement index out of range");
    return list.items[static_cast<std::size_t>(i)];
}

constexpr std::string_view kEmptyCells = "._ 0";
constexpr std::string_view kFilledCells = "#Xx1GgBbIOTLJSZiotljsz";

Board board_from_rows(const std::vector<std::string>& rows, int height) {
    if (rows.empty()) return Board(kDefaultWidth, height);
    Board board(static_cast<int>(rows[0].size()), height);
    if (static_cast<int>(rows.size()) > height)
        throw_invalid(ErrorKind::board, "rows", "at most " + std::to_string(height),
                      std::to_string(rows.size()));
    for (std::size_t y = 0; y < rows.size(); ++y) {
        if (rows[y].size() != rows[0].size())
            throw_invalid(ErrorKind::board, "row " + std::to_string(y),
                          std::to_string(rows[0].size()) + " cells, as in the bottom row",
                          std::to_string(rows[y].size()));
        for (std::size_t x = 0; x < rows[y].size(); ++x) {
            const char cell = rows[y][x];
            const bool filled = kFilledCells.find(cell) != std::string_view::npos;
            if (!filled && kEmptyCells.find(cell) == std::string_view::npos)
                throw Error(ErrorKind::board,
                            "invalid cell: expected . _ 0 or a blank for an empty one, # X 1 G B "
                            "or a piece's letter for a filled one, got '" +
                                std::string(1, cell) + "' in '" + rows[y].substr(0, 40) + "'");
            board.set(static_cast<int>(x), static_cast<int>(y), filled);
        }
    }
    return board;
}

bool is_blank(const std::string& line) {
    return line.find_first_not_of(" \t") == std::string::npos;
}

// Parse a drawing: blank lines around it are ignored, and common leading blanks are indentation.
Board board_from_text(const std::string& text, int height) {
    std::vector<std::string> lines;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        lines.push_back(text.substr(start, end - start));
        if (!lines.back().empty() && lines.back().back() == '\r') lines.back().pop_back();
        start = end + 1;
    }
    std::size_t first = 0;
    while (!lines.empty() && is_blank(lines.back())) lines.pop_back();
    while (first < lines.size() && is_blank(lines[first])) ++first;
    std::size_t indent = std::string::npos;
    for (std::size_t i = first; i < lines.size(); ++i)
        if (!is_blank(lines[i])) indent = std::min(indent, lines[i].find_first_not_of(" \t"));
    std::vector<std::string> rows;
    for (std::size_t i = first; i < lines.size(); ++i) {
        const std::string row = lines[i].size() > indent ? lines[i].substr(indent) : "";
        const std::string here = "line " + std::to_string(i + 1);
        if (row.find('\t') != std::string::npos)
            throw_invalid(ErrorKind::board, here, "cells", "a tab");
        if (!rows.empty() && row.size() != rows[0].size())
            throw_invalid(ErrorKind::board, here,
                          std::to_string(rows[0].size()) + " cells (spaces included), as in line " +
                              std::to_string(first + 1),
                          std::to_string(row.size()));
        rows.push_back(row);
    }
    std::reverse(rows.begin(), rows.end());
    return board_from_rows(rows, height);
}

std::string board_text(const Board& board) {
    std::string text;
    for (int y = std::max(board.height(), 1) - 1; y >= 0; --y) {
        for (int x = 0; x < board.width(); ++x) text += board.is_occupied(x, y) ? '#' : '.';
        if (y > 0) text += '\n';
    }
    return text;
}

std::pair<int, int> cell_argument(const Board& board, nb::handle value) {
    const auto cell = argument<std::pair<int, int>>(value, ErrorKind::board, "cell");
    if (!board.contains(cell.first, cell.second))
        throw_invalid(ErrorKind::board, "cell",
                      "a cell within " + std::to_string(board.width()) + " columns and " +
                          std::to_string(board.rows()) + " rows",
                      "(" + std::to_string(cell.first) + ", " + std::to_string(cell.second) + ")");
    return cell;
}

std::optional<std::pair<Placement, int>> rotate_on(const Board& board, nb::handle given,
                                                   nb::handle to_given, nb::handle kicks,
                                                   nb::handle spins) {
    const Placement placement = placement_argument(given);
    const auto to = argument<Rotation>(to_given, ErrorKind::placement, "to");
    if (!board.fits(placement))
        throw Error(ErrorKind::placement,
                    describe(placement) + " does not fit: a cell is filled or outside the board");
    const auto rotated = rotate(board, placement, to, kicks_argument(kicks), spins_argument(spins));
    if (!rotated) return std::nullopt;
    return std::pair(rotated->placement, rotated->test);
}

// Run count(stop) in another thread. This thread, which must not hold the GIL, polls for signals:
// Ctrl-C sets `stop` and raises the exception of its handler.
template <class Count>
std::uint64_t interruptible(const Count& count) {
    bool stop = false;
    std::uint64_t leaves = 0;
    std::packaged_task<void()> task([&] { leaves = count(&stop); });
    std::future<void> done = task.get_future();
    std::jthread thread;
    try {
        thread = std::jthread(std::move(task));
    } catch (const std::system_error&) {
        return count(nullptr);  // the machine has no thread to spare
    }
    while (done.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
        const nb::gil_scoped_acquire held;
        if (PyErr_CheckSignals() == 0) continue;
        __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
        throw nb::python_error();
    }
    done.get();
    return leaves;
}

std::uint64_t run_perft(nb::handle queue_value, nb::handle depth, nb::handle kicks_value,
                        nb::handle board, nb::handle spins_value, nb::handle spawn_value,
                        nb::handle threads_value) {
    std::vector<Piece> queue = queue_argument(queue_value);
    const int wanted = depth.is_none() ? static_cast<int>(queue.size())
                                       : argument<int>(depth, ErrorKind::queue, "depth");
    const int threads = argument<int>(threads_value, ErrorKind::queue, "threads");
    if (wanted < 0 || wanted > static_cast<int>(queue.size()))
        throw_invalid(ErrorKind::queue, "depth",
                      "0 to " + std::to_string(queue.size()) + ", the length of the queue",
                      std::to_string(wanted));
    // A larger depth is a mistake: it would never end.
    check_range("depth", wanted, 0, 64, ErrorKind::queue);
    check_threads(threads, ErrorKind::queue);
    queue.resize(static_cast<std::size_t>(wanted));
    const Kicks& kicks = kicks_argument(kicks_value);
    const SpinRules spins = spins_argument(spins_value);
    const Spawn spawn = spawn_argument(spawn_value);
    const Board start =
        board.is_none() ? Board() : argument<Board>(board, ErrorKind::board, "board");
    const auto count = [=, &kicks](const bool* stop) {
        return perft(start, queue, kicks, spawn, spins, threads, stop);
    };
    const nb::gil_scoped_release others_run;
    // Short counts need no thread.
    return wanted <= 3 ? count(nullptr) : interruptible(count);
}

}  // namespace

void bind_board(nb::module_& m) {
    nb::enum_<Piece>(m, "Piece", nb::is_arithmetic())
        .value("I", Piece::I)
        .value("O", Piece::O)
        .value("T", Piece::T)
        .value("L", Piece::L)
        .value("J", Piece::J)
        .value("S", Piece::S)
        .value("Z", Piece::Z);
    nb::enum_<Rotation>(m, "Rotation", nb::is_arithmetic())
        .value("NORTH", Rotation::north)
        .value("EAST", Rotation::east)
        .value("SOUTH", Rotation::south)
        .value("WEST", Rotation::west);
    nb::enum_<Spin>(m, "Spin", nb::is_arithmetic())
        .value("NONE", Spin::none)
        .value("MINI", Spin::mini)
        .value("FULL", Spin::full);
    nb::enum_<SpinMode>(m, "SpinMode", nb::is_arithmetic())
        .value("NONE", SpinMode::none)
        .value("T_SPINS", SpinMode::t_spins)
        .value("T_SPINS_PLUS", SpinMode::t_spins_plus)
        .value("ALL", SpinMode::all)
        .value("ALL_PLUS", SpinMode::all_plus)
        .value("ALL_MINI", SpinMode::all_mini)
        .value("ALL_MINI_PLUS", SpinMode::all_mini_plus)
        .value("MINI_ONLY", SpinMode::mini_only)
        .value("HANDHELD", SpinMode::handheld)
        .value("STUPID", SpinMode::stupid)
        .value("IMMOBILE", SpinMode::immobile);
    nb::enum_<Key>(m, "Key", nb::is_arithmetic())
        .value("LEFT", Key::left)
        .value("RIGHT", Key::right)
        .value("CW", Key::cw)
        .value("CCW", Key::ccw)
        .value("FLIP", Key::flip)
        .value("SOFT_DROP", Key::soft_drop)
        .value("SONIC_DROP", Key::sonic_drop)
        .value("HARD_DROP", Key::hard_drop)
        .value("DAS_LEFT", Key::das_left)
        .value("DAS_RIGHT", Key::das_right);

    nb::class_<Placement>(m, "Placement")
        .def(
            "__init__",
            [](Placement* self, nb::handle piece, nb::handle rotation, nb::handle x, nb::handle y,
               nb::handle spin) {
                new (self) Placement(make_placement(piece, rotation, x, y, spin));
            },
            "piece"_a.none(), "rotation"_a.none(), "x"_a.none(), "y"_a.none(),
            "spin"_a.none() = Spin::none)
        .def_ro("piece", &Placement::piece)
        .def_ro("rotation", &Placement::rotation)
        .def_prop_ro("x", [](const Placement& p) { return static_cast<int>(p.x); })
        .def_prop_ro("y", [](const Placement& p) { return static_cast<int>(p.y); })
        .def_ro("spin", &Placement::spin)
        .def_prop_ro("cells", &sorted_cells)
        .def("canonical", [](const Placement& p) { return canonical(p); })
        .def(
            "same_cells",
            [](const Placement& p, nb::handle other) {
                return same_cells(p, placement_argument(other));
            },
            "other"_a.none())
        .def("__repr__", &describe)
        .def(
            "__eq__",
            [](const Placement& a, nb::handle b) {
                return nb::isinstance<Placement>(b) && a == nb::cast<const Placement&>(b);
            },
            nb::is_operator())
        .def("__hash__",
             [](const Placement& p) {
                 return static_cast<std::size_t>(static_cast<int>(p.piece)) |
                        static_cast<std::size_t>(p.rotation) << 3 |
                        static_cast<std::size_t>(p.spin) << 5 |
                        static_cast<std::size_t>(p.x + 128) << 7 |
                        static_cast<std::size_t>(p.y + 128) << 15;
             })
        .def("__reduce__", [](const Placement& p) {
            return nb::make_tuple(nb::type<Placement>(),
                                  nb::make_tuple(p.piece, p.rotation, static_cast<int>(p.x),
                                                 static_cast<int>(p.y), p.spin));
        });

    nb::class_<Placements>(m, "Placements")
        .def("__len__", [](const Placements& l) { return l.items.size(); })
        .def("__getitem__", &at, "index"_a.none())
        .def(
            "__getitem__",
            [](const Placements& l, nb::slice slice) {
                const auto [start, stop, step, length] = slice.compute(l.items.size());
                std::vector<Placement> part;
                for (std::size_t i = 0; i < length; ++i)
                    part.push_back(l.items[static_cast<std::size_t>(
                        static_cast<Py_ssize_t>(start) + static_cast<Py_ssize_t>(i) * step)]);
                return part;
            },
            "index"_a.none())
        .def(
            "__iter__",
            [](const Placements& l) {
                return nb::make_iterator<nb::rv_policy::copy>(nb::type<Placements>(), "iterator",
                                                              l.items.begin(), l.items.end());
            },
            nb::keep_alive<0, 1>())
        .def("__contains__", [](const Placements& l, nb::handle placement) {
            return nb::isinstance<Placement>(placement) &&
                   std::find(l.items.begin(), l.items.end(),
                             nb::cast<const Placement&>(placement)) != l.items.end();
        });
    nb::module_::import_("collections.abc").attr("Sequence").attr("register")(m.attr("Placements"));

    nb::class_<Board>(m, "Board")
        .def(
            "__init__",
            [](Board* self, nb::handle width, nb::handle rows) {
                new (self) Board(argument<int>(width, ErrorKind::board, "width"),
                                 argument<int>(rows, ErrorKind::board, "rows"));
            },
            "width"_a.none() = kDefaultWidth, "rows"_a.none() = kDefaultRows)
        .def_static(
            "from_rows",
            [](nb::handle rows, nb::handle height) {
                std::vector<std::string> letters;
                if (!nb::isinstance<nb::iterable>(rows) || nb::isinstance<nb::str>(rows))
                    refuse_argument(rows, ErrorKind::board, "rows", "a sequence of strings");
                for (nb::handle row : rows) {
                    if (!nb::isinstance<nb::str>(row))
                        refuse_argument(row, ErrorKind::board, "row", "a string");
                    letters.push_back(ascii(row, false));
                }
                return board_from_rows(letters, argument<int>(height, ErrorKind::board, "height"));
            },
            "rows"_a.none(), nb::kw_only(), "height"_a.none() = 40)
        .def_static(
            "from_text",
            [](nb::handle text, nb::handle height) {
                if (!nb::isinstance<nb::str>(text))
                    refuse_argument(text, ErrorKind::board, "text", "a string");
                return board_from_text(ascii(text, false),
                                       argument<int>(height, ErrorKind::board, "height"));
            },
            "text"_a.none(), nb::kw_only(), "height"_a.none() = 40)
        .def_prop_ro("width", &Board::width)
        .def_prop_ro("rows", &Board::rows)
        .def_prop_ro("height", &Board::height)
        .def_prop_ro("is_empty", &Board::empty)
        .def_prop_ro("cell_count", &Board::count)
        .def(
            "__getitem__",
            [](const Board& b, nb::handle cell) {
                const auto [x, y] = cell_argument(b, cell);
                return b.is_occupied(x, y);
            },
            "cell"_a.none())
        .def(
            "__setitem__",
            [](Board& b, nb::handle cell, nb::handle filled) {
                const auto [x, y] = cell_argument(b, cell);
                b.set(x, y, argument<bool>(filled, ErrorKind::board, "cell"));
            },
            "cell"_a.none(), "filled"_a.none())
        .def(
            "row",
            [](const Board& b, nb::handle y) {
                return b.row(cell_argument(b, nb::make_tuple(0, y)).second);
            },
            "y"_a.none())
        .def(
            "fits",
            [](const Board& b, nb::handle placement) {
                return b.fits(placement_argument(placement));
            },
            "placement"_a.none())
        .def(
            "is_resting",
            [](const Board& b, nb::handle placement) {
                return b.is_resting(placement_argument(placement));
            },
            "placement"_a.none())
        .def(
            "placements",
            [](const Board& b, nb::handle piece, nb::handle kicks, nb::handle spins,
               nb::handle spawn) {
                Placements list;
                generate_placements(b, piece_argument(piece), kicks_argument(kicks),
                                    spawn_argument(spawn), spins_argument(spins), list.items);
                return list;
            },
            "piece"_a.none(), "kicks"_a.none() = "srs", nb::kw_only(),
            "spins"_a.none() = SpinMode::none, "spawn"_a.none() = std::pair(4, 19))
        .def(
            "find_path",
            [](const Board& b, nb::handle placement, nb::handle kicks, nb::handle spins,
               nb::handle spawn, nb::handle keys, nb::handle fallen) {
                const int rows = argument<int>(fallen, ErrorKind::input, "gravity_rows");
                const KeySet set = keys_argument(keys, rows);
                const Kicks& system = kicks_argument(kicks);
                const Spawn at = spawn_argument(spawn);
                return find_path(b, placement_argument(placement), system, at,
                                 spins_argument(spins), set, rows);
            },
            "placement"_a.none(), "kicks"_a.none() = "srs", nb::kw_only(),
            "spins"_a.none() = SpinMode::none, "spawn"_a.none() = std::pair(4, 19),
            "keys"_a.none() = nb::none(), "gravity_rows"_a.none() = 0)
        .def(
            "apply_keys",
            [](const Board& b, nb::handle piece, nb::handle keys, nb::handle kicks,
               nb::handle spins, nb::handle spawn) {
                const auto pressed = argument<std::vector<Key>>(keys, ErrorKind::input, "keys");
                return follow_keys(b, piece_argument(piece), pressed, kicks_argument(kicks),
                                   spawn_argument(spawn), spins_argument(spins));
            },
            "piece"_a.none(), "keys"_a.none(), "kicks"_a.none() = "srs", nb::kw_only(),
            "spins"_a.none() = SpinMode::none, "spawn"_a.none() = std::pair(4, 19))
        .def("rotate", &rotate_on, "placement"_a.none(), "to"_a.none(), "kicks"_a.none() = "srs",
             nb::kw_only(), "spins"_a.none() = SpinMode::none)
        .def(
            "lock",
            [](Board& b, nb::handle placement) {
                return std::popcount(b.lock(placement_argument(placement)));
            },
            "placement"_a.none())
        .def(
            "add_garbage",
            [](Board& b, nb::handle hole, nb::handle count) {
                b.add_garbage(argument<int>(hole, ErrorKind::board, "hole"),
                              argument<int>(count, ErrorKind::board, "count"));
            },
            "hole"_a.none(), "count"_a.none() = 1)
        .def("copy", [](const Board& b) { return b; })
        .def("__copy__", [](const Board& b) { return b; })
        .def(
            "__eq__",
            [](const Board& a, nb::handle b) {
                return nb::isinstance<Board>(b) && a == nb::cast<const Board&>(b);
            },
            nb::is_operator())
        .def("__getstate__",
             [](const Board& b) {
                 std::vector<std::uint32_t> cells;
                 for (int y = 0; y < b.height(); ++y) cells.push_back(b.row(y));
                 return std::tuple(b.width(), b.rows(), cells);
             })
        .def("__setstate__",
             [](Board& b, const std::tuple<int, int, std::vector<std::uint32_t>>& state) {
                 const auto& [width, rows, cells] = state;
                 Board board(width, rows);
                 if (static_cast<int>(cells.size()) > rows)
                     throw Error(ErrorKind::board, "a pickled board has too many rows");
                 for (std::size_t y = 0; y < cells.size(); ++y)
                     board.set_row(static_cast<int>(y), cells[y] & board.full_row());
                 new (&b) Board(board);
             })
        .def("__str__", &board_text)
        .def("__repr__", [](const Board& b) {
            return "<Board " + std::to_string(b.width()) + "x" + std::to_string(b.rows()) + ", " +
                   std::to_string(b.count()) + " cells filled, height " +
                   std::to_string(b.height()) + ">";
        });

    // Boards are mutable and therefore not hashable.
    m.attr("Board").attr("__hash__") = nb::none();
    m.def("perft", &run_perft, "queue"_a.none(), "depth"_a.none() = nb::none(),
          "kicks"_a.none() = "srs", nb::kw_only(), "board"_a.none() = nb::none(),
          "spins"_a.none() = SpinMode::none, "spawn"_a.none() = std::pair(4, 19),
          "threads"_a.none() = 1);
    m.def("instruction_set", [] { return std::string(instruction_set()); });
}

}  // namespace sevenbag::bind
