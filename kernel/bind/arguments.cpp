#include "arguments.hpp"

#include <string>
#include <utility>
#include <vector>

#include "parallel.hpp"

namespace nb = nanobind;

namespace sevenbag::bind {

std::string ascii(nb::handle text, bool escape) {
    const auto bytes = nb::steal<nb::bytes>(
        PyUnicode_AsEncodedString(text.ptr(), "ascii", escape ? "backslashreplace" : "replace"));
    if (!bytes.is_valid()) throw nb::python_error();
    return {bytes.c_str(), bytes.size()};
}

void refuse_argument(nb::handle value, ErrorKind kind, const char* name, const char* expected) {
    const nb::object shown = nb::module_::import_("sevenbag.errors").attr("shown")(value);
    throw_invalid(kind, name, expected, ascii(shown));
}

Piece piece_argument(nb::handle value) {
    if (nb::isinstance<nb::str>(value)) {
        const std::string text = ascii(value);
        if (text.size() == 1) return piece_from_letter(text[0]);
        throw_invalid(ErrorKind::piece, "piece", "one of I O T L J S Z",
                      "'" + text.substr(0, 40) + "'");
    }
    Piece piece;
    if (!nb::try_cast<Piece>(value, piece, false))
        refuse_argument(value, ErrorKind::piece, "piece", "a Piece or its letter: I O T L J S Z");
    return piece;
}

Placement placement_argument(nb::handle value) {
    return argument<Placement>(value, ErrorKind::placement, "placement");
}

Spawn spawn_argument(nb::handle value) {
    const auto [x, y] = argument<std::pair<int, int>>(value, ErrorKind::placement, "spawn");
    if (x < -64 || x > 64 || y < -64 || y > 64)
        throw_invalid(ErrorKind::placement, "spawn", "x and y from -64 to 64",
                      "(" + std::to_string(x) + ", " + std::to_string(y) + ")");
    return {static_cast<std::int8_t>(x), static_cast<std::int8_t>(y)};
}

KeySet keys_argument(nb::handle keys, int fallen) {
    check_range("gravity_rows", fallen, 0, kMaxGravityRows, ErrorKind::input);
    if (keys.is_none()) return kTapKeys;
    KeySet set;
    for (Key key : argument<std::vector<Key>>(keys, ErrorKind::input, "keys")) set.add(key);
    return set;
}

std::string text_argument(nb::handle value, ErrorKind kind, const char* name) {
    if (!nb::isinstance<nb::str>(value)) refuse_argument(value, kind, name, "a string");
    return ascii(value);
}

const Kicks& kicks_argument(nb::handle value) {
    if (nb::isinstance<nb::str>(value)) return find_kicks(ascii(value));
    if (!nb::isinstance<Kicks>(value))
        refuse_argument(value, ErrorKind::kicks, "rotation system",
                        "a Kicks or its name, such as 'srs+'");
    return nb::cast<const Kicks&>(value);
}

SpinRules spins_argument(nb::handle value) {
    if (nb::isinstance<nb::str>(value)) return find_spin_mode(ascii(value));
    SpinMode mode;
    if (nb::try_cast<SpinMode>(value, mode, false)) return mode;
    if (!nb::isinstance<SpinRules>(value))
        refuse_argument(value, ErrorKind::rules, "spin mode",
                        "a SpinMode or its name, such as 't-spins', or SpinRules");
    return nb::cast<SpinRules>(value);
}

std::vector<Piece> queue_argument(nb::handle value) {
    std::vector<Piece> queue;
    if (nb::isinstance<nb::str>(value)) {
        const std::string letters = ascii(value);
        if (letters.find('\\') != std::string::npos)
            throw_invalid(ErrorKind::piece, "queue", "letters of I O T L J S Z",
                          "'" + letters.substr(0, 40) + "'");
        for (char c : letters) queue.push_back(piece_from_letter(c));
        return queue;
    }
    if (!nb::isinstance<nb::iterable>(value))
        refuse_argument(value, ErrorKind::queue, "queue", "a string of piece letters, or pieces");
    for (nb::handle item : value) queue.push_back(piece_argument(item));
    return queue;
}

void check_threads(int threads, ErrorKind kind) {
    check_range("threads", threads, 1, kMaxThreads, kind);
}

}  // namespace sevenbag::bind
