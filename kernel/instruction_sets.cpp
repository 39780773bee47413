// Which of the instruction sets the hot code was compiled for is used on this machine.
#include "movegen.hpp"
#include "movegen_isa.hpp"

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"

namespace sevenbag {

#define SB_DECLARE(isa)                                                                \
    namespace isa {                                                                    \
    int generate(HotKicks, const PackedBoard&, Piece, int, int, SpinRule, Placement*); \
    std::uint64_t perft(HotKicks, const PerftJob&, int,                                \
                        std::uint64_t (*)(void*, const std::uint64_t*, int), void*);   \
    }

SB_DECLARE(base)
#if defined(SB_WIDE_SETS)
SB_DECLARE(v3)
SB_DECLARE(v4)
#endif

namespace {

HotCode choose() {
    const HotCode base_code{"base", base::generate, base::perft};
#if defined(SB_WIDE_SETS)
    const HotCode v3_code{"x86-64-v3", v3::generate, v3::perft};
    // Not x86-64-v4, which lacks what Ice Lake and Zen 4 brought (cmake/InstructionSets.cmake).
    const HotCode v4_code{"avx512", v4::generate, v4::perft};
    __builtin_cpu_init();
    const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
                        __builtin_cpu_supports("fma");
    const bool has_v4 =
        has_v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq");
#endif
    std::vector<HotCode> able{base_code};
#if defined(SB_WIDE_SETS)
    if (has_v3) able.push_back(v3_code);
    if (has_v4) able.push_back(v4_code);
#endif
    // For measuring and testing one set on a machine that has more.
    const char* wanted = std::getenv("SEVENBAG_INSTRUCTION_SET");
    if (!wanted || !*wanted) return able.back();
    std::string names;
    for (const HotCode& code : able) {
        if (std::string_view(wanted) == code.name) return code;
        names += std::string(names.empty() ? "" : ", ") + code.name;
    }
    throw Error(ErrorKind::input, "SEVENBAG_INSTRUCTION_SET is '" +
                                      std::string(wanted).substr(0, 40) + "'; this machine has " +
                                      names);
}

}  // namespace

const HotCode& hot_code() {
    static const HotCode code = choose();
    return code;
}

const char* instruction_set() { return hot_code().name; }

}  // namespace sevenbag
