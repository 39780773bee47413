// Which of the instruction sets the hot code was compiled for is used on this machine.
#include "movegen.hpp"
#include "movegen_isa.hpp"

#include <cstdlib>
#include <cstring>

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
    const HotCode v4_code{"x86-64-v4", v4::generate, v4::perft};
    __builtin_cpu_init();
    const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
                        __builtin_cpu_supports("fma");
    const bool has_v4 =
        has_v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq");
    // For measuring and testing one set on a machine that has more.
    const char* wanted = std::getenv("SEVENBAG_INSTRUCTION_SET");
    if (wanted && std::strcmp(wanted, "base") == 0) return base_code;
    if (has_v4 && !(wanted && std::strcmp(wanted, "x86-64-v3") == 0)) return v4_code;
    if (has_v3) return v3_code;
#endif
    return base_code;
}

}  // namespace

const HotCode& hot_code() {
    static const HotCode code = choose();
    return code;
}

const char* instruction_set() { return hot_code().name; }

}  // namespace sevenbag
