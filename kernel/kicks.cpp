#include "kicks.hpp"

#include <cctype>

#include "error.hpp"

namespace sevenbag {

namespace {

// Lower case, without separators, "plus" as "+": all spellings of a name become one.
std::string plain(std::string_view name) {
    std::string out;
    for (char c : name)
        if (c != '-' && c != '_' && c != ' ')
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto plus = out.find("plus");
    if (plus != std::string::npos) return out.substr(0, plus) + '+' + out.substr(plus + 4);
    return out;
}

}  // namespace

const std::vector<Kicks>& all_kicks() {
    static const std::vector<Kicks> all = {
        {"none", &kNone},    {"none180", &kNone180},      {"srs", &kSrs},    {"srs180", &kSrs180},
        {"srs+", &kSrsPlus}, {"srs-tetrio", &kSrsTetrio}, {"srs-x", &kSrsX},
    };
    return all;
}

const Kicks& find_kicks(std::string_view name) {
    const std::string wanted = plain(name.substr(0, 64));
    std::string known;
    for (const Kicks& kicks : all_kicks()) {
        if (plain(kicks.name) == wanted) return kicks;
        known += (known.empty() ? "" : ", ") + std::string(kicks.name);
    }
    throw Error(ErrorKind::kicks,
                "no rotation system '" + std::string(name.substr(0, 64)) + "'; there are " + known);
}

}  // namespace sevenbag
