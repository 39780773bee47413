// Instruction sets that this machine's processor supports.
#pragma once

namespace sevenbag {

inline bool cpu_has_v3() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

// Not x86-64-v4, which lacks the extensions of Ice Lake and Zen 4 (cmake/InstructionSets.cmake).
inline bool cpu_has_v4() {
#if defined(__x86_64__)
    return cpu_has_v3() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("avx512vpopcntdq");
#else
    return false;
#endif
}

}  // namespace sevenbag
