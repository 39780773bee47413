// Conversion and validation of arguments, shared by the binding files.
#pragma once

#include <nanobind/nanobind.h>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error.hpp"
#include "key_path.hpp"
#include "kicks.hpp"
#include "movegen.hpp"
#include "piece.hpp"

namespace sevenbag::bind {

// A Python string with every character that is not ASCII written out (escape) or as '?'.
std::string ascii(nanobind::handle text, bool escape = true);
// Throws Error(kind): "invalid NAME: expected EXPECTED, got VALUE".
[[noreturn]] void refuse_argument(nanobind::handle value, ErrorKind kind, const char* name,
                                  const char* expected);

// Convert a string to ASCII. Other characters are escaped, so that they match no name.
std::string text_argument(nanobind::handle value, ErrorKind kind, const char* name);

// Description of the expected type in the errors of `argument`.
template <class T>
inline constexpr const char* kExpected = nullptr;
template <>
inline constexpr const char* kExpected<int> = "an integer of 32 bits";
template <>
inline constexpr const char* kExpected<bool> = "True or False";
template <>
inline constexpr const char* kExpected<std::string> = "a string";
template <>
inline constexpr const char* kExpected<std::pair<int, int>> = "two integers (x, y)";
template <>
inline constexpr const char* kExpected<Rotation> = "a Rotation";
template <>
inline constexpr const char* kExpected<Spin> = "a Spin";
template <>
inline constexpr const char* kExpected<std::vector<Key>> = "a sequence of Key";
template <>
inline constexpr const char* kExpected<Placement> = "a Placement";
template <>
inline constexpr const char* kExpected<Board> = "a Board";

// Converts an argument to T. Throws Error(kind), because nanobind's own TypeError shows the C++
// signature.
template <class T>
T argument(nanobind::handle value, ErrorKind kind, const char* name) {
    T result{};
    if (!nanobind::try_cast<T>(value, result)) refuse_argument(value, kind, name, kExpected<T>);
    return result;
}

// Convert a Piece or its letter in either case. Throws Error(piece).
Piece piece_argument(nanobind::handle value);
// Convert a Placement. Throws Error(placement).
Placement placement_argument(nanobind::handle value);
// Convert a Kicks or a system's name. Throws Error(kicks).
const Kicks& kicks_argument(nanobind::handle value);
// Convert SpinRules, a SpinMode or a mode's name. Throws Error(rules).
SpinRules spins_argument(nanobind::handle value);
// Convert (x, y) of a spawn, on the board or not. Throws Error(placement) beyond -64..64.
Spawn spawn_argument(nanobind::handle value);
// A string of piece letters, or an iterable of pieces. Throws Error(queue), Error(piece).
std::vector<Piece> queue_argument(nanobind::handle value);
// The available keys, all taps if None, for a piece that may have fallen this many rows. Throws
// Error(input) for an invalid number of rows.
KeySet keys_argument(nanobind::handle keys, int fallen);

// Throws Error(kind) unless `threads` is 1 to kMaxThreads.
void check_threads(int threads, ErrorKind kind);

// Python names of the values of FullKicks and OnShift, in their order.
inline constexpr std::array<std::string_view, 3> kFullKickNames{"downward", "fifth", "none"};
inline constexpr std::array<std::string_view, 3> kOnShiftNames{"ends", "keeps", "rejudges"};

// One function for each file of this folder.
void bind_board(nanobind::module_& m);
void bind_kicks(nanobind::module_& m);
void bind_rules(nanobind::module_& m);
void bind_garbage(nanobind::module_& m);
void bind_game(nanobind::module_& m);
void bind_frame_game(nanobind::module_& m);
void bind_beam_search(nanobind::module_& m);
void bind_game_batch(nanobind::module_& m);
void bind_pc_solver(nanobind::module_& m);
void bind_pc_file(nanobind::module_& m);
void bind_pc_tablebase(nanobind::module_& m);
void bind_pc_setup(nanobind::module_& m);

}  // namespace sevenbag::bind
