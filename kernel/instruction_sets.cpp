#include "instruction_sets.hpp"

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cpu.hpp"
#include "error.hpp"

namespace sevenbag {

#define SB_DECLARE(isa)                                                                    \
    namespace isa {                                                                        \
    int generate(HotKicks, const PackedBoard&, Piece, int, int, SpinRule, Placement*);     \
    std::uint64_t perft(HotKicks, const PerftJob&, int,                                    \
                        std::uint64_t (*)(void*, const std::uint64_t*, int), void*);       \
    void children(const ChildrenJob&, Child*);                                             \
    namespace pc {                                                                         \
    void find_rests(const sevenbag::pc::PieceMotion&, std::uint64_t, int, std::uint64_t*); \
    void find_features(std::uint64_t, int, float*);                                        \
    sevenbag::pc::Outcome run_ordered(sevenbag::pc::OrderedSearch&);                       \
    void find_children(const sevenbag::pc::PieceMotion* const*, std::uint64_t, int,        \
                       std::uint64_t*, int*);                                              \
    sevenbag::pc::Landing find_landing(const sevenbag::pc::PieceMotion&, std::uint64_t,    \
                                       std::uint64_t, int);                                \
    }                                                                                      \
    }                                                                                      \
    static HotCode isa##_code(const char* name) {                                          \
        return {name,                                                                      \
                isa::generate,                                                             \
                isa::perft,                                                                \
                isa::children,                                                             \
                isa::pc::find_rests,                                                       \
                isa::pc::find_features,                                                    \
                isa::pc::run_ordered,                                                      \
                isa::pc::find_children,                                                    \
                isa::pc::find_landing};                                                    \
    }

#if defined(SB_SET_base)
SB_DECLARE(base)
#endif
#if defined(SB_SET_v3)
SB_DECLARE(v3)
#endif
#if defined(SB_SET_v4)
SB_DECLARE(v4)
#endif

namespace {

HotCode choose() {
    std::vector<HotCode> able;
#if defined(SB_SET_base)
    able.push_back(base_code("base"));
#endif
#if defined(SB_SET_v3)
    if (cpu_has_v3()) able.push_back(v3_code("x86-64-v3"));
#endif
#if defined(SB_SET_v4)
    if (cpu_has_v4()) able.push_back(v4_code("avx512"));
#endif
    if (able.empty())
        throw Error(ErrorKind::input,
                    "this kernel was built for another processor; build it again on this machine");
    // For measuring and testing one set on a machine that has more.
    const char* wanted = std::getenv("SEVENBAG_INSTRUCTION_SET");
    if (!wanted || !*wanted) return able.back();
    std::string names;
    for (const HotCode& code : able) {
        if (std::string_view(wanted) == code.name) return code;
        names += std::string(names.empty() ? "" : ", ") + code.name;
    }
    throw Error(ErrorKind::input, "invalid SEVENBAG_INSTRUCTION_SET: expected " + names +
                                      ", got '" + std::string(wanted).substr(0, 40) + "'");
}

}  // namespace

const HotCode& hot_code() {
    static const HotCode code = choose();
    return code;
}

const char* instruction_set() { return hot_code().name; }

}  // namespace sevenbag
