#include "dispatch.hpp"

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cpu_features.hpp"
#include "error.hpp"

namespace sevenbag {

#define SB_DECLARE(isa)                                                                           \
    namespace isa {                                                                               \
    int generate_placements(FastSystem, const PackedBoard&, Piece, int, int, SpinRule,            \
                            Placement*);                                                          \
    std::uint64_t perft(FastSystem, const PerftJob&, int,                                         \
                        std::uint64_t (*)(void*, const std::uint64_t*, int), void*);              \
    void evaluate_placements(const EvaluationJob&, EvaluatedBoard*);                              \
    namespace pc {                                                                                \
    void find_rest_positions(const sevenbag::pc::MoveTable&, std::uint64_t, int, std::uint64_t*); \
    void find_features(std::uint64_t, int, float*);                                               \
    sevenbag::pc::Outcome search_in_play_order(sevenbag::pc::PlayOrderSearch&);                   \
    void find_children(const sevenbag::pc::MoveTable* const*, std::uint64_t, int, std::uint64_t*, \
                       int*);                                                                     \
    sevenbag::pc::RestPosition find_rest_position(const sevenbag::pc::MoveTable&, std::uint64_t,  \
                                                  std::uint64_t, int);                            \
    }                                                                                             \
    }                                                                                             \
    static DispatchTable isa##_code(const char* name) {                                           \
        return {name,                                                                             \
                isa::generate_placements,                                                         \
                isa::perft,                                                                       \
                isa::evaluate_placements,                                                         \
                isa::pc::find_rest_positions,                                                     \
                isa::pc::find_features,                                                           \
                isa::pc::search_in_play_order,                                                    \
                isa::pc::find_children,                                                           \
                isa::pc::find_rest_position};                                                     \
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

DispatchTable choose() {
    std::vector<DispatchTable> able;
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
    for (const DispatchTable& code : able) {
        if (std::string_view(wanted) == code.name) return code;
        names += std::string(names.empty() ? "" : ", ") + code.name;
    }
    throw Error(ErrorKind::input, "invalid SEVENBAG_INSTRUCTION_SET: expected " + names +
                                      ", got '" + std::string(wanted).substr(0, 40) + "'");
}

}  // namespace

const DispatchTable& dispatch_table() {
    static const DispatchTable code = choose();
    return code;
}

const char* instruction_set() { return dispatch_table().name; }

}  // namespace sevenbag
