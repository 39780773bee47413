#include "spin.hpp"

#include <cctype>
#include <string>

#include "error.hpp"

namespace sevenbag {

namespace {

constexpr std::string_view kNames[kSpinModes] = {
    "none",      "T-spins",   "T-spins+", "all",    "all+",     "all-mini",
    "all-mini+", "mini-only", "handheld", "stupid", "immobile",
};

std::string plain_mode_name(std::string_view text) {
    std::string out;
    for (char c : text)
        out += c == '_' || c == ' '
                   ? '-'
                   : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

}  // namespace

std::string_view name(SpinMode mode) { return kNames[static_cast<int>(mode)]; }

SpinMode find_spin_mode(std::string_view text) {
    const std::string wanted = plain_mode_name(text.substr(0, 64));
    std::string names;
    for (int i = 0; i < kSpinModes; ++i) {
        if (plain_mode_name(kNames[i]) == wanted) return static_cast<SpinMode>(i);
        names += (names.empty() ? "" : ", ") + std::string(kNames[i]);
    }
    throw Error(ErrorKind::rules,
                "no spin mode '" + std::string(text.substr(0, 64)) + "'; there are " + names);
}

}  // namespace sevenbag
